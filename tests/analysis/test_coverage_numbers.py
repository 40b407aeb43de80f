"""Contract of ``mentioned_ids``: an id counts, once, where it stands as a standalone number."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.analysis import mentioned_ids


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("12", {12}),
        ("Instance 12", {12}),
        ("#12", {12}),
        ("12:", {12}),
        ("(12)", {12}),
        ("[12]", {12}),
        ("**12**", {12}),
        ("12.", {12}),
        ("12. Next", {12}),
        ("12,", {12}),
        ("$12", {12}),
        ("12%", {12}),
        ("12/13", {12, 13}),
        ("12-19", {12, 19}),
        ("12–19", {12, 19}),
        ("12 to 19", {12, 19}),
        ("instance-12", {12}),
        ("98 * 34 = 3332", {98, 34}),
        ("12, 13 and 12", {12, 13}),
        ("1200", {1200}),
        ("2000", {2000}),
        ("2001", set()),
        ("0", set()),
        ("012", set()),
        ("v12", set()),
        ("12th", set()),
        ("12x", set()),
        ("id_12", set()),
        ("12_a", set()),
        ("v1.5", set()),
        ("3.5", set()),
        ("3.5.1", set()),
        ("3.5x", set()),
        (".5", set()),
        ("costs .5", set()),
        ("the end.12 is next", {12}),
        ("-1", set()),
        ("answer -1", set()),
        ('{"answer": −1}', set()),
        ("a -12 b", set()),
        ("1,200", {1200}),
        ("1,200.50", set()),
        ("2,500", set()),
        ("12,345", set()),
        ("98,99,100", {98, 99, 100}),
        ("101,102", {101, 102}),
        ("100,200,300", {100, 200, 300}),
        ("1,2,3", {1, 2, 3}),
        ("1,23", {1, 23}),
        ("1, 200", {1, 200}),
        ("\uff11\uff12", set()),
        ("١٢", set()),
        ("12３", set()),
        ("é12", set()),
        ("12é", set()),
        ("", set()),
        ("no digits", set()),
        (None, set()),
    ],
)
def test_what_is_standalone(text: str | None, expected: set[int]) -> None:
    assert mentioned_ids(text, 2_000) == expected


def test_ids_end_at_n() -> None:
    assert mentioned_ids("1 20 21 200", 20) == {1, 20}
    assert mentioned_ids("1,200", 1_199) == set()
    assert mentioned_ids("1,200", 1_200) == {1200}
    assert mentioned_ids("1", 0) == set()


PIECES = st.sampled_from(
    [
        "1",
        "12",
        "1200",
        "200",
        " ",
        ",",
        ".",
        "-",
        "–",
        "#",
        ":",
        "x",
        "é",
        "_",
        "(",
        ")",
        "\n",
        "0",
    ]
)


@given(text=st.lists(PIECES, max_size=12).map("".join), n=st.integers(0, 3_000))
def test_agrees_with_one_look_at_every_number(text: str, n: int) -> None:
    """Where no comma joins digits, an id is there if and only if its own pattern finds it."""
    if re.search(r"\d,\d", text):
        return
    expected = {
        at
        for at in {1, 12, 112, 121, 200, 1200, *range(1, 30)}
        if at <= n
        and re.search(
            rf"(?<!\w)(?<![0-9]\.)(?<![^\w)][-−])(?<!\A[-−])(?<![\s(=*/+$]\.)(?<!\A\.){at}(?!\w)(?!\.[0-9])",
            text,
        )
    }
    assert mentioned_ids(text, n) & ({1, 12, 112, 121, 200, 1200} | set(range(30))) == expected


@given(text=st.text(alphabet=st.characters(), max_size=300), n=st.integers(1, 5_000))
def test_any_text_gives_ids_in_range(text: str, n: int) -> None:
    assert all(1 <= one <= n for one in mentioned_ids(text, n))


@given(
    ids=st.sets(st.integers(1, 2_000), max_size=60), joint=st.sampled_from([" ", ", ", "\n", ": "])
)
def test_every_id_written_out_is_found(ids: set[int], joint: str) -> None:
    assert mentioned_ids(joint.join(map(str, sorted(ids))), 2_000) == ids


@pytest.mark.parametrize("unit", ["1", "1,", "1.", "9 ", "-1", "1,234,", ".5", "1x", "٣", "-", " "])
def test_five_megabytes_take_seconds(unit: str) -> None:
    text = unit * (5_000_000 // len(unit))
    started = time.process_time()
    mentioned_ids(text, 2_000)
    assert time.process_time() - started < 5
