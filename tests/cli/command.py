"""The command line, run in this process."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

from evenhand.cli import main

Cli = Callable[..., tuple[int, str, str]]
"""Runs a command: exit code, stdout, stderr."""


def evenhand(*words: str | Path) -> int:
    """Run ``evenhand`` with these words.

    Returns:
        The exit code.
    """
    with mock.patch.object(sys, "argv", ["evenhand", *map(str, words)]):
        try:
            main()
        except SystemExit as stop:
            return int(stop.code or 0)
    return 0
