"""When to name a majority, and when to say that it is undecided, with the reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from evenhand.counting._agreement import SelfAgreement
from evenhand.counting._correction import Correction
from evenhand.counting._interval import count_interval
from evenhand.counting._position import PositionCheck
from evenhand.counting._result import LabelCount
from evenhand.counting._tally import Tally

LEAST_AGREEMENT = 0.9
MOST_NAMED = 5
"""Labels in the verdict's sentence."""


Doubt = Literal["pending", "no label", "level", "unlabelled", "error", "unsteady", "position"]
"""Kinds of reasons for being undecided."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """All that a verdict rests on.

    Attributes:
        labels: Every label's count.
        unlabelled: Records read that got no label.
        unread: Records not read.
        pending: Batches without an answer.
        called: The label that the stopping rule called; None if it did not, or was not asked.
        correction: From hand-checked records.
        agreement: From labelling twice.
        position: Of records in batches.
    """

    labels: Sequence[LabelCount]
    unlabelled: int
    unread: int
    pending: int
    called: str | None = None
    correction: Correction | None = None
    agreement: SelfAgreement | None = None
    position: PositionCheck | None = None


def label_counts(tally: Tally, labels: Sequence[str], unlabelled: int) -> list[LabelCount]:
    """Every label's count, with how many of all records may have it.

    Args:
        tally: Every record's label.
        labels: The labels.
        unlabelled: Records read that got no label.
    """
    counts = tally.counts(len(labels))
    labelled = sum(counts)
    found = []
    for label, hits in zip(labels, counts, strict=True):
        low, high = count_interval(hits, labelled, len(tally.labels), unlabelled)
        found.append(LabelCount(label, hits, hits / labelled if labelled else 0.0, low, high))
    return found


def decide(evidence: Evidence) -> tuple[str | None, tuple[str, ...]]:
    """The majority label, or None with the reasons, the weightiest first."""
    winner, found = doubts(evidence)
    return (None if found else winner), tuple(words for _, words in found)


def doubts(evidence: Evidence) -> tuple[str, list[tuple[Doubt, str]]]:
    """The label that would be named, and what speaks against it, the weightiest first."""
    ranked = sorted(evidence.labels, key=lambda each: -each.count)
    first, second = ranked[0], ranked[1]
    lead = first.count - second.count
    winner = first.label
    found: list[tuple[Doubt, str]] = []
    if evidence.pending:
        batches = _word(evidence.pending, "batch", "batches")
        found.append(("pending", f"{evidence.pending:,} {batches} of records got no answer yet"))
    elif first.count == 0:
        found.append(("no label", "no record got a label"))
    elif evidence.unread:
        if evidence.called is None:
            words = _word(evidence.unread, "record was", "records were")
            found.append(("pending", f"{evidence.unread:,} {words} not read"))
        else:
            winner = evidence.called
    elif lead == 0:
        words = f"{first.label} and {second.label} are level at {first.count:,} each"
        found.append(("level", words))
    elif evidence.unlabelled >= lead:
        words = (
            f"{evidence.unlabelled:,} {_word(evidence.unlabelled, 'record has', 'records have')} "
            f"no label, and the lead of {first.label} over "
            f"{second.label} is only {lead:,}"
        )
        found.append(("unlabelled", words))
    if evidence.correction is not None and first.count:
        corrected = max(evidence.correction.labels, key=lambda each: each.share)
        bar = (
            0.5
            if len(evidence.labels) == 2
            else max(e.high for e in evidence.correction.labels if e.label != corrected.label)
        )
        winner = corrected.label
        if corrected.low <= bar:
            words = (
                f"the margin is inside the model's error: after {evidence.correction.checked:,} "
                f"hand-checked records the share of {corrected.label} is between "
                f"{corrected.low:.1%} and {corrected.high:.1%}"
            )
            found.append(("error", words))
    return winner, [*found, *_instability(evidence, first, lead)]


def _instability(evidence: Evidence, first: LabelCount, lead: int) -> list[tuple[Doubt, str]]:
    found: list[tuple[Doubt, str]] = []
    agreement, position = evidence.agreement, evidence.position
    labelled = sum(each.count for each in evidence.labels)
    if agreement is not None:
        differ = 1 - agreement.share
        if agreement.share < LEAST_AGREEMENT:
            words = (
                f"asked twice, the model gave the same label to only {agreement.share:.1%} of "
                f"{agreement.compared:,} records"
            )
            found.append(("unsteady", words))
        elif differ > 0 and labelled and differ >= bearable(lead - evidence.unlabelled) / labelled:
            words = (
                f"asked twice, the model changed {differ:.1%} of its labels, and that many in one "
                f"direction would undo the lead of {first.label}"
            )
            found.append(("unsteady", words))
    if position is not None and position.matters:
        words = (
            f"the model labels by position: {position.label} went to {position.first_half:.1%} of "
            f"the records in the first half of their batch and {position.second_half:.1%} in the "
            "second, though records stand there at random"
        )
        found.append(("position", words))
    return found


def bearable(lead: int) -> int:
    """How many labels may be wrong, all in one direction, and the leader still leads."""
    return max((lead - 1) // 2, 0)


def margin_words(
    labels: Sequence[LabelCount], unread: int, majority: str | None, unlabelled: int = 0
) -> tuple[str | None, float | None]:
    """How many wrong labels the lead bears, in a sentence and as a share of the labels.

    Records without a label count against it: each may have the second label.

    Args:
        labels: Every label's count.
        unread: Records not read.
        majority: The verdict; None while undecided: then a lead is spoken of, not a majority.
        unlabelled: Records read that got no label.

    Returns:
        None where there is no lead, and where the correction has named another label already.
    """
    ranked = sorted(labels, key=lambda each: -each.count)
    leader = ranked[0].label
    labelled = sum(each.count for each in labels)
    lead = ranked[0].count - ranked[1].count
    if not labelled or lead == 0 or (majority is not None and majority != leader):
        return None, None
    scope = f"among the {labelled + unlabelled:,} records read, " if unread else ""
    against = ""
    if unlabelled:
        records = f"{unlabelled:,} {_word(unlabelled, 'record', 'records')} without a label"
        if unlabelled >= lead:
            enough = _word(unlabelled, "is", "are")
            return f"{scope}the {records} {enough} enough to undo the lead of {leader}", 0.0
        against = f", with the {records} counted against it"
    wrong = bearable(lead - unlabelled)
    share = wrong / labelled
    held = f"the lead of {leader}" if majority is None else "the majority"
    if not wrong:
        return f"{scope}a single wrong label may be enough to undo {held}{against}", 0.0
    part = f"{_percent(share)} of the labels ({wrong:,} of {labelled:,})"
    if majority is None:
        words = f"{held} bears at most {part} being wrong, all in one direction"
    else:
        words = f"{held} holds unless more than {part} are wrong, all in one direction"
    return f"{scope}{words}{against}", share


def _percent(share: float) -> str:
    """Rounded down: never more than is true."""
    return f"{int(share * 1000) / 10:.1f}%"


def sentence(
    majority: str | None, reasons: Sequence[str], labels: Sequence[LabelCount], unread: int,
    until_sure: float | None, correction: Correction | None = None,
) -> str:  # fmt: skip
    """The verdict in one sentence."""
    if majority is None:
        return f"Undecided: {reasons[0]}."
    counted = ", ".join(f"{each.label} {each.count:,}" for each in labels)
    if len(labels) > MOST_NAMED:
        ranked = sorted(labels, key=lambda each: -each.count)[:MOST_NAMED]
        named = ", ".join(f"{each.label} {each.count:,}" for each in ranked)
        counted = f"{named}; {len(labels) - MOST_NAMED:,} other labels"
    if correction is not None and majority != _leader(labels):
        return (
            f"The majority is {majority}, corrected by {correction.checked:,} hand-checked "
            f"records: the model's labels say otherwise ({counted})."
        )
    if unread:
        return (
            f"The majority is {majority}, at a risk of at most {1 - (until_sure or 0):.2g} from "
            f"not reading the other {unread:,} records (of those read: {counted})."
        )
    return f"The majority is {majority} ({counted})."


def _leader(labels: Sequence[LabelCount]) -> str:
    return max(labels, key=lambda each: each.count).label


def _word(number: int, one: str, many: str) -> str:
    return one if number == 1 else many
