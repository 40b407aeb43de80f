"""Permutation of pattern labels within blocks, the scheme behind every null in this room.

A *block* is one instance set asked by one model under one condition; its *units* are orders, each
with its same-order repeats. If order did not matter, the labels on a block's units could be dealt
anew: six structured patterns to one unit each, random to as many as it has order seeds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import permutations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from evenhand.analysis._intervals import Floats
from evenhand.analysis._partition import (
    CLUSTER,
    CONDITIONS,
    Invalid,
    counted,
    grouped,
    known_patterns,
)
from evenhand.design import PATTERNS
from evenhand.errors import UsageError

_CHUNK_CELLS = 2_000_000
_ENUMERATED_UNITS = 6
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Layout:
    """Blocks whose units carry the same labels.

    Attributes:
        blocks: Positions of the blocks in the group, shape (B,).
        slots: 1 where unit u has pattern k, shape (U, K).
        right: Right runs of each unit (or the sum of another score), shape (B, U).
        counted: Runs of each unit that count, shape (B, U).
    """

    blocks: Ints
    slots: Floats
    right: Floats
    counted: Floats


@dataclass(frozen=True, slots=True)
class Blocks:
    """All blocks of one group.

    Attributes:
        patterns: The K patterns that occur, as ``PATTERNS`` orders them.
        seeds: Position of each block's set seed, counted from 0.
        sets: Position of each block's instance set, counted from 0.
        layouts: The blocks, by layout.
    """

    patterns: tuple[str, ...]
    seeds: Ints
    sets: Ints
    layouts: tuple[Layout, ...]

    def observed(self) -> tuple[Floats, Floats]:
        """Right and counted runs as they are, each of shape (blocks, K)."""
        right = np.zeros((self.seeds.size, len(self.patterns)))
        runs = np.zeros_like(right)
        for layout in self.layouts:
            right[layout.blocks] = layout.right @ layout.slots
            runs[layout.blocks] = layout.counted @ layout.slots
        return right, runs

    def permuted(self, draws: int, rng: np.random.Generator) -> Iterator[tuple[Floats, Floats]]:
        """The same under dealt labels, in chunks of shape (some draws, blocks, K)."""
        cells = sum(layout.right.size for layout in self.layouts)
        step = max(1, _CHUNK_CELLS // max(cells, 1))
        for start in range(0, draws, step):
            count = min(step, draws - start)
            right = np.zeros((count, self.seeds.size, len(self.patterns)))
            runs = np.zeros_like(right)
            for layout in self.layouts:
                shape = (count, *layout.right.shape)
                order = np.argsort(rng.random(shape, dtype=np.float32), axis=-1)
                right[:, layout.blocks] = _deal(layout.right, order) @ layout.slots
                if (layout.counted == layout.counted[:, :1]).all():
                    runs[:, layout.blocks] = layout.counted @ layout.slots
                else:
                    runs[:, layout.blocks] = _deal(layout.counted, order) @ layout.slots
            yield right, runs

    def permuted_blockwise(
        self, statistic: Callable[[Floats, Floats], Floats], draws: int, rng: np.random.Generator
    ) -> Floats:
        """A statistic of each block under dealt labels, shape (draws, blocks).

        Args:
            statistic: From right and counted runs of shape (..., K) to values of shape (...).
            draws: How many times labels are dealt.
            rng: Source of randomness.
        """
        values = np.empty((draws, self.seeds.size))
        for layout in self.layouts:
            blocks, units = layout.right.shape
            if units <= _ENUMERATED_UNITS:
                # Few units have few dealings: work out each once, then draw among them.
                orders = np.array(list(permutations(range(units))))
                dealt = statistic(
                    layout.right[:, orders] @ layout.slots, layout.counted[:, orders] @ layout.slots
                )
                drawn = rng.integers(len(orders), size=(draws, blocks))
                values[:, layout.blocks] = dealt[np.arange(blocks), drawn]
            else:
                own = replace(layout, blocks=np.arange(blocks))
                alone = replace(self, seeds=self.seeds[layout.blocks], layouts=(own,))
                values[:, layout.blocks] = np.concatenate(
                    [statistic(right, runs) for right, runs in alone.permuted(draws, rng)]
                )
        return values

    def seed_sums(self, cells: Floats) -> Floats:
        """Cells of shape (..., blocks, K) summed within set seeds: (..., seeds, K)."""
        membership = np.equal.outer(np.unique(self.seeds), self.seeds).astype(np.float64)
        return np.asarray(membership @ cells, dtype=np.float64)


def positive_draws(permutations: int) -> int:
    """The number itself.

    Raises:
        UsageError: If it is not positive.
    """
    if permutations < 1:
        raise UsageError(f"permutations = {permutations}: deal labels at least once")
    return permutations


def _deal(units: Floats, order: Ints) -> Floats:
    return units[np.arange(units.shape[0])[:, None], order]


def split_blocks(
    frame: pl.DataFrame, by: Sequence[str], invalid: Invalid, score: str = "correct"
) -> Iterator[tuple[tuple[object, ...], Blocks]]:
    """Each group's key, in the order of ``by``, and its blocks; ``score`` is what runs add up."""
    block = ["model", *CLUSTER, *CONDITIONS]
    units = grouped(
        known_patterns(frame, by).with_columns(counted(invalid).alias("_counted")),
        list(dict.fromkeys([*by, *block, "pattern", "order_seed"])),
        pl.col(score).sum().cast(pl.Float64).alias("right"),
        pl.col("_counted").sum().cast(pl.Float64).alias("counted"),
    ).with_columns(
        pl.struct(block).rank("dense").cast(pl.Int64).alias("_block"),
        pl.struct(CLUSTER).rank("dense").cast(pl.Int64).alias("_set"),
        pl.col("pattern")
        .replace_strict({name: k for k, name in enumerate(PATTERNS)}, return_dtype=pl.Int64)
        .alias("_code"),
    )
    units = units.sort("_block", "_code", "order_seed", maintain_order=True)
    if not by:
        if units.height:
            yield (), _blocks(units)
        return
    for key, group in units.group_by(list(by), maintain_order=True):
        yield key, _blocks(group)


def _blocks(units: pl.DataFrame) -> Blocks:
    codes, block = units["_code"].to_numpy(), units["_block"].to_numpy()
    right, runs = units["right"].to_numpy(), units["counted"].to_numpy()
    present, code = np.unique(codes, return_inverse=True)
    starts = np.flatnonzero(np.r_[True, block[1:] != block[:-1]])
    ends = np.r_[starts[1:], block.size]
    alike: dict[tuple[int, ...], list[int]] = {}
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        alike.setdefault(tuple(code[start:end].tolist()), []).append(at)
    layouts = []
    for labels, members in alike.items():
        rows = starts[members][:, None] + np.arange(len(labels))
        layouts.append(
            Layout(
                blocks=np.asarray(members, dtype=np.int64),
                slots=np.equal.outer(np.asarray(labels), np.arange(present.size)).astype(
                    np.float64
                ),
                right=right[rows],
                counted=runs[rows],
            )
        )
    return Blocks(
        patterns=tuple(PATTERNS[k] for k in present),
        seeds=np.unique(units["set_seed"].to_numpy()[starts], return_inverse=True)[1],
        sets=np.unique(units["_set"].to_numpy()[starts], return_inverse=True)[1],
        layouts=tuple(layouts),
    )
