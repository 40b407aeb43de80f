"""The paper's tables as frames. Shares and gaps run from 0 to 1.

Each takes any results, keeps one row an experiment and the original orders, and splits by every
condition (n, p, variant, budget, answer mode) that takes several values: nothing is pooled that
the paper keeps apart. Pass ``core_rows(frame)`` for the headline condition alone.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._accuracy import accuracy, invalid_rate
from evenhand.analysis._gap import best_worst_gap
from evenhand.analysis._holm import holm
from evenhand.analysis._null import PERMUTATIONS, gap_null
from evenhand.analysis._partition import Invalid, grouped, in_order
from evenhand.analysis._rows import table_rows, with_varied
from evenhand.errors import UsageError


def overview_table(
    frame: pl.DataFrame,
    invalid: Invalid = "exclude",
    *,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
) -> pl.DataFrame:
    """Accuracy, best-worst gap and invalid rate of every model (Table 2), the gap with its null.

    Returns:
        ``model`` and the conditions that vary; ``accuracy``, ``sd``, ``seeds``, ``runs``, ``low``,
        ``high``; ``best``, ``worst``, ``gap``, ``gap_sd``, ``pairs``, ``mark``; ``gap_low``,
        ``gap_high``, ``null_mean``, ``null_95``, ``excess``, ``p_value``, ``p_holm`` (over the
        table's rows); ``invalid_rate``, ``invalid_sd``.
    """
    rows = table_rows(frame)
    by = with_varied(rows, ("model",))
    null = gap_null(rows, by, invalid, permutations=permutations, seed=seed)
    table = _joined(
        by,
        accuracy(rows, by, invalid),
        _gaps(rows, by, invalid),
        null.drop("gap", "permutations").rename({"low": "gap_low", "high": "gap_high"}),
        _invalid(rows, by),
    )
    shown = [name for name in table.columns if not name.startswith("invalid_")]
    at = shown.index("p_value") + 1
    return holm(table).select(*shown[:at], "p_holm", *shown[at:], "invalid_rate", "invalid_sd")


def all_experiments_table(frame: pl.DataFrame) -> pl.DataFrame:
    """Both definitions of accuracy and gap, and the invalid rate, of every model (Table 6, D.2).

    Returns:
        ``model``, ``output_budget`` and the conditions that vary; ``accuracy_all``,
        ``accuracy_all_sd``, ``best_all``, ``worst_all``, ``gap_all``, ``gap_all_sd`` (invalid
        experiments wrong); ``accuracy``, ``sd``, ``best``, ``worst``, ``gap``, ``gap_sd``,
        ``pairs``, ``mark`` (valid only); ``invalid_rate``, ``invalid_sd``.
    """
    return _both_definitions(frame, ("model", "output_budget"))


def budget_table(frame: pl.DataFrame) -> pl.DataFrame:
    """The same for every prompt and output budget (Table 5, C.5.3; the numbers of Figure 4).

    Best and worst patterns are chosen apart for each prompt, budget and definition of accuracy.

    Returns:
        ``model``, ``variant``, ``output_budget``, then as :func:`all_experiments_table`.
    """
    return _both_definitions(frame, ("model", "variant", "output_budget"))


def filter_agreement(judged: pl.DataFrame) -> pl.DataFrame:
    """Agreement of two filtering models on single instances (Table 4, C.1).

    Args:
        judged: A row an instance and model: ``task``, ``instance_id``, ``model``, ``correct``.

    Returns:
        ``task``, ``first``, ``second`` (the models, by name), shares ``both_correct``,
        ``only_first``, ``only_second``, ``both_incorrect``, ``instances``. Instances that only
        one model judged are left out.

    Raises:
        UsageError: If the rows are not those of exactly two models.
    """
    models = judged["model"].unique().sort().to_list()
    if len(models) != 2:
        raise UsageError(f"agreement is between two models, and the table holds {len(models)}")
    keys = ["task", "instance_id"]
    sides = [
        judged.filter(pl.col("model") == model).select(*keys, pl.col("correct").alias(name))
        for model, name in zip(models, ("a", "b"), strict=True)
    ]
    a, b = pl.col("a"), pl.col("b")
    return grouped(
        sides[0].join(sides[1], on=keys).sort(keys),
        ("task",),
        pl.lit(models[0]).first().alias("first"),
        pl.lit(models[1]).first().alias("second"),
        (a & b).mean().alias("both_correct"),
        (a & ~b).mean().alias("only_first"),
        (b & ~a).mean().alias("only_second"),
        (~a & ~b).mean().alias("both_incorrect"),
        pl.len().cast(pl.Int64).alias("instances"),
    )


def _both_definitions(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    rows = table_rows(frame)
    by = with_varied(rows, keys)
    overall = accuracy(rows, by, "incorrect").select(
        *by, pl.col("accuracy").alias("accuracy_all"), pl.col("sd").alias("accuracy_all_sd")
    )
    gaps = _gaps(rows, by, "incorrect").select(
        *by, *(pl.col(name).name.suffix("_all") for name in ("best", "worst", "gap")), "gap_sd"
    )
    valid = accuracy(rows, by).select(*by, "accuracy", "sd")
    return _joined(
        by,
        overall,
        gaps.rename({"gap_sd": "gap_all_sd"}),
        valid,
        _gaps(rows, by, "exclude"),
        _invalid(rows, by),
    )


def _gaps(rows: pl.DataFrame, by: Sequence[str], invalid: Invalid) -> pl.DataFrame:
    gaps = best_worst_gap(rows, by, invalid).rename({"sd": "gap_sd"})
    return gaps.select(*by, "best", "worst", "gap", "gap_sd", "pairs", "mark")


def _invalid(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    return invalid_rate(rows, by).select(*by, "invalid_rate", pl.col("sd").alias("invalid_sd"))


def _joined(by: Sequence[str], first: pl.DataFrame, *others: pl.DataFrame) -> pl.DataFrame:
    table = first
    for other in others:
        table = table.join(other, on=list(by), how="left", nulls_equal=True)
    return in_order(table, by)
