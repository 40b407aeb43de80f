"""Where tokens stand in one packed replay: a shared prefix, then the rest of each label."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Chunk:
    """Tokens ``lo`` to ``hi`` (excluded), read together.

    ``tail`` marks the labels' tokens. Of a chunk with ``keys_only`` no output is wanted.
    """

    lo: int
    hi: int
    tail: bool = False
    keys_only: bool = False


@dataclass(frozen=True, slots=True)
class Part:
    """Keys that a chunk's queries look at.

    Attributes:
        lo: First key.
        hi: One past the last key.
        causal: Query j sees keys up to the part's j-th only.
        mask: Shape (queries, keys), true where a query sees a key; None where all are seen (or
            ``causal`` says which).
    """

    lo: int
    hi: int
    causal: bool = False
    mask: torch.Tensor | None = None


@dataclass(frozen=True, slots=True)
class Layout:
    """One sequence that holds a prefix once and two continuations of it side by side.

    Each continuation sees the prefix and itself, not the other one, and its positions go on from
    the prefix: both label strings cost one pass.

    Attributes:
        prefix: Tokens of the shared prefix, at least one.
        tails: Tokens fed of each continuation (a label's tokens without its last one).
        chunk: Tokens of the prefix that are read together.
    """

    prefix: int
    tails: tuple[int, ...]
    chunk: int

    def __post_init__(self) -> None:
        if self.prefix < 1 or self.chunk < 1:
            raise ValueError("a layout needs a prefix and a chunk of at least one token")

    @property
    def length(self) -> int:
        """Tokens in all."""
        return self.prefix + sum(self.tails)

    def chunks(self) -> tuple[Chunk, ...]:
        """The sequence in pieces, the labels' tokens in one piece of their own."""
        cuts = [*range(0, self.prefix, self.chunk), self.prefix]
        found = [Chunk(lo, hi) for lo, hi in pairwise(cuts)]
        if self.length > self.prefix:
            found.append(Chunk(self.prefix, self.length, tail=True))
        return tuple(found)

    def last_chunks(self) -> tuple[Chunk, ...]:
        """The pieces for the last layer, of whose prefix only the last token's output is used.

        The others are read for their keys and values alone.
        """
        cuts = [*range(0, self.prefix - 1, self.chunk), self.prefix - 1]
        found = [Chunk(lo, hi, keys_only=True) for lo, hi in pairwise(cuts) if hi > lo]
        found.append(Chunk(self.prefix - 1, self.prefix))
        return (*found, *(chunk for chunk in self.chunks() if chunk.tail))

    def positions(self) -> list[int]:
        """The position of every token."""
        return [
            *range(self.prefix),
            *(self.prefix + at for tail in self.tails for at in range(tail)),
        ]

    def rows(self) -> list[int]:
        """Tokens after which a label's token is predicted: the prefix's last, then all tails."""
        return [self.prefix - 1, *range(self.prefix, self.length)]

    def first_key(self, chunk: Chunk, window: int | None) -> int:
        """The first key that any of a chunk's queries sees."""
        return 0 if window is None else max(0, min(chunk.lo, self.prefix) - window + 1)

    def parts(self, chunk: Chunk, window: int | None, device: torch.device) -> tuple[Part, ...]:
        """What a chunk's queries see, from the first key on.

        Args:
            chunk: One of :meth:`chunks`.
            window: Keys that a query sees, itself included (sliding attention), or None for all.
            device: Where masks are made.

        Returns:
            Parts that lie side by side and end with the chunk's own tokens.
        """
        start = self.first_key(chunk, window)
        crossed = window is not None and self._last_position(chunk) >= window
        if crossed or chunk.tail:
            if not crossed and chunk.lo > start:
                own = self.mask(chunk, chunk.lo, None, device)
                return Part(start, chunk.lo), Part(chunk.lo, chunk.hi, mask=own)
            return (Part(start, chunk.hi, mask=self.mask(chunk, start, window, device)),)
        own_part = Part(chunk.lo, chunk.hi, causal=True)
        return (Part(start, chunk.lo), own_part) if chunk.lo > start else (own_part,)

    def mask(
        self, chunk: Chunk, start: int, window: int | None, device: torch.device
    ) -> torch.Tensor:
        """Which keys from ``start`` on each of a chunk's queries sees.

        Returns:
            Truth values of shape (chunk.hi - chunk.lo, chunk.hi - start).
        """
        import torch

        positions = torch.tensor(self._span(self.positions(), start, chunk.hi), device=device)
        owner = torch.tensor(self._span(self._owners(), start, chunk.hi), device=device)
        query, whose = positions[chunk.lo - start :, None], owner[chunk.lo - start :, None]
        seen = (positions[None] <= query) & ((owner[None] == 0) | (owner[None] == whose))
        if window is not None:
            seen &= positions[None] > query - window
        return seen

    def _owners(self) -> list[int]:
        """0 for the prefix, else the number of the continuation."""
        return [
            *([0] * self.prefix),
            *(number for number, tail in enumerate(self.tails, 1) for _ in range(tail)),
        ]

    def _last_position(self, chunk: Chunk) -> int:
        return self.prefix + max(self.tails) - 1 if chunk.tail else chunk.hi - 1

    @staticmethod
    def _span(values: Sequence[int], lo: int, hi: int) -> list[int]:
        return list(values[lo:hi])
