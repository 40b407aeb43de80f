"""The reasoning that a reader shows: it names exactly the instances that it read.

No digit stands in a trace but in the ids (and in labels or texts that hold one), so that its
coverage follows from the reader's rule.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby

Judged = Sequence[tuple[int, str]]

_OPENING = "I label the instances one by one."
_NOTHING_READ = "I answer without reading the instances."
_ALL_READ = "Every instance is labelled; I count the labels."
_STOPPED = "I stop here and take the rest to be like these."


def _one_a_line(form: str) -> Callable[[Judged], str]:
    return lambda judged: "\n".join(form.format(id=at, label=label) for at, label in judged)


def _in_runs(judged: Judged) -> str:
    lines = []
    for label, run in groupby(judged, key=lambda pair: pair[1]):
        ids = [str(at) for at, _ in run]
        for start in range(0, len(ids), 10):
            some = ids[start : start + 10]
            if len(some) == 1:
                lines.append(f"Instance {some[0]} is {label}.")
            else:
                lines.append(f"Instances {', '.join(some[:-1])} and {some[-1]} are {label}.")
    return "\n".join(lines)


STYLES: tuple[Callable[[Judged], str], ...] = (
    _one_a_line("Instance {id}: {label}"),
    _one_a_line("{id}: {label}"),
    _one_a_line("{id}. {label}"),
    _one_a_line("{id} -> {label}"),
    _one_a_line("#{id} {label}"),
    _one_a_line("Instance {id} is {label}."),
    _in_runs,
)


def write_trace(judged: Judged, n: int, style: int) -> str:
    """A trace that names the instances read, each with the label the reader gave it.

    Args:
        judged: (id, label) of the instances read, in order.
        n: Number of instances in the prompt.
        style: Any number; picks one of :data:`STYLES`.
    """
    if not judged:
        return _NOTHING_READ
    closing = _ALL_READ if len(judged) == n else _STOPPED
    return "\n".join((_OPENING, STYLES[style % len(STYLES)](judged), closing))
