"""Tables as Markdown, LaTeX and CSV; figures as SVG, PDF and PNG."""

from __future__ import annotations

import re
from pathlib import Path

import polars as pl

from evenhand._write_whole import write_text_whole, write_whole
from evenhand.design import PATTERNS
from evenhand.report._page import Figure, Table
from evenhand.report._pictograms import pictogram_bars, pictogram_uri
from evenhand.report._theme import print_config

PRINT_WIDTH = 520
"""Width in pixels of a single-view chart in print."""
_IMAGE = re.compile(r"<image [^>]*?(?:/>|></image>)")
_TRANSFORM = re.compile(r'transform="[^"]*"')
_ADDRESS = re.compile(r'href="([^"]*)"')
_LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "±": r"$\pm$",
    "†": r"$^{\dagger}$",
    "‡": r"$^{\ddagger}$",
    "–": "--",
    "−": "$-$",
    "Δ": r"$\Delta$",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "\u00a0": "~",
}


def latex_text(text: str) -> str:
    """Text that LaTeX sets as it stands."""
    return "".join(_LATEX.get(character, character) for character in text.replace("\n", " "))


def as_latex(table: Table) -> str:
    """A ``booktabs`` table with its caption and note."""
    layout = "".join("r" if column.align == "right" else "l" for column in table.columns)
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering",
        rf"\caption{{{latex_text(table.title)}. {latex_text(table.note)}}}",
        rf"\begin{{tabular}}{{{layout}}}",
        r"\toprule",
        " & ".join(latex_text(column.label) for column in table.columns) + r" \\",
        r"\midrule",
        *(" & ".join(latex_text(cell.text) for cell in row) + r" \\" for row in table.rows),
        r"\bottomrule",
        r"\end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def as_markdown(table: Table) -> str:
    """A pipe table under its title, with its note."""
    rules = ["---:" if column.align == "right" else "---" for column in table.columns]
    rows = [
        [column.label for column in table.columns],
        rules,
        *([cell.text for cell in row] for row in table.rows),
    ]
    lines = [f"**{table.title}**", ""]
    lines += ["| " + " | ".join(map(_markdown_text, row)) + " |" for row in rows]
    if table.note:
        lines += ["", table.note]
    return "\n".join(lines) + "\n"


def _markdown_text(text: str) -> str:
    """No cell can break a row, start markup or become HTML."""
    flat = " ".join(text.split("\n")).replace("\\", "\\\\").replace("|", "\\|")
    return flat.replace("<", "&lt;").replace("*", "\\*").replace("`", "\\`")


def write_table(name: str, frame: pl.DataFrame, table: Table, folder: Path) -> list[Path]:
    """Write ``name.md``, ``name.tex`` and ``name.csv``; the CSV holds the frame, unrounded."""
    paths = [folder / f"{name}.{kind}" for kind in ("md", "tex", "csv")]
    write_text_whole(paths[0], as_markdown(table))
    write_text_whole(paths[1], as_latex(table))
    write_whole(paths[2], frame.write_csv)
    return paths


def write_figure(name: str, figure: Figure, folder: Path) -> list[Path]:
    """Write ``name.svg``, ``name.pdf`` and ``name.png`` (two pixels a point)."""
    import vl_convert

    paths = [folder / f"{name}.{kind}" for kind in ("svg", "pdf", "png")]
    # One pass through Vega for all three: its SVG is what the other two are made from.
    svg = drawn_pictograms(vl_convert.vegalite_to_svg(print_spec(figure)))
    write_text_whole(paths[0], svg)
    write_whole(paths[1], lambda path: path.write_bytes(vl_convert.svg_to_pdf(svg)))
    write_whole(paths[2], lambda path: path.write_bytes(vl_convert.svg_to_png(svg, scale=2)))
    return paths


def drawn_pictograms(svg: str) -> str:
    """The SVG with pictograms as shapes rather than as images within it.

    Renderers load their fonts anew for every SVG within an SVG: seconds for a page of panels.
    """
    bars = {pictogram_uri(pattern): pictogram_bars(pattern) for pattern in PATTERNS}

    def shapes(image: re.Match[str]) -> str:
        place = _TRANSFORM.search(image[0])
        uri = _ADDRESS.search(image[0])
        if place is None or uri is None or uri[1] not in bars:
            return image[0]
        return f'<g {place[0]} aria-hidden="true">{bars[uri[1]]}</g>'

    return _IMAGE.sub(shapes, svg)


def print_spec(figure: Figure) -> dict[str, object]:
    """The chart's Vega-Lite for print: a fixed width, a title, dark on white."""
    spec: dict[str, object] = figure.chart.to_dict()
    if spec.get("width") == "container":
        spec["width"] = PRINT_WIDTH
    spec["title"] = figure.title
    spec["config"] = print_config()
    return spec
