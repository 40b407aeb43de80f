"""Contract: a token belongs to an instance only when all its characters do, white space aside;
tokenizers without offsets are followed by decoding."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.attribution._offsets import align
from evenhand.attribution._spans import instance_tokens
from evenhand.errors import UsageError

TEXT = "Instance 1: ab cd\nInstance 2: ef"
FIRST, SECOND = (12, 17), (30, 32)


def cut(*pieces: str) -> list[tuple[int, int]]:
    """Offsets of the pieces, which together are the text."""
    assert "".join(pieces) == TEXT
    ends = [sum(map(len, pieces[: n + 1])) for n in range(len(pieces))]
    return list(zip([0, *ends[:-1]], ends, strict=True))


@pytest.mark.parametrize(
    ("pieces", "ranges", "straddling"),
    [
        # The space before a text may stand in its first token; the line break in its last.
        (("Instance 1:", " ab", " cd", "\nInstance 2:", " ef"), ((1, 3), (4, 5)), 0),
        (("Instance 1:", " ab", " cd\n", "Instance 2:", " ef"), ((1, 3), (4, 5)), 0),
        # White space inside an instance is its own; outside it is nobody's.
        (("Instance 1:", " ", "ab", " ", "cd", "\n", "Instance 2: ", "ef"), ((2, 5), (7, 8)), 0),
        # A header's colon in the token, or the next header's letter: nobody's, and counted.
        (("Instance 1", ": ab", " cd", "\nInstance 2:", " ef"), ((2, 3), (4, 5)), 1),
        (("Instance 1:", " ab", " cd\nI", "nstance 2:", " ef"), ((1, 2), (4, 5)), 1),
        # One token over two instances is one token, and nobody's.
        (("Instance 1:", " ab", " cd\nInstance 2: ef"), ((1, 2), (2, 2)), 1),
    ],
)
def test_tokens_of_instances(
    pieces: tuple[str, ...], ranges: tuple[tuple[int, int], ...], straddling: int
) -> None:
    found = instance_tokens(TEXT, cut(*pieces), [FIRST, SECOND])
    assert found.ranges == ranges
    assert found.straddling == straddling


def bytes_decoder(vocabulary: Sequence[bytes]) -> object:
    def decode(ids: Sequence[int]) -> str:
        return b"".join(vocabulary[one] for one in ids).decode("utf-8", "replace")

    return decode


@given(st.text(max_size=30), st.integers(1, 3))
def test_following_tokens_by_decoding(text: str, size: int) -> None:
    raw = text.encode("utf-8", "ignore")
    text = raw.decode("utf-8")
    pieces = [raw[at : at + size] for at in range(0, len(raw), size)]
    decode = bytes_decoder(pieces)
    offsets = align(text, range(len(pieces)), decode)  # type: ignore[arg-type]
    assert len(offsets) == len(pieces)
    covered = {at for lo, hi in offsets for at in range(lo, hi)}
    assert covered == set(range(len(text)))
    assert offsets == sorted(offsets)


def test_half_characters_all_get_the_whole_ones_range() -> None:
    pieces = [b"a", b"\xe2\x82", b"\xac", b"b"]
    assert align("a€b", range(4), bytes_decoder(pieces)) == [(0, 1), (1, 2), (1, 2), (2, 3)]  # type: ignore[arg-type]


def test_a_replacement_character_in_the_text_is_not_half_a_character() -> None:
    # U+FFFD itself, as one token and as three, beside a euro sign in three.
    pieces = [b"a", b"\xef\xbf\xbd", b"\xef", b"\xbf", b"\xbd", b"\xe2", b"\x82", b"\xac"]
    found = align("a\ufffd\ufffd€", range(8), bytes_decoder(pieces))  # type: ignore[arg-type]
    assert found == [(0, 1), (1, 2), *[(2, 3)] * 3, *[(3, 4)] * 3]


def test_a_decoder_that_drops_its_first_space_is_followed() -> None:
    words = [" one", " two", " three"]

    def decode(ids: Sequence[int]) -> str:
        return "".join(words[one] for one in ids).removeprefix(" ")

    assert align("one two three", range(3), decode) == [(0, 3), (3, 7), (7, 13)]


def test_tokens_that_spell_something_else_are_refused() -> None:
    with pytest.raises(UsageError, match="do not spell"):
        align("abc", range(2), bytes_decoder([b"a", b"x"]))  # type: ignore[arg-type]
