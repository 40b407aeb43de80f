"""Tables as Markdown, LaTeX and CSV; figures as SVG, PDF and PNG. No text can break its format."""

from __future__ import annotations

from pathlib import Path

import polars as pl
from tests.report.conftest import Simulate

from evenhand.report import Cell, Column, Table
from evenhand.report._catalogue import Material
from evenhand.report._export import as_latex, as_markdown, latex_text, write_figure, write_table
from evenhand.report.figures._patterns import majority_position

TABLE = Table(
    "A & B",
    (Column("Model"), Column("Gap", align="right")),
    ((Cell("maker/a_b|<i>"), Cell("59.2\u00a0±\u00a01.0†")),),
    note="100% of it",
)


def test_markdown_is_a_pipe_table_that_no_cell_can_break() -> None:
    assert as_markdown(TABLE) == (
        "**A & B**\n\n"
        "| Model | Gap |\n"
        "| --- | ---: |\n"
        "| maker/a_b\\|&lt;i> | 59.2\u00a0±\u00a01.0† |\n\n"
        "100% of it\n"
    )


def test_latex_uses_booktabs_and_escapes() -> None:
    lines = as_latex(TABLE).splitlines()
    assert r"\begin{tabular}{lr}" in lines
    assert [line for line in lines if "rule" in line] == [r"\toprule", r"\midrule", r"\bottomrule"]
    assert r"maker/a\_b|\textless{}i\textgreater{} & 59.2~$\pm$~1.0$^{\dagger}$ \\" in lines
    assert r"\caption{A \& B. 100\% of it}" in lines


def test_every_special_character_of_latex_is_escaped() -> None:
    assert latex_text(r"\{}$#^~_&%") == (
        r"\textbackslash{}\{\}\$\#\textasciicircum{}\textasciitilde{}\_\&\%"
    )


def test_the_csv_holds_the_unrounded_frame(tmp_path: Path) -> None:
    frame = pl.DataFrame({"model": ["a"], "gap": [1 / 3]})
    paths = write_table("gap", frame, TABLE, tmp_path)
    assert [path.name for path in paths] == ["gap.md", "gap.tex", "gap.csv"]
    assert pl.read_csv(paths[2]).equals(frame)


def test_a_figure_becomes_svg_pdf_and_png(simulate: Simulate, tmp_path: Path) -> None:
    figure = majority_position(Material(simulate()).main)
    svg, pdf, png = write_figure("position", figure, tmp_path)
    text = svg.read_text("utf-8")
    assert text.startswith("<svg")
    assert "<image " not in text
    assert text.count('height="12" fill="#0072b2"') == 7 * 12
    assert figure.title in text
    assert pdf.read_bytes().startswith(b"%PDF-")
    assert png.read_bytes().startswith(b"\x89PNG")
