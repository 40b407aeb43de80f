"""Contract: whatever text a provider sends can be stored; half a surrogate pair becomes U+FFFD."""

from __future__ import annotations

import sqlite3

from evenhand.running._records import AttemptRecord
from evenhand.running._rows import attempt_columns

LONE = "lone \ud800, nul \x00"


def test_every_text_of_a_record_can_be_stored() -> None:
    record = AttemptRecord(
        "core/ner",
        1,
        2,
        "parsing_issue",
        "0" * 64,
        reason=LONE,
        text=LONE,
        reasoning=LONE,
        reasoning_source=LONE,
        finish_reason=LONE,
        upstream=LONE,
        parameters={"stop": LONE},
        instruction=LONE,
        error=LONE,
    )
    columns = attempt_columns(record)
    with sqlite3.connect(":memory:") as db:
        db.execute(f"CREATE TABLE t ({', '.join(columns)})")
        db.execute(f"INSERT INTO t VALUES ({', '.join('?' * len(columns))})", (*columns.values(),))
        (stored,) = db.execute("SELECT finish_reason FROM t").fetchone()
    assert stored == columns["text"] == "lone \ufffd, nul \x00"
