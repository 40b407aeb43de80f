"""Contract: patterns are chosen on some set seeds and measured on others, over all splits."""

from __future__ import annotations

import random
from collections.abc import Callable

import polars as pl
import pytest

from evenhand.analysis import split_half_gap

Table = Callable[..., pl.DataFrame]
Cell = Callable[..., list[dict[str, object]]]
Preset = Callable[..., pl.DataFrame]


def by_seeds(cell: Cell, first: str, last: str) -> list[dict[str, object]]:
    return [
        row
        for pattern, letters in (("majority-first", first), ("majority-last", last))
        for seed, letter in enumerate(letters)
        for row in cell(letter, pattern=pattern, set_seed=seed)
    ]


def test_hand_worked(table: Table, cell: Cell) -> None:
    """First RRW, last WWR. Chosen on seeds 0, 1: first, measured on 2: -1. On 0, 2 (equal, so
    nothing is told apart: first against first): 0. On 1, 2 the same: 0. Mean -1/3."""
    row = split_half_gap(table(by_seeds(cell, "rrw", "wwr"))).row(0, named=True)
    assert row["split_half_gap"] == pytest.approx(-1 / 3)
    assert (row["splits"], row["seeds"]) == (3, 3)


def test_a_steady_effect_keeps_its_size(table: Table, cell: Cell) -> None:
    row = split_half_gap(table(by_seeds(cell, "rrrr", "wwww"))).row(0, named=True)
    assert (row["split_half_gap"], row["splits"]) == (1.0, 6)


def test_missing(table: Table, cell: Cell) -> None:
    assert split_half_gap(table(by_seeds(cell, "r", "w")))["split_half_gap"].item() is None
    # Measured only where both have a valid run: the splits that hold out seed 0 or 1.
    row = split_half_gap(table(by_seeds(cell, "rrr", "wwi"))).row(0, named=True)
    assert (row["split_half_gap"], row["splits"]) == (1.0, 2)


def test_no_effect_averages_zero(preset: Preset) -> None:
    frames = []
    for model in range(60):
        source = random.Random(model)
        frames.append(
            preset(
                "core",
                lambda _, s=source: "correct" if s.random() < 0.7 else "mistake",
                model=str(model),
            )
        )
    assert split_half_gap(pl.concat(frames))["split_half_gap"].mean() == pytest.approx(0, abs=0.04)


def test_many_seeds_are_sampled(table: Table, cell: Cell) -> None:
    row = split_half_gap(table(by_seeds(cell, "r" * 14, "w" * 14))).row(0, named=True)
    assert (row["split_half_gap"], row["splits"]) == (1.0, 1000)
