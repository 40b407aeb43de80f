"""Label error, from a small hand-checked sample: corrected counts with intervals."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from evenhand.counting._alpha import Codes


@dataclass(frozen=True, slots=True)
class Corrected:
    """One label's share among all records, corrected for label error.

    Attributes:
        label: The label.
        share: Corrected share, 0 to 1.
        low: 95% interval.
        high: 95% interval.
        missed: Checked records that have the label and were not given it.
        wrong: Checked records that were given it and do not have it.
    """

    label: str
    share: float
    low: float
    high: float
    missed: int
    wrong: int


@dataclass(frozen=True, slots=True)
class Correction:
    """What the hand-checked records say.

    Attributes:
        checked: Hand-checked records that also have a label of the model.
        agree: Those on which both agree.
        labels: Corrected share of every label.
    """

    checked: int
    agree: int
    labels: tuple[Corrected, ...]


def correct(
    given: Codes,
    gold: Codes,
    shares: Sequence[tuple[float, float, float]],
    labels: Sequence[str],
    total: int,
    level: float = 0.95,
) -> Correction:
    """Correct each label's share by the errors found in the checked records.

    The estimate is the prediction-powered one (Angelopoulos et al., "Prediction-powered
    inference", Science 382, 2023): the share that the model gave, plus the mean of (hand label -
    model label) over the checked records, which have to be a random sample. That mean is a
    difference of paired proportions; its interval is Tango's score interval (Statistics in
    Medicine 17, 1998), which stays honest with few errors or none, narrowed by the share of all
    records that was checked. What is unsure about the model's own share is added to it.

    Args:
        given: The model's labels of the checked records, as numbers.
        gold: Their hand labels.
        shares: For each label its share among all records by the model, with lowest and highest.
        labels: The labels.
        total: N.
        level: Coverage for all labels together.

    Raises:
        ValueError: If nothing was checked.
    """
    n = len(given)
    if n == 0:
        raise ValueError("no record was checked")
    # Two labels are one question: the other's share is what is left.
    each = 1 - (1 - level) / (1 if len(labels) == 2 else len(labels))
    found = []
    for code, label in enumerate(labels):
        missed = int(((gold == code) & (given != code)).sum())
        wrong = int(((given == code) & (gold != code)).sum())
        low, high = paired_difference(missed, wrong, n, each, total)
        share, least, most = shares[code]
        found.append(
            Corrected(
                label,
                min(1.0, max(0.0, share + (missed - wrong) / n)),
                min(1.0, max(0.0, least + low)),
                min(1.0, max(0.0, most + high)),
                missed,
                wrong,
            )
        )
    return Correction(n, int((given == gold).sum()), tuple(found))


def paired_difference(
    plus: int, minus: int, n: int, level: float = 0.95, total: int | None = None
) -> tuple[float, float]:
    """Tango's score interval of (plus - minus) / n.

    Args:
        plus: Pairs that count +1.
        minus: Pairs that count -1.
        n: Pairs.
        level: Coverage.
        total: Records that the pairs were drawn from without replacement; None for very many.
    """
    from scipy import stats

    z = float(stats.norm.ppf((1 + level) / 2))
    if total is not None:
        if n >= total:
            return (plus - minus) / n, (plus - minus) / n
        z *= math.sqrt((total - n) / (total - 1))

    def distance(delta: float) -> float:
        a = 2 * n
        b = -plus - minus + (2 * n - plus + minus) * delta
        c = -minus * delta * (1 - delta)
        q = (math.sqrt(max(b * b - 4 * a * c, 0.0)) - b) / (2 * a)
        variance = n * (2 * q + delta * (1 - delta))
        off = plus - minus - n * delta
        if variance <= 0:
            return 0.0 if off == 0 else math.copysign(math.inf, off)
        return off / math.sqrt(variance)

    centre = (plus - minus) / n

    def solve(inside: float, outside: float, wanted: float) -> float:
        for _ in range(60):
            middle = (inside + outside) / 2
            beyond = distance(middle) > wanted if wanted > 0 else distance(middle) < wanted
            inside, outside = (inside, middle) if beyond else (middle, outside)
        return (inside + outside) / 2

    return solve(centre, -1.0, z), solve(centre, 1.0, -z)


def codes(words: Sequence[str], labels: Sequence[str]) -> Codes:
    """Labels as their numbers."""
    number = {label: at for at, label in enumerate(labels)}
    return np.asarray([number[word] for word in words], dtype=np.int16)
