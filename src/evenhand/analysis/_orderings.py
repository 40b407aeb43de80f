"""Is the original order an outlier among many orders of the same pattern?"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._holm import holm
from evenhand.analysis._partition import Invalid, checked, counted, grouped, in_order, ratio
from evenhand.errors import UsageError

_SAME = 1e-9


def original_against_orderings(
    frame: pl.DataFrame,
    by: Sequence[str] = ("model", "task", "pattern"),
    invalid: Invalid = "exclude",
) -> pl.DataFrame:
    """Compare the original order of each structured pattern with its expanded orderings (5.2.1).

    The original (no order seed) counts as one more ordering, as in the paper's footnote 13. Each
    ordering's accuracy pools its runs over majority labels and set seeds. The two-sided p-value is
    twice the smaller of the shares of orderings, the original among them, that are at most, or at
    least, as accurate as the original: with 50 orderings it cannot fall under 2/51 = 0.039.

    Args:
        frame: Results that hold both, for instance a ``core`` and an ``orderings`` run. Random
            has no original order and is left out.
        by: Grouping columns.
        invalid: What an invalid experiment counts as.

    Returns:
        ``by``, ``original`` (accuracy, null if nothing counts), ``orderings`` (how many had a run
        that counts), ``mean``, ``sd``, ``lowest``, ``highest`` of their accuracies, ``p_value``,
        ``p_holm``. Groups without an original order or without another are left out.

    Raises:
        UsageError: If the original runs and the orderings share no instance set of a group, or
            generated and forced answers mix.
    """
    rows = checked(frame, by, invalid).filter(pl.col("pattern") != "random")
    sets = list(dict.fromkeys([*by, "model", "task", "pool", "n", "p", "majority_label"]))
    sets += ["set_seed", "pattern", "variant", "output_budget", "answer_mode"]
    sets = list(dict.fromkeys(sets))
    first = rows.filter(pl.col("order_seed").is_null())
    others = rows.filter(pl.col("order_seed").is_not_null())
    shared = (
        first.select(sets).unique().join(others.select(sets).unique(), on=sets, nulls_equal=True)
    )
    if first.height and others.height and not shared.height:
        raise UsageError(
            "the original runs and the orderings have no instance set in common: "
            "run both over the same tasks, n, p, set seeds, variant and budget"
        )
    accuracies = grouped(
        rows.join(shared, on=sets, nulls_equal=True).with_columns(
            counted(invalid).alias("_counted")
        ),
        [*by, "order_seed"],
        pl.col("correct").sum().cast(pl.Int64).alias("right"),
        pl.col("_counted").sum().cast(pl.Int64).alias("counted"),
    ).with_columns(ratio("right", "counted").alias("accuracy"))
    own = pl.col("order_seed").is_null()
    reference = pl.col("accuracy").filter(own).first()
    rest = pl.col("accuracy").filter(~own).drop_nulls()
    compared = grouped(
        accuracies,
        by,
        reference.alias("original"),
        rest.len().cast(pl.Int64).alias("orderings"),
        rest.mean().alias("mean"),
        rest.std(ddof=1).alias("sd"),
        rest.min().alias("lowest"),
        rest.max().alias("highest"),
        (1 + (rest <= reference + _SAME).sum()).alias("_below"),
        (1 + (rest >= reference - _SAME).sum()).alias("_above"),
    ).with_columns(
        pl.when(pl.col("original").is_not_null() & (pl.col("orderings") > 0))
        .then(2 * pl.min_horizontal("_below", "_above") / (1 + pl.col("orderings")))
        .clip(upper_bound=1)
        .alias("p_value")
    )
    return in_order(holm(compared.drop("_below", "_above")), by)
