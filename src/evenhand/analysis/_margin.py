"""Where the answers lean: margins towards the majority, and bias towards a label."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from evenhand.analysis._intervals import mean_interval
from evenhand.analysis._partition import CLUSTER, checked, grouped, in_order, ratio
from evenhand.errors import UsageError

ORIENTED = "_oriented"
ORIENTING = ("experiment_id", "margin", "labels")
"""Columns that orienting a margin reads."""


def oriented(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that have a margin, with the margin towards the majority as ``_oriented``.

    Raises:
        UsageError: If a majority label is not among its row's labels.
    """
    rows = frame.filter(pl.col("margin").is_not_null())
    _check_labels(rows)
    sign = pl.when(_is_second("majority_label")).then(1.0).otherwise(-1.0)
    return rows.with_columns((sign * pl.col("margin")).alias(ORIENTED))


def oriented_margin(
    frame: pl.DataFrame, by: Sequence[str] = ("model", "task", "pattern")
) -> pl.DataFrame:
    """Mean margin of forced choices, turned so that plus points to the majority label.

    A row's ``margin`` is log P(second label) - log P(first label); it is kept where the majority
    label is the second and negated where it is the first. Rows without a margin are left out.

    Returns:
        ``by``, ``margin`` (natural-log units; mean over set seeds of the seed's mean), ``sd`` over
        set seeds, ``seeds``, ``runs``, ``low``, ``high`` (95% t interval over the means of the
        instance sets; null from one set). No rows where no run has a margin.

    Raises:
        UsageError: For an unknown column, or a majority label that is not among a row's labels.
    """
    rows = oriented(checked(frame, by, also=ORIENTING))
    seeds = grouped(
        rows,
        list(dict.fromkeys([*by, "set_seed"])),
        pl.col(ORIENTED).mean().alias("margin"),
        pl.len().cast(pl.Int64).alias("runs"),
    )
    means = grouped(
        seeds,
        by,
        pl.col("margin").mean(),
        pl.col("margin").std(ddof=1).alias("sd"),
        pl.len().cast(pl.Int64).alias("seeds"),
        pl.col("runs").sum(),
    )
    sets = grouped(rows, list(dict.fromkeys([*by, *CLUSTER])), pl.col(ORIENTED).mean())
    spread = [
        mean_interval(np.asarray(values, dtype=np.float64))
        for values in grouped(sets, by, pl.col(ORIENTED))[ORIENTED]
    ]
    return in_order(
        means.with_columns(
            pl.Series("low", [low for low, _ in spread], dtype=pl.Float64),
            pl.Series("high", [high for _, high in spread], dtype=pl.Float64),
        ),
        by,
    )


def label_bias(frame: pl.DataFrame, by: Sequence[str] = ("model", "task")) -> pl.DataFrame:
    """How much oftener the second label is named than it is right.

    Only runs that name a label count: ties and invalid experiments name none.

    Returns:
        ``by``, ``first`` and ``second`` (the labels), ``named_second`` (share of the runs that
        name the second label), ``majority_second`` (share in which it is the majority), ``bias``
        (their difference, -1 to 1: 0.5 in a balanced design means that it is always named),
        ``runs``, ``mean_margin`` (over runs with a margin, towards the second label; else null).

    Raises:
        UsageError: If a group mixes tasks with different labels, or for an unknown column.
    """
    rows = checked(frame, by, also=(*ORIENTING, "predicted")).filter(
        pl.col("predicted").is_not_null()
    )
    _check_labels(rows)
    rows = rows.with_columns(
        pl.col("labels").list.get(0).alias("first"), pl.col("labels").list.get(1).alias("second")
    )
    bias = grouped(
        rows,
        by,
        pl.struct("first", "second").n_unique().alias("_pairs"),
        pl.col("first").first(),
        pl.col("second").first(),
        _is_second("predicted").sum().cast(pl.Int64).alias("_named"),
        _is_second("majority_label").sum().cast(pl.Int64).alias("_majority"),
        pl.len().cast(pl.Int64).alias("runs"),
        pl.col("margin").mean().alias("mean_margin"),
    )
    if bias.filter(pl.col("_pairs") > 1).height:
        raise UsageError("label bias needs one pair of labels a group: add task to the grouping")
    bias = bias.with_columns(
        ratio("_named", "runs").alias("named_second"),
        ratio("_majority", "runs").alias("majority_second"),
    ).with_columns((pl.col("named_second") - pl.col("majority_second")).alias("bias"))
    shares = ["named_second", "majority_second", "bias"]
    return in_order(bias.select(*by, "first", "second", *shares, "runs", "mean_margin"), by)


def _is_second(column: str) -> pl.Expr:
    return pl.col(column) == pl.col("labels").list.get(1)


def _check_labels(rows: pl.DataFrame) -> None:
    endless = rows.filter(~pl.col("margin").is_finite())
    if endless.height:
        row = endless.row(0, named=True)
        raise UsageError(
            f"experiment {row['experiment_id']}: a margin of {row['margin']} is no number to "
            "average; give the row a finite margin, or none"
        )
    known = (pl.col("labels").list.len() == 2) & pl.col("labels").list.contains(
        pl.col("majority_label")
    )
    strange = rows.filter(~known.fill_null(False))
    if strange.height:
        row = strange.row(0, named=True)
        raise UsageError(
            f"experiment {row['experiment_id']}: majority label {row['majority_label']!r} is not "
            f"one of its two labels {row['labels']}; export the run again"
        )
