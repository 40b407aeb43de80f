"""The command line, thin: parse, call, print."""

from __future__ import annotations

import sys

STOPPED = 130
"""Exit code after Ctrl-C, as shells have it."""


def main() -> None:
    """Run the command line, with a plain end when Ctrl-C is pressed, however early.

    Nothing is imported before this function watches, since most of a short command is imports.
    """
    try:
        from evenhand.cli._app import main as run

        run()
    except KeyboardInterrupt:
        _say_stopped()
        sys.exit(STOPPED)
    except SystemExit as end:
        # Typer ends a command that is under way by itself, and says nothing.
        if end.code == STOPPED:
            _say_stopped()
        raise


def _say_stopped() -> None:
    if sys.stderr is not None:
        sys.stderr.write("evenhand: stopped\n")


__all__ = ["main"]
