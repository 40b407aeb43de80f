"""An option as both its readers know it."""

from __future__ import annotations


def named(option: str) -> str:
    """``until_sure (--until-sure)``: the name in Python, and that of the command."""
    return f"{option} (--{option.replace('_', '-')})"
