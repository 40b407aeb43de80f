"""Which rows belong together: models told apart by answer mode, and the main condition of a run."""

from __future__ import annotations

import polars as pl

MODE_WORDS = {"generate": "written answers", "forced": "forced choice"}
CONDITION = ("n", "p", "output_budget")


def told_apart(frame: pl.DataFrame) -> pl.DataFrame:
    """The frame with a ``model`` column that never holds two answer modes under one name.

    A model that answered in both ways becomes two, ``name (written answers)`` and
    ``name (forced choice)``; any other keeps its name.
    """
    both = (
        frame.group_by("model")
        .agg(pl.col("answer_mode").n_unique().alias("modes"))
        .filter(pl.col("modes") > 1)["model"]
        .to_list()
    )
    if not both:
        return frame
    mode = pl.col("answer_mode").replace_strict(MODE_WORDS, default=pl.col("answer_mode"))
    return frame.with_columns(
        pl.when(pl.col("model").is_in(both))
        .then(pl.format("{} ({})", pl.col("model"), mode))
        .otherwise(pl.col("model"))
        .alias("model")
    )


def forced_twin(name: str) -> str | None:
    """The name under which the forced choices of a model stand, given that of its written ones."""
    written, forced = (f" ({MODE_WORDS[mode]})" for mode in ("generate", "forced"))
    return f"{name.removesuffix(written)}{forced}" if name.endswith(written) else None


def standard_orders(frame: pl.DataFrame) -> pl.DataFrame:
    """Standard prompt, first repeat, structured patterns in their original order.

    Shuffles within a structured pattern (5.2.1) and same-order repeats answer other questions.
    A run that has only shuffled or only non-standard rows keeps them.
    """
    for keep in (
        pl.col("variant") == "standard",
        pl.col("repeat") == 0,
        (pl.col("pattern") == "random") | pl.col("order_seed").is_null(),
    ):
        kept = frame.filter(keep)
        frame = kept if kept.height else frame
    return frame


def main_condition(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that a headline can speak of: one (n, p, output budget) a model.

    Of the standard orders: the condition with the most set seeds, then the most models, then the
    most experiments, then the larger n, the smaller p and the smaller budget. With ``core`` beside
    other settings this is core's. A model without that condition brings its own best one; only
    free-form answers of a model whose forced choices are in it do not: a few of them say how many
    can be read, and are no model of their own.
    """
    rows = standard_orders(frame)
    common = _best_condition(rows)
    present = set(common["model"])
    without = [
        name
        for name in frame["model"].unique()
        if name not in present and forced_twin(name) not in present
    ]
    others = [
        _best_condition(standard_orders(frame.filter(pl.col("model") == name)))
        for name in frame["model"].unique(maintain_order=True)
        if name in without
    ]
    ranks = {name: at for at, name in enumerate(frame["model"].unique(maintain_order=True))}
    together = pl.concat([common, *others]).sort(
        pl.col("model").replace_strict(ranks, return_dtype=pl.Int64), maintain_order=True
    )
    return one_setting(together)


def _best_condition(rows: pl.DataFrame) -> pl.DataFrame:
    if rows.is_empty():
        return rows
    ranked = (
        rows.group_by(CONDITION)
        .agg(
            pl.col("set_seed").n_unique().alias("seeds"),
            pl.col("model").n_unique().alias("models"),
            pl.len().alias("rows"),
        )
        .sort(
            ["seeds", "models", "rows", "n", "p", "output_budget"],
            descending=[True, True, True, True, False, False],
        )
    )
    best = ranked.row(0, named=True)
    return rows.filter(*(pl.col(name) == best[name] for name in CONDITION))


def sizes_differ(main: pl.DataFrame) -> str | None:
    """A warning when models were run in different conditions, so that they do not compare."""
    if main.select(CONDITION).unique().height < 2:
        return None
    parts = [
        f"{model}: {describe_condition(main.filter(pl.col('model') == model))}"
        for model in main["model"].unique(maintain_order=True)
    ]
    return "These models were not run alike, so they do not compare. " + "; ".join(parts) + "."


def one_setting(frame: pl.DataFrame) -> pl.DataFrame:
    """Each experiment once: two settings that hold the same experiment count it once.

    The same model, task, pool, set, order, prompt, budget and repeat is the same experiment
    whatever its setting is called; the first one met is kept.
    """
    return frame.unique(
        [
            "model", "answer_mode", "task", "pool", "n", "p", "majority_label", "set_seed",
            "pattern", "order_seed", "variant", "output_budget", "repeat",
        ],
        keep="first",
        maintain_order=True,
    )  # fmt: skip


def same_size(frame: pl.DataFrame, main: pl.DataFrame) -> pl.DataFrame:
    """Rows of each model's main n and p under any prompt and budget, each experiment once."""
    original = (pl.col("pattern") == "random") | pl.col("order_seed").is_null()
    sizes = main.select("model", "n", "p").unique()
    rows = frame.filter(original & (pl.col("repeat") == 0))
    return one_setting(rows.join(sizes, on=["model", "n", "p"], how="semi", maintain_order="left"))


def size_grid(frame: pl.DataFrame) -> pl.DataFrame:
    """Standard orders of the settings that vary n or p; the others would weigh one cell more."""
    rows = standard_orders(frame)
    varied = (
        rows.group_by("model", "setting")
        .agg(pl.struct("n", "p").n_unique().alias("sizes"))
        .filter(pl.col("sizes") > 1)
    )
    kept = rows.join(varied, on=["model", "setting"], how="semi", maintain_order="left")
    return one_setting(kept)


def pooled_models(frame: pl.DataFrame) -> pl.DataFrame:
    """The rows that may be pooled over models: simulated readers only among themselves."""
    real = frame.filter(~pl.col("model").str.starts_with("reader/"))
    return real if real.height else frame


def describe_condition(frame: pl.DataFrame) -> str:
    """``n = 100, p = 0.55, 3 set seeds`` for the rows at hand."""
    n = ", ".join(f"{value:,}" for value in sorted(frame["n"].unique()))
    p = ", ".join(f"{value:g}" for value in sorted(frame["p"].unique()))
    seeds = frame["set_seed"].n_unique()
    return f"n = {n}, p = {p}, {seeds} set seed{'' if seeds == 1 else 's'}"
