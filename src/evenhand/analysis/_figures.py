"""The numbers behind the paper's figures, as frames. Shares run from 0 to 1.

Rows and conditions are chosen as for the tables: one row an experiment, original orders, and a
column for every condition that takes several values.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._accuracy import accuracy, invalid_rate, outcome_shares
from evenhand.analysis._partition import Invalid, by_seed, counted, grouped, in_order, ratio
from evenhand.analysis._rows import table_rows, with_varied
from evenhand.results import VALID_OUTCOMES

OVERALL = "overall"
"""Stands for all tasks, or all patterns, together."""


def accuracy_by_pattern(frame: pl.DataFrame, invalid: Invalid = "exclude") -> pl.DataFrame:
    """Accuracy of each model on each order pattern (Figures 2 and 17).

    Returns:
        ``model``, ``pattern``, the conditions that vary, and the columns of ``accuracy``.
    """
    rows = table_rows(frame)
    return accuracy(rows, with_varied(rows, ("model", "pattern")), invalid)


def accuracy_by_task(frame: pl.DataFrame, invalid: Invalid = "exclude") -> pl.DataFrame:
    """Accuracy of each model on each task and ``overall`` (Figure 16).

    Returns:
        ``model``, ``task``, the conditions that vary, and the columns of ``accuracy``.
    """
    rows = table_rows(frame)
    by = with_varied(rows, ("model", "task"))
    tasks = accuracy(rows, by, invalid)
    keys = [name for name in by if name != "task"]
    whole = accuracy(rows, keys, invalid).with_columns(pl.lit(OVERALL).alias("task"))
    return pl.concat([tasks, whole.select(tasks.columns)]).sort("model", maintain_order=True)


def task_by_pattern(frame: pl.DataFrame, invalid: Invalid = "exclude") -> pl.DataFrame:
    """Accuracy on each task and order pattern, all models together (Figure 18).

    Returns:
        ``task``, ``pattern``, the conditions that vary, and the columns of ``accuracy``.
    """
    rows = table_rows(frame)
    return accuracy(rows, with_varied(rows, ("task", "pattern")), invalid)


def error_types(frame: pl.DataFrame) -> pl.DataFrame:
    """Share of every outcome that is not correct, a model (Figure 14, D.1).

    Returns:
        ``model``, the conditions that vary, ``outcome`` (``mistake``, ``tie``,
        ``invalid_input``, ``parsing_issue``, ``overlong``), ``valid`` (whether the answer was),
        ``share`` of all experiments, ``sd`` over set seeds, ``seeds``, ``count``, ``runs``.
    """
    rows = table_rows(frame)
    by = with_varied(rows, ("model",))
    shares = outcome_shares(rows, by).filter(pl.col("outcome") != "correct")
    valid = pl.col("outcome").is_in(sorted(VALID_OUTCOMES)).alias("valid")
    return shares.with_columns(valid).select(
        *by, "outcome", "valid", "share", "sd", "seeds", "count", "runs"
    )


def invalid_counts(frame: pl.DataFrame) -> pl.DataFrame:
    """Invalid experiments of each model, task and order pattern (Figure 15).

    Returns:
        ``model``, ``task``, ``pattern``, the conditions that vary, ``invalid``, ``runs``: in the
        core setting out of six, and of 18 for random.
    """
    rows = table_rows(frame)
    by = with_varied(rows, ("model", "task", "pattern"))
    return invalid_rate(rows, by).select(*by, "invalid", "runs")


def counts_grid(
    frame: pl.DataFrame,
    by: Sequence[str] = ("model", "pattern"),
    invalid: Invalid = "exclude",
) -> pl.DataFrame:
    """Accuracy and invalid rate over n and p (Figures 3 and 19; with budgets 10 and 11).

    Of each model, only the set seeds that every cell of its grid has are used, so that cells differ
    by n and p alone; all are used where the cells have none in common (``seeds`` shows how many).
    Figure 3 is the default for one model; ``by=("pattern",)`` takes all models together;
    ``by=("model", "output_budget")`` gives Figures 10 and 11.

    Args:
        frame: Results.
        by: Grouping columns beside ``n`` and ``p``.
        invalid: What an invalid experiment counts as.

    Returns:
        ``by``, the conditions that vary, ``n``, ``p``, the columns of ``accuracy``, ``sd_over``
        (``set seeds``; ``order seeds`` for random with one set seed, as in the paper; null where
        there is no SD), ``invalid_rate``.
    """
    rows = _common_seeds(table_rows(frame))
    keys = with_varied(rows, (*by, "n", "p"))
    cells = accuracy(rows, keys, invalid).join(
        invalid_rate(rows, keys).select(*keys, "invalid_rate"), on=list(keys), nulls_equal=True
    )
    cells = cells.with_columns(
        pl.when(pl.col("sd").is_not_null()).then(pl.lit("set seeds")).alias("sd_over")
    )
    if "pattern" in by:
        spread = _order_seed_sd(rows, keys, invalid)
        orders = pl.col("sd").is_null() & pl.col("_sd").is_not_null()
        cells = cells.join(spread, on=list(keys), how="left", nulls_equal=True).with_columns(
            pl.when(orders).then(pl.col("_sd")).otherwise(pl.col("sd")).alias("sd"),
            pl.when(orders)
            .then(pl.lit("order seeds"))
            .otherwise(pl.col("sd_over"))
            .alias("sd_over"),
        )
    columns = ["accuracy", "sd", "sd_over", "seeds", "runs", "low", "high", "invalid_rate"]
    return in_order(cells.select(*keys, *columns), keys)


def variant_changes(frame: pl.DataFrame, invalid: Invalid = "exclude") -> pl.DataFrame:
    """Accuracy with a prompt variant less that with the standard prompt (Figures 4 and 20).

    A variant with swapped labels is compared with the standard prompt with swapped labels.

    Returns:
        ``model``, ``variant``, ``pattern`` (the seven, then ``overall``), the conditions that
        vary, ``change`` (-1 to 1, mean over set seeds of the paired differences), ``sd``,
        ``seeds`` (pairs).
    """
    rows = table_rows(frame)
    by = with_varied(rows, ("model", "variant", "pattern"))
    whole = rows.with_columns(pl.lit(OVERALL).alias("pattern"))
    seeds = pl.concat([by_seed(part, by, invalid) for part in (rows, whole)])
    swapped = pl.col("variant").str.extract("(-swapped)$").fill_null("")
    seeds = seeds.with_columns(
        (pl.lit("standard") + swapped).alias("_base"), pl.col("accuracy").alias("own")
    )
    base = seeds.filter(pl.col("variant") == pl.col("_base")).select(
        *(name for name in by if name != "variant"), "_base", "set_seed", "accuracy"
    )
    keys = [name for name in base.columns if name != "accuracy"]
    pairs = (
        seeds.filter(pl.col("variant") != pl.col("_base"))
        .drop("accuracy")
        .join(base, on=keys, nulls_equal=True, maintain_order="left")
        .with_columns((pl.col("own") - pl.col("accuracy")).alias("change"))
    )
    changes = grouped(
        pairs,
        by,
        pl.col("change").mean(),
        pl.col("change").drop_nulls().std(ddof=1).alias("sd"),
        pl.col("change").count().cast(pl.Int64).alias("seeds"),
    )
    return in_order(changes, by)


def budget_outcomes(frame: pl.DataFrame) -> pl.DataFrame:
    """Correct, incorrect and invalid shares of each order pattern and output budget (Figure 9).

    Returns:
        ``model``, ``output_budget``, ``pattern``, the conditions that vary; ``correct``,
        ``incorrect``, ``invalid`` (shares of all experiments, together 1), ``runs``; ``accuracy``
        and ``sd`` (valid only, over set seeds).
    """
    rows = table_rows(frame)
    by = with_varied(rows, ("model", "output_budget", "pattern"))
    shares = grouped(
        rows,
        by,
        pl.col("correct").mean(),
        (pl.col("valid") & ~pl.col("correct")).mean().alias("incorrect"),
        (~pl.col("valid")).mean().alias("invalid"),
        pl.len().cast(pl.Int64).alias("runs"),
    )
    return in_order(
        shares.join(
            accuracy(rows, by).select(*by, "accuracy", "sd"), on=list(by), nulls_equal=True
        ),
        by,
    )


def _common_seeds(rows: pl.DataFrame) -> pl.DataFrame:
    cells = rows.select("model", "n", "p", "set_seed").unique()
    sizes = cells.group_by("model").agg(pl.struct("n", "p").n_unique().alias("_cells"))
    common = (cells.group_by("model", "set_seed").len().join(sizes, on="model")).filter(
        pl.col("len") == pl.col("_cells")
    )
    some = pl.col("model").is_in(common["model"].unique().to_list())
    kept = rows.join(common, on=["model", "set_seed"], how="semi", maintain_order="left")
    return pl.concat([kept, rows.filter(~some)])


def _order_seed_sd(rows: pl.DataFrame, keys: Sequence[str], invalid: Invalid) -> pl.DataFrame:
    """SD over order seeds of random, where there is one set seed."""
    orders = grouped(
        rows.filter(pl.col("pattern") == "random").with_columns(counted(invalid).alias("_counted")),
        [*keys, "order_seed"],
        pl.col("correct").sum().cast(pl.Int64).alias("right"),
        pl.col("_counted").sum().cast(pl.Int64).alias("counted"),
        pl.col("set_seed").n_unique().alias("_seeds"),
    ).with_columns(ratio("right", "counted").alias("accuracy"))
    return grouped(
        orders.filter(pl.col("_seeds") == 1),
        keys,
        pl.col("accuracy").drop_nulls().std(ddof=1).alias("_sd"),
    )
