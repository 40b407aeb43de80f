"""Whether the place of a record inside its batch decides its label."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from evenhand.counting._tally import Tally

SIGNIFICANT = 0.001


@dataclass(frozen=True, slots=True)
class PositionCheck:
    """Labels in the first against the second half of the batches.

    Attributes:
        label: The label that differs most between the halves.
        first_half: Its share among the records of first halves.
        second_half: Its share among those of second halves.
        p_value: Two-sided, corrected for the number of labels.
        batches: Batches that could tell.
    """

    label: str
    first_half: float
    second_half: float
    p_value: float
    batches: int

    @property
    def matters(self) -> bool:
        """Whether position decides labels beyond chance (p below 0.001)."""
        return self.p_value < SIGNIFICANT


def check_position(tally: Tally, labels: tuple[str, ...]) -> PositionCheck | None:
    """Compare the halves of the batches; records stand in them at random.

    Inside a batch, given how many of its records have a label, those in the first half are a
    hypergeometric draw if position does not matter. Their differences from its mean are summed
    over batches (Mantel and Haenszel, 1959, with one batch a stratum), so batches of different
    make-up do not disturb.

    Returns:
        None where no batch has two records that could differ.
    """
    used = (tally.round == 0) & (tally.labels >= 0)
    batch, position = tally.batch[used].astype(np.int64), tally.position[used]
    given = tally.labels[used]
    if not batch.size:
        return None
    groups = int(batch.max()) + 1
    size = np.bincount(batch, minlength=groups).astype(np.float64)
    middle = np.zeros(groups)
    np.maximum.at(middle, batch, position.astype(np.float64))
    first = position <= middle[batch] / 2
    early = np.bincount(batch[first], minlength=groups).astype(np.float64)
    best: PositionCheck | None = None
    for code, label in enumerate(labels):
        is_label = given == code
        k = np.bincount(batch[is_label], minlength=groups).astype(np.float64)
        seen = np.bincount(batch[is_label & first], minlength=groups).astype(np.float64)
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = early * k / size
            variance = early * (size - early) * k * (size - k) / (size**2 * (size - 1))
        tells = np.isfinite(variance) & (variance > 0)
        total = float(variance[tells].sum())
        if total <= 0:
            continue
        off = abs(float((seen - mean)[tells].sum()))
        z = max(off - 0.5, 0.0) / math.sqrt(total)
        p = min(1.0, math.erfc(z / math.sqrt(2)) * (1 if len(labels) == 2 else len(labels)))
        if best is None or p < best.p_value:
            best = PositionCheck(
                label,
                float(is_label[first].mean()),
                float(is_label[~first].mean()),
                p,
                int(tells.sum()),
            )
    return best
