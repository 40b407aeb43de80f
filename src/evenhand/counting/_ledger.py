"""The ledger: one row a record, what it was labelled, and where that can be looked up."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import polars as pl

from evenhand._write_whole import write_whole
from evenhand.counting._question import Question
from evenhand.counting._records import Records
from evenhand.counting._tally import STATUSES, Tally
from evenhand.counting._work import BatchWork
from evenhand.errors import UsageError

LEDGER_SCHEMA: dict[str, pl.DataType] = {
    "row": pl.Int64(),
    "id": pl.String(),
    "label": pl.String(),
    "status": pl.String(),
    "reason": pl.String(),
    "attempt": pl.Int64(),
    "batch": pl.Int64(),
    "position": pl.Int64(),
    "margin": pl.Float64(),
    "reply": pl.String(),
    "text_sha256": pl.String(),
}
"""Columns of a ledger. ``row`` counts from 1 in file order; ``batch`` from 0 in the order of
asking; ``position`` from 1 inside the batch; ``reply`` is where the raw reply lies, as
``FOLDER/run.db#EXPERIMENT/ATTEMPT``; ``margin`` only for forced choices."""


def ledger_frame(
    records: Records,
    question: Question,
    tally: Tally,
    rounds: Sequence[tuple[BatchWork, Path]],
    out: Path,
) -> pl.DataFrame:
    """The ledger as a frame.

    Args:
        records: All records.
        question: Whose labels.
        tally: What was found.
        rounds: The rounds that it was found in, with their run folders.
        out: The count's folder.
    """
    n = len(records)
    words = [*question.labels, None]
    folders = [folder.relative_to(out) for _, folder in rounds]
    ids = [{e.set_seed: e.id for e in work.experiments} for work, _ in rounds]
    replies = [
        None if round_ < 0 else f"{folders[round_]}/run.db#{ids[round_][batch]}/{attempt}"
        for round_, batch, attempt in zip(
            tally.round.tolist(), tally.batch.tolist(), tally.attempt.tolist(), strict=True
        )
    ]
    asked = pl.Series(tally.round >= 0)
    frame = pl.DataFrame(
        {
            "row": range(1, n + 1),
            "id": [records.id(place) for place in range(n)],
            "label": [words[code] for code in tally.labels.tolist()],
            "status": [STATUSES[code] for code in tally.status.tolist()],
            "reason": [tally.reasons.get(place) for place in range(n)],
            "attempt": tally.attempt,
            "batch": tally.batch,
            "position": tally.position,
            "margin": tally.margin,
            "reply": replies,
            "text_sha256": [records.text_sha256(place) for place in range(n)],
        },
        schema_overrides={"label": pl.String, "reason": pl.String, "reply": pl.String},
    )
    known = [
        pl.when(asked).then(pl.col(name)).alias(name) for name in ("attempt", "batch", "position")
    ]
    frame = frame.with_columns(*known, pl.col("margin").cast(pl.Float64).fill_nan(None))
    return frame.select(pl.col(name).cast(kind) for name, kind in LEDGER_SCHEMA.items())


def write_ledger(frame: pl.DataFrame, out: Path) -> tuple[Path, str]:
    """Write ``ledger.csv`` and ``ledger.parquet``; the CSV's path and its SHA-256."""
    path = out / "ledger.csv"
    write_whole(path, frame.write_csv)
    write_whole(out / "ledger.parquet", frame.write_parquet)
    return path, file_sha256(path)


def read_ledger(path: Path) -> pl.DataFrame:
    """A ledger as it was written.

    Raises:
        UsageError: If the file is no ledger.
    """
    try:
        if path.suffix == ".parquet":
            frame = pl.read_parquet(path)
        else:
            frame = pl.read_csv(path, schema_overrides=LEDGER_SCHEMA, encoding="utf8")
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"cannot read the ledger {path}: {error}") from error
    if list(frame.columns) != list(LEDGER_SCHEMA):
        raise UsageError(f"{path} is no ledger: its columns are {', '.join(frame.columns)}")
    return frame.select(pl.col(name).cast(kind) for name, kind in LEDGER_SCHEMA.items())


def file_sha256(path: Path) -> str:
    """SHA-256 (hex) of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
