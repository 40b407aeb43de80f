"""The page's own sections, in order. Each takes the prepared frame and gives a section or None."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from evenhand.analysis import pooling_warnings
from evenhand.report._conditions import sizes_differ
from evenhand.report._explorer import LookUp, explorer_panel
from evenhand.report._facts import run_facts
from evenhand.report._finding import Finding, headline
from evenhand.report._numbers import percent, plural
from evenhand.report._page import Block, Cell, Column, Prose, Section, Table
from evenhand.report.figures._forced import label_lean, margin_by_pattern
from evenhand.report.figures._gap import VERDICTS, gap_against_chance
from evenhand.report.figures._outcomes import (
    invalid_by_model,
    invalid_counts,
    outcomes_by_pattern,
)
from evenhand.report.figures._patterns import majority_position


def position_section(main: pl.DataFrame, found: Sequence[Finding]) -> Section:
    """Accuracy by order pattern, and one line a model."""
    blocks: list[Block] = [majority_position(main)]
    if len(found) > 1:
        blocks.append(_one_line_each(found))
    warning = sizes_differ(main)
    if warning is not None:
        blocks.insert(0, Prose(warning, "warning"))
    return Section(
        "Where the majority stood",
        "position",
        "Every set of records was shown in several orders. Only the order differs, so the right "
        "answer never changes; the model’s share of right answers should not either.",
        tuple(blocks),
    )


def _one_line_each(found: Sequence[Finding]) -> Table:
    rows = tuple(
        (
            Cell(one.model, one.model),
            Cell(headline(one, one.model)),
            Cell(VERDICTS[one.verdict], one.verdict),
        )
        for one in found
    )
    columns = (Column("Model"), Column("Finding"), Column("Verdict"))
    return Table("Every model in one line", columns, rows)


def gap_section(found: Sequence[Finding]) -> Section:
    """The gap against its null."""
    figure = gap_against_chance(found)
    blocks: tuple[Block, ...] = (
        (figure,)
        if figure is not None
        else (Prose("No model has two orders with valid answers, so no gap can be measured."),)
    )
    return Section(
        "Is the gap more than chance?",
        "gap",
        "The best of seven orders beats the worst even when order does not matter at all. So a gap "
        "means something only beside the gaps that chance makes in a design of the same size.",
        blocks,
    )


def outcome_section(main: pl.DataFrame) -> Section:
    """Outcomes and invalid runs."""
    blocks: list[Block] = [outcomes_by_pattern(main)]
    blocks += [
        figure for figure in (invalid_by_model(main), invalid_counts(main)) if figure is not None
    ]
    invalid = int((~main["valid"]).sum())
    if not invalid:
        blocks.append(Prose(f"Invalid rate: none of {plural(main.height, 'run')}.", "note"))
    return Section(
        "What became of every run",
        "outcomes",
        "A run is right, wrong, or has no valid answer: the prompt did not fit, the output was cut "
        "off, or no label could be read in it. Shares of right answers leave invalid runs out.",
        tuple(blocks),
    )


def forced_section(frame: pl.DataFrame) -> Section | None:
    """Margins and label bias, where a model was made to choose between the two labels."""
    forced = frame.filter(pl.col("answer_mode") == "forced")
    figure = margin_by_pattern(forced) if forced.height else None
    if figure is None:
        return None
    blocks: list[Block] = [figure]
    table = label_lean(forced)
    if table is not None:
        blocks.append(table)
    blocks.append(Prose(_free_form(frame, forced), "note"))
    return Section(
        "Forced choice: margins and label bias",
        "forced",
        "These answers were not written. The probabilities of the two labels were compared at the "
        "place where the answer goes, which also tells by how much one was ahead.",
        tuple(blocks),
    )


def _free_form(frame: pl.DataFrame, forced: pl.DataFrame) -> str:
    names = {name.removesuffix(" (forced choice)") for name in forced["model"].unique()}
    same = pl.col("model").str.strip_suffix(" (written answers)").is_in(sorted(names))
    written = frame.filter((pl.col("answer_mode") == "generate") & same)
    if written.is_empty():
        return (
            "How often free-form answers of these models can be read is not known from these runs: "
            "none was asked for one. Run without --answer forced to find out."
        )
    valid = int(written["valid"].sum())
    return (
        f"Asked to write their answer, these models gave one that can be read in {valid:,} of "
        f"{plural(written.height, 'run')} ({percent(valid / written.height)})."
    )


def explorer_section(frame: pl.DataFrame, look_up: LookUp) -> Section:
    """Any experiment from close up."""
    return Section(
        "Look at any experiment",
        "experiments",
        "Choose one to see its order, record by record, what the model was asked, and what it "
        "answered. Tall blue bars are majority records, short ochre ones minority records.",
        (explorer_panel(frame, look_up),),
    )


def facts_section(frame: pl.DataFrame, notes: Sequence[str] = ()) -> Section:
    """Run facts, and warnings about rows that were not made alike."""
    warnings = tuple(Prose(note, "warning") for note in notes) + tuple(
        Prose(f"{row['model']}: {row['warning']} ({plural(row['runs'], 'run')}).", "warning")
        for row in pooling_warnings(frame).iter_rows(named=True)
    )
    return Section(
        "Facts of the runs",
        "facts",
        "What was asked, of whom, how often, and at what price. Costs and tokens are those that "
        "the provider stated; what it did not state is unknown, not zero.",
        (*warnings, *run_facts(frame)),
    )
