"""The results table as a file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import polars as pl

from evenhand._write_whole import write_whole
from evenhand.errors import UsageError
from evenhand.results._read import results

ExportFormat = Literal["parquet", "csv"]


def export(
    path: Path | str,
    out: Path | str | None = None,
    format: ExportFormat = "parquet",  # noqa: A002 - the word people look for
) -> Path:
    """Write the results table of a run to a file.

    Args:
        path: A run folder.
        out: The file; ``results.parquet`` or ``results.csv`` in the run folder by default.
        format: ``parquet`` keeps every type; in ``csv``, ``labels`` are joined by ``|``.

    Returns:
        The file that was written, whole or not at all.

    Raises:
        UsageError: If there is no run at ``path``, or the file cannot be written or is called
            otherwise than its format (``run.db`` is not to be overwritten).
    """
    if format not in ("parquet", "csv"):
        raise UsageError(f"unknown format {format!r}: use parquet or csv")
    target = Path(out) if out is not None else Path(path) / f"results.{format}"
    if target.suffix.lower() != f".{format}":
        raise UsageError(f"{target}: the name of a {format} file ends in .{format}")
    frame = results(path)
    if format == "parquet":
        write_whole(target, frame.write_parquet)
    else:
        flat = frame.with_columns(pl.col("labels").list.join("|"))
        write_whole(target, flat.write_csv)
    return target
