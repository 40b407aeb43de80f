"""Draws depend on their key alone, and are the same on every machine and Python version."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from evenhand.pools._synthetic._draw import Draws


def test_draws_are_the_remainders_of_the_keys_hash() -> None:
    number = int.from_bytes(hashlib.sha256(b"3:sun1:7").digest(), "big")
    draws = Draws("sun", 7)
    assert draws.below(10) == number % 10
    assert draws.below(7) == number // 10 % 7
    assert draws.below(1000) == number // 70 % 1000


def test_draws_go_on_after_the_first_hash_is_used_up() -> None:
    draws = Draws("long")
    first = int.from_bytes(hashlib.sha256(b"4:long").digest(), "big")
    again = hashlib.sha256(hashlib.sha256(b"4:long").digest()).digest()
    # 192 bits may be read before the reserve of 64: twelve numbers of sixteen bits.
    read = [draws.below(2**15) for _ in range(13)]
    assert read[:12] == [first // 2 ** (15 * k) % 2**15 for k in range(12)]
    assert read[12] == int.from_bytes(again, "big") % 2**15


def test_golden_draws() -> None:
    draws = Draws("synthetic", 1, "sentiment", 0, "positive", 0, 0)
    assert [draws.below(100) for _ in range(8)] == GOLDEN


GOLDEN = [50, 35, 22, 93, 30, 47, 36, 61]


@given(key=st.text(), low=st.integers(-50, 50), width=st.integers(0, 200))
def test_within_keeps_to_its_limits(key: str, low: int, width: int) -> None:
    draws = Draws(key)
    assert all(low <= draws.within(low, low + width) <= low + width for _ in range(30))


@given(key=st.text(), size=st.integers(1, 12), data=st.data())
def test_a_subset_holds_as_many_numbers_as_asked(key: str, size: int, data: st.DataObject) -> None:
    count = data.draw(st.integers(0, size))
    chosen = Draws(key).subset(size, count)
    assert len(chosen) == count
    assert chosen <= set(range(size))


def test_every_value_is_about_as_frequent() -> None:
    draws = Draws("fair")
    counts = [0] * 6
    for _ in range(6_000):
        counts[draws.below(6)] += 1
    # Five standard deviations of a fair die: 5 * sqrt(6000 * 1/6 * 5/6) = 144.
    assert all(abs(count - 1_000) < 144 for count in counts)


def test_other_keys_draw_otherwise() -> None:
    drawn = {
        tuple(Draws(*key).below(1_000) for _ in range(3))
        for key in (("a", "b"), ("ab", ""), ("", "ab"))
    }
    assert len(drawn) == 3
