"""The report's section on coverage: figures, tables, and single traces with their mentions."""

from __future__ import annotations

from collections.abc import Sequence

from markupsafe import Markup

from evenhand.report._coverage_figures import (
    agreement_figure,
    coverage_grid,
    rates_by_budget,
    rates_by_model,
    rates_by_pattern,
)
from evenhand.report._coverage_load import LoadedCoverage, TraceView, id_runs
from evenhand.report._coverage_tables import bins_table, classes_table
from evenhand.report._explorer import packed
from evenhand.report._page import Block, Figure, Panel, Prose, Section

_BLURB = (
    "A reasoning trace shows which records a model says it looked at. Coverage is the share of the "
    "record numbers that a trace mentions. What is not mentioned may still have been read, and a "
    "trace need not be faithful: this is evidence, not proof."
)


def coverage_figures(loaded: LoadedCoverage) -> dict[str, Figure]:
    """Every figure that the data allow, by file name."""
    made = {
        "mention-rates": rates_by_model(loaded.frame),
        "mention-rates-by-order": rates_by_pattern(loaded.frame),
        "mention-rates-by-budget": rates_by_budget(loaded.frame),
        "mean-coverage": coverage_grid(loaded.frame),
        "label-agreement": agreement_figure(loaded.frame),
    }
    return {name: figure for name, figure in made.items() if figure is not None}


def coverage_section(loaded: LoadedCoverage, figures: dict[str, Figure] | None = None) -> Section:
    """The section, for :func:`evenhand.report.write_report`'s ``extra``.

    Args:
        loaded: From :func:`load_coverage`.
        figures: From :func:`coverage_figures`, where they have been made already.
    """
    drawn = coverage_figures(loaded) if figures is None else figures
    blocks: list[Block] = [Prose(note, "note") for note in loaded.notes]
    blocks.append(bins_table(loaded.frame))
    blocks += drawn.values()
    blocks.append(classes_table(loaded.frame))
    if loaded.views:
        blocks.append(_panel(loaded.views, loaded.frame.height))
    return Section("What the reasoning mentions", "coverage", _BLURB, tuple(blocks))


def _panel(views: Sequence[TraceView], total: int) -> Panel:
    payload = [_entry(view) for view in views]
    rule = (
        f"{len(views):,} of {total:,} experiments are here: one of each model, task, order and "
        "class first, then others, up to 200 traces or 8 million characters."
        if len(views) < total
        else f"All {total:,} experiments are here."
    )
    html = Markup(
        '<div class="explorer" id="traces"><h3>One trace beside its records</h3>'
        '<p class="note">{rule} The strip shows every record in order, majority tall. Under it, '
        "long ticks are records that the trace names, short ticks are numbers that may be "
        "records, and the line is what ranges cover. Marks in the trace are what names a record; "
        "hover over one to see its gold label.</p>"
        '<div class="filters"><label class="wide">Trace <select data-traces></select></label>'
        "</div><div data-trace></div></div>"
    ).format(rule=rule)
    return Panel(html=html, data_id="traces-data", data=packed(payload), script="coverage.js")


def _entry(view: TraceView) -> dict[str, object]:
    row = view.experiment
    mentioned, named = row["mentioned_ids"], row["named_ids"]
    ranges = sorted({(one.first, one.last) for one in view.mentions if one.kind == "range"})
    return {
        "id": row["experiment_id"],
        "model": row["model"],
        "n": row["n"],
        "outcome": row["outcome"],
        "class": row["trace_class"],
        "stopped": row["stopped_at"],
        "majority": row["majority_label"],
        "runs": view.runs,
        "mentioned": id_runs(mentioned if isinstance(mentioned, list) else []),
        "named": id_runs(named if isinstance(named, list) else []),
        "ranges": ranges,
        "text": view.text,
        "marks": [(one.start, one.end, one.first, one.last) for one in view.mentions],
    }
