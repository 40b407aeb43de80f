"""Contract: a wrong majority is called with a chance of at most the risk, ties and near-ties and
any number of looks included; the rule fed batch by batch calls what the whole sequence does."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.counting import StoppingRule, called
from evenhand.counting._alpha import Codes, log_martingale, pair_values


def shuffled(counts: tuple[int, ...], populations: int, seed: int) -> Codes:
    """Populations of these label counts, each in a random order."""
    one = np.repeat(np.arange(len(counts)), counts).astype(np.int16)
    rng = np.random.default_rng(seed)
    return rng.permuted(np.tile(one, (populations, 1)), axis=1)


@pytest.mark.parametrize("risk", [0.1, 0.001])
def test_wrong_calls_stay_under_the_risk_in_ten_thousand_populations(risk: float) -> None:
    cases: list[tuple[tuple[int, ...], int, int]] = [
        ((100, 100), -1, 3_000),
        ((101, 99), 0, 2_000),
        ((108, 92), 0, 2_000),
        ((34, 33, 33), 0, 1_500),
        ((40, 40, 20), -1, 1_500),
    ]
    assert sum(populations for *_, populations in cases) == 10_000
    for counts, right, populations in cases:
        codes = shuffled(counts, populations, seed=0)
        winner, _ = called(codes, len(counts), sum(counts), risk)
        assert ((winner >= 0) & (winner != right)).mean() <= risk, counts


def test_the_simulation_can_see_a_rule_that_looks_too_often() -> None:
    """A fixed-sample test at the same level, looked at after every record, errs far more."""
    codes = shuffled((100, 100), 2_000, seed=0)
    read = np.arange(1, 201)
    ahead = np.cumsum(codes == 0, axis=1) - read / 2
    spread = np.sqrt(read * (1 - read / 200) / 4) + 1e-9
    z = np.abs(ahead / spread)[:, 10:190]
    assert (z > 1.645).any(axis=1).mean() > 0.5


def test_a_clear_majority_is_called_early_and_always_by_the_end() -> None:
    winner, after = called(shuffled((160, 40), 500, seed=1), 2, 200, 0.001)
    assert (winner == 0).all()
    assert after.mean() < 80
    winner, after = called(shuffled((102, 98), 500, seed=1), 2, 200, 0.001)
    assert (winner == 0).all()
    assert after.mean() > 190


@given(
    st.lists(st.integers(-1, 2), min_size=1, max_size=60),
    st.lists(st.integers(1, 20), min_size=1, max_size=20),
)
def test_batches_give_what_the_whole_sequence_gives(words: list[int], cuts: list[int]) -> None:
    codes = np.asarray(words, dtype=np.int16)
    rule = StoppingRule(labels=3, total=len(words), risk=0.2)
    at = 0
    for cut in [*cuts, len(words)]:
        rule.feed(codes[at : at + cut])
        at += cut
        if at >= len(words):
            break
    else:
        rule.feed(codes[at:])
    winner, after = called(codes[None, :], 3, len(words), 0.2)
    assert (-1 if rule.winner is None else rule.winner) == winner[0]
    if rule.winner is not None:
        assert rule.called_after == after[0]


def test_the_first_factor_by_hand() -> None:
    """N = 10, first record for the label: the mean over alternatives of eta / (1/2)."""
    path = log_martingale(np.asarray([[1.0]]), 10)
    expected = np.mean([a / 0.5 for a in (0.51, 0.52, 0.535, 0.55, 0.575, 0.625, 0.75, 0.95)])
    assert np.exp(path[0, 0]) == pytest.approx(expected)


def test_the_martingale_has_mean_one_at_a_tie() -> None:
    codes = shuffled((30, 30), 40_000, seed=3)
    path = np.exp(log_martingale(pair_values(codes, 0, 1), 60)[:, :20])
    assert path[:, 9].mean() == pytest.approx(1, abs=0.03)


def test_a_record_without_a_label_speaks_against_every_label() -> None:
    rule = StoppingRule(labels=2, total=10, risk=0.001)
    rule.feed(np.asarray([0] * 5 + [-1] * 5, dtype=np.int16))
    assert rule.winner is None


def test_phantoms_raise_what_has_to_be_seen() -> None:
    """6 of 10 records are enough without phantoms, not with 3 of them."""
    for phantoms, winner in ((0, 0), (3, None)):
        rule = StoppingRule(labels=2, total=10, risk=0.001, phantoms=phantoms)
        rule.feed(np.asarray([0] * 6 + [1] * 4, dtype=np.int16))
        assert rule.winner == winner
