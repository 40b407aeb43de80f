"""Contract: intervals cover as they say, corrections undo known errors, doubt is said."""

from __future__ import annotations

import numpy as np
import pytest

from evenhand.counting import Corrected, Correction, correct, count_interval
from evenhand.counting._agreement import SelfAgreement, self_agreement
from evenhand.counting._correction import paired_difference
from evenhand.counting._position import check_position
from evenhand.counting._result import LabelCount
from evenhand.counting._tally import empty_tally
from evenhand.counting._verdict import Evidence, bearable, decide, margin_words, sentence


def test_everything_read_is_the_count_itself() -> None:
    assert count_interval(7, 10, 10) == (7, 7)
    assert count_interval(7, 9, 10, unresolved=1) == (7, 8)


def test_nothing_read_is_everything() -> None:
    assert count_interval(0, 0, 10) == (0, 10)


def test_the_interval_by_hand() -> None:
    """N = 2, one read and it has the label: then the count is 1 or 2."""
    assert count_interval(1, 1, 2) == (1, 2)
    assert count_interval(0, 1, 2) == (0, 1)


@pytest.mark.parametrize("share", [0.02, 0.5, 0.55])
def test_the_interval_covers_at_every_moment_at_once(share: float) -> None:
    total, rng, missed = 300, np.random.default_rng(0), 0
    true = round(share * total)
    for _ in range(200):
        hits = np.cumsum(rng.permutation(np.repeat([1, 0], [true, total - true])))
        for read in range(10, total, 10):
            low, high = count_interval(int(hits[read - 1]), read, total)
            if not low <= true <= high:
                missed += 1
                break
    assert missed / 200 <= 0.05


def test_no_error_found_is_not_no_error() -> None:
    """With no disagreement among n pairs Tango's interval is ± z² / (n + z²)."""
    z2 = 1.959963985**2
    assert paired_difference(0, 0, 50) == pytest.approx((-z2 / (50 + z2), z2 / (50 + z2)), rel=1e-6)


def test_all_checked_leaves_nothing_open() -> None:
    assert paired_difference(3, 1, 20, total=20) == (0.1, 0.1)


@pytest.mark.parametrize(("n", "plus", "minus"), [(60, 0.08, 0.02), (150, 0.05, 0.05)])
def test_the_correction_covers(n: int, plus: float, minus: float) -> None:
    rng = np.random.default_rng(1)
    draws = rng.multinomial(n, [plus, minus, 1 - plus - minus], size=2_000)
    inside = 0
    for more, less, _ in draws.tolist():
        low, high = paired_difference(more, less, n)
        inside += low <= plus - minus <= high
    assert inside / 2_000 >= 0.94


def test_a_correction_by_hand() -> None:
    """Of 100 checked, 8 positives were called negative and 2 negatives positive."""
    gold = np.asarray([0] * 60 + [1] * 40, dtype=np.int16)
    given = np.asarray([0] * 52 + [1] * 8 + [0] * 2 + [1] * 38, dtype=np.int16)
    share = [(0.5, 0.5, 0.5), (0.5, 0.5, 0.5)]
    found = correct(given, gold, share, ("positive", "negative"), 10_000)
    assert (found.checked, found.agree) == (100, 90)
    first = found.labels[0]
    assert (first.missed, first.wrong) == (8, 2)
    assert first.share == pytest.approx(0.56)
    assert first.low < 0.51 < 0.62 < first.high
    assert first.low + found.labels[1].high == pytest.approx(1)


def halves(first: float, second: float, batches: int = 50, size: int = 40) -> float:
    rng = np.random.default_rng(2)
    tally = empty_tally(batches * size)
    tally.round[:] = tally.status[:] = 0
    tally.batch[:] = np.repeat(np.arange(batches), size)
    tally.position[:] = np.tile(np.arange(1, size + 1), batches)
    chance = np.where(tally.position <= size / 2, first, second)
    tally.labels[:] = rng.random(batches * size) < chance
    found = check_position(tally, ("no", "yes"))
    assert found is not None
    return found.p_value


def test_position_matters_or_not() -> None:
    assert halves(0.6, 0.5) < 0.001
    assert halves(0.55, 0.55) > 0.05


def test_position_cannot_be_told_from_batches_of_one() -> None:
    tally = empty_tally(3)
    tally.round[:] = tally.labels[:] = 0
    tally.batch[:], tally.position[:] = [0, 1, 2], 1
    assert check_position(tally, ("no", "yes")) is None


def evidence(first: int, second: int, **more: object) -> Evidence:
    labels = [
        LabelCount("yes", first, first / (first + second), first, first),
        LabelCount("no", second, second / (first + second), second, second),
    ]
    given: dict[str, object] = {"unlabelled": 0, "unread": 0, "pending": 0, **more}
    return Evidence(labels, **given)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("case", "reason"),
    [
        (evidence(6, 4), None),
        (evidence(5, 5), "level at 5"),
        (evidence(6, 4, unlabelled=1), None),
        (evidence(6, 5, unlabelled=1), "1 record has no label, and the lead of yes over no is"),
        (evidence(6, 4, unread=1), "1 record was not read"),
        (evidence(6, 4, unlabelled=2), "lead of yes over no is only 2"),
        (evidence(6, 4, unread=3), "3 records were not read"),
        (evidence(6, 4, unread=3, called="yes"), None),
        (evidence(6, 4, pending=1), "1 batch of records got no answer yet"),
        (evidence(60, 40, agreement=self_agreement([(0, 0)] * 85 + [(0, 1)] * 15)), "85.0%"),
        (evidence(53, 47, agreement=self_agreement([(0, 0)] * 95 + [(0, 1)] * 5)), "changed 5.0%"),
        (evidence(80, 20, agreement=self_agreement([(0, 0)] * 95 + [(0, 1)] * 5)), None),
    ],
)
def test_when_it_abstains(case: Evidence, reason: str | None) -> None:
    majority, reasons = decide(case)
    if reason is None:
        assert (majority, reasons) == ("yes", ())
    else:
        assert majority is None
        assert reason in reasons[0]


def test_a_correction_can_leave_it_open_or_turn_it() -> None:
    def corrected(low: float, share: float, high: float) -> object:
        yes = Corrected("yes", share, low, high, 0, 0)
        return Correction(50, 45, (yes, Corrected("no", 1 - share, 1 - high, 1 - low, 0, 0)))

    open_ = evidence(55, 45, correction=corrected(0.45, 0.53, 0.6))
    assert "inside the model's error" in decide(open_)[1][0]
    assert decide(evidence(55, 45, correction=corrected(0.51, 0.55, 0.6)))[0] == "yes"
    assert decide(evidence(55, 45, correction=corrected(0.3, 0.4, 0.49)))[0] == "no"


def test_a_narrow_lead_in_words() -> None:
    labels = evidence(6, 4).labels
    words = "a single wrong label may be enough to undo the majority"
    assert margin_words(labels, 0, "yes") == (words, 0.0)
    assert margin_words(labels, 90, "yes") == (f"among the 10 records read, {words}", 0.0)
    assert margin_words(evidence(5, 5).labels, 0, None) == (None, None)


@pytest.mark.parametrize(
    ("yes", "no", "unlabelled", "words", "share"),
    [
        # With all five against it, 31 to 30: one wrong label makes it 30 to 31.
        (31, 25, 5, "a single wrong label may be enough to undo the majority, with the 5 records "
         "without a label counted against it", 0.0),
        # 32 to 29; with one wrong 31 to 30; with two 30 to 31.
        (32, 27, 2, "the majority holds unless more than 1.6% of the labels (1 of 59) are wrong, "
         "all in one direction, with the 2 records without a label counted against it", 1 / 59),
        (33, 27, 1, "the majority holds unless more than 3.3% of the labels (2 of 60) are wrong, "
         "all in one direction, with the 1 record without a label counted against it", 2 / 60),
    ],
)  # fmt: skip
def test_records_without_a_label_count_against_the_margin(
    yes: int, no: int, unlabelled: int, words: str, share: float
) -> None:
    assert margin_words(evidence(yes, no).labels, 0, "yes", unlabelled) == (words, share)


def test_an_undecided_count_speaks_of_a_lead_and_no_majority() -> None:
    assert margin_words(evidence(80, 0).labels, 0, None) == (
        "the lead of yes bears at most 48.7% of the labels (39 of 80) being wrong, all in one "
        "direction", 39 / 80,
    )  # fmt: skip
    assert margin_words(evidence(6, 4).labels, 0, None) == (
        "a single wrong label may be enough to undo the lead of yes", 0.0,
    )  # fmt: skip
    assert margin_words(evidence(6, 3).labels, 0, None, 3) == (
        "the 3 records without a label are enough to undo the lead of yes", 0.0,
    )  # fmt: skip


def test_second_labels_are_weighed_against_what_is_left_of_the_lead() -> None:
    twice = SelfAgreement(100, 99, 0.9, 1.0)
    assert decide(evidence(60, 40, agreement=twice))[0] == "yes"
    majority, reasons = decide(evidence(60, 40, agreement=twice, unlabelled=18))
    assert majority is None
    assert "would undo the lead of yes" in reasons[0]


def test_a_corrected_majority_is_not_said_to_be_the_counted_one() -> None:
    labels = evidence(55, 45).labels
    correction = Correction(50, 30, (
        Corrected("yes", 0.4, 0.3, 0.49, 0, 10), Corrected("no", 0.6, 0.51, 0.7, 10, 0),
    ))  # fmt: skip
    assert sentence("no", (), labels, 0, None, correction) == (
        "The majority is no, corrected by 50 hand-checked records: the model's labels say "
        "otherwise (yes 55, no 45)."
    )
    assert (
        sentence("yes", (), labels, 0, None, correction) == "The majority is yes (yes 55, no 45)."
    )
    assert margin_words(labels, 0, "no") == (None, None)
    assert margin_words(labels, 0, "yes") == (
        "the majority holds unless more than 4.0% of the labels (4 of 100) are wrong, all in one "
        "direction", 0.04,
    )  # fmt: skip


def test_what_a_lead_bears() -> None:
    assert [bearable(lead) for lead in (0, 1, 2, 3, 4, 200)] == [0, 0, 0, 1, 1, 99]
