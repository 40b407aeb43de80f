"""How a setting that differs from the folder's is told."""

from __future__ import annotations

_LONGEST = 60


def change(option: str, was: object, now: object) -> str:
    """``--budget was 100 and is 200``; long values are cut."""
    return f"{option} was {_shown(was)} and is {_shown(now)}"


def _shown(value: object) -> str:
    if value is None:
        return "not set"
    text = str(value)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
