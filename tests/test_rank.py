"""Contract: ranking many items at once gives what sorting them by :func:`rank_key` gives, twins by
their place; that order is part of every instance set, of every random order, and of every hash."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from evenhand._rank import first_ranked, rank_key, rank_part

PARTS = st.text(max_size=20) | st.integers()


@given(
    items=st.lists(PARTS | st.sampled_from(["a", "b", 1]), max_size=60),
    purpose=st.lists(PARTS, max_size=4),
    data=st.data(),
)
def test_it_is_a_sort_by_key(
    items: list[str | int], purpose: list[str | int], data: st.DataObject
) -> None:
    count = data.draw(st.integers(0, len(items)))
    sorted_slowly = sorted(range(len(items)), key=lambda at: rank_key(*purpose, items[at]))
    found = first_ranked(count, *purpose, last=[rank_part(item) for item in items])
    assert found == sorted_slowly[:count]


def test_the_order_is_for_good() -> None:
    """Worked out with sha256sum over ``6:select1:09:sentiment1:0`` and so on."""
    parts = [rank_part(at) for at in range(8)]
    assert first_ranked(8, "select", 0, "sentiment", last=parts) == [7, 2, 5, 3, 0, 6, 4, 1]
