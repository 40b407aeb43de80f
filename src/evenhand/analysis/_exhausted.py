"""Answers that a model was made to give when its reasoning budget ran out (D.1)."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from evenhand.analysis._accuracy import accuracy
from evenhand.analysis._partition import by_seed, checked, conform, grouped
from evenhand.errors import UsageError


def exhausted_budgets(frame: pl.DataFrame, reasoning_budgets: Mapping[str, int]) -> pl.DataFrame:
    """Runs that spent their whole split reasoning budget, apart from the rest.

    A split budget reserves a few tokens for the answer, so an exhausted run still answers and
    stays valid, where a shared budget would have made it overlong. The table's reasoning tokens
    are sums over attempts and stages, so only experiments of one call can be told apart: those
    that were retried, and the two-stage ``self`` prompt, are left out of both rows.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``.
        reasoning_budgets: For each model with a split budget, its reasoning tokens (19,980 for the
            paper's Qwen3.6-Plus). Models not named are left out.

    Returns:
        Two rows a model: ``model``, ``exhausted`` (true, false), ``share`` of its runs (0 to 1),
        then ``accuracy``, ``sd``, ``seeds``, ``runs``, ``low``, ``high`` as :func:`accuracy`.

    Raises:
        UsageError: If a model is not in the results, or its runs have no reasoning token count.
    """
    frame = conform(frame, ("reasoning_tokens", "attempts"))
    parts = []
    for model, budget in reasoning_budgets.items():
        rows = frame.filter(pl.col("model") == model)
        if not rows.height:
            raise UsageError(f"the results hold no model {model!r}: name one of them")
        if rows["reasoning_tokens"].null_count() == rows.height:
            raise UsageError(
                f"the runs of {model} have no reasoning token count, so spent budgets cannot be "
                "told apart: run it through a server that reports reasoning_tokens"
            )
        one_call = (pl.col("attempts") == 1) & ~pl.col("variant").str.starts_with("self")
        parts.append(
            rows.filter(one_call).with_columns(
                (pl.col("reasoning_tokens").fill_null(0) >= budget).alias("exhausted")
            )
        )
    rows = pl.concat(parts) if parts else frame.clear().with_columns(exhausted=pl.lit(True))
    by = ("model", "exhausted")
    shares = grouped(
        by_seed(checked(rows, by), by, "incorrect"), by, pl.col("runs").sum().alias("_all")
    ).with_columns((pl.col("_all") / pl.col("_all").sum().over("model")).alias("share"))
    return (
        shares.select(*by, "share")
        .join(accuracy(rows, by), on=list(by))
        .sort("model", "exhausted", descending=[False, True])
    )
