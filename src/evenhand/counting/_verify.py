"""Rechecking a ledger, offline: against its certificate, the records and the stored replies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.counting._assemble import (
    BATCHES,
    Setup,
    alone_folder,
    alone_work,
    read_again,
    read_batches,
    read_round,
)
from evenhand.counting._certificate import certificate_sentence, read_certificate
from evenhand.counting._ledger import file_sha256, ledger_frame, read_ledger
from evenhand.counting._question import make_question
from evenhand.counting._records import Records, open_records
from evenhand.counting._tally import STATUSES


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was checked; ``ok`` is None where it could not be."""

    ok: bool | None
    what: str


def verify(
    ledger: Path | str, records: object = None, *, text: str | None = None
) -> tuple[Check, ...]:
    """Recheck a ledger. Nothing is called.

    Args:
        ledger: ``ledger.csv``, with ``certificate.json`` beside it; the run folders there, if
            they are still there, let every label be read again from the raw replies.
        records: The records; by default the file that the certificate names.
        text: Their text column; by default the certificate's.

    Returns:
        Every check, in order. All is well when none is False.

    Raises:
        UsageError: If ledger, certificate or records cannot be read.
    """
    path = Path(ledger)
    if path.is_dir():
        path = path / "ledger.csv"
    certificate = read_certificate(path)
    frame = read_ledger(path)
    labels = tuple(certificate["labels"])
    n: int = certificate["records"]
    written = path.with_suffix(".csv")
    checks = [
        Check(
            written.is_file() and file_sha256(written) == certificate["ledger_sha256"],
            "the ledger's SHA-256 is the certificate's",
        )
    ]
    parquet = path.with_suffix(".parquet")
    if parquet.is_file():
        checks.append(
            Check(read_ledger(parquet).equals(frame), "the Parquet ledger holds the same rows")
        )
    checks.append(
        Check(frame["row"].to_list() == list(range(1, n + 1)), f"rows 1 to {n:,} stand there once")
    )
    whole = frame.select(
        ((frame["status"] == "labelled") == frame["label"].is_not_null()).all()
    ).item()
    known = set(frame["label"].drop_nulls()) <= set(labels)
    checks.append(Check(bool(whole) and known, "a row has a label exactly if it is labelled"))
    statuses: dict[str, int] = {name: int((frame["status"] == name).sum()) for name in STATUSES}
    counts = {label: int((frame["label"] == label).sum()) for label in labels}
    words = certificate_sentence(n, statuses, certificate["ledger_sha256"])
    checks.append(
        Check(
            counts == certificate["counts"]
            and statuses == certificate["statuses"]
            and words == certificate["sentence"],
            "the counts add up: " + ", ".join(f"{k} {v:,}" for k, v in counts.items()),
        )
    )
    source = records if records is not None else certificate["file"]
    if source is None or (isinstance(source, str | Path) and not Path(source).is_file()):
        checks.append(Check(None, "the records are not there: name their file to check the texts"))
        return tuple(checks)
    id_column = certificate["id_column"]
    if isinstance(source, list | tuple):
        id_column = None
    rows = open_records(source, text=text or certificate["text_column"], id_column=id_column)
    hashes = [rows.text_sha256(place) for place in range(len(rows))]
    checks.append(
        Check(hashes == frame["text_sha256"].to_list(), "every text is the one that was labelled")
    )
    if not checks[-1].ok:
        return tuple(checks)
    if id_column == certificate["id_column"]:
        ids = [rows.id(place) for place in range(len(rows))]
        checks.append(Check(ids == frame["id"].to_list(), "every id is the record's"))
    checks.append(_replies(certificate, rows, frame, path.parent))
    return tuple(checks)


def _replies(
    certificate: Mapping[str, Any], rows: Records, frame: pl.DataFrame, out: Path
) -> Check:
    """Make every row again from the raw replies, but for the id, which no reply holds."""
    if not (out / BATCHES / "run.db").is_file():
        return Check(None, "the raw replies are not there: labels were not read again")
    question = make_question(certificate["ask"], certificate["labels"])
    setup = Setup(
        question, rows, certificate["batch"], certificate["seed"], certificate["forced"],
        certificate["output_budget"], 0.0,
    )  # fmt: skip
    work = setup.batches() if len(setup.usable) else None
    rounds = [] if work is None else [(work, out / BATCHES)]
    tally = read_batches(setup, work, out)
    alone = alone_work(setup, tally)
    if alone is not None and alone_folder(out, alone).is_dir():
        rounds.append((alone, alone_folder(out, alone)))
        read_round(tally, rounds)
    read_again(setup, tally, rounds, out)
    again = ledger_frame(rows, question, tally, rounds, out)
    equal = [pl.col(name).eq_missing(again[name]) for name in again.columns if name != "id"]
    same = int(frame.select(pl.all_horizontal(equal)).to_series().sum())
    return Check(
        same == frame.height, f"rows made again from the raw replies: {same:,} of {frame.height:,}"
    )
