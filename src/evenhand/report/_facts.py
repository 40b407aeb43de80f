"""The facts of a run: what was asked, of whom, how often, at what price."""

from __future__ import annotations

import polars as pl

from evenhand.report._conditions import MODE_WORDS
from evenhand.report._numbers import count, duration, plural
from evenhand.report._page import Facts


def run_facts(frame: pl.DataFrame) -> tuple[Facts, ...]:
    """One list a model, in the frame's order. What was not stated is said to be unknown."""
    return tuple(
        Facts(title=str(model), items=_items(frame.filter(pl.col("model") == model)))
        for model in dict.fromkeys(frame["model"])
    )


def _items(rows: pl.DataFrame) -> tuple[tuple[str, str], ...]:
    seeds = sorted(rows["set_seed"].unique())
    order_seeds = rows.filter(pl.col("pattern") == "random")["order_seed"].n_unique()
    answered = rows.filter(pl.col("answer_mode") == "generate")
    items = [
        ("Experiments", count(rows.height)),
        ("Tasks", _values(rows["task"])),
        ("Records in a set (n)", _values(rows["n"])),
        ("Majority share (p)", _values(rows["p"])),
        (
            "Set seeds",
            _values(rows["set_seed"]) if len(seeds) <= 8 else plural(len(seeds), "seed"),
        ),
        ("Orders", f"{rows['pattern'].n_unique()} (random: {plural(order_seeds, 'order seed')})"),
        ("Prompts", _values(rows["variant"])),
        *_output_budget(answered),
        *_reasoning_budget(rows["reasoning_budget"]),
        ("Way of answering", _answer_modes(rows)),
        ("Valid answers", f"{int(rows['valid'].sum()):,} of {rows.height:,}"),
        ("Calls", count(int(rows["attempts"].sum()))),
        ("Input tokens", _total(rows["input_tokens"])),
        ("Output tokens", _total(rows["output_tokens"])),
        ("Time in calls", duration(_sum(rows["latency_s"]))),
        ("Cost", _cost(rows["cost_usd"])),
        ("Pool", _pool(rows)),
        ("Filter", _values(rows["pool_filter"].fill_null("none stated"))),
    ]
    if answered.height:
        lenient = int(answered["lenient"].sum())
        at = [name for name, _ in items].index("Valid answers") + 1
        items.insert(at, ("Answers read leniently", f"{lenient:,} of {answered.height:,}"))
    if rows["upstream"].drop_nulls().len():
        items.append(("Served by", _values(rows["upstream"].fill_null("not stated"))))
    return tuple(items)


def _output_budget(answered: pl.DataFrame) -> list[tuple[str, str]]:
    """Of written answers: a forced choice writes nothing."""
    if answered.is_empty():
        return []
    return [("Output budget", f"{_values(answered['output_budget'])} tokens")]


def _reasoning_budget(column: pl.Series) -> list[tuple[str, str]]:
    """Said of a model whose reasoning cannot take the answer's tokens, in some run at least."""
    told = _values(column)
    return [("Of it for reasoning alone", f"{told} tokens")] if told else []


def _values(column: pl.Series) -> str:
    values = sorted(column.unique().drop_nulls().to_list())
    return ", ".join(map(_word, values))


def _word(value: object) -> str:
    if isinstance(value, float):
        return f"{value:g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _answer_modes(rows: pl.DataFrame) -> str:
    modes = rows["answer_mode"].unique().sort().to_list()
    return ", ".join(MODE_WORDS.get(mode, mode) for mode in modes)


def _sum(column: pl.Series) -> float | None:
    return None if column.is_null().all() else float(column.sum())


def _total(column: pl.Series) -> str:
    known = column.drop_nulls()
    if known.is_empty():
        return "unknown"
    partial = (
        "" if known.len() == column.len() else f" (stated by {known.len():,} of {column.len():,})"
    )
    return f"{int(known.sum()):,}{partial}"


def _cost(column: pl.Series) -> str:
    known = column.drop_nulls()
    if known.is_empty():
        return "unknown"
    partial = (
        "" if known.len() == column.len() else f" (stated by {known.len():,} of {column.len():,})"
    )
    return f"${known.sum():,.2f}{partial}"


def _pool(rows: pl.DataFrame) -> str:
    pairs = rows.select("pool", "pool_source").unique().sort("pool").rows()
    return "; ".join(str(name) if not source or source == name else f"{name} ({source})"
                     for name, source in pairs)  # fmt: skip
