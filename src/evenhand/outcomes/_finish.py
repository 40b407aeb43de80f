"""The words that providers use for how a reply ended."""

from __future__ import annotations

_CUT = frozenset({"length", "max_tokens", "max_output_tokens", "model_length", "token_limit"})
_FILTERED = frozenset(
    {"content_filter", "safety", "recitation", "blocklist", "prohibited_content", "spii", "refusal"}
)


def was_cut(finish_reason: str | None) -> bool:
    """Whether the reply ended at a token limit."""
    return _word(finish_reason) in _CUT


def was_filtered(finish_reason: str | None) -> bool:
    """Whether the provider's filter ended the reply."""
    return _word(finish_reason) in _FILTERED


def _word(finish_reason: str | None) -> str:
    return (finish_reason or "").strip().casefold()
