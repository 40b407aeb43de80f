"""Two models over the same experiments, paired."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from evenhand.analysis._bootstrap import DIFFERENCE, DRAWS, generator, mean_bootstrap
from evenhand.analysis._holm import holm
from evenhand.analysis._intervals import Floats
from evenhand.analysis._partition import CLUSTER, Invalid, checked, grouped, in_order
from evenhand.errors import UsageError

_SAME = 1e-9
_AXES = (*CLUSTER, "pattern", "order_seed", "variant", "output_budget", "answer_mode", "repeat")


def compare(
    frame: pl.DataFrame,
    a: str | int,
    b: str | int,
    by: Sequence[str] = (),
    invalid: Invalid = "exclude",
    *,
    column: str = "model",
    seed: int = 0,
) -> pl.DataFrame:
    """Accuracy of ``a`` less that of ``b`` over the experiments that both have.

    Experiments pair when all coordinates but ``column`` are equal, the setting's name aside; a
    pair counts if both its runs do. Each instance set gives one mean difference, and sets count
    alike. The interval redraws sets; the two-sided p-value swaps a and b at random within sets.

    Args:
        frame: Results that hold both.
        a: A value of ``column``.
        b: Another.
        by: Grouping columns, for instance ``("pattern",)``.
        invalid: What an invalid experiment counts as.
        column: What differs: ``model``, ``variant``, ``output_budget``, or a column you added,
            such as the run's name.
        seed: Seed of bootstrap and swaps.

    Returns:
        ``by``, ``a``, ``b`` (accuracies over the pairs, sets alike), ``difference`` (-1 to 1),
        ``low``, ``high`` (95%), ``p_value``, ``p_holm`` (over the rows), ``sets``, ``pairs``,
        ``only_a`` and ``only_b`` (pairs that just one of the two got right).

    Raises:
        UsageError: If one of the two is not in the results, or they share no experiment.
    """
    rows = checked(frame, (*by, column), invalid, also=("repeat",))
    axes = [axis for axis in dict.fromkeys([*by, "model", *_AXES]) if axis != column]
    sides = {}
    for name, value in (("a", a), ("b", b)):
        side = rows.filter(pl.col(column) == value)
        if not side.height:
            raise UsageError(f"the results hold no {column} {value!r}: compare two that they hold")
        # One experiment may stand in two settings: the first run of it is kept.
        sides[name] = side.unique(axes, keep="first", maintain_order=True)
    pairs = (
        sides["a"]
        .select(*axes, "valid", "correct")
        .join(sides["b"].select(*axes, "valid", "correct"), on=axes, suffix="_b", nulls_equal=True)
    )
    if not pairs.height:
        raise UsageError(f"{a} and {b} have no experiment in common: run both over one plan")
    if invalid == "exclude":
        pairs = pairs.filter(pl.col("valid") & pl.col("valid_b"))
    return _differences(pairs, by, f"{column} {a} {b}", seed)


def _differences(pairs: pl.DataFrame, by: Sequence[str], purpose: str, seed: int) -> pl.DataFrame:
    right, right_b = pl.col("correct"), pl.col("correct_b")
    sets = grouped(
        pairs,
        list(dict.fromkeys([*by, *CLUSTER])),
        right.mean().alias("a"),
        right_b.mean().alias("b"),
        pl.len().cast(pl.Int64).alias("pairs"),
        (right & ~right_b).sum().cast(pl.Int64).alias("only_a"),
        (right_b & ~right).sum().cast(pl.Int64).alias("only_b"),
    )
    found = []
    groups = sets.group_by(list(by), maintain_order=True) if by else [((), sets)]
    for key, group in groups:
        if not group.height:
            continue
        values = (group["a"] - group["b"]).to_numpy()
        rng = generator("compare " + purpose, seed, *key)
        low, high = mean_bootstrap(values, rng, DIFFERENCE)
        found.append(
            dict(zip(by, key, strict=True))
            | {
                "a": group["a"].mean(),
                "b": group["b"].mean(),
                "difference": float(values.mean()),
                "low": low,
                "high": high,
                "p_value": _swap_test(values, rng),
                "sets": values.size,
                **{name: group[name].sum() for name in ("pairs", "only_a", "only_b")},
            }
        )
    floats = ("a", "b", "difference", "low", "high", "p_value")
    schema = {
        **{name: pairs.schema[name] for name in by},
        **dict.fromkeys(floats, pl.Float64()),
        **dict.fromkeys(("sets", "pairs", "only_a", "only_b"), pl.Int64()),
    }
    columns = [*by, *floats, "p_holm", "sets", "pairs", "only_a", "only_b"]
    return in_order(holm(pl.DataFrame(found, schema=schema)).select(columns), by)


def _swap_test(values: Floats, rng: np.random.Generator) -> float:
    signs = rng.integers(0, 2, size=(DRAWS, values.size)) * 2 - 1
    nulls = np.abs(signs @ values) / values.size
    return float((1 + (nulls >= abs(values.mean()) - _SAME).sum()) / (1 + DRAWS))
