"""The one way in which results are grouped.

Every statistic of this room first passes its frame through :func:`checked`, and counts runs with
:func:`by_seed`: a group, then its set seeds (3.4). Whatever must never be pooled is refused here.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import polars as pl

from evenhand.design import PATTERNS
from evenhand.errors import UsageError
from evenhand.results import RESULTS_SCHEMA

Invalid = Literal["exclude", "incorrect"]
"""What an invalid experiment counts as: left out (3.4), or a wrong answer (D.2)."""

CLUSTER = ("task", "pool", "n", "p", "majority_label", "set_seed")
"""What identifies an instance set, the sampling unit: all runs over one set stand or fall together.
"""

WHOLE = "_whole"
"""Stands in for a grouping column where a caller names none."""

CONDITIONS = ("variant", "output_budget", "answer_mode")
"""How a set in an order was asked, beside the model."""


_READ = (
    *("model", *CLUSTER, "pattern", "order_seed", *CONDITIONS),
    *("outcome", "valid", "correct"),
)
"""The columns that no statistic can do without."""


def conform(frame: pl.DataFrame, also: Sequence[str] = ()) -> pl.DataFrame:
    """The frame with its columns in the results table's types, once its rows make sense.

    Args:
        frame: Results, from wherever.
        also: Columns needed beside those that every statistic reads.

    Raises:
        UsageError: If a column is missing or of another kind, or ``valid`` and ``correct`` are
            empty or contradict each other.
    """
    needed = (*_READ, *also)
    missing = [name for name in needed if name not in frame.columns]
    if missing:
        raise UsageError(
            f"the results have no column {', '.join(missing)}: "
            "read them with results(), or give the table the columns of RESULTS_SCHEMA"
        )
    for name in needed:
        kind = RESULTS_SCHEMA[name]
        if frame.schema[name] == kind:
            continue
        try:
            frame = frame.with_columns(pl.col(name).cast(kind))
        except pl.exceptions.PolarsError as error:
            raise UsageError(
                f"column {name} of the results holds {frame.schema[name]} values that are no "
                f"{kind}: give it the type that RESULTS_SCHEMA says"
            ) from error
    valid, correct = pl.col("valid"), pl.col("correct")
    _refuse(
        frame.filter(valid.is_null() | correct.is_null() | (correct & ~valid)),
        "must say true or false in valid and correct, and no invalid one is correct",
    )
    return frame


def known_patterns(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """The frame itself, once its patterns can be set against each other.

    Raises:
        UsageError: If one is not among the seven (it has no place among them, and no number of
            order seeds), or patterns are what is grouped by.
    """
    if "pattern" in by:
        raise UsageError("patterns are compared here: leave pattern out of the grouping")
    strange = frame.filter(~pl.col("pattern").is_in(PATTERNS).fill_null(False))
    _refuse(strange, f"has an unknown pattern: use {', '.join(PATTERNS)}")
    return frame


def _refuse(strange: pl.DataFrame, words: str) -> None:
    if strange.height:
        row = strange.row(0, named=True)
        name = row.get("experiment_id") or f"of {row['model']} on {row['task']}"
        raise UsageError(f"experiment {name} ({row['pattern']}) {words}")


def checked(
    frame: pl.DataFrame, by: Sequence[str], invalid: str = "exclude", also: Sequence[str] = ()
) -> pl.DataFrame:
    """The frame, conformed, once it is known that it can be grouped this way.

    Raises:
        UsageError: If a column of ``by`` is missing or given twice, ``invalid`` is unknown, one
            group mixes generated and forced answers, or as :func:`conform`.
    """
    if invalid not in get_args(Invalid):
        raise UsageError(f"invalid = {invalid!r}: use 'exclude' or 'incorrect'")
    if isinstance(by, str) or len(set(by)) < len(by):
        raise UsageError(f"by = {by!r}: give different columns, such as ('model', 'task')")
    frame = conform(frame, also)
    missing = [name for name in by if name not in frame.columns]
    if missing:
        raise UsageError(
            f"the results have no column {missing[0]!r}: "
            f"group by some of {', '.join(frame.columns)}"
        )
    mixed = grouped(frame, by, pl.col("answer_mode").n_unique().alias("modes")).filter(
        pl.col("modes") > 1
    )
    if mixed.height:
        group = ", ".join(f"{name} {mixed[name][0]}" for name in by) or "the whole table"
        raise UsageError(
            f"{group}: generated and forced answers never pool; "
            "add answer_mode to the grouping, or filter the rows to one answer mode"
        )
    return frame


def grouped(frame: pl.DataFrame, by: Sequence[str], *totals: pl.Expr) -> pl.DataFrame:
    """Aggregate by any number of columns, none included, in order of first appearance."""
    if not by:
        return grouped(frame.with_columns(pl.lit(True).alias(WHOLE)), (WHOLE,), *totals).drop(WHOLE)
    return frame.group_by(list(by), maintain_order=True).agg(*totals)


def counted(invalid: Invalid) -> pl.Expr:
    """Whether a run counts in the denominator."""
    return pl.col("valid") if invalid == "exclude" else pl.lit(True)


def by_seed(
    frame: pl.DataFrame, by: Sequence[str], invalid: Invalid, extra: Sequence[str] = ()
) -> pl.DataFrame:
    """Runs of each group and set seed; random's order seeds pool within their set seed.

    Returns:
        One row a group, set seed and ``extra`` column: ``runs`` (all), ``counted`` (the
        denominator), ``right``, and ``accuracy``, null where nothing counted.
    """
    keys = list(dict.fromkeys([*by, *extra, "set_seed"]))
    totals = grouped(
        frame.with_columns(counted(invalid).alias("_counted")),
        keys,
        pl.len().cast(pl.Int64).alias("runs"),
        pl.col("_counted").sum().cast(pl.Int64).alias("counted"),
        pl.col("correct").sum().cast(pl.Int64).alias("right"),
    )
    return totals.with_columns(ratio("right", "counted").alias("accuracy"))


def ratio(part: str, whole: str) -> pl.Expr:
    """``part / whole``, null instead of a division by zero."""
    return pl.when(pl.col(whole) > 0).then(pl.col(part) / pl.col(whole))


def in_order(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Rows sorted by the group, patterns as the paper lists them rather than by the alphabet."""
    if not by:
        return frame
    ranks = {name: rank for rank, name in enumerate(PATTERNS)}
    keys = [
        pl.col(name).replace_strict(ranks, default=len(ranks), return_dtype=pl.Int64)
        if name == "pattern"
        else pl.col(name)
        for name in by
    ]
    return frame.sort(keys, maintain_order=True, nulls_last=True)
