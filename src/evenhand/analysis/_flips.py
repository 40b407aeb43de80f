"""How often another order gives another answer. No gold label is needed."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis._bootstrap import DIFFERENCE, SHARE, generator, mean_bootstrap
from evenhand.analysis._partition import CLUSTER, CONDITIONS, checked, grouped, in_order


def flip_rate(
    frame: pl.DataFrame, by: Sequence[str] = ("model",), *, seed: int = 0
) -> pl.DataFrame:
    """Share of pairs of orders of one instance set whose answers differ, beside the noise floor.

    A tie is an answer; an invalid experiment is none. The noise floor is the share of differing
    pairs among repeats of the *same* order: what the model changes without any change of order.
    Each set gives a share, and sets count alike.

    Returns:
        ``by``, ``flip_rate`` (0 to 1), ``low``, ``high`` (95% cluster bootstrap), ``sets``,
        ``order_pairs`` (pairs of runs of different orders), ``noise_floor``, ``repeat_pairs``
        (pairs of runs of one order), ``excess`` (flip rate less floor, over the sets that have
        both), ``excess_low``, ``excess_high``. The last five columns' rates are null where no
        order was repeated: the floor is then unknown, not zero.

    Raises:
        UsageError: For an unknown column, or generated and forced answers in one group.
    """
    rows = checked(frame, by, also=("predicted",)).filter(pl.col("valid"))
    per_set = _pairs_by_set(rows, by)
    found = []
    groups = per_set.group_by(list(by), maintain_order=True) if by else [((), per_set)]
    for key, group in groups:
        if not group.height:
            continue
        rng = generator("flip rate", seed, *key)
        across = group["flip"].drop_nulls().to_numpy()
        within = group["floor"].drop_nulls().to_numpy()
        both = (group["flip"] - group["floor"]).drop_nulls().to_numpy()
        low, high = mean_bootstrap(across, rng, SHARE)
        excess_low, excess_high = mean_bootstrap(both, rng, DIFFERENCE)
        found.append(
            dict(zip(by, key, strict=True))
            | {
                "flip_rate": float(across.mean()) if across.size else None,
                "low": low,
                "high": high,
                "sets": int(across.size),
                "order_pairs": int(group["order_pairs"].sum()),
                "noise_floor": float(within.mean()) if within.size else None,
                "repeat_pairs": int(group["repeat_pairs"].sum()),
                "excess": float(both.mean()) if both.size else None,
                "excess_low": excess_low,
                "excess_high": excess_high,
            }
        )
    return in_order(pl.DataFrame(found, schema=_schema(rows, by)), by)


def _schema(rows: pl.DataFrame, by: Sequence[str]) -> dict[str, pl.DataType]:
    counts = {"sets", "order_pairs", "repeat_pairs"}
    names = [
        "flip_rate",
        "low",
        "high",
        "sets",
        "order_pairs",
        "noise_floor",
        "repeat_pairs",
        "excess",
        "excess_low",
        "excess_high",
    ]
    return {name: rows.schema[name] for name in by} | {
        name: pl.Int64() if name in counts else pl.Float64() for name in names
    }


def _pairs_by_set(rows: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """A row for each set and group; blocks (models, conditions) of a set average."""
    block = list(dict.fromkeys([*by, "model", *CLUSTER, *CONDITIONS]))
    order = [*block, "pattern", "order_seed"]
    answered = rows.with_columns(pl.col("predicted").fill_null("(tie)").alias("_answer"))
    in_order_pairs = grouped(
        _alike(answered, order),
        block,
        pl.col("all").sum().alias("repeat_pairs"),
        pl.col("alike").sum().alias("_repeat_alike"),
    )
    pairs = (
        _alike(answered, block)
        .join(in_order_pairs, on=block, nulls_equal=True)
        .with_columns((pl.col("all") - pl.col("repeat_pairs")).alias("order_pairs"))
        .with_columns(
            pl.when(pl.col("order_pairs") > 0)
            .then(1 - (pl.col("alike") - pl.col("_repeat_alike")) / pl.col("order_pairs"))
            .alias("flip"),
            pl.when(pl.col("repeat_pairs") > 0)
            .then(1 - pl.col("_repeat_alike") / pl.col("repeat_pairs"))
            .alias("floor"),
        )
    )
    return grouped(
        pairs,
        list(dict.fromkeys([*by, *CLUSTER])),
        pl.col("flip").mean(),
        pl.col("floor").mean(),
        pl.col("order_pairs").sum(),
        pl.col("repeat_pairs").sum(),
    )


def _alike(answered: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Pairs of runs in each group, and those with the same answer."""
    answers = grouped(answered, [*keys, "_answer"], pl.len().cast(pl.Int64).alias("k"))
    k = pl.col("k")
    return grouped(
        answers,
        keys,
        (k.sum() * (k.sum() - 1) // 2).alias("all"),
        (k * (k - 1) // 2).sum().alias("alike"),
    )
