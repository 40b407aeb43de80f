"""Answers that a model was made to give when its reasoning budget ran out (D.1)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from evenhand.analysis._accuracy import accuracy
from evenhand.analysis._partition import conform, grouped, ratio
from evenhand.errors import UsageError
from evenhand.results import OPTIONAL_COLUMNS, RESULTS_SCHEMA

_BUDGET = ("model", "reasoning_budget")
_STATES = {"exhausted": True, "within": False, "unknown": None}
"""What became of a reasoning budget, in the order of the rows; a null cannot be grouped by."""


def exhausted_budgets(
    frame: pl.DataFrame, reasoning_budgets: Mapping[str, int] | None = None
) -> pl.DataFrame:
    """Runs that spent a reasoning budget of their own, apart from the rest of the model's.

    Where reasoning has a budget of its own, tokens are kept back for the answer, so an exhausted
    run still answers and stays valid, where a shared budget would have made it overlong. Whether
    the deciding attempt exhausted it is in the results of a run (``reasoning_exhausted``). Where
    that is null, the reasoning tokens tell it if they are those of one call; they are sums over
    attempts and stages, so they do not for runs that were tried again or the two-stage ``self``.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``.
        reasoning_budgets: Each model's reasoning tokens (19,980 for the paper's Qwen3.6-Plus) in
            place of the column ``reasoning_budget``, for results that do not have it. Models not
            named are left out.

    Returns:
        For each ``model`` and ``reasoning_budget``, in order of appearance: a row whose
        ``exhausted`` is true, one where it is false, and one where it is null if that is unknown
        of any run. Then ``count`` and ``share`` (0 to 1) of the runs, ``invalid`` and
        ``invalid_share`` of those without a valid answer (null if there are none), and
        ``accuracy``, ``sd``, ``seeds``, ``runs`` (the valid ones), ``low``, ``high`` as
        :func:`accuracy`. No row where no reasoning had a budget of its own.

    Raises:
        UsageError: If a model named is not in the results, or one of its groups holds generated
            and forced answers.
    """
    rows = _with_state(_with_budgets(frame, reasoning_budgets))
    by = (*_BUDGET, "_state")
    counts = grouped(
        rows,
        by,
        pl.len().cast(pl.Int64).alias("count"),
        (~pl.col("valid")).sum().cast(pl.Int64).alias("invalid"),
    )
    table = (
        _every_state(counts)
        .join(counts, on=by, how="left", maintain_order="left")
        .with_columns(pl.col("count", "invalid").fill_null(0))
        .filter((pl.col("count") > 0) | (pl.col("_state") != "unknown"))
        .with_columns(pl.col("count", "invalid").sum().over(_BUDGET).name.prefix("_all_"))
        .with_columns(
            ratio("count", "_all_count").alias("share"),
            ratio("invalid", "_all_invalid").alias("invalid_share"),
            pl.col("_state").replace_strict(_STATES, return_dtype=pl.Boolean).alias("exhausted"),
        )
        .join(accuracy(rows, by), on=by, how="left", maintain_order="left")
        .with_columns(pl.col("seeds", "runs").fill_null(0))
    )
    return table.select(
        *(*_BUDGET, "exhausted", "count", "share", "invalid", "invalid_share"),
        *("accuracy", "sd", "seeds", "runs", "low", "high"),
    )


def _with_budgets(frame: pl.DataFrame, budgets: Mapping[str, int] | None) -> pl.DataFrame:
    """The rows whose reasoning had a budget of its own."""
    absent = [name for name in sorted(OPTIONAL_COLUMNS) if name not in frame.columns]
    frame = frame.with_columns(pl.lit(None, RESULTS_SCHEMA[name]).alias(name) for name in absent)
    frame = conform(frame, ("reasoning_tokens", "attempts", *sorted(OPTIONAL_COLUMNS)))
    if budgets is not None:
        for model in budgets:
            if frame.filter(pl.col("model") == model).is_empty():
                raise UsageError(f"the results hold no model {model!r}: name one of them")
        given = pl.col("model").replace_strict(budgets, default=None, return_dtype=pl.Int64)
        frame = frame.with_columns(given.alias("reasoning_budget"))
    return frame.filter(pl.col("reasoning_budget").is_not_null())


def _with_state(rows: pl.DataFrame) -> pl.DataFrame:
    one_call = (pl.col("attempts") == 1) & ~pl.col("variant").str.starts_with("self")
    told = pl.coalesce(
        pl.col("reasoning_exhausted"),
        pl.when(pl.col("outcome") == "invalid_input").then(False),
        pl.when(one_call).then(pl.col("reasoning_tokens") >= pl.col("reasoning_budget")),
    )
    state = pl.when(told).then(pl.lit("exhausted")).when(~told).then(pl.lit("within"))
    return rows.with_columns(state.otherwise(pl.lit("unknown")).alias("_state"))


def _every_state(counts: pl.DataFrame) -> pl.DataFrame:
    budgets = counts.select(_BUDGET).unique(maintain_order=True)
    return budgets.join(pl.DataFrame({"_state": list(_STATES)}), how="cross")
