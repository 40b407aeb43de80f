"""Contract: a packed sequence holds a prefix once and both labels' tokens side by side, and each
token sees what it would see alone."""

from __future__ import annotations

import pytest
import torch

from evenhand.attribution._layout import Chunk, Layout

CPU = torch.device("cpu")


def test_pieces_positions_and_rows() -> None:
    layout = Layout(prefix=5, tails=(2, 1), chunk=2)
    assert layout.length == 8
    assert layout.chunks() == (Chunk(0, 2), Chunk(2, 4), Chunk(4, 5), Chunk(5, 8, tail=True))
    assert layout.positions() == [0, 1, 2, 3, 4, 5, 6, 5]
    assert layout.rows() == [4, 5, 6, 7]


def test_labels_see_the_prefix_and_themselves() -> None:
    layout = Layout(prefix=3, tails=(2, 1), chunk=8)
    tail = layout.chunks()[-1]
    assert layout.mask(tail, 0, None, CPU).int().tolist() == [
        [1, 1, 1, 1, 0, 0],
        [1, 1, 1, 1, 1, 0],
        [1, 1, 1, 0, 0, 1],
    ]


def test_a_window_counts_positions_not_places() -> None:
    layout = Layout(prefix=3, tails=(2, 1), chunk=8)
    assert layout.mask(layout.chunks()[-1], 0, 2, CPU).int().tolist() == [
        [0, 0, 1, 1, 0, 0],
        [0, 0, 0, 1, 1, 0],
        [0, 0, 1, 0, 0, 1],
    ]


@pytest.mark.parametrize("window", [None, 1, 3, 4, 9, 100])
@pytest.mark.parametrize("chunk", [1, 2, 4, 7, 50])
def test_parts_show_exactly_the_keys_that_may_be_seen(window: int | None, chunk: int) -> None:
    layout = Layout(prefix=11, tails=(3, 2), chunk=chunk)
    for piece in layout.chunks():
        shown = torch.zeros(piece.hi - piece.lo, layout.length, dtype=torch.bool)
        for part in layout.parts(piece, window, CPU):
            seen = torch.ones(piece.hi - piece.lo, part.hi - part.lo, dtype=torch.bool)
            if part.causal:
                seen = seen.tril()
            shown[:, part.lo : part.hi] |= seen if part.mask is None else part.mask
        expected = layout.mask(piece, 0, window, CPU)
        assert torch.equal(shown[:, : piece.hi], expected)
        assert not shown[:, piece.hi :].any()


def test_nothing_to_read_is_refused() -> None:
    with pytest.raises(ValueError, match="prefix"):
        Layout(prefix=0, tails=(), chunk=4)
