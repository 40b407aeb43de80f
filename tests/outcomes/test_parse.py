"""Contract of ``parse_answer``: the last JSON object with an ``answer`` key counts.

Outside closed reasoning tags; labels after NFKC, trim and case folding, never by substring; -1 is
a tie; without such an object a bare last line is lenient; a cut reply is overlong; nothing is
repaired or defaulted.
"""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import UsageError
from evenhand.outcomes import ParsedAnswer, parse_answer

LABELS = ("LOC", "PER")
SENSES = ("place", "programming_language")

PER = ParsedAnswer("PER", tie=False, outcome=None, lenient=False)
LOC = ParsedAnswer("LOC", tie=False, outcome=None, lenient=False)
TIE = ParsedAnswer(None, tie=True, outcome=None, lenient=False)
BARE = ParsedAnswer("PER", tie=False, outcome=None, lenient=True)
NONE = ParsedAnswer(None, tie=False, outcome="parsing_issue", lenient=False)
LONG = ParsedAnswer(None, tie=False, outcome="overlong", lenient=False)

CASES: list[tuple[str, str, ParsedAnswer]] = [
    # JSON, plain and dressed
    ("plain", '{"answer": "PER"}', PER),
    ("no spaces", '{"answer":"LOC"}', LOC),
    ("spread over lines", '{\n  "answer" :\t"PER"\n}', PER),
    ("CRLF inside", '{\r\n"answer": "PER"\r\n}\r\n', PER),
    ("trailing blanks", '{"answer": "PER"}  \n\n\t ', PER),
    ("fence", '```json\n{"answer": "PER"}\n```', PER),
    ("fence without language", '```\n{"answer": "LOC"}\n```', LOC),
    ("inline code", 'So: `{"answer": "PER"}`', PER),
    ("bold", '**{"answer": "PER"}**', PER),
    ("prose around", 'Most are people. {"answer": "PER"} is my result.', PER),
    ("stuck to prose", 'answer:{"answer":"PER"}.', PER),
    ("byte order mark", '\ufeff{"answer": "PER"}', PER),
    ("NULs around", '\x00\x00{"answer": "PER"}\x00', PER),
    ("other keys", '{"PER": 1100, "LOC": 900, "answer": "PER"}', PER),
    ("answer first", '{"answer": "LOC", "counts": {"PER": 2, "LOC": 3}}', LOC),
    ("all kinds of values", '{"a": [1, -2.5e3, {}, [], null], "b": true, "answer": "PER"}', PER),
    ("escaped key", '{"\\u0061nswer": "PER"}', PER),
    ("escaped letters", '{"answer": "\\u0050ER"}', PER),
    ("escaped quotes elsewhere", '{"why": "they said \\"LOC\\" {", "answer": "PER"}', PER),
    ("escaped backslash", '{"path": "c:\\\\", "answer": "PER"}', PER),
    ("JSON lines", '{"id": 1}\n{"id": 2}\n{"answer": "PER"}', PER),
    # the label itself
    ("lower case", '{"answer": "per"}', PER),
    ("mixed case", '{"answer": "Per"}', PER),
    ("blanks in the label", '{"answer": "  PER "}', PER),
    ("escaped line break in the label", '{"answer": "PER\\n"}', PER),
    ("full-width letters", '{"answer": "\uff30\uff25\uff32"}', PER),
    ("mathematical letters", '{"answer": "𝐏𝐄𝐑"}', PER),
    ("zero-width space", '{"answer": "PER\u200b"}', PER),
    ("no-break space", '{"answer": "\u00a0PER\u00a0"}', PER),
    ("off-list", '{"answer": "ORG"}', NONE),
    ("longer word", '{"answer": "PERSON"}', NONE),
    ("shorter word", '{"answer": "PE"}', NONE),
    ("two labels", '{"answer": "LOC, PER"}', NONE),
    ("label in a sentence", '{"answer": "not LOC but PER"}', NONE),
    ("label with a full stop", '{"answer": "PER."}', NONE),
    ("quotes inside quotes", '{"answer": "\\"PER\\""}', NONE),
    ("Cyrillic look-alike", '{"answer": "\u0420ER"}', NONE),
    ("empty label", '{"answer": ""}', NONE),
    ("null", '{"answer": null}', NONE),
    ("true", '{"answer": true}', NONE),
    ("false", '{"answer": false}', NONE),
    ("list", '{"answer": ["PER"]}', NONE),
    ("object", '{"answer": {"label": "PER"}}', NONE),
    ("another key", '{"label": "PER"}', NONE),
    ("key in another case", '{"Answer": "PER"}', NONE),
    ("unquoted label", '{"answer": PER}', NONE),
    # ties
    ("tie as a number", '{"answer": -1}', TIE),
    ("tie as a string", '{"answer": "-1"}', TIE),
    ("tie with blanks", '{"answer": " -1 "}', TIE),
    ("tie as a fraction", '{"answer": -1.0}', TIE),
    ("tie with the minus sign", '{"answer": "\u22121"}', TIE),
    ("tie with a full-width minus", '{"answer": "\uff0d1"}', TIE),
    ("one", '{"answer": 1}', NONE),
    ("zero", '{"answer": 0}', NONE),
    ("minus one and a half", '{"answer": -1.5}', NONE),
    ("minus eleven", '{"answer": -11}', NONE),
    ("the word tie", '{"answer": "tie"}', NONE),
    ("a number of many digits", '{"answer": ' + "9" * 6000 + "}", NONE),
    # several objects
    ("last of two", '{"answer": "LOC"} no, {"answer": "PER"}', PER),
    ("last of two is a tie", '{"answer": "LOC"} {"answer": -1}', TIE),
    ("the last is off-list", '{"answer": "PER"} {"answer": "unsure"}', NONE),
    ("later object without the key", '{"answer": "PER"} {"confidence": 0.9}', PER),
    ("nested", '{"result": {"answer": "PER"}}', PER),
    ("nested in a list", '{"results": [{"answer": "LOC"}, {"answer": "PER"}]}', PER),
    ("bare list", '[{"answer": "PER"}]', PER),
    ("outer speaks before inner", '{"answer": "PER", "draft": {"answer": "LOC"}}', PER),
    ("wrapped twice", '{"answer": {"answer": "PER"}}', PER),
    ("key twice", '{"answer": "LOC", "answer": "PER"}', PER),
    ("inside a broken object", '{note: {"answer": "PER"}}', PER),
    ("after a quote that never closes", '{"note: {"answer": "PER"}', PER),
    ("in a string of a whole object", '{"note": "{\\"answer\\": \\"LOC\\"}"}', NONE),
    ("brackets in prose", 'Sets {a, b} and {LOC}: {see} {"answer": "PER"} {}', PER),
    ("open brackets before", '{{{[[{ {"answer": "PER"}', PER),
    ("broken object last", '{"answer": "PER"} {"answer": "LO', PER),
    # not JSON
    ("trailing comma", '{"answer": "PER",}', NONE),
    ("single quotes", "{'answer': 'PER'}", NONE),
    ("curly quotes", "{“answer”: “PER”}", NONE),
    ("unquoted key", '{answer: "PER"}', NONE),
    ("missing brace", '{"answer": "PER"', NONE),
    ("missing colon", '{"answer" "PER"}', NONE),
    ("comma for colon", '{"answer", "PER"}', NONE),
    ("wrong bracket", '{"answer": "PER"]', NONE),
    ("comment", '{"answer": "PER" // sure\n}', NONE),
    ("line break in a string", '{"answer": "PER\n"}', NONE),
    ("leading zero", '{"answer": -01}', NONE),
    ("NaN", '{"answer": NaN}', NONE),
    ("unknown escape", '{"answer": "\\PER"}', NONE),
    # reasoning tags
    ("draft in thinking", '<think>{"answer": "LOC"}</think>{"answer": "PER"}', PER),
    ("draft only", '<think>{"answer": "LOC"}</think>', NONE),
    ("draft, then prose", '<think>{"answer": "LOC"}</think> I cannot tell.', NONE),
    ("unclosed thinking", '<think>Many people here. {"answer": "PER"}', PER),
    ("only a closing tag", 'draft {"answer": "LOC"}</think>\n{"answer": "PER"}', PER),
    ("only a closing tag, draft only", 'draft {"answer": "LOC"}\n</think>\n', NONE),
    ("upper-case tag", '<THINK>{"answer": "LOC"}</THINK>', NONE),
    ("thinking tag", '<thinking>{"answer": "LOC"}</thinking>{"answer": "PER"}', PER),
    ("reasoning tag", '<reasoning>{"answer": "LOC"}</reasoning>', NONE),
    ("bracketed tag", '[THINK]{"answer": "LOC"}[/THINK]{"answer": "PER"}', PER),
    ("two blocks", '<think>a</think><think>{"answer": "LOC"}</think>{"answer": "PER"}', PER),
    ("answer before the block", '{"answer": "PER"}<think>{"answer": "LOC"}</think>', PER),
    ("quoted tag inside", '<think>a <think> b {"answer": "LOC"}</think>', NONE),
    ("nested block", '<think>a<think>b</think>{"answer": "LOC"}</think>', NONE),
    ("stray closing tag at the end", '<think>a</think>{"answer": "PER"}</think>', PER),
    ("object across a cut", '{"answer": <think>x</think> "PER"}', NONE),
    ("other tags hide nothing", '<answer>{"answer": "PER"}</answer>', PER),
    # a bare last line
    ("bare label", "PER", BARE),
    ("bare label, other case", "per", BARE),
    ("bare label after prose", "I counted more people.\n\nPER\n", BARE),
    ("bold label", "**PER**", BARE),
    ("quoted label", '"PER"', BARE),
    ("curly-quoted label", "“PER”", BARE),
    ("code label", "`PER`", BARE),
    ("lead", "Answer: PER", BARE),
    ("bold lead", "**Answer:** PER", BARE),
    ("bold lead, colon outside", "**Answer**: **PER**", BARE),
    ("all bold", "**Answer: PER**", BARE),
    ("lead with quotes", 'Reasons.\nAnswer: "PER"', BARE),
    ("full-width colon", "Answer\uff1aPER", BARE),
    ("fenced label", "```\nPER\n```", BARE),
    ("bare after thinking", "<think>LOC it is</think>\n\nPER", BARE),
    ("bare label, byte order mark", "\ufeffPER", BARE),
    ("label on an earlier line", "PER\nI am sure.", NONE),
    ("label within a line", "The answer is PER", NONE),
    ("denial", "not LOC but PER", NONE),
    ("both", "LOC or PER", NONE),
    ("two leads", "Answer: Answer: PER", NONE),
    ("lead alone", "Answer:", NONE),
    ("full stop", "PER.", NONE),
    ("half a quote", '"PER', NONE),
    ("bare tie", "-1", NONE),
    ("off-list JSON, then a label", '{"answer": "ORG"}\nPER', NONE),
    ("list item", "- PER", NONE),
    # nothing there
    ("empty", "", NONE),
    ("blank", " \n\t\n", NONE),
    ("refusal", "I cannot help with that.", NONE),
    ("prose that names a label", "There are many PER and few LOC among them.", NONE),
]


@pytest.mark.parametrize(
    ("text", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_table(text: str, expected: ParsedAnswer) -> None:
    assert parse_answer(text, LABELS) == expected


def test_the_table_is_large_and_without_twins() -> None:
    assert len(CASES) >= 80
    assert len({text for _, text, _ in CASES}) == len(CASES)
    assert len({name for name, _, _ in CASES}) == len(CASES)


@pytest.mark.parametrize(
    ("text", "reason", "expected"),
    [
        ('{"answer": "PE', "length", LONG),
        ('{"answer": "PER"}', "length", LONG),
        ("", "length", LONG),
        ("<think>still at it", "max_tokens", LONG),
        ('{"answer": "PER"}', "MAX_TOKENS", LONG),
        ('{"answer": "PE', "stop", NONE),
        ('{"answer": "PER"}', "content_filter", NONE),
        ('{"answer": "PER"}', "eos", PER),
        ('{"answer": "PER"}', "", PER),
        ('{"answer": "PER"}', None, PER),
    ],
)
def test_finish_reasons(text: str, reason: str | None, expected: ParsedAnswer) -> None:
    assert parse_answer(text, LABELS, reason) == expected


@pytest.mark.parametrize(
    ("text", "label", "lenient"),
    [
        ('{"answer": "Programming_Language"}', "programming_language", False),
        ('{"answer": "programming language"}', None, False),
        ("_programming_language_", "programming_language", True),
        ("Answer: programming_language", "programming_language", True),
        ('{"answer": "place"}', "place", False),
        ("marketplace", None, False),
    ],
)
def test_labels_of_several_words(text: str, label: str | None, lenient: bool) -> None:
    parsed = parse_answer(text, SENSES)
    assert (parsed.label, parsed.lenient) == (label, lenient)


def test_labels_that_look_like_json_values_match_without_quotation_marks() -> None:
    assert parse_answer('{"answer": 5}', ("1", "5")).label == "5"
    assert parse_answer('{"answer": true}', ("true", "false")).label == "true"
    assert parse_answer('{"answer": -1}', ("1", "5")).tie


@pytest.mark.parametrize("labels", [(), ("", "a"), ("a", "A"), ("-1", "1"), ("PER", "PER")])
def test_labels_that_cannot_be_told_apart_are_refused(labels: tuple[str, ...]) -> None:
    with pytest.raises(UsageError):
        parse_answer('{"answer": "a"}', labels)


FRAGMENTS = st.sampled_from(
    [
        *('{"answer": "PER"}', '{"answer":', "<think>", "</think>", "-1", "PER", "LOC", "answer"),
        *("Answer:", "**", "\n", " ", "null", "```", '{"', '"}', *'"{}[]\\:,'),
    ]
)
TEXTS = st.one_of(st.text(max_size=200), st.lists(FRAGMENTS, max_size=40).map("".join))


@given(text=TEXTS, reason=st.sampled_from(["stop", "length", "content_filter", ""]))
def test_any_text_gives_exactly_one_reading(text: str, reason: str) -> None:
    parsed = parse_answer(text, LABELS, reason)
    assert parsed.label is None or parsed.label in LABELS
    assert (parsed.label is not None) + parsed.tie + (parsed.outcome is not None) == 1
    assert not parsed.lenient or parsed.label is not None


@given(text=TEXTS)
def test_the_order_of_the_labels_changes_nothing(text: str) -> None:
    assert parse_answer(text, LABELS) == parse_answer(text, LABELS[::-1])


@given(text=TEXTS)
def test_renaming_both_labels_renames_the_reading(text: str) -> None:
    renamed = text.replace("PER", "\0").replace("LOC", "PER").replace("\0", "LOC")
    other = {None: None, "PER": "LOC", "LOC": "PER"}
    before, after = parse_answer(text, LABELS), parse_answer(renamed, LABELS)
    if "\0" not in text:
        assert (other[before.label], before.outcome) == (after.label, after.outcome)


@given(text=TEXTS)
def test_an_object_at_the_end_always_wins(text: str) -> None:
    """Unless the text before leaves open what it is part of."""
    closed = not set(text) & set('{["\\')
    if closed:
        assert parse_answer(text + '\n{"answer": "PER"}', LABELS) == PER


@pytest.mark.parametrize(
    "unit",
    [
        "{",
        '{"',
        '{"a":',
        "[",
        '{"a":[',
        '{"\\',
        '\\"',
        "<think>",
        "</think>",
        "* ",
        "`",
        "\n",
        "{ ",
    ],
)
def test_time_is_linear_in_the_text(unit: str) -> None:
    small, large = (unit * (size // len(unit)) for size in (150_000, 1_200_000))
    started = time.perf_counter()
    parse_answer(small, LABELS)
    middle = time.perf_counter()
    parse_answer(large, LABELS)
    ended = time.perf_counter()
    # Eight times the text: a quadratic scan would take 64 times as long.
    assert ended - middle < 24 * (middle - started) + 0.5


def test_five_megabytes_of_braces_are_read_within_seconds() -> None:
    started = time.perf_counter()
    assert parse_answer("{" * 5_000_000 + '"answer": "PER"}', LABELS) == PER
    assert time.perf_counter() - started < 5
