"""How many carriers (sentence frames) the synthetic texts are made from."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.pools._synthetic._carriers import load_grammars
from evenhand.pools._synthetic._grammar import Template, carriers
from evenhand.pools._synthetic._math import load_problems
from evenhand.pools._synthetic._occurrence import load_clauses
from evenhand.tasks import load_task


def carrier_count(task: str) -> dict[str, int]:
    """Carriers of each label: frames, each written alternative of a frame counted, slots open.

    What a word list holds is not counted, nor what a text may open or close with. Math counts
    problems, Occurrence clauses; these serve both labels.

    Args:
        task: One of the built-in tasks.

    Raises:
        UsageError: For an unknown task.
    """
    labels = load_task(task).labels
    if task == "math":
        return dict.fromkeys(labels, _total(p.template for p in load_problems(task)[1]))
    if task == "occurrence":
        return dict.fromkeys(labels, _total(load_clauses(task)))
    grammars = load_grammars(task, labels)
    return {
        label: _total(frame for band in grammar.bands for frame in band.frames)
        for label, grammar in grammars.items()
    }


def _total(templates: Iterable[Template]) -> int:
    return sum(map(carriers, templates))
