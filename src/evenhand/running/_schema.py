"""The tables of ``run.db``."""

from __future__ import annotations

FORMAT = 2
"""Version of the tables; a folder of another one is refused."""

TABLES = """
CREATE TABLE meta (
    key TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE tasks (
    name TEXT PRIMARY KEY,
    labels TEXT NOT NULL,
    definition TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE pools (
    task TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    provenance TEXT NOT NULL
) WITHOUT ROWID;
CREATE TABLE instances (
    task TEXT NOT NULL,
    id TEXT NOT NULL,
    text TEXT NOT NULL,
    label TEXT NOT NULL,
    answer INTEGER,
    PRIMARY KEY (task, id)
);
CREATE TABLE experiments (
    id TEXT PRIMARY KEY,
    position INTEGER NOT NULL,
    setting TEXT NOT NULL,
    task TEXT NOT NULL,
    pool TEXT NOT NULL,
    n INTEGER NOT NULL,
    p TEXT NOT NULL,
    majority_label TEXT NOT NULL,
    set_seed INTEGER NOT NULL,
    pattern TEXT NOT NULL,
    order_seed INTEGER,
    variant TEXT NOT NULL,
    output_budget INTEGER NOT NULL,
    repeat INTEGER NOT NULL,
    planned_sha256 TEXT NOT NULL,
    rerun_of TEXT REFERENCES experiments (id)
);
CREATE INDEX reruns ON experiments (rerun_of);
CREATE TABLE prompts (
    experiment_id TEXT PRIMARY KEY REFERENCES experiments (id),
    messages BLOB NOT NULL,
    instances BLOB NOT NULL
);
CREATE TABLE attempts (
    experiment_id TEXT NOT NULL REFERENCES experiments (id),
    attempt INTEGER NOT NULL,
    stage INTEGER NOT NULL,
    finished_at TEXT NOT NULL,
    outcome TEXT NOT NULL,
    predicted TEXT,
    lenient INTEGER NOT NULL,
    reason TEXT,
    text TEXT,
    reasoning TEXT,
    reasoning_source TEXT,
    finish_reason TEXT,
    forced_label TEXT,
    margin REAL,
    label_mass REAL,
    counted_tokens INTEGER,
    counted_exactly INTEGER,
    input_tokens INTEGER,
    cached_input_tokens INTEGER,
    output_tokens INTEGER,
    reasoning_tokens INTEGER,
    cost_usd REAL,
    latency_s REAL,
    upstream TEXT,
    parameters TEXT,
    prompt_sha256 TEXT NOT NULL,
    instruction TEXT,
    error TEXT,
    PRIMARY KEY (experiment_id, attempt, stage)
);
CREATE TABLE outcomes (
    experiment_id TEXT PRIMARY KEY REFERENCES experiments (id),
    attempt INTEGER NOT NULL,
    outcome TEXT NOT NULL
);
CREATE TABLE faults (
    at TEXT NOT NULL,
    experiment_id TEXT NOT NULL,
    error TEXT NOT NULL,
    message TEXT NOT NULL,
    retry_after_s REAL
);
CREATE TABLE unsettled (
    call INTEGER PRIMARY KEY,
    worst_usd REAL NOT NULL
);
"""
"""``attempts`` has a row a finished call: stage 2 is the answering call of every variant, stage 1
the call that writes an instruction (``self``). Its text, reasoning, ``forced_label``, ``margin``
and ``label_mass`` are the model's, the counts are billed tokens, ``counted_tokens`` is the count
before the call. ``prompt_sha256`` is of the messages sent. ``outcomes`` names the attempt that
decided. ``faults`` is a log of calls that got no answer; it decides nothing.
``unsettled`` has a row a call whose cost is not known, at its worst case: in flight, lost to a
kill, cut on the way back, or answered without usage."""
