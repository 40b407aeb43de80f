"""Tables, figures and the single-file HTML report."""

from evenhand.report._finding import Finding, findings, headline
from evenhand.report._load import LoadedRuns, load_runs
from evenhand.report._page import (
    Block,
    Cell,
    Column,
    Facts,
    Figure,
    Lead,
    Measure,
    Page,
    Panel,
    Prose,
    Section,
    Table,
)
from evenhand.report._pictograms import pictogram
from evenhand.report._render import render_page
from evenhand.report._terminal import terminal_report
from evenhand.report._write import (
    Report,
    build_page,
    finding_rows,
    write_everything,
    write_page,
    write_report,
)

__all__ = [
    "Block",
    "Cell",
    "Column",
    "Facts",
    "Figure",
    "Finding",
    "Lead",
    "LoadedRuns",
    "Measure",
    "Page",
    "Panel",
    "Prose",
    "Report",
    "Section",
    "Table",
    "build_page",
    "finding_rows",
    "findings",
    "headline",
    "load_runs",
    "pictogram",
    "render_page",
    "terminal_report",
    "write_everything",
    "write_page",
    "write_report",
]
