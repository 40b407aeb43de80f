"""Contract of the readers: they answer by rule, exactly, and name in their trace what they read.

Accuracies equal their closed form at n = 2,000, p = 0.55 (1,100 to 900) under the seven patterns.
"""

from __future__ import annotations

import asyncio
import json
import math
import re
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.design import PATTERNS, arrange
from evenhand.errors import UsageError
from evenhand.models import Generation, GenerationSettings, Model
from evenhand.models._reader import READER_FORMS, open_reader
from evenhand.models._reader._trace import STYLES, write_trace
from evenhand.pools import Instance
from evenhand.prompts import Message, render, self_instruction_prompt
from evenhand.tasks import load_task

TASK = load_task("ner")
LABELS = TASK.labels
N_MAJORITY, N_MINORITY = 1_100, 900


def instances(label: str, count: int) -> list[Instance]:
    return [Instance(f"{label}:{at}", f"{label.lower()} text {at}", label) for at in range(count)]


def key_of(items: Sequence[Instance]) -> dict[str, str]:
    return {item.text: item.label for item in items}


def ask(
    reader: str,
    ordered: Sequence[Instance],
    settings: GenerationSettings | None = None,
    key: Mapping[str, str] | None = None,
) -> Generation:
    other = {"a record of the pool": "PER", "another one": "LOC"}
    model = open_reader(reader, key_of(ordered) | other if key is None else key)
    messages = render(TASK, ordered).messages
    return asyncio.run(model.generate(messages, settings or GenerationSettings()))


def answer(reader: str, ordered: Sequence[Instance]) -> object:
    found = json.loads(ask(reader, ordered).text)
    assert list(found) == ["answer"]
    return found["answer"]


def named(trace: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", trace)]


# Right (R), wrong (W) or tie (T), by hand: what the reader's instances hold under each pattern.
# first 200: soft edges begin with 100 surplus majority and then alternate; soft middle alternates.
# Even ids of an alternation are all minority, so every-50 finds only the surplus block's four.
# first 1,000 of majority-edges: 550 majority, 450 minority; of soft-middle: 450 + 50, 450 - 50.
CLOSED_FORM = {
    "perfect": "RRRRRR",
    "first-200": "RWRWRT",
    "last-200": "WRRWRT",
    "first-1000": "RWRRRR",
    "last-1000": "WRRRRR",
    "every-50": "RRRRWW",
    "noisy-1": "RRRRRR",
    "noisy-0": "WWWWWW",
}
STRUCTURED = (
    "majority-first",
    "majority-last",
    "majority-edges",
    "majority-middle",
    "soft-majority-edges",
    "soft-majority-middle",
)


@pytest.mark.parametrize("majority_label", LABELS)
@pytest.mark.parametrize("reader", CLOSED_FORM)
def test_answers_equal_the_closed_form_at_2000(reader: str, majority_label: str) -> None:
    minority_label = TASK.other(majority_label)
    majority = instances(majority_label, N_MAJORITY)
    minority = instances(minority_label, N_MINORITY)
    words = {"R": majority_label, "W": minority_label, "T": -1}
    for pattern, expected in zip(STRUCTURED, CLOSED_FORM[reader], strict=True):
        ordered = arrange(majority, minority, pattern)
        assert answer(f"reader/{reader}", ordered) == words[expected], pattern


@pytest.mark.parametrize("reader", ["perfect", "noisy-0.8", "noisy-0.55", "label-PER"])
def test_order_changes_nothing_for_readers_that_cannot_see_it(reader: str) -> None:
    majority, minority = instances("PER", 60), instances("LOC", 40)
    answers = [
        answer(reader, arrange(majority, minority, pattern, order_seed=seed))
        for pattern in PATTERNS
        for seed in (0, 1)
    ]
    assert len(set(map(str, answers))) == 1


def test_noise_has_the_stated_rate() -> None:
    ordered = instances("PER", 2_000) + instances("LOC", 2_000)
    trace = ask("noisy-0.9", ordered).reasoning or ""
    given_labels = dict(re.findall(r"(\d+)\W.*?(PER|LOC)", trace))
    wrong = sum(item.label != given_labels[str(at)] for at, item in enumerate(ordered, 1))
    assert abs(wrong - 400) < 4 * math.sqrt(4_000 * 0.9 * 0.1)


def test_a_coin_depends_on_messages_and_seed_and_is_fair() -> None:
    ordered = instances("PER", 3) + instances("LOC", 2)
    tosses = [ask("coin", ordered, GenerationSettings(seed=seed)).text for seed in range(200)]
    assert ask("coin", ordered, GenerationSettings(seed=5)).text == tosses[5]
    assert 70 <= sum("PER" in toss for toss in tosses) <= 130
    assert len({ask("coin", ordered[at:] + ordered[:at]).text for at in range(5)}) == 2


def test_one_label_always() -> None:
    assert answer("label-LOC", instances("PER", 4)) == "LOC"
    with pytest.raises(UsageError, match="no label 'positive': use one of LOC, PER"):
        ask("label-positive", instances("PER", 4), GenerationSettings(labels=LABELS))
    with pytest.raises(UsageError, match="no label 'positive'"):
        ask("label-positive", instances("PER", 2) + instances("LOC", 1))


@pytest.mark.parametrize(
    ("reader", "read"),
    [
        ("perfect", range(1, 13)),
        ("noisy-0.5", range(1, 13)),
        ("first-5", range(1, 6)),
        ("first-99", range(1, 13)),
        ("last-5", range(8, 13)),
        ("last-99", range(1, 13)),
        ("every-4", range(4, 13, 4)),
        ("every-13", range(0)),
        ("coin", range(0)),
        ("label-PER", range(0)),
    ],
)
def test_the_trace_names_exactly_what_was_read(reader: str, read: range) -> None:
    texts = [Instance(f"{at}", f"a text without digits {'x' * at}", "PER") for at in range(11)]
    ordered = [*texts, Instance("last", "another", "LOC")]
    generation = ask(reader, ordered)
    assert generation.reasoning_source == "reasoning"
    assert named(generation.reasoning or "") == list(read)


@given(
    judged=st.dictionaries(st.integers(1, 3_000), st.sampled_from(LABELS), min_size=1),
    style=st.integers(0, 50),
)
def test_every_style_names_each_id_once_with_its_label(judged: dict[int, str], style: int) -> None:
    pairs = sorted(judged.items())
    trace = write_trace(pairs, 3_000, style)
    assert named(trace) == [at for at, _ in pairs]
    assert trace.count("PER") + trace.count("LOC") >= 1


def test_styles_differ_and_are_picked_by_the_prompt() -> None:
    assert len({style([(1, "PER"), (2, "PER")]) for style in STYLES}) == len(STYLES) >= 6
    ordered = instances("PER", 9)
    traces = {(ask("first-1", ordered[at:]).reasoning or "").splitlines()[1] for at in range(8)}
    assert len(traces) > 2


def test_a_forced_choice_weighs_the_votes() -> None:
    settings = GenerationSettings(answer_mode="forced", labels=LABELS)
    ordered = instances("PER", 7) + instances("LOC", 3)
    forced = ask("perfect", ordered, settings).forced
    assert forced is not None
    assert (forced.label, forced.label_mass) == ("PER", 1.0)
    assert forced.margin == pytest.approx(math.log(8 / 4))
    swapped = GenerationSettings(answer_mode="forced", labels=LABELS[::-1])
    other = ask("perfect", ordered, swapped).forced
    assert other is not None
    assert other.margin == pytest.approx(-forced.margin)
    tie = ask("first-2", [*instances("PER", 1), *instances("LOC", 1)], settings).forced
    assert tie is not None
    assert (tie.label, tie.margin) == (None, 0.0)
    constant = ask("label-LOC", ordered, settings).forced
    assert constant is not None
    assert constant.label == "LOC"
    assert constant.margin == pytest.approx(-math.log(2))


def test_a_forced_choice_needs_labels() -> None:
    with pytest.raises(UsageError, match="needs the two labels"):
        ask("perfect", instances("PER", 2), GenerationSettings(answer_mode="forced"))


def test_the_first_stage_of_self_prompting_gets_an_instruction() -> None:
    model = open_reader("perfect", {"a": "PER"})
    reply = asyncio.run(model.generate(self_instruction_prompt(TASK, 20), GenerationSettings()))
    assert "every instance" in reply.text
    ordered = instances("PER", 3) + instances("LOC", 2)
    second = render(TASK, ordered, "self", instruction=reply.text)
    model = open_reader("perfect", key_of(ordered))
    counted = asyncio.run(model.generate(second.messages, GenerationSettings()))
    assert json.loads(counted.text) == {"answer": "PER"}


def test_an_example_line_in_an_instruction_is_not_read() -> None:
    ordered = instances("PER", 3)
    prompt = render(TASK, ordered, "self", instruction="Such as:\nInstance 1: an example\nGo on.")
    model = open_reader("perfect", key_of(ordered) | {"x": "LOC"})
    reply = asyncio.run(model.generate(prompt.messages, GenerationSettings()))
    assert json.loads(reply.text) == {"answer": "PER"}


def test_texts_are_looked_up_as_the_prompt_folds_them() -> None:
    odd = [Instance("a", " two\r\nlines ", "PER"), Instance("b", "one", "LOC")]
    assert answer("first-1", odd) == "PER"


def test_an_unknown_text_is_named() -> None:
    ordered = instances("PER", 3)
    with pytest.raises(UsageError, match=r"instance 3 \('per text 2'\) is not in the reader's"):
        ask("perfect", ordered, key=key_of(ordered[:2]))
    with pytest.raises(UsageError, match="answer key"):
        ask("perfect", ordered, key={})


def test_numbering_that_jumps_is_refused() -> None:
    model = open_reader("perfect", {"a": "PER", "b": "LOC"})
    message = Message("user", "Instance 1: a\nInstance 3: b")
    with pytest.raises(UsageError, match="found instance 3 where instance 2 should be"):
        asyncio.run(model.generate([message], GenerationSettings()))


def test_labels_that_do_not_fit_the_key_are_refused() -> None:
    with pytest.raises(UsageError, match="label 'PER'"):
        ask("perfect", instances("PER", 2), GenerationSettings(labels=("yes", "no")))
    model = open_reader("coin", {"a": "PER"})
    with pytest.raises(UsageError, match="cannot tell the two labels"):
        asyncio.run(model.generate([Message("user", "Instance 1: a")], GenerationSettings()))


@pytest.mark.parametrize(
    "spec",
    [
        *("", "best", "first", "first-", "first-0", "first-x", "first--1", "first-1.5", "first-²"),
        *("noisy-", "noisy-x", "noisy-2", "label-", "label-a b", "coin-1", "perfect-1", "Perfect"),
    ],
)
def test_unknown_readers_are_refused_with_the_forms(spec: str) -> None:
    with pytest.raises(UsageError) as raised:
        open_reader(f"reader/{spec}", {})
    assert all(form in str(raised.value) for form in READER_FORMS)


def test_it_is_a_model_and_says_that_its_counts_are_estimates() -> None:
    model = open_reader("reader/first-2", {})
    assert isinstance(model, Model)
    assert (model.name, model.context_window, model.max_concurrency) == (
        "reader/first-2",
        None,
        None,
    )
    assert model.count_tokens([Message("user", "12345678x")]).tokens == 3
    assert not model.count_tokens([Message("user", "x")]).exact
    generation = ask("first-2", instances("PER", 3))
    assert generation.usage.reasoning_tokens == -(-len(generation.reasoning or "") // 4)
    assert "estimated" in str(generation.parameters["token_counts"])
    asyncio.run(model.aclose())
