"""Contract: corrected shares are those of prediction-powered inference, and their intervals come
to the same on large samples.

The numbers are facts from ``ppi_py`` 0.2.3, the authors' package, run once over the same labels:
``ppi_mean_pointestimate`` and ``ppi_mean_ci`` with ``lam=1``, a million records. The package itself
is no dependency, not even of the tests: it brings numba, scikit-learn and a file downloader, and
its normal interval all but vanishes where the checked records show no error."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.counting import Correction, correct

MILLION = 1_000_000


def two_labels(missed: int, wrong: int, both: int, neither: int) -> Correction:
    """55% were given the first label; of the checked, so many agree or not about it."""
    sizes = [missed, wrong, both, neither]
    gold, given = (np.repeat(np.asarray(codes, np.int16), sizes)
                   for codes in ([0, 1, 0, 1], [1, 0, 0, 1]))  # fmt: skip
    return correct(given, gold, [(0.55,) * 3, (0.45,) * 3], ("a", "b"), MILLION)


@pytest.mark.parametrize(
    ("sizes", "share", "low", "high", "apart"),
    [
        ((12, 5, 110, 73), 0.585, 0.5448746735, 0.6251253265, 0.006),
        ((120, 50, 1_100, 730), 0.585, 0.5722775841, 0.5977224159, 0.0006),
    ],
)
def test_two_labels(
    sizes: tuple[int, int, int, int], share: float, low: float, high: float, apart: float
) -> None:
    found = two_labels(*sizes).labels[0]
    assert found.share == pytest.approx(share, abs=1e-12)
    assert (found.low, found.high) == pytest.approx((low, high), abs=apart)


def test_three_labels() -> None:
    """Each at a level of 1 - 0.05 / 3, so that all three hold together."""
    cells = [(0, 0, 180), (0, 1, 14), (0, 2, 6), (1, 0, 4), (1, 1, 110), (1, 2, 6),
             (2, 0, 2), (2, 1, 3), (2, 2, 75)]  # fmt: skip
    sizes = [size for *_, size in cells]
    gold, given = (np.repeat(np.asarray([cell[at] for cell in cells], np.int16), sizes)
                   for at in (0, 1))  # fmt: skip
    shares = [(each,) * 3 for each in (0.5, 0.3, 0.2)]
    found = correct(given, gold, shares, ("a", "b", "c"), MILLION).labels
    assert [each.share for each in found] == pytest.approx([0.535, 0.2825, 0.1825], abs=1e-12)
    theirs = [(0.5047478711, 0.5652521289), (0.2514525301, 0.3135474699),
              (0.1578938498, 0.2071061502)]  # fmt: skip
    for ours, (low, high) in zip(found, theirs, strict=True):
        assert (ours.low, ours.high) == pytest.approx((low, high), abs=0.006)


def test_no_error_among_the_checked_is_no_proof_of_none() -> None:
    """There the package gives 0.549025 to 0.550975; 200 checked records cannot know that much."""
    found = two_labels(0, 0, 110, 90).labels[0]
    assert found.share == 0.55
    assert (found.low, found.high) == pytest.approx((0.5312, 0.5688), abs=1e-3)
