"""The report's section on attribution, and its files."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from evenhand.attribution import (
    attributions,
    holds_replays,
    order_profile,
    overall_profile,
    relative_profile,
    single_profile,
    wanted_of,
    write_table,
)
from evenhand.errors import EvenhandError
from evenhand.report._attribution_figures import attribution_figures, single_strip
from evenhand.report._export import write_figure
from evenhand.report._numbers import MISSING, decimal, percent, plural
from evenhand.report._page import Block, Cell, Column, Figure, Prose, Section, Table
from evenhand.report._write import write_report
from evenhand.results import arrangement

FOLDER = "attribution"
SHOWN = 10
"""Instances listed at either end."""
_BLURB = (
    "Each answer was replayed, and the model asked how much every record’s words moved it between "
    "the two labels (Input × Gradient). A share of 1 is what each record would have if all counted "
    "alike. This describes where the model was sensitive; it does not prove what caused an answer."
)


def attribution_sections(
    runs: Sequence[Path], figures: dict[str, Figure] | None = None, folder: Path | None = None
) -> tuple[Section, ...]:
    """The section, or nothing where no run has been attributed.

    Args:
        runs: Run folders; others are passed over.
        figures: From :func:`attribution_figures`, where they have been made already.
        folder: Of the replays, where it is not the run folder's own (one run only).
    """
    read: dict[Path, pl.DataFrame] = {}
    notes: list[Block] = []
    for run in runs:
        at = folder or run / FOLDER
        if not run.is_dir() or not holds_replays(at):
            continue
        try:
            rows = attributions(run, at)
        except EvenhandError as error:
            # One store that cannot be read is no reason for no report at all.
            notes.append(Prose(f"An attribution is not shown: {error}", "note"))
            continue
        if rows.height:
            read[run] = rows
            notes.append(Prose(_told(run, rows), "note"))
    blocks = notes
    if read:
        drawn = attribution_figures(pl.concat(read.values())) if figures is None else figures
        blocks += drawn.values()
    for run, rows in read.items():
        chosen = _chosen(rows)
        if chosen is not None:
            blocks += [single_strip(rows, chosen), _ends(run, rows, chosen)]
            break
    if not blocks:
        return ()
    return (Section("Where the answers leant", "attribution", _BLURB, tuple(blocks)),)


def write_attribution(run: Path, folder: Path) -> list[Path]:
    """Write profiles as Parquet, figures as SVG, PDF and PNG, and the report with its section.

    Args:
        run: The run folder.
        folder: Of the replays; everything goes there.

    Returns:
        The files.
    """
    frame = attributions(run, folder)
    known = frame.filter(pl.col("reason").is_null())
    tables = {
        "profiles": order_profile(known, ("model", "task", "pattern", "p", "variant")),
        "profiles-overall": overall_profile(known, ("model", "p", "variant")),
    }
    long = known.filter(pl.col("n") >= 20)
    if long.height:
        tables["profiles-relative"] = relative_profile(long, ("model", "n", "p", "variant"))
    written = [write_table(table, folder / f"{name}.parquet") for name, table in tables.items()]
    figures = attribution_figures(frame)
    for name, figure in figures.items():
        written += write_figure(name, figure, folder)
    sections = attribution_sections([run], figures, folder)
    written.append(write_report([run], folder / "report.html", sections))
    return written


def _told(run: Path, rows: pl.DataFrame) -> str:
    """How many answers were replayed, with what, which were not and why, and does it fit."""
    known = rows.filter(pl.col("reason").is_null())
    wanted, left_out = wanted_of(run)
    answered, replayed = rows["model"][0], rows["replay_model"][0]
    text = f"{plural(known.height, 'answer')} of {answered} replayed with {replayed}"
    if known.height:
        agrees = percent(known["agrees"].mean())  # type: ignore[arg-type]
        text += f", which finds the answered label the likelier one in {agrees} of them"
    reasons = left_out + Counter(rows["reason"].drop_nulls().to_list())
    text += "." + "".join(f" Left out: {count:,} ({why})." for why, count in reasons.most_common())
    pending = len(wanted) - rows.height
    if pending > 0:
        text += f" Pending: {pending:,}."
    straddling = int(known["straddling"].sum() or 0)
    if straddling:
        text += f" {straddling:,} tokens hold parts of two things and belong to no record."
    return text


def _chosen(rows: pl.DataFrame) -> str | None:
    """The replay that is shown: of the middle pattern where there is one, with records known."""
    known = rows.filter(pl.col("reason").is_null())
    if known.is_empty():
        return None
    middle = known.filter(pl.col("pattern") == "majority-middle")
    return str((middle if middle.height else known)["experiment_id"][0])


def _ends(run: Path, rows: pl.DataFrame, experiment_id: str) -> Table:
    """The records with the highest and the lowest shares of one experiment."""
    shown_to = arrangement(run, experiment_id)
    content = shown_to.messages[-1].content
    texts = [content[low:high] for low, high in shown_to.spans]
    golds = shown_to.labels or (MISSING,) * len(texts)
    ranked = single_profile(rows, experiment_id).drop_nulls("share")
    ranked = ranked.sort("share", descending=True)
    shown = (
        ranked
        if ranked.height <= 2 * SHOWN
        else pl.concat([ranked.head(SHOWN), ranked.tail(SHOWN)])
    )
    cells = tuple(
        (
            Cell(f"{row['instance']}", row["instance"]),
            Cell(f"{row['share']:.2f}", row["share"]),
            Cell(decimal(row["push"], 2, sign=True), row["push"]),
            Cell(golds[row["instance"] - 1]),
            Cell(texts[row["instance"] - 1]),
        )
        for row in shown.iter_rows(named=True)
    )
    columns = (
        Column("Instance", align="right"),
        Column("Share", "times the uniform share", "right"),
        Column("Push", "signed share: + towards the instance's own label", "right"),
        Column("Label"),
        Column("Text"),
    )
    both = f"The {SHOWN} records with the highest share, and the {SHOWN} with the lowest"
    return Table(
        both if ranked.height > 2 * SHOWN else "The records, from the highest share to the lowest",
        columns,
        cells,
        experiment_id,
    )
