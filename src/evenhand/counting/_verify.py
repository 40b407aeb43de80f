"""Rechecking a ledger, offline: against its certificate, the records and the stored replies."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.counting._certificate import certificate_sentence, read_certificate
from evenhand.counting._check import Check, rows_words
from evenhand.counting._ledger import file_sha256, read_ledger
from evenhand.counting._records import Records, open_records
from evenhand.counting._tally import STATUSES
from evenhand.counting._verify_run import check_run


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
        Every check, in order. All is well when each is True; None is what could not be checked,
        with what to do about it.

    Raises:
        UsageError: If ledger, certificate or records cannot be read.
    """
    path = Path(ledger)
    if path.is_dir():
        path = path / "ledger.csv"
    certificate = read_certificate(path)
    frame = read_ledger(path)
    checks = _of_ledger(path, frame, certificate)
    rows = _records(records, text, certificate)
    if rows is None:
        checks.append(Check(None, _remedy(certificate, path)))
    elif len(rows) != frame.height:
        words = f"there are {len(rows):,} records, and the ledger has {frame.height:,} rows"
        checks.append(Check(False, f"every text is the one that was labelled: {words}"))
        rows = None
    else:
        checks += _of_records(rows, frame, certificate, ids=not isinstance(records, list | tuple))
    checks += check_run(certificate, frame, rows, path.parent)
    return tuple(checks)


def _of_ledger(path: Path, frame: pl.DataFrame, certificate: dict[str, Any]) -> list[Check]:
    """The ledger by itself."""
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
    return checks


def _records(records: object, text: str | None, certificate: dict[str, Any]) -> Records | None:
    source = records if records is not None else certificate["file"]
    if source is None or (
        records is None and isinstance(source, str) and not Path(source).is_file()
    ):
        return None
    id_column = None if isinstance(source, list | tuple) else certificate["id_column"]
    return open_records(source, text=text or certificate["text_column"], id_column=id_column)


def _remedy(certificate: dict[str, Any], path: Path) -> str:
    """Why the texts were not checked, and how they can be."""
    if certificate["file"] is not None:
        return (
            f"the texts: {certificate['file']} is not there; where it has moved, name it: evenhand "
            f"count MOVED --verify {path}"
        )
    column = certificate["text_column"]
    how = (
        'write the list to a file, pl.DataFrame({"text": texts}).write_csv("records.csv")'
        if column is None
        else 'write the frame to a file, frame.write_csv("records.csv") (of pandas: '
        'frame.to_csv("records.csv", index=False))'
    )
    return (
        "the texts: the records came from Python and no file; give them there, "
        f'verify("{path}", records), or {how}, and: evenhand count records.csv --text '
        f"{column or 'text'} --verify {path}"
    )


def _of_records(
    rows: Records, frame: pl.DataFrame, certificate: dict[str, Any], *, ids: bool
) -> list[Check]:
    """Texts and ids; then the records are taken for those that were labelled."""
    was = frame["text_sha256"].to_list()
    changed = [place for place in range(len(rows)) if rows.text_sha256(place) != was[place]]
    checks = [_same("every text is the one that was labelled", changed)]
    if changed:
        unasked = frame.filter((pl.col("status") == "unresolved") & pl.col("reply").is_null())
        rows.take_for(was, {row - 1: reason for row, reason in unasked["row", "reason"].rows()})
    if ids or certificate["id_column"] is None:
        listed = frame["id"].to_list()
        other = [place for place in range(len(rows)) if rows.id(place) != listed[place]]
        checks.append(_same("every id is the record's", other))
    return checks


def _same(what: str, others: Iterable[int]) -> Check:
    words = rows_words([place + 1 for place in others])
    return Check(not words, f"{what}{words}")
