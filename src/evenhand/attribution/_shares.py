"""From tokens' contributions to instances' shares (F.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.attribution._replay import NotReplayableError
from evenhand.attribution._spans import InstanceTokens

if TYPE_CHECKING:
    import torch


@dataclass(frozen=True, slots=True)
class Shares:
    """One replay's profile.

    Attributes:
        share: For each instance, its attribution as a multiple of the uniform one; None where it
            has no token of its own. The mean of the others is 1.
        push: The same before the absolute value, turned so that + pushes the score towards the
            instance's own label; None where the share is, or where its label is unknown.
    """

    share: tuple[float | None, ...]
    push: tuple[float | None, ...]


def shares(
    contributions: torch.Tensor,
    instances: InstanceTokens,
    golds: Sequence[str | None],
    labels: tuple[str, str],
) -> Shares:
    """Each instance's share of a replay's attribution.

    Per instance u = mean over its tokens of the absolute contribution; share = N u / sum of u.
    Only instance tokens count: instruction, template and response are left out.

    Args:
        contributions: Per token, signed, shape (tokens,).
        instances: Tokens of each instance.
        golds: Label of each instance, in the same order; None where it is unknown.
        labels: Of the task; contributions point from the first to the second.

    Raises:
        NotReplayableError: If no instance has a token, or all contributions are zero.
    """
    values = contributions.double()
    direction: dict[str | None, float] = {labels[1]: 1.0, labels[0]: -1.0}
    magnitude: list[float | None] = []
    signed: list[float | None] = []
    for (lo, hi), gold in zip(instances.ranges, golds, strict=True):
        if hi <= lo:
            magnitude.append(None)
            signed.append(None)
            continue
        piece = values[lo:hi]
        magnitude.append(float(piece.abs().mean()))
        towards = direction.get(gold)
        signed.append(None if towards is None else towards * float(piece.mean()))
    known = [value for value in magnitude if value is not None]
    total = sum(known)
    if not total:
        raise NotReplayableError("no record contributes anything: nothing to share out")
    scale = len(known) / total

    def scaled(column: list[float | None]) -> tuple[float | None, ...]:
        return tuple(None if value is None else value * scale for value in column)

    return Shares(scaled(magnitude), scaled(signed))
