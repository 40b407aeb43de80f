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
from itertools import permutations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int8]
Counts = npt.NDArray[np.int64]

ALTERNATIVES: tuple[float, ...] = (0.51, 0.52, 0.535, 0.55, 0.575, 0.625, 0.75, 0.95)
UNRESOLVED = -1
_EDGE = 1e-9


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


def called(
    codes: Codes, labels: int, total: int, risk: float
) -> tuple[Codes, npt.NDArray[np.int64]]:
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
    winner = np.full(codes.shape[0], -1, dtype=np.int8)
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
class StoppingRule:
    """The same test fed batch by batch, in the random order.

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
    _sums: dict[tuple[int, int], float] = field(default_factory=dict)
    _logs: dict[tuple[int, int], Floats] = field(default_factory=dict)
    _rejected: dict[tuple[int, int], int] = field(default_factory=dict)

    def feed(self, codes: Codes) -> None:
        """Take the next records' labels; :data:`UNRESOLVED` for one without."""
        if not codes.size:
            return
        threshold = np.log(self.labels / self.risk)
        for pair in permutations(range(self.labels), 2):
            x = pair_values(codes, *pair)
            before = self._sums.get(pair, 0.0)
            logs = log_factors(x, np.asarray(before), self.read, self.total, self.phantoms)
            start = self._logs.get(pair, np.zeros(len(ALTERNATIVES)))
            with np.errstate(invalid="ignore"):
                path = start[:, None] + np.cumsum(logs, axis=-1)
            path = np.where(np.isnan(path), np.inf, path)
            crossed = _mean_of_logs(path, axis=-2) >= threshold
            if pair not in self._rejected and crossed.any():
                self._rejected[pair] = self.read + int(crossed.argmax()) + 1
            self._sums[pair], self._logs[pair] = before + float(x.sum()), path[:, -1]
        self.read += codes.size
        if self.winner is None:
            self._call()

    def _call(self) -> None:
        for label in range(self.labels):
            pairs = [(label, other) for other in range(self.labels) if other != label]
            if all(pair in self._rejected for pair in pairs):
                self.winner = label
                self.called_after = max(self._rejected[pair] for pair in pairs)
                return
