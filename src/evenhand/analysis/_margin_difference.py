"""One order pattern against another by margins, paired within instance sets."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from evenhand.analysis._intervals import mean_interval
from evenhand.analysis._margin import ORIENTED, ORIENTING, oriented
from evenhand.analysis._partition import CLUSTER, checked, grouped, in_order


def margin_difference(
    frame: pl.DataFrame,
    by: Sequence[str] = ("model",),
    plus: str = "majority-edges",
    minus: str = "majority-middle",
) -> pl.DataFrame:
    """How much further the margin leans to the majority under ``plus`` than under ``minus``.

    Each instance set gives one difference of its mean margins, turned towards the majority as in
    :func:`oriented_margin`; sets without a margin under both patterns are left out. The interval
    and the two-sided p-value are those of Student's t over these differences (a paired t-test).
    :func:`contrasts` with ``value="margin"`` permutes instead, which few sets leave little to do.

    Returns:
        ``by``, ``difference`` (natural-log units), ``low``, ``high`` (95%), ``t``, ``p_value``,
        ``sets``. The four between are null from one set, ``t`` and ``p_value`` also where all sets
        differ by the same. No row for a group without a pair.

    Raises:
        UsageError: For an unknown column, generated and forced answers in one group, or a
            majority label that is not among a row's labels.
    """
    from scipy import stats

    rows = oriented(checked(frame, by, also=ORIENTING))
    sets = grouped(
        rows.filter(pl.col("pattern").is_in([plus, minus])),
        list(dict.fromkeys([*by, *CLUSTER])),
        (_mean_under(plus) - _mean_under(minus)).alias("difference"),
    ).drop_nulls("difference")
    found = grouped(sets, by, pl.col("difference"))
    measured = []
    for values in found["difference"]:
        differences = np.asarray(values, dtype=np.float64)
        low, high = mean_interval(differences)
        spread = float(differences.std(ddof=1)) if differences.size > 1 else 0.0
        t = float(differences.mean() / spread * differences.size**0.5) if spread > 0 else None
        p = None if t is None else float(2 * stats.t.sf(abs(t), differences.size - 1))
        measured.append((float(differences.mean()), low, high, t, p, int(differences.size)))
    columns = {
        **dict.fromkeys(("difference", "low", "high", "t", "p_value"), pl.Float64()),
        "sets": pl.Int64(),
    }
    numbers = pl.DataFrame(measured, schema=columns, orient="row")
    return in_order(pl.concat([found.select(by), numbers], how="horizontal"), by)


def _mean_under(pattern: str) -> pl.Expr:
    return pl.col(ORIENTED).filter(pl.col("pattern") == pattern).mean()
