"""Saying what is pending in the runs that a command was given."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from evenhand.results import Waiting

PENDING = 3
"""Exit code of a command that did its work on runs with experiments that are pending."""


def pending_as_json(found: Sequence[Waiting]) -> dict[str, int]:
    """Run folder to the number of its experiments that are pending, of runs that have any."""
    return {str(one.run): one.pending for one in found}


def end_pending(found: Sequence[Waiting]) -> None:
    """Tell of each run on stderr and end with exit code 3; nothing where none is pending.

    Call it last: whatever the command writes is written all the same.
    """
    sys.stderr.write("".join(f"{one.told()}\n" for one in found))
    if found:
        raise typer.Exit(PENDING)
