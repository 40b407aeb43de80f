"""Any experiment from close up: its order as a strip, prompt, output and trace.

What is embedded follows one rule, which the page states: every experiment is listed with its
strip where the strip is known without its records; full texts go in for one experiment of each
(model, task, order, outcome) first, then for the others in order, until the limits are reached.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import groupby
from typing import Any

import polars as pl
from markupsafe import Markup

from evenhand.design import arrange, split_count
from evenhand.pools import Instance
from evenhand.prompts import Message
from evenhand.report._page import Panel
from evenhand.report._theme import OUTCOME_WORDS

FULL_EXPERIMENTS = 400
"""Experiments with full texts, at most."""
FULL_CHARACTERS = 16_000_000
"""Characters of full texts before compression, at most."""
TEXT_START, TEXT_END = 30_000, 10_000
"""Of a longer output or trace the first and the last characters are embedded."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call as the page shows it; None where it is not known."""

    number: int
    stage: int
    outcome: str
    text: str | None
    reasoning: str | None
    finish_reason: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class CloseUp:
    """One experiment's records in their order, its messages and its attempts."""

    instances: Sequence[Instance]
    messages: Sequence[Message]
    attempts: Sequence[Attempt]


LookUp = Callable[[int, str], CloseUp | None]
"""Run number and experiment id to a close-up; None where the run holds no texts."""


@dataclass(slots=True)
class _Store:
    """Texts, each once, and how many characters were taken."""

    texts: dict[tuple[str, str], int] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)
    strips: dict[tuple[int, ...], int] = field(default_factory=dict)
    characters: int = 0

    def text(self, text: str, label: str) -> int:
        key = (text, label)
        if key not in self.texts:
            self.texts[key] = len(self.texts)
            self.characters += len(text)
        return self.texts[key]

    def part(self, text: str) -> int:
        if text not in self.parts:
            self.parts[text] = len(self.parts)
            self.characters += len(text)
        return self.parts[text]

    def strip(self, runs: tuple[int, ...]) -> int:
        return self.strips.setdefault(runs, len(self.strips))


def explorer_panel(
    frame: pl.DataFrame,
    look_up: LookUp,
    *,
    full_experiments: int = FULL_EXPERIMENTS,
    full_characters: int = FULL_CHARACTERS,
) -> Panel:
    """The panel with its data.

    Args:
        frame: Results with a ``run`` column that ``look_up`` understands.
        look_up: Where texts come from.
        full_experiments: See :data:`FULL_EXPERIMENTS`.
        full_characters: See :data:`FULL_CHARACTERS`; the experiment that passes it is the last.
    """
    rows = frame.to_dicts()
    store = _Store()
    entries = [_entry(row, store) for row in rows]
    full = 0
    for at in _sample(frame):
        if full >= full_experiments or store.characters >= full_characters:
            break
        seen = look_up(rows[at]["run"], rows[at]["experiment_id"])
        if seen is not None:
            entries[at] |= _close_up(seen, rows[at]["majority_label"], store)
            full += 1
    stripless = sum(entry["strip"] is None for entry in entries)
    payload = {
        "experiments": entries,
        "texts": [text for text, _ in store.texts],
        "labels": [label for _, label in store.texts],
        "parts": list(store.parts),
        "strips": list(store.strips),
        "words": dict(OUTCOME_WORDS),
    }
    return Panel(
        html=_markup(_rule(len(rows), full, stripless)),
        data_id="explorer-data",
        data=packed(payload),
        script="explorer.js",
    )


def label_runs(majority: Sequence[bool]) -> tuple[int, ...]:
    """Run lengths of an order, majority first: ``FFT`` is (0, 2, 1)."""
    runs = [sum(1 for _ in group) for _, group in groupby(majority)]
    return tuple(runs if not majority or majority[0] else [0, *runs])


def _entry(row: Mapping[str, Any], store: _Store) -> dict[str, object]:
    strip = None
    if row["pattern"] != "random":
        strip = store.strip(
            _structured_runs(int(str(row["n"])), f"{row['p']:g}", str(row["pattern"]))
        )
    names = (
        "experiment_id", "model", "task", "pattern", "outcome", "predicted", "majority_label", "n",
        "answer_mode", "margin", "label_mass", "attempts", "lenient", "finish_reason",
    )  # fmt: skip
    return {name: row[name] for name in names} | {"strip": strip}


@cache
def _structured_runs(n: int, p: str, pattern: str) -> tuple[int, ...]:
    majority, minority = split_count(n, p)
    return label_runs(arrange([True] * majority, [False] * minority, pattern))


def _sample(frame: pl.DataFrame) -> list[int]:
    """Row numbers: one of each (model, task, order, outcome) first, then the rest."""
    keys = ["model", "task", "pattern", "outcome"]
    ranked = frame.with_row_index("_at").with_columns(
        pl.int_range(pl.len()).over(keys).alias("_round")
    )
    first = ranked.filter(pl.col("_round") == 0)["_at"].to_list()
    return first + ranked.filter(pl.col("_round") > 0)["_at"].to_list()


def _close_up(seen: CloseUp, majority_label: str, store: _Store) -> dict[str, object]:
    order = [store.text(instance.text, instance.label) for instance in seen.instances]
    store.characters += 5 * len(order)
    lines = "\n".join(
        f"Instance {k}: {instance.text}" for k, instance in enumerate(seen.instances, 1)
    )
    messages = []
    for message in seen.messages:
        before, found, after = message.content.partition(lines) if lines else ("", "", "")
        pieces = (before, after) if found else (message.content,)
        messages.append([message.role, *(store.part(piece) for piece in pieces)])
    calls = []
    for attempt in seen.attempts:
        text, reasoning = _cut(attempt.text), _cut(attempt.reasoning)
        store.characters += sum(map(len, (text or []) + (reasoning or [])))
        calls.append(
            {
                "number": attempt.number,
                "stage": attempt.stage,
                "outcome": attempt.outcome,
                "text": text,
                "reasoning": reasoning,
                "finish_reason": attempt.finish_reason,
                "reason": attempt.reason,
            }
        )
    runs = label_runs([instance.label == majority_label for instance in seen.instances])
    return {"order": order, "messages": messages, "calls": calls, "strip": store.strip(runs)}


def _cut(text: str | None) -> list[str] | None:
    """The whole text as one piece, or its start, a line on what is left out, and its end.

    Nothing, as a forced choice has it, is no text.
    """
    if not text:
        return None
    if len(text) <= TEXT_START + TEXT_END:
        return [text]
    left_out = len(text) - TEXT_START - TEXT_END
    return [text[:TEXT_START], f"{left_out:,}", text[-TEXT_END:]]


def packed(payload: object) -> str:
    # Lone surrogates, which a model's output can hold, survive as \\u escapes.
    raw = json.dumps(payload, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    return base64.b64encode(gzip.compress(raw.encode("ascii"), 9, mtime=0)).decode("ascii")


def _rule(total: int, full: int, stripless: int) -> str:
    if full == total:
        return f"All {total:,} experiments are here with their full texts."
    said = (
        f"All {total:,} experiments are listed. {full:,} of them come with prompt, output and "
        "trace: one of each model, task, order and outcome first, then the others in order, up to "
        f"{FULL_EXPERIMENTS:,} experiments or {FULL_CHARACTERS // 1_000_000} million characters."
    )
    if stripless:
        said += f" The order of {stripless:,} random ones is not drawn, for the same reason."
    return said + " The run folder holds everything."


def _markup(rule: str) -> Markup:
    selects = Markup("").join(
        Markup('<label>{}<select data-filter="{}"></select></label>').format(words, name)
        for words, name in (
            ("Model", "model"),
            ("Task", "task"),
            ("Order", "pattern"),
            ("Outcome", "outcome"),
        )
    )
    return Markup(
        '<div class="explorer" id="explorer"><p class="note">{rule}</p>'
        '<div class="filters">{selects}'
        '<label class="wide">Experiment <select data-list></select></label></div>'
        '<p class="steps"><button type="button" data-step="-1">← Previous</button>'
        '<button type="button" data-step="1">Next →</button>'
        '<span data-count role="status"></span></p>'
        "<div data-view></div></div>"
    ).format(rule=rule, selects=selects)
