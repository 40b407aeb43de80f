"""Tables, figures and the single-file HTML report."""

from evenhand.report._attribution_figures import attribution_figures
from evenhand.report._attribution_section import attribution_sections, write_attribution
from evenhand.report._audit import audit_page
from evenhand.report._counting import count_page
from evenhand.report._coverage_load import LoadedCoverage, load_coverage
from evenhand.report._coverage_section import coverage_figures, coverage_section
from evenhand.report._coverage_tables import bins_table
from evenhand.report._coverage_write import coverage_tables, write_coverage
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
from evenhand.report._run_sections import run_sections
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
    "LoadedCoverage",
    "LoadedRuns",
    "Measure",
    "Page",
    "Panel",
    "Prose",
    "Report",
    "Section",
    "Table",
    "attribution_figures",
    "attribution_sections",
    "audit_page",
    "bins_table",
    "build_page",
    "count_page",
    "coverage_figures",
    "coverage_section",
    "coverage_tables",
    "finding_rows",
    "findings",
    "headline",
    "load_coverage",
    "load_runs",
    "pictogram",
    "render_page",
    "run_sections",
    "terminal_report",
    "write_attribution",
    "write_coverage",
    "write_everything",
    "write_page",
    "write_report",
]
