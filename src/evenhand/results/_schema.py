"""The one results table: a row an experiment. Every analysis reads it, ``export`` writes it."""

from __future__ import annotations

from types import MappingProxyType
from typing import Literal

import polars as pl

Outcome = Literal["correct", "mistake", "tie", "invalid_input", "parsing_issue", "overlong"]
OUTCOMES: tuple[Outcome, ...] = (
    "correct",
    "mistake",
    "tie",
    "invalid_input",
    "parsing_issue",
    "overlong",
)
VALID_OUTCOMES = frozenset({"correct", "mistake", "tie"})

RESULTS_SCHEMA: MappingProxyType[str, pl.DataType] = MappingProxyType(
    {
        "experiment_id": pl.String(),
        "setting": pl.String(),
        "model": pl.String(),
        "task": pl.String(),
        "pool": pl.String(),
        "n": pl.Int64(),
        "p": pl.Float64(),
        "majority_label": pl.String(),
        "set_seed": pl.Int64(),
        "pattern": pl.String(),
        "order_seed": pl.Int64(),
        "variant": pl.String(),
        "output_budget": pl.Int64(),
        "repeat": pl.Int64(),
        "answer_mode": pl.String(),
        "outcome": pl.String(),
        "predicted": pl.String(),
        "margin": pl.Float64(),
        "valid": pl.Boolean(),
        "correct": pl.Boolean(),
        "lenient": pl.Boolean(),
        "attempts": pl.Int64(),
        "finish_reason": pl.String(),
        "input_tokens": pl.Int64(),
        "output_tokens": pl.Int64(),
        "reasoning_tokens": pl.Int64(),
        "cost_usd": pl.Float64(),
        "latency_s": pl.Float64(),
        "prompt_sha256": pl.String(),
        "label_mass": pl.Float64(),
        "labels": pl.List(pl.String()),
        "upstream": pl.String(),
        "parameters_sha256": pl.String(),
        "pool_source": pl.String(),
        "pool_filter": pl.String(),
        "reasoning_budget": pl.Int64(),
        "reasoning_exhausted": pl.Boolean(),
    }
)
"""Columns and types, in order. Beyond the design's own: ``label_mass`` (forced choice), ``labels``
(first and second, which orients ``margin``), ``upstream`` and ``parameters_sha256`` (rows that
differ in them must not pool silently), ``pool_source`` and ``pool_filter``.

Two more may be missing from a table made elsewhere: ``reasoning_budget``, the tokens that reasoning
had to itself (null: it shared the output budget with the answer), and ``reasoning_exhausted``,
whether the attempt that decided used them up (null: not known, or no such budget).

Of several attempts, tokens, cost and latency are sums over all; ``finish_reason`` and ``upstream``
are those of the attempt that decided. ``predicted`` is null unless the outcome is ``correct`` or
``mistake``; ``correct`` is false, never null, for a tie and for an invalid outcome.
"""

OPTIONAL_COLUMNS = frozenset({"reasoning_budget", "reasoning_exhausted"})
"""Columns of :data:`RESULTS_SCHEMA` that are null throughout where a file does not have them."""
