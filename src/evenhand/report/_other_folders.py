"""Folders of ``evenhand count`` and ``evenhand audit``, which have a report of their own."""

from __future__ import annotations

from pathlib import Path

from evenhand.errors import UsageError
from evenhand.running import RunStore

_DATABASE = "run.db"
_COMMANDS = {"batches": "count", "orders": "audit"}
"""The kind of calls in a run folder, and the command that makes them."""


def refuse_other(path: Path) -> None:
    """Send a reader of a count or an audit to its own page.

    Args:
        path: A run folder, a folder of several, or anything else.

    Raises:
        UsageError: If ``path`` is the folder of a count or an audit, or one of the run folders in
            it.
    """
    inside = [path] if (path / _DATABASE).is_file() else sorted(
        found.parent for found in path.glob(f"*/{_DATABASE}")
    )  # fmt: skip
    if not inside:
        return
    with RunStore(inside[0]) as store:
        command = _COMMANDS.get(store.meta("kind"))
    if command is None:
        return
    page = inside[0].parent / "report.html"
    told = (
        f"open {page}, which the same evenhand {command} command writes anew"
        if page.is_file()
        else f"there is none yet: the same evenhand {command} command goes on and writes {page}"
    )
    raise UsageError(f"{path} is of evenhand {command}, which has a report of its own: {told}")
