"""What a count comes to."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

from evenhand.counting._agreement import SelfAgreement
from evenhand.counting._correction import Correction
from evenhand.counting._position import PositionCheck

Verdict = Literal["decided", "undecided"]


@dataclass(frozen=True, slots=True)
class LabelCount:
    """One label.

    Attributes:
        label: The label.
        count: Records that were given it.
        share: Of the labelled records, 0 to 1.
        low: Fewest of all records that may have it: the rest of the records is not read (95%
            interval) or has no label. Errors of the model are not in it.
        high: Most.
    """

    label: str
    count: int
    share: float
    low: int
    high: int


@dataclass(frozen=True, slots=True)
class Count:
    """The answer, and what it rests on.

    Attributes:
        verdict: ``decided`` or ``undecided``.
        majority: The label that most records have; None while undecided.
        reasons: Why it is undecided, the weightiest first; empty when decided.
        sentence: The verdict in one sentence, the reason first when undecided.
        margin: How many wrong labels the lead can bear, records without a label counted against
            it, in words; None without a lead.
        break_even: The same as a share of the labelled records; None without a lead.
        labels: Every label, in the order given.
        records: All records.
        statuses: Records labelled, unresolved, refused, too long, unread.
        unlabelled: Why records that were read have no label, with how many each, the commonest
            first.
        pending: Batches without an answer: the same command goes on with them.
        read: Records that were asked about, or cannot be.
        sure_after: Records read when ``until_sure`` was reached; None where it was not.
        until_sure: As asked for.
        correction: From the hand-checked records; None without any.
        agreement: From ``repeat``; None without.
        position: First against second halves of batches; None where no batch could tell.
        batch: Records a batch.
        calls: Calls that came back.
        input_tokens: Billed, as far as the server said.
        output_tokens: Likewise.
        cost_usd: Dollars of all calls that came back; None when any part is unknown.
        unsettled: Calls that were lost, cut, or stated no usage: their cost is not known.
        unsettled_usd: What those cost at worst.
        one_shot_input_tokens: What one prompt with all records would take, by the model's count
            of tokens, corrected by those that were billed; None where none were.
        one_shot_cost_usd: Dollars for these, its output not counted; None when unknown.
        certificate: The coverage certificate, in one sentence.
        ledger: The ledger's CSV file.
        out: The count's folder.
        model: Whom was asked.
        ask: The question.
        answer_mode: ``generate`` or ``forced``.
        next_step: What to do now.
        message: Why calls ended early, if they did.
    """

    verdict: Verdict
    majority: str | None
    reasons: tuple[str, ...]
    sentence: str
    margin: str | None
    break_even: float | None
    labels: tuple[LabelCount, ...]
    records: int
    statuses: dict[str, int]
    unlabelled: dict[str, int]
    pending: int
    read: int
    sure_after: int | None
    until_sure: float | None
    correction: Correction | None
    agreement: SelfAgreement | None
    position: PositionCheck | None
    batch: int
    calls: int
    input_tokens: int
    output_tokens: int
    cost_usd: float | None
    unsettled: int
    unsettled_usd: float
    one_shot_input_tokens: int | None
    one_shot_cost_usd: float | None
    certificate: str
    ledger: Path
    out: Path
    model: str
    ask: str
    answer_mode: str
    next_step: str
    message: str | None = None

    def __str__(self) -> str:
        """What the terminal shows."""
        from evenhand.counting._words import count_text

        return count_text(self)

    @property
    def counts(self) -> dict[str, int]:
        """Label to the number of records that were given it."""
        return {each.label: each.count for each in self.labels}

    @property
    def exit_code(self) -> int:
        """0 decided, 3 undecided."""
        return 0 if self.verdict == "decided" else 3

    def as_json(self) -> dict[str, Any]:
        """Everything as JSON values."""
        return asdict(self) | {"ledger": str(self.ledger), "out": str(self.out)}
