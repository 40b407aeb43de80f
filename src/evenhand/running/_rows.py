"""How records stand in the tables of ``run.db``."""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime

from evenhand.design import AXES, Experiment
from evenhand.pools import Instance
from evenhand.prompts import Message
from evenhand.running._records import AttemptRecord

MESSAGE_LIMIT = 500
"""Characters of an error message that are kept: no message repeats a long prompt."""


def shorten(message: str) -> str:
    """A message cut to a readable length, saying how much is left out."""
    if len(message) <= MESSAGE_LIMIT:
        return message
    return f"{message[:MESSAGE_LIMIT]}... ({len(message):,} characters in all)"


def attempt_columns(record: AttemptRecord) -> dict[str, str | int | float | None]:
    """A record as the columns of the attempts table."""
    forced, usage = record.forced, record.usage
    columns: dict[str, str | int | float | None] = {
        "experiment_id": record.experiment_id,
        "attempt": record.attempt,
        "stage": record.stage,
        "finished_at": now(),
        "outcome": record.outcome,
        "predicted": record.predicted,
        "lenient": record.lenient,
        "reason": record.reason,
        "text": record.text,
        "reasoning": record.reasoning,
        "reasoning_source": record.reasoning_source,
        "finish_reason": record.finish_reason,
        "forced_label": forced.label if forced else None,
        "margin": forced.margin if forced else None,
        "label_mass": forced.label_mass if forced else None,
        "counted_tokens": record.counted_tokens,
        "counted_exactly": record.counted_exactly,
        "input_tokens": usage.input_tokens,
        "cached_input_tokens": usage.cached_input_tokens,
        "output_tokens": usage.output_tokens,
        "reasoning_tokens": usage.reasoning_tokens,
        "cost_usd": record.cost_usd,
        "latency_s": record.latency_s,
        "upstream": record.upstream,
        "parameters": dump(dict(record.parameters)),
        "prompt_sha256": record.prompt_sha256,
        "instruction": record.instruction,
        "error": None if record.error is None else shorten(record.error),
    }
    return {name: storable(v) if isinstance(v, str) else v for name, v in columns.items()}


def storable(text: str | None) -> str | None:
    """SQLite takes no lone surrogates, which a reply's JSON can hold: they become U+FFFD."""
    if text is None:
        return None
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def experiment_of(row: sqlite3.Row) -> Experiment:
    """A row of the experiments table."""
    return Experiment(**{axis: row[axis] for axis in AXES})


def pack_prompt(messages: Sequence[Message], dealt: Sequence[Instance]) -> tuple[bytes, bytes]:
    """Messages and instances as two compressed cells."""
    return (
        _squeeze([[message.role, message.content] for message in messages]),
        _squeeze([[i.id, i.text, i.label, i.answer] for i in dealt]),
    )


def unpack_prompt(
    messages: bytes, dealt: bytes
) -> tuple[tuple[Message, ...], tuple[Instance, ...]]:
    """Messages and instances from their two cells."""
    return (
        tuple(Message(*pair) for pair in json.loads(zlib.decompress(messages))),
        tuple(Instance(*fields) for fields in json.loads(zlib.decompress(dealt))),
    )


def _squeeze(value: object) -> bytes:
    return zlib.compress(json.dumps(value, ensure_ascii=True).encode("ascii"), 1)


def dump(value: object) -> str:
    """A value as JSON that is always written the same way."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


def now() -> str:
    """The time, UTC, as text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")
