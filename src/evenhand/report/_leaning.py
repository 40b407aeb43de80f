"""What stands in for accuracy where answers cannot tell: one label always named, and margins."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from evenhand.analysis import margin_difference
from evenhand.report._numbers import decimal, listed, percent, probability

ALIKE = 0.95
"""From this share of valid runs on, one label is named always or nearly always."""


@dataclass(frozen=True, slots=True)
class Leaning:
    """The label that one task's valid answers name most.

    Attributes:
        task, label: Which.
        named: Share of the valid runs that name it (0 to 1).
        right: Share of the valid runs in which it is the majority label.
        runs: Valid runs.
    """

    task: str
    label: str
    named: float
    right: float
    runs: int

    @property
    def bias(self) -> float:
        """Named less right, -1 to 1."""
        return self.named - self.right


@dataclass(frozen=True, slots=True)
class Shift:
    """Margins under edges less margins under middle, paired within instance sets.

    Columns of :func:`evenhand.analysis.margin_difference`: natural-log units towards the majority.
    """

    difference: float
    low: float | None
    high: float | None
    t: float | None
    p_value: float | None
    sets: int


def leanings(rows: pl.DataFrame) -> tuple[Leaning, ...]:
    """One model's commonest label in each task that has a valid answer with a label."""
    found = []
    for (task,), part in rows.filter(pl.col("valid")).group_by("task", maintain_order=True):
        named = part["predicted"].drop_nulls().value_counts(sort=True).sort(
            "count", "predicted", descending=[True, False]
        )  # fmt: skip
        if named.height:
            label, times = named.row(0)
            right = int((part["majority_label"] == label).sum())
            found.append(
                Leaning(str(task), label, times / part.height, right / part.height, part.height)
            )
    return tuple(found)


def one_label(rows: pl.DataFrame, leaning: tuple[Leaning, ...]) -> bool:
    """Whether the answers name one label whatever they are asked.

    In every task one label is named in at least :data:`ALIKE` of the valid runs, although the
    design made each of the two labels the majority.
    """
    both = rows.group_by("task").agg(pl.col("majority_label").n_unique())["majority_label"]
    return bool(leaning) and min(one.named for one in leaning) >= ALIKE and bool((both > 1).all())


def shift(rows: pl.DataFrame) -> Shift | None:
    """One model's planned comparison of margins; None without margins under both orders."""
    found = margin_difference(rows, ("model",))
    if found.is_empty():
        return None
    row = found.row(0, named=True)
    return Shift(*(row[name] for name in ("difference", "low", "high", "t", "p_value", "sets")))


def named_words(leaning: tuple[Leaning, ...]) -> str:
    """``named “positive” in all 27 valid answers``, task by task where there are several."""
    said = []
    for one in leaning:
        times = round(one.named * one.runs)
        where = f" ({one.task})" if len(leaning) > 1 else ""
        how = f"all {one.runs:,}" if times == one.runs else f"{times:,} of {one.runs:,}"
        said.append(f"“{one.label}” in {how} valid answers{where}")
    return f"named {listed(said)}"


def bias_words(leaning: tuple[Leaning, ...]) -> str:
    """Label bias in a sentence."""
    said = [
        f"“{one.label}” was named in {percent(one.named)} of the valid answers"
        f"{f' on {one.task}' if len(leaning) > 1 else ''} and was right in {percent(one.right)} "
        f"of them ({decimal(one.bias, 0, scale=100, sign=True)} points)"
        for one in leaning
    ]
    return f"Label bias: {'; '.join(said)}."


def shift_words(found: Shift) -> str:
    """The comparison with its interval and test: ``+0.31 (95% interval +0.10 to +0.52, …)``."""
    parts = []
    if found.low is not None and found.high is not None:
        low, high = decimal(found.low, 2, sign=True), decimal(found.high, 2, sign=True)
        parts.append(f"95% interval {low} to {high}")
    if found.t is not None and found.p_value is not None:
        parts.append(f"paired t = {decimal(found.t, 2)}, {probability(found.p_value)}")
    sets = f"{found.sets} instance set{'' if found.sets == 1 else 's'}"
    return f"{decimal(found.difference, 2, sign=True)} ({', '.join([*parts, sets])})"
