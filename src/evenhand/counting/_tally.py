"""Which record has which label, where it came from, and why others have none."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
import numpy.typing as npt

Status = Literal["labelled", "unresolved", "refused", "too long", "unread"]
STATUSES: tuple[Status, ...] = ("labelled", "unresolved", "refused", "too long", "unread")
UNREAD = STATUSES.index("unread")


@dataclass(slots=True)
class Tally:
    """One entry a record, in file order; a few bytes each.

    Attributes:
        labels: Number of the label, or -1.
        status: Number in :data:`STATUSES`.
        round: 0 for the batches, 1 for those asked again alone; -1 where nothing was asked.
        batch: The batch's number in its round.
        position: Place in the batch, from 1.
        attempt: Which attempt of the batch was kept.
        margin: Of a forced choice: log P(second label) - log P(first label); else NaN.
        reasons: Place to why there is no label.
    """

    labels: npt.NDArray[np.int16]
    status: npt.NDArray[np.int8]
    round: npt.NDArray[np.int8]
    batch: npt.NDArray[np.int32]
    position: npt.NDArray[np.int32]
    attempt: npt.NDArray[np.int16]
    margin: npt.NDArray[np.float32]
    reasons: dict[int, str] = field(default_factory=dict)

    def counts(self, labels: int) -> list[int]:
        """Records of each label."""
        found = np.bincount(self.labels[self.labels >= 0], minlength=labels)
        return [int(count) for count in found]

    def with_status(self, status: Status) -> int:
        """Records of one status."""
        return int((self.status == STATUSES.index(status)).sum())

    def commonest_reasons(self) -> dict[str, int]:
        """Why there is no label, with the number of records, the commonest first."""
        return dict(Counter(self.reasons.values()).most_common())


def empty_tally(records: int) -> Tally:
    """A tally in which nothing has been read."""
    return Tally(
        labels=np.full(records, -1, dtype=np.int16),
        status=np.full(records, UNREAD, dtype=np.int8),
        round=np.full(records, -1, dtype=np.int8),
        batch=np.full(records, -1, dtype=np.int32),
        position=np.full(records, -1, dtype=np.int32),
        attempt=np.zeros(records, dtype=np.int16),
        margin=np.full(records, np.nan, dtype=np.float32),
    )
