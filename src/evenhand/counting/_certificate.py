"""The coverage certificate: what was covered, with the hashes that prove it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from types import UnionType
from typing import Any

from evenhand import __version__
from evenhand._write_whole import write_text_whole
from evenhand.counting._assemble import Setup
from evenhand.counting._ledger import file_sha256
from evenhand.errors import UsageError

FILE = "certificate.json"
_KINDS: dict[str, type | UnionType] = {
    "sentence": str,
    "ask": str,
    "labels": list,
    "model": str,
    "records": int,
    "records_sha256": str,
    "file": str | None,
    "text_column": str | None,
    "id_column": str | None,
    "batch": int,
    "seed": int,
    "forced": bool,
    "output_budget": int | None,
    "statuses": dict,
    "counts": dict,
    "ledger_sha256": str,
}


def write_certificate(
    out: Path,
    setup: Setup,
    model: str,
    statuses: Mapping[str, int],
    counts: Mapping[str, int],
    ledger_sha256: str,
    *,
    path: str | Path | None,
    text: str | None,
    id_column: str | None,
) -> str:
    """Write ``certificate.json``.

    Returns:
        The certificate in one sentence.
    """
    words = certificate_sentence(len(setup.records), statuses, ledger_sha256)
    file = None if path is None else Path(path)
    content: dict[str, Any] = {
        "sentence": words,
        "evenhand": __version__,
        "model": model,
        "ask": setup.question.ask,
        "labels": list(setup.question.labels),
        "records": len(setup.records),
        "records_sha256": setup.records.digest,
        "file": None if file is None else str(file.resolve()),
        "file_sha256": None if file is None else file_sha256(file),
        "text_column": text,
        "id_column": id_column,
        "batch": setup.batch,
        "seed": setup.seed,
        "forced": setup.forced,
        "output_budget": setup.budget,
        "statuses": dict(statuses),
        "counts": dict(counts),
        "ledger_sha256": ledger_sha256,
    }
    write_text_whole(out / FILE, json.dumps(content, ensure_ascii=False, indent=2) + "\n")
    return words


def certificate_sentence(records: int, statuses: Mapping[str, int], ledger_sha256: str) -> str:
    """``2,000 of 2,000 labelled once; 0 unresolved; ledger SHA-256 ...``."""
    parts = [f"{statuses['labelled']:,} of {records:,} labelled once"]
    parts.append(f"{statuses['unresolved']:,} unresolved")
    parts += [
        f"{statuses[name]:,} {name}" for name in ("refused", "too long", "unread") if statuses[name]
    ]
    return "; ".join([*parts, f"ledger SHA-256 {ledger_sha256}"])


def read_certificate(ledger: Path) -> dict[str, Any]:
    """The certificate beside a ledger.

    Raises:
        UsageError: If there is none, or it is damaged.
    """
    path = ledger.parent / FILE
    try:
        content = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UsageError(f"{ledger} has no {FILE} beside it: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is damaged: {error}") from error
    if not isinstance(content, dict):
        raise UsageError(f"{path} is no coverage certificate")
    for name, kind in _KINDS.items():
        if name not in content or not isinstance(content[name], kind):
            raise UsageError(f"{path} is no coverage certificate, or damaged: see {name!r}")
    if content["batch"] < 1 or not all(isinstance(label, str) for label in content["labels"]):
        raise UsageError(f"{path} is no coverage certificate, or damaged: see 'batch', 'labels'")
    return content
