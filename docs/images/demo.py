"""The README's picture: accuracy by order of a run's model, as its report draws it.

python docs/images/demo.py RUN... writes demo.png beside this file, about the model of the first run
named, and prints what its caption must name: model, n, and runs.
"""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import vl_convert

from evenhand.report import load_runs
from evenhand.report._conditions import describe_condition, main_condition, told_apart
from evenhand.report._export import drawn_pictograms, print_spec
from evenhand.report.figures._patterns import majority_position

SCALE = 1.3
LIMIT = 150_000
"""Bytes that the picture may have."""


def main(runs: list[str]) -> None:
    """Draw the first model of these runs in its main condition."""
    rows = main_condition(told_apart(load_runs([Path(run) for run in runs]).frame))
    rows = rows.filter(pl.col("model") == rows["model"][0])
    figure = majority_position(rows)
    svg = drawn_pictograms(vl_convert.vegalite_to_svg(print_spec(figure)))
    picture = vl_convert.svg_to_png(svg, scale=SCALE)
    if len(picture) > LIMIT:
        raise SystemExit(f"the picture has {len(picture):,} bytes, more than {LIMIT:,}")
    (Path(__file__).parent / "demo.png").write_bytes(picture)
    valid = int(rows["valid"].sum())
    sys.stdout.write(
        f"{rows['model'][0]}: {describe_condition(rows)}, {valid} of {rows.height} runs valid\n"
        f"{figure.alt}\n{len(picture):,} bytes\n"
    )


if __name__ == "__main__":
    main(sys.argv[1:])
