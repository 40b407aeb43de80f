"""The report as a terminal shows it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import polars as pl

from evenhand.analysis import accuracy
from evenhand.report._conditions import describe_condition, main_condition, told_apart
from evenhand.report._finding import Finding, findings, headline, verdict_text
from evenhand.report._numbers import MISSING, decimal, interval, percent, points, probability
from evenhand.report._theme import pattern_order
from evenhand.report.figures._gap import VERDICTS

SIDE_BY_SIDE = 3
"""Models that fit beside each other in a terminal."""

if TYPE_CHECKING:
    from rich.console import Group, RenderableType


def terminal_report(frame: pl.DataFrame) -> Group:
    """Accuracy by order, gap with its null, and one sentence a model, for ``rich`` to print.

    Args:
        frame: Results, columns as ``RESULTS_SCHEMA``, of one run or several; not empty.
    """
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    main = main_condition(told_apart(frame))
    found = findings(main)
    shares = accuracy(main, ("model", "pattern"))
    patterns = pattern_order(main["pattern"].unique().to_list())
    orders, gaps = Table(), Table()
    names = [_name(one.model) for one in found]
    cells = [[_share(shares, one.model, name, len(found)) for name in patterns] for one in found]
    # Few models stand side by side; many stand below each other, without intervals.
    if len(found) <= SIDE_BY_SIDE:
        heads = ["order", *names]
        rows = [[pattern, *(row[at] for row in cells)] for at, pattern in enumerate(patterns)]
    else:
        heads = ["model", *patterns]
        rows = [[name, *row] for name, row in zip(names, cells, strict=True)]
    for at, heading in enumerate(heads):
        orders.add_column(heading, justify="right" if at else "left", overflow="fold")
    for row in rows:
        orders.add_row(*row)
    for heading in ("model", "gap", "95% interval", "by chance, up to", "p", "invalid", "verdict"):
        gaps.add_column(heading, justify="left" if heading in ("model", "verdict") else "right",
                        overflow="fold")  # fmt: skip
    for one in found:
        gaps.add_row(
            _name(one.model),
            points(one.gap),
            MISSING
            if one.low is None or one.high is None
            else f"{decimal(one.low, 0, scale=100)} to {decimal(one.high, 0, scale=100)}",
            points(one.null_95),
            probability(one.p_value),
            percent((one.runs - one.valid) / one.runs),
            VERDICTS[one.verdict],
        )
    sentences: list[RenderableType] = [Text(line) for line in sentences_of(found)]
    titles = (
        Text(f"Right answers by order ({describe_condition(main)})", style="bold"),
        Text("Gap between the best and the worst order", style="bold"),
    )
    return Group(titles[0], orders, titles[1], gaps, *sentences)


def sentences_of(found: Sequence[Finding]) -> list[str]:
    """One sentence a model, and the verdict."""
    return [
        f"{headline(one, one.model if len(found) > 1 else None)} {verdict_text(one)}"
        for one in found
    ]


def _share(shares: pl.DataFrame, model: str, pattern: str, models: int) -> str:
    rows = shares.filter((pl.col("model") == model) & (pl.col("pattern") == pattern))
    if rows.is_empty() or rows["accuracy"][0] is None:
        return MISSING
    row = rows.row(0, named=True)
    if models > SIDE_BY_SIDE:
        return percent(row["accuracy"])
    return f"{percent(row['accuracy'])} ({interval(row['low'], row['high'])})"


def _name(model: str) -> str:
    """Square brackets in a model's name are no markup."""
    from rich.markup import escape

    return escape(model)
