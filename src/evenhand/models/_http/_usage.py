"""Tokens and cost as servers report them, brought into one form."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from evenhand.models._protocol import Usage
from evenhand.models._spec import Json

_MOST_TOKENS = 2**53
"""No call has as many; a server that says so has not said."""


def read_usage(usage: Json) -> Usage:
    """Billed tokens, reasoning included in the output; None where the server did not say.

    Most servers count reasoning within ``completion_tokens``. Gemini and xAI count it beside, and
    only ``total_tokens`` shows it: what the total holds beyond prompt and completion is reasoning.
    """
    if not isinstance(usage, Mapping):
        return Usage()
    prompt = _first(usage, "prompt_tokens", "input_tokens")
    output = _first(usage, "completion_tokens", "output_tokens")
    total = _first(usage, "total_tokens")
    cached = _first(
        _table(usage, "prompt_tokens_details") or _table(usage, "input_tokens_details"),
        "cached_tokens",
    )
    if cached is None:
        cached = _first(usage, "prompt_cache_hit_tokens", "cache_read_input_tokens")
    reasoning = _first(
        _table(usage, "completion_tokens_details") or _table(usage, "output_tokens_details"),
        "reasoning_tokens",
    )
    if reasoning is None:
        reasoning = _first(usage, "reasoning_tokens")
    if None not in (prompt, output, total):
        assert prompt is not None
        assert output is not None
        assert total is not None
        beside = total - prompt - output
        if beside > 0 and reasoning in (None, 0, beside):
            output, reasoning = output + beside, beside
    return Usage(prompt, cached, output, reasoning)


def read_cost(usage: Json) -> float | None:
    """The cost in US dollars, where the server states it (OpenRouter's ``usage.cost``)."""
    cost = usage.get("cost") if isinstance(usage, Mapping) else None
    if isinstance(cost, bool) or not isinstance(cost, int | float):
        return None
    return float(cost) if 0 <= cost <= sys.float_info.max else None


def _table(usage: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    table = usage.get(name)
    return table if isinstance(table, Mapping) else {}


def _first(usage: Mapping[str, Json], *names: str) -> int | None:
    for name in names:
        value = usage.get(name)
        if (
            isinstance(value, int | float)
            and not isinstance(value, bool)
            and 0 <= value < _MOST_TOKENS
        ):
            return int(value)
    return None
