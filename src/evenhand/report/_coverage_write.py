"""Coverage tables and figures as files."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import polars as pl

from evenhand._write_whole import write_whole
from evenhand.analysis import (
    coverage_bins,
    label_agreement,
    mean_coverage,
    mention_rates,
    trace_classes,
)
from evenhand.report._coverage_load import LoadedCoverage
from evenhand.report._export import write_figure
from evenhand.report._page import Figure

_CONDITION = ("model", "variant", "output_budget")


def coverage_tables(frame: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """Every coverage table by file name; each holds valid experiments and all of them."""
    strict: Literal["strict_coverage"] = "strict_coverage"
    bins = pl.concat(
        [
            coverage_bins(frame, _CONDITION).with_columns(pl.lit("coverage").alias("measure")),
            coverage_bins(frame, _CONDITION, strict).with_columns(pl.lit(strict).alias("measure")),
        ]
    )
    rates = mention_rates(frame, _CONDITION)
    by_order = mention_rates(frame, (*_CONDITION, "pattern"))
    return {
        "coverage": frame,
        "coverage-bins": bins,
        "trace-classes": trace_classes(frame, _CONDITION),
        "mention-rates": rates,
        "mention-rates-strict": mention_rates(frame, _CONDITION, strict),
        "mention-rates-by-order": by_order,
        "mean-coverage": mean_coverage(frame, _CONDITION),
        "mean-coverage-pooled": mean_coverage(frame, ("variant", "output_budget")),
        "label-agreement": label_agreement(frame, _CONDITION),
    }


def write_coverage(loaded: LoadedCoverage, folder: Path, figures: dict[str, Figure]) -> list[Path]:
    """Write every table as Parquet and CSV, and every figure as SVG, PDF and PNG.

    Lists of ids stand in ``coverage.parquet`` only.

    Args:
        loaded: From :func:`load_coverage`.
        folder: Made if it is missing.
        figures: From :func:`coverage_figures`.

    Returns:
        The files.
    """
    written: list[Path] = []
    for name, table in coverage_tables(loaded.frame).items():
        written += [folder / f"{name}.parquet", folder / f"{name}.csv"]
        write_whole(written[-2], table.write_parquet)
        flat = [column for column, kind in table.schema.items() if not isinstance(kind, pl.List)]
        write_whole(written[-1], table.select(flat).write_csv)
    for name, figure in figures.items():
        written += write_figure(name, figure, folder)
    return written
