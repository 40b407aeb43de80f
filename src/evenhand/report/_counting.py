"""The page of a count: the verdict, the counts, what was not settled, and what it cost."""

from __future__ import annotations

import polars as pl

from evenhand.counting import Count, cost_words, read_ledger
from evenhand.report._numbers import count as number
from evenhand.report._numbers import percent, plural
from evenhand.report._page import Cell, Column, Figure, Lead, Page, Prose, Section, Table
from evenhand.report._theme import MAJORITY, NEUTRAL

SHOWN_ROWS = 200
SHOWN_LABELS = 12
SHOWN_ID = 40
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
    explanation.append(f"Next: {found.next_step}")
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

    unread = found.statuses["unread"]
    ranked = sorted(found.labels, key=lambda each: -each.count)[:SHOWN_LABELS]
    shown = [each for each in found.labels if each in ranked]
    # Of a part that was read in random order, the same shares are expected among all.
    labelled = found.statuses["labelled"]
    scale = found.records / labelled if unread and labelled else 1.0
    data = pl.DataFrame(
        [
            {"label": e.label, "count": round(e.count * scale), "low": e.low, "high": e.high}
            for e in shown
        ]
    )
    y = alt.Y("label:N", sort=[e.label for e in shown], title=None)
    title = "records, scaled up from those read" if unread else "records"
    x = alt.X("count:Q", title=title, axis=alt.Axis(tickCount=5, format=",d"))
    bars = alt.Chart().mark_bar(color=MAJORITY, height=18).encode(
        x=x, y=y, tooltip=["label:N", "count:Q"]
    )  # fmt: skip
    spans = alt.Chart().mark_rule(color=NEUTRAL, strokeWidth=3).encode(
        x="low:Q", x2="high:Q", y=y, tooltip=["label:N", "low:Q", "high:Q"]
    )  # fmt: skip
    chart = alt.layer(bars, spans, data=data).properties(width="container", height=44 * len(shown))
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
        _done(found),
        (
            Figure(
                "Records of each label",
                chart,
                "Bar chart: " + ", ".join(f"{e.label} {e.count:,}" for e in shown) + ".",
                _reading(found, len(shown)),
                Table("Counts", columns, rows),
            ),
            Prose(f"Coverage: {found.certificate}.", "note"),
        ),
    )


def _done(found: Count) -> str:
    """What was done, of all records or of those that were read."""
    if not found.statuses["unread"]:
        return "Every record was labelled on its own account, and the sum was done in code."
    return (
        f"{found.read:,} of {found.records:,} records were read, in random order; each of them was "
        "labelled on its own account, and the sum was done in code."
    )


def _reading(found: Count, shown: int) -> str:
    """What the lines are, where there are any."""
    words = []
    if shown < len(found.labels):
        words.append(f"The {shown} labels with most records; the table has all.")
    if found.statuses["unread"]:
        words.append(
            "Grey lines are 95% intervals of how many of all records have the label, valid "
            "although reading stopped early."
        )
    elif found.statuses["labelled"] < found.records:
        words.append("Grey lines are how many may have the label, those without one included.")
    words.append("Errors of the model are not in the chart.")
    return " ".join(words)


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
                Cell(_short(row["id"]), row["id"]),
                Cell(row["status"], row["status"]),
                Cell(row["reason"] or "", row["reason"]),
            )
            for row in shown.iter_rows(named=True)
        ),
        f"{more:,} more stand in the ledger." if more else "",
    )
    blurb = f"They count for no label, and the verdict takes the worst of them.{words}"
    return Section("Rows that nobody could settle", "unsettled", blurb, (table,))


def _short(id_: str) -> str:
    return id_ if len(id_) <= SHOWN_ID else f"{id_[: SHOWN_ID - 1]}…"


def _cost(found: Count) -> Section:
    notes: list[str] = []
    rows = [
        (
            Cell("batches"),
            Cell(number(found.calls), found.calls),
            Cell(number(found.input_tokens), found.input_tokens),
            Cell(cost_words(found.cost_usd), found.cost_usd),
        )
    ]
    if found.one_shot_input_tokens is not None:
        cost = found.one_shot_cost_usd
        rows.append(
            (
                Cell("one prompt"),
                Cell("1", 1),
                Cell(f"about {found.one_shot_input_tokens:,}", found.one_shot_input_tokens),
                Cell(f"about {cost_words(cost)}" if cost else cost_words(cost), cost),
            )
        )
        if cost:
            notes.append("Of the one prompt only the input is counted.")
    if found.unsettled:
        notes.append(
            f"{plural(found.unsettled, 'call was', 'calls were')} lost, cut or stated no usage: "
            f"up to {cost_words(found.unsettled_usd)} more."
        )
    columns = (
        Column("Asked in"),
        Column("Calls", "", "right"),
        Column("Input tokens", "", "right"),
        Column("Cost", "", "right"),
    )
    return Section(
        "What it cost",
        "cost",
        "This count, in batches; beside it, what one prompt with all records would take, whose "
        "answer may depend on their order (evenhand audit tells).",
        (Table("Calls, tokens and money", columns, tuple(rows), " ".join(notes)),),
    )
