"""The results table as a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

import polars as pl

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
        UsageError: If there is no run at ``path``, or the file cannot be written.
    """
    if format not in ("parquet", "csv"):
        raise UsageError(f"unknown format {format!r}: use parquet or csv")
    frame = results(path)
    target = Path(out) if out is not None else Path(path) / f"results.{format}"
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if format == "parquet":
            frame.write_parquet(partial)
        else:
            frame.with_columns(pl.col("labels").list.join("|")).write_csv(partial)
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error}") from error
    finally:
        partial.unlink(missing_ok=True)
    return target
