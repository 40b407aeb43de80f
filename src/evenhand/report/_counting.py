"""The page of a count: the verdict, the counts, what was not settled, and what it cost."""

from __future__ import annotations

import polars as pl

from evenhand.counting import Count, cost_words, read_ledger
from evenhand.report._numbers import count as number
from evenhand.report._numbers import percent
from evenhand.report._page import Cell, Column, Figure, Lead, Page, Prose, Section, Table
from evenhand.report._theme import MAJORITY, NEUTRAL

SHOWN_ROWS = 200
FOOTER = (
    "Made by evenhand from the ledger and the run folders alone, without a network. This file "
    "holds everything it shows and makes no request.",
    "Charts are drawn by Vega, Vega-Lite and Vega-Embed (BSD 3-clause licence, University of "
    "Washington Interactive Data Lab and contributors), which are part of this file.",
)


def count_page(found: Count) -> Page:
    """The page for a count whose ledger has been written."""
    sections = [_counts(found), _trust(found), _unsettled(found), _cost(found)]
    explanation = [f"{words[0].upper()}{words[1:]}." for words in found.reasons[1:]]
    if found.margin:
        explanation.append(f"{found.margin[0].upper()}{found.margin[1:]}.")
    decided = found.verdict == "decided"
    return Page(
        title="evenhand count",
        lead=Lead(
            kicker=f"{found.ask} · {found.records:,} records · {found.model}",
            headline=found.sentence,
            verdict="none" if decided else "unclear",
            verdict_text="Decided" if decided else "Undecided",
            explanation=tuple(explanation),
        ),
        sections=tuple(sections),
        footer=FOOTER,
    )


def _counts(found: Count) -> Section:
    import altair as alt

    data = pl.DataFrame(
        [{"label": e.label, "count": e.count, "low": e.low, "high": e.high} for e in found.labels]
    )
    y = alt.Y("label:N", sort=[e.label for e in found.labels], title=None)
    bars = alt.Chart().mark_bar(color=MAJORITY, height=18).encode(
        x=alt.X("count:Q", title="records"), y=y, tooltip=["label:N", "count:Q"]
    )  # fmt: skip
    spans = alt.Chart().mark_rule(color=NEUTRAL, strokeWidth=3).encode(
        x="low:Q", x2="high:Q", y=y, tooltip=["label:N", "low:Q", "high:Q"]
    )  # fmt: skip
    chart = alt.layer(bars, spans, data=data).properties(
        width="container", height=44 * len(found.labels)
    )
    rows = tuple(
        (
            Cell(e.label, e.label),
            Cell(number(e.count), e.count),
            Cell(percent(e.share, 1), e.share),
            Cell(f"{e.low:,} to {e.high:,}", e.low),
        )
        for e in found.labels
    )
    columns = (
        Column("Label"),
        Column("Records", "Records that were given the label", "right"),
        Column("Share", "Of the records that have a label", "right"),
        Column("Of all records", "Unread or unlabelled records may have it or not", "right"),
    )
    return Section(
        "The count",
        "counts",
        "Every record was labelled on its own account, and the sum was done in code.",
        (
            Figure(
                "Records of each label",
                chart,
                "Bar chart: " + ", ".join(f"{e.label} {e.count:,}" for e in found.labels) + ".",
                "Grey lines are how many of all records may have the label: records that were not "
                "read (95% interval, valid although reading stopped early) or have no label. "
                "Errors of the model are not in them.",
                Table("Counts", columns, rows),
            ),
            Prose(f"Coverage: {found.certificate}.", "note"),
        ),
    )


def _trust(found: Count) -> Section:
    none = (
        "none: there is no lead"
        if found.majority is None
        else "none: the hand-checked records name another label than the model's"
    )
    items = [("Wrong labels it can bear", found.margin or none)]
    if found.until_sure is not None:
        items.append(
            (
                f"Until {found.until_sure:g} sure",
                "not reached before everything was read"
                if found.sure_after is None
                else f"after {found.sure_after:,} of {found.records:,} records",
            )
        )
    if found.position is not None:
        items.append(
            (
                "Place in a batch",
                f"{found.position.label} went to {percent(found.position.first_half, 1)} of the "
                f"records in first halves, {percent(found.position.second_half, 1)} in second "
                f"halves (p = {found.position.p_value:.2g})",
            )
        )
    items.append(
        (
            "Asked twice",
            "not done (--repeat 2)"
            if found.agreement is None
            else f"the same label for {found.agreement.agree:,} of {found.agreement.compared:,}",
        )
    )
    if found.correction is None:
        items.append(("Hand-checked", "nothing (--gold): the model's error is unknown"))
    else:
        shares = ", ".join(
            f"{e.label} {percent(e.share, 1)} ({percent(e.low, 1)} to {percent(e.high, 1)})"
            for e in found.correction.labels
        )
        items.append(
            (
                "Hand-checked",
                f"the model agrees on {found.correction.agree:,} of {found.correction.checked:,}; "
                f"corrected shares: {shares}",
            )
        )
    return Section(
        "How far to trust it",
        "trust",
        "A majority of labels is a majority of records only as far as the labels are right.",
        (_checks(items),),
    )


def _checks(items: list[tuple[str, str]]) -> Table:
    rows = tuple((Cell(name), Cell(words)) for name, words in items)
    return Table("Checks", (Column("Check"), Column("Found")), rows)


def _unsettled(found: Count) -> Section:
    ledger = read_ledger(found.ledger)
    rows = ledger.filter(~pl.col("status").is_in(["labelled", "unread"]))
    shown = rows.head(SHOWN_ROWS)
    unread = found.statuses["unread"]
    words = f" {unread:,} more were not read." if unread else ""
    if rows.is_empty():
        blurb = f"None: every record that was read has a label.{words}"
        return Section("Rows that nobody could settle", "unsettled", blurb)
    more = rows.height - shown.height
    table = Table(
        "Records without a label",
        (Column("Row", "", "right"), Column("Id"), Column("Status"), Column("Why")),
        tuple(
            (
                Cell(f"{row['row']:,}", row["row"]),
                Cell(row["id"], row["id"]),
                Cell(row["status"], row["status"]),
                Cell(row["reason"] or "", row["reason"]),
            )
            for row in shown.iter_rows(named=True)
        ),
        f"{more:,} more stand in the ledger." if more else "",
    )
    blurb = f"They count for no label, and the verdict takes the worst of them.{words}"
    return Section("Rows that nobody could settle", "unsettled", blurb, (table,))


def _cost(found: Count) -> Section:
    rows = [
        (
            Cell("this count"),
            Cell(number(found.calls), found.calls),
            Cell(number(found.input_tokens), found.input_tokens),
            Cell(cost_words(found.cost_usd), found.cost_usd),
        )
    ]
    if found.one_shot_input_tokens is not None:
        cost = found.one_shot_cost_usd
        rows.append(
            (
                Cell("one prompt with all records"),
                Cell("1", 1),
                Cell(f"about {found.one_shot_input_tokens:,}", found.one_shot_input_tokens),
                Cell(f"about {cost_words(cost)}, its output not counted" if cost
                     else cost_words(cost), cost),
            )
        )  # fmt: skip
    columns = (
        Column("Way of asking"),
        Column("Calls", "", "right"),
        Column("Input tokens", "", "right"),
        Column("Cost", "", "right"),
    )
    return Section(
        "What it cost",
        "cost",
        "Beside it, what one prompt with all records would take; its answer may depend on their "
        "order, which evenhand audit tells.",
        (Table("Calls, tokens and money", columns, tuple(rows)),),
    )
