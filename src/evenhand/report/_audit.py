"""The page of an audit: the verdict, the answer of every order, and the noise floor."""

from __future__ import annotations

import polars as pl
from markupsafe import Markup

from evenhand.audit import Audit, rests_on, unread_words, why_not_twice
from evenhand.counting import cost_words
from evenhand.design import PATTERNS
from evenhand.report._numbers import count, decimal, interval, percent, plural, probability
from evenhand.report._page import (
    Cell,
    Column,
    Facts,
    Figure,
    Lead,
    Page,
    Panel,
    Prose,
    Section,
    Table,
)
from evenhand.report._render import whole_options
from evenhand.report._theme import MAJORITY, NEUTRAL

SHOWN_LABELS = 12
BESIDE = 8
"""Pixels by which a bar stands above its row's middle, and its interval below: not on it."""
FOOTER = (
    "Made by evenhand from the run folders of the audit alone, without a network. This file holds "
    "everything it shows and makes no request.",
    "Charts are drawn by Vega, Vega-Lite and Vega-Embed (BSD 3-clause licence, University of "
    "Washington Interactive Data Lab and contributors), which are part of this file.",
)
_LEGEND = Markup(
    '<p class="key">A strip shows twenty records in the pattern\'s order: '
    '<span class="key-majority"></span> the label with more records, '
    '<span class="key-minority"></span> the other.</p>'
)
_COMMAND = Markup("<pre>{}</pre>")
_VERDICTS = {"stable": "none", "order-sensitive": "effect", "undecided": "unclear"}


def audit_page(found: Audit) -> Page:
    """The page for an audit."""
    return Page(
        title="evenhand audit",
        lead=Lead(
            kicker=f"{found.ask} · {found.records:,} records in one prompt · {found.model}",
            headline=found.sentence,
            verdict=_VERDICTS[found.verdict],  # type: ignore[arg-type]
            verdict_text=found.verdict.capitalize(),
        ),
        sections=(_answers(found), _next(found), _noise(found), _facts(found)),
        footer=FOOTER,
    )


def _answers(found: Audit) -> Section:
    columns = [Column("Order"), Column("Answer")]
    rows = [
        [
            Cell(e.name, at, e.order if e.order in PATTERNS else None),
            Cell(e.first or f"none: {e.reason}", e.first),
        ]
        for at, e in enumerate(found.answers)
    ]
    # Columns without a value would push the others off a phone.
    if any(e.asked_again for e in found.answers):
        columns.append(Column("Asked again"))
        for row, e in zip(rows, found.answers, strict=True):
            words = (e.second or "none") if e.asked_again else "not asked"
            row.append(Cell(words, e.second))
    if any(e.margin is not None for e in found.answers):
        hint = found.margin_sign or ""
        columns.append(Column("Margin", hint, "right"))
        for row, e in zip(rows, found.answers, strict=True):
            words = "" if e.margin is None else decimal(e.margin, 2, sign=True)
            row.append(Cell(words, e.margin))
    note = "" if found.margin_sign is None else f"{_sentence(found.margin_sign)}."
    table = Table("Every order", tuple(columns), tuple(tuple(row) for row in rows), note)
    legend = (Panel(_LEGEND),) if any(e.order in PATTERNS for e in found.answers) else ()
    return Section(
        "What each order got",
        "orders",
        "The same records, the same question; only the order of the rows differs.",
        (*_shown(found), *legend, table),
    )


def _shown(found: Audit) -> tuple[Figure | Prose, ...]:
    """The chart, or why there is none."""
    if not found.labels:
        return (_numbers(found),) if found.flips.orders else ()
    if found.shows_shares:
        return (_chart(found),)
    if not found.shares:
        return ()
    return (Prose(f"With one order only, you would have got: {rests_on(found)}.", "note"),)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}"


def _next(found: Audit) -> Section:
    step = found.next_step
    command = () if step.command is None else (Panel(_COMMAND.format(whole_options(step.command))),)
    return Section("What to do next", "next", _sentence(step.words), command)


def _numbers(found: Audit) -> Figure:
    import altair as alt

    data = pl.DataFrame(
        [
            {"order": e.order, "number": float(number), "asked": asked}
            for e in found.answers
            for asked, number in (("first", e.first), ("again", e.second))
            if number is not None
        ]
    )
    y = alt.Y("order:N", sort=[e.order for e in found.answers], title=None)
    x = alt.X(
        "number:Q",
        title="answer",
        scale=alt.Scale(zero=False, padding=14),
        axis=alt.Axis(tickCount=5),
    )
    points = alt.Chart().encode(x=x, y=y, tooltip=["order:N", "asked:N", "number:Q"])
    asked_first = points.transform_filter("datum.asked == 'first'").mark_point(
        color=MAJORITY, filled=True, size=90, opacity=1
    )
    asked_again = points.transform_filter("datum.asked == 'again'").mark_point(
        color=NEUTRAL, filled=False, size=200, strokeWidth=2, opacity=1
    )
    again = any(e.asked_again for e in found.answers)
    return Figure(
        "The number that each order got",
        alt.layer(asked_first, asked_again, data=data).properties(
            width="container", height=26 * len(found.answers)
        ),
        "Dot chart of numbers: "
        + ", ".join(f"{e.order} {e.first}" for e in found.answers if e.first)
        + ".",
        "One dot an order." + (" A ring is the same order asked again." if again else ""),
    )


def _chart(found: Audit) -> Figure:
    import altair as alt

    data = pl.DataFrame(
        [
            {
                "answer": e.words,
                "share": round(100 * e.share, 2),
                "low": round(100 * e.low, 2),
                "high": round(100 * e.high, 2),
            }
            for e in found.shares
        ]
    )
    axis = alt.X(
        "share:Q",
        title="orders with this answer, %",
        scale=alt.Scale(domain=[0, 100]),
        axis=alt.Axis(values=[0, 25, 50, 75, 100]),
    )
    y = alt.Y("answer:N", sort=[e.words for e in found.shares], title=None)
    bars = alt.Chart().mark_bar(color=MAJORITY, height=16, yOffset=-BESIDE).encode(
        x=axis, y=y, tooltip=["answer:N", "share:Q"]
    )  # fmt: skip
    exact = found.every_order
    spans = alt.Chart().mark_rule(color=NEUTRAL, strokeWidth=3, yOffset=BESIDE).encode(
        x="low:Q", x2="high:Q", y=y, tooltip=["answer:N", "low:Q", "high:Q"]
    )  # fmt: skip
    ends = [
        alt.Chart()
        .mark_tick(color=NEUTRAL, thickness=3, size=10, yOffset=BESIDE)
        .encode(x=f"{end}:Q", y=y)
        for end in ("low", "high")
    ]
    rows = tuple(
        (
            Cell(e.words, e.words),
            Cell(count(e.orders), e.orders),
            Cell(percent(e.share), e.share),
            *(() if found.every_order else (Cell(interval(e.low, e.high), e.low),)),
        )
        for e in found.shares
    )
    columns = (
        Column("Answer"),
        Column("Orders", "", "right"),
        Column("Share", "", "right"),
        *(() if found.every_order else (Column("95% interval", "", "right"),)),
    )
    return Figure(
        "With one order only, you would have got",
        alt.layer(*([bars] if exact else [bars, spans, *ends]), data=data).properties(
            width="container", height=44 * len(found.shares)
        ),
        "Bar chart of answers: "
        + ", ".join(f"{e.words} {percent(e.share)}" for e in found.shares)
        + ".",
        f"Shares are {rests_on(found)}"
        + (
            ": they are exact."
            if exact
            else ". The grey line under a bar is its 95% interval over orders."
        ),
        Table("Answers over orders", columns, rows),
    )


def _noise(found: Audit) -> Section:
    flips = found.flips
    floor = (
        f"not measured: {why_not_twice(found)}"
        if flips.noise_floor is None
        else f"{percent(flips.noise_floor)} of {plural(flips.repeats, 'order')} changed when "
        "asked again"
    )
    rate = (
        "not measured: fewer than two orders have an answer"
        if flips.orders < 2
        else f"{percent(flips.rate)} of pairs of orders"
        + ("" if flips.low == flips.high else f" ({interval(flips.low, flips.high)})")
    )
    items = [("No readable answer", unread_words(found))] if found.unread else []
    items += [
        ("Flip rate", rate),
        ("Noise floor", floor),
        ("Order against noise", probability(found.p_value)),
        (
            "Called order-sensitive by chance",
            f"at most {percent(found.error_rate)}, over all looks together",
        ),
    ]
    if found.spread is not None:
        inside = found.spread.repeat_sd
        items.append(
            (
                "Numbers",
                f"from {found.spread.lowest:g} to {found.spread.highest:g}, mean "
                f"{found.spread.mean:.1f}, standard deviation {found.spread.sd:.1f} over orders"
                + ("" if inside is None else f" and {inside:.1f} within one order"),
            )
        )
    return Section(
        "Order, or noise?",
        "noise",
        "A model may change its answer when nothing changes. Order matters only where answers "
        "differ more between orders than between two askings of one.",
        (Facts("Flips", tuple(items)),),
    )


def _labels(found: Audit) -> str:
    more = len(found.labels) - SHOWN_LABELS
    shown = ", ".join(found.labels[:SHOWN_LABELS]) or "none: the answer is a number"
    return shown if more < 1 else f"{shown} and {count(more)} more"


def _facts(found: Audit) -> Section:
    items: tuple[tuple[str, str], ...] = (
        ("Question", found.ask),
        ("Labels", _labels(found)),
        ("Model", found.model),
        ("Orders asked", count(len(found.answers))),
        ("Seed of the random orders", str(found.seed)),
        ("Stable means", f"other answers from at most {percent(found.tolerance)} of orders"),
        ("Calls", count(found.calls)),
        ("Input tokens", count(found.input_tokens)),
        ("Output tokens", count(found.output_tokens)),
        ("Cost", cost_words(found.cost_usd)),
        ("Answers", "written" if found.answer_mode == "generate" else "forced choice"),
        ("Looks", f"{found.looks} of {found.planned_looks}"),
        ("Records without a usable text, not shown", count(found.left_out)),
    )
    if found.unsettled:
        lost = f"{count(found.unsettled)}, at worst {cost_words(found.unsettled_usd)} more"
        items = (*items, ("Calls of unknown cost", lost))
    return Section(
        "Facts of the audit", "facts", "What was asked, of whom, how often.",
        (Facts("Facts", items),),
    )  # fmt: skip
