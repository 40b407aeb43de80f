"""Traces that are only a provider's summary of the reasoning (E.1.4)."""

from __future__ import annotations

SUMMARY_TOKENS = 500
SUMMARY_DENSITY = 0.5


def is_summary(text: str, source: str | None, reasoning_tokens: int | None) -> bool:
    """Whether a trace is a summary and not the reasoning itself.

    It is when the field that it came from says so, or when it has fewer than 0.5 characters for
    each of at least 500 reasoning tokens billed: a token is seldom shorter than a character.

    Args:
        text: The trace.
        source: ``reasoning_source`` of the attempt.
        reasoning_tokens: Billed, or None if unknown.
    """
    if source is not None and "summary" in source.lower():
        return True
    return (
        reasoning_tokens is not None
        and reasoning_tokens >= SUMMARY_TOKENS
        and len(text) < SUMMARY_DENSITY * reasoning_tokens
    )
