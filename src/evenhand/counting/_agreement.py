"""Labelling a random share of the records twice: how often a model agrees with itself."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SelfAgreement:
    """Records labelled again in other batches and positions.

    Attributes:
        compared: Pairs of labels of one record.
        agree: Pairs that are equal.
        low: 95% interval (Wilson) of the share that agrees.
        high: 95% interval.
    """

    compared: int
    agree: int
    low: float
    high: float

    @property
    def share(self) -> float:
        """The share that agrees."""
        return self.agree / self.compared


def self_agreement(pairs: list[tuple[int, int]]) -> SelfAgreement | None:
    """Compare first and later labels; None where nothing was labelled twice."""
    if not pairs:
        return None
    from statsmodels.stats.proportion import proportion_confint

    agree = sum(one == other for one, other in pairs)
    low, high = proportion_confint(agree, len(pairs), method="wilson")
    return SelfAgreement(len(pairs), agree, float(low), float(high))
