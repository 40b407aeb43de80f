"""When enough records are read: the stopping rule of risk-limiting election audits.

The question "which label is the majority among all N records?" is the one that an election audit
answers by drawing ballots at random without replacement. For two labels w and l let a record be
worth 1 if it is w, 0 if it is l and 1/2 otherwise. That w is not ahead of l means that the mean is
at most 1/2. The ALPHA test supermartingale of that hypothesis (Stark, "ALPHA: Audit that learns
from previously hand-audited ballots", Annals of Applied Statistics 17(1), 2023, section 2.2;
BRAVO, Lindeman, Stark and Yates, EVT/WOTE 2012, is the case of one fixed alternative) multiplies

    (x * eta / mu + (1 - x) * (1 - eta) / (1 - mu))

over the records read, where mu is the mean that the hypothesis leaves for the records not read yet
and eta the mean under an alternative. It is averaged over a few alternatives, which is again a
supermartingale. By Ville's inequality it ever exceeds 1/level with a chance of at most level.

w is called the majority once all its hypotheses "w is not ahead of l" are rejected at level
risk / K. To call a wrong label, a true hypothesis must be rejected: there are at most K wrong
labels to call (in a tie of all K), so the chance is at most the risk, ties and any number of looks
included. A record read without a label is worth 0 to whichever label is tested, its worst case,
and so are phantoms: records known beforehand to be unreadable, which are never drawn.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int16]
Counts = npt.NDArray[np.int64]

ALTERNATIVES: tuple[float, ...] = (0.51, 0.52, 0.535, 0.55, 0.575, 0.625, 0.75, 0.95)
UNRESOLVED = -1
_EDGE = 1e-9
_AT_ONCE = 20_000
"""Values tested at once: bounds the memory where many labels are compared."""


def log_factors(x: Floats, before: Floats, count: int, total: int, phantoms: int = 0) -> Floats:
    """Logarithms of the martingale's factors.

    Args:
        x: Values in [0, 1] in the order read; shape (..., n).
        before: Sum of the values read before; shape (...).
        count: How many were read before.
        total: Records that can be drawn.
        phantoms: Records beyond these that are worth 0.

    Returns:
        Shape (..., alternatives, n); +inf from where the hypothesis has become impossible.
    """
    sums = before[..., None] + np.cumsum(x, axis=-1) - x
    left = (total - count - np.arange(x.shape[-1])).astype(np.float64)
    mu = ((total + phantoms) / 2 - sums) / left
    mean = np.clip(mu, _EDGE, 1 - _EDGE)
    shape = (*([1] * mu.ndim)[:-1], -1, 1)
    ahead = np.asarray(ALTERNATIVES).reshape(shape) - 0.5
    eta = np.clip(mean[..., None, :] + total * ahead / left, _EDGE, 1 - _EDGE)
    value, mean = x[..., None, :], mean[..., None, :]
    logs = np.log(value * eta / mean + (1 - value) * (1 - eta) / (1 - mean))
    mu = mu[..., None, :]
    at_edge = (np.abs(mu) < _EDGE) | (np.abs(mu - 1) < _EDGE)
    found: Floats = np.select(
        [at_edge, mu < 0, mu > 1], [np.zeros_like(logs), np.inf, -np.inf], logs
    )
    return found


def log_martingale(x: Floats, total: int) -> Floats:
    """The mixture's logarithm after every record, from the first; shape of ``x``."""
    logs = log_factors(x, np.zeros(x.shape[:-1]), 0, total)
    # Once impossible stays impossible, whatever -inf would follow.
    with np.errstate(invalid="ignore"):
        path = np.cumsum(logs, axis=-1)
    path = np.where(np.isnan(path), np.inf, path)
    return _mean_of_logs(path, axis=-2)


def _mean_of_logs(logs: Floats, axis: int) -> Floats:
    top = np.max(logs, axis=axis, keepdims=True)
    safe = np.where(np.isfinite(top), top, 0)
    with np.errstate(divide="ignore", over="ignore"):
        mean: Floats = np.log(np.mean(np.exp(logs - safe), axis=axis)) + np.squeeze(safe, axis)
    return np.asarray(np.where(np.squeeze(top, axis) == np.inf, np.inf, mean), dtype=np.float64)


def pair_values(codes: Codes, ahead: int, behind: int) -> Floats:
    """What each label is worth in the test that ``ahead`` leads ``behind``."""
    values = np.full(codes.shape, 0.5)
    values[codes == ahead] = 1
    values[(codes == behind) | (codes == UNRESOLVED)] = 0
    return values


def called(codes: Codes, labels: int, total: int, risk: float) -> tuple[Codes, Counts]:
    """For many populations at once, the label that is called and after how many records.

    Args:
        codes: Labels as numbers from 0, in reading order; shape (populations, read).
        labels: K.
        total: N.
        risk: The chance of a wrong call that is accepted.

    Returns:
        For each population the label (-1 for none) and the records read until then (N if none).
    """
    threshold = np.log(labels / risk)
    never = codes.shape[-1] + 1
    winner = np.full(codes.shape[0], -1, dtype=np.int16)
    after = np.full(codes.shape[0], never)
    for label in range(labels):
        when = np.zeros(codes.shape[0], dtype=np.int64)
        for other in range(labels):
            if other != label:
                path = log_martingale(pair_values(codes, label, other), total)
                crossed = path >= threshold
                first = np.where(crossed.any(axis=-1), crossed.argmax(axis=-1) + 1, never)
                when = np.maximum(when, first)
        sooner = when < after
        winner[sooner], after[sooner] = label, when[sooner]
    after[after == never] = total
    return winner, after


@dataclass(slots=True)
class _Lead:
    """How far the tests that one label leads each other label have come."""

    others: list[int]
    sums: Floats
    logs: Floats
    rejected: Counts
    read: int = 0


@dataclass(slots=True)
class StoppingRule:
    """The same test fed batch by batch, in the random order.

    Only labels that have led at some moment are tested: no other can be called, since a test that
    is rejected at a record has its label ahead there.

    Attributes:
        labels: K.
        total: Records that can be drawn.
        risk: The chance of a wrong call that is accepted.
        phantoms: Records beyond these that cannot be read.
        read: Records fed so far.
        winner: The label called; None until then. It is never taken back.
        called_after: Records read when it was called.
    """

    labels: int
    total: int
    risk: float
    phantoms: int = 0
    read: int = 0
    winner: int | None = None
    called_after: int | None = None
    _heard: Codes = field(default_factory=lambda: np.zeros(0, dtype=np.int16))
    _counts: Counts = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    _leads: dict[int, _Lead] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._heard = np.zeros(self.total, dtype=np.int16)
        self._counts = np.zeros(self.labels, dtype=np.int64)

    def feed(self, codes: Codes) -> None:
        """Take the next records' labels; :data:`UNRESOLVED` for one without."""
        start, self.read = self.read, self.read + codes.size
        if not codes.size or self.winner is not None:
            return
        self._heard[start : self.read] = codes
        calls = []
        for label in self._leaders(codes):
            rejected = self._caught_up(label).rejected
            if (rejected >= 0).all():
                calls.append((int(rejected.max()), label))
        if calls:
            self.called_after, self.winner = min(calls)

    def _leaders(self, codes: Codes) -> list[int]:
        """Labels that no other is ahead of at some record of these."""
        seen = self._counts + np.cumsum(codes[:, None] == np.arange(self.labels), axis=0)
        self._counts = seen[-1]
        ahead = (seen == seen.max(axis=1, keepdims=True)).any(axis=0)
        return [int(label) for label in np.flatnonzero(ahead)]

    def _caught_up(self, label: int) -> _Lead:
        """A label's tests, brought to the last record heard."""
        lead = self._leads.get(label)
        if lead is None:
            others = [other for other in range(self.labels) if other != label]
            size = len(others)
            lead = self._leads[label] = _Lead(
                others, np.zeros(size), np.zeros((size, len(ALTERNATIVES))), np.full(size, -1)
            )
        step = max(1, _AT_ONCE // len(lead.others))
        while lead.read < self.read:
            self._advance(lead, label, self._heard[lead.read : min(lead.read + step, self.read)])
        return lead

    def _advance(self, lead: _Lead, label: int, codes: Codes) -> None:
        """Take more records into the tests that are not rejected yet."""
        start, lead.read = lead.read, lead.read + codes.size
        open_ = np.flatnonzero(lead.rejected < 0)
        if not open_.size:
            return
        x = np.stack([pair_values(codes, label, lead.others[at]) for at in open_])
        logs = log_factors(x, lead.sums[open_], start, self.total, self.phantoms)
        with np.errstate(invalid="ignore"):
            path = lead.logs[open_][..., None] + np.cumsum(logs, axis=-1)
        path = np.where(np.isnan(path), np.inf, path)
        crossed = _mean_of_logs(path, axis=-2) >= np.log(self.labels / self.risk)
        fresh = crossed.any(axis=-1)
        lead.rejected[open_[fresh]] = start + crossed[fresh].argmax(axis=-1) + 1
        lead.sums[open_] += x.sum(axis=-1)
        lead.logs[open_] = path[..., -1]
