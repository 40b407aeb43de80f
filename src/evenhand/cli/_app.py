"""The ``evenhand`` command: one app, one error handler."""

from __future__ import annotations

import contextlib
import importlib
import io
import os
import sqlite3
import sys
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, NoReturn, TextIO

import typer

from evenhand import __version__
from evenhand.errors import EvenhandError, UsageError

COMMAND_MODULES: tuple[str, ...] = (
    "_demo",
    "_plan",
    "_run",
    "_report",
    "_export",
    "_coverage",
    "_attribute",
    "_import",
    "_task",
    "_data",
    "_filter",
    "_audit",
    "_count",
    "_models",
    "_reference",
)
"""Modules of ``evenhand.cli`` in the order of the help page. Each has ``register(app)``, which adds
its command, and imports anything heavy inside the command's function."""


def build_app() -> typer.Typer:
    """The Typer app with every command."""
    app = typer.Typer(
        name="evenhand",
        help="Does a language model count every record equally?",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        add_completion=False,
        context_settings={"help_option_names": ["--help", "-h"]},
    )

    @app.callback()
    def root(
        version: Annotated[
            bool,
            typer.Option(
                "--version", help="Show the version and exit.", callback=_version, is_eager=True
            ),
        ] = False,
    ) -> None:
        """Does a language model count every record equally?"""

    for name in COMMAND_MODULES:
        importlib.import_module(f"evenhand.cli.{name}").register(app)
    return app


def _version(wanted: bool) -> None:
    if wanted:
        sys.stdout.write(f"evenhand {__version__}\n")
        raise typer.Exit


def main() -> None:
    """Run the command line; errors meant for the user are printed without a traceback."""
    _make_writable()
    try:
        _refuse_empty(sys.argv[1:])
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            build_app()(prog_name="evenhand")
    except EvenhandError as error:
        _stop(str(error), error.exit_code)
    except OSError as error:
        # Whatever could be blamed on one file has become an EvenhandError where it was known.
        where = f" ({error.filename})" if error.filename else ""
        _stop(f"{error.strerror or error}{where}: make room or change the place, and try again", 1)
    except sqlite3.Error as error:
        _stop(
            f"a folder's store (run.db, attribution.db) cannot be read or written ({error}): if "
            "there is room on the disk, the file is damaged: move the folder away and run again",
            1,
        )
    except MemoryError:
        _stop("out of memory: ask for a smaller plan or pool", 1)


def _make_writable() -> None:
    """A closed output swallows what is written; a terminal that lacks a letter shows its code."""
    if sys.stdout is None:
        sys.stdout = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")


def _refuse_empty(words: Sequence[str]) -> None:
    """An empty value is a shell variable without one; as a folder it would mean the working one."""
    for at, word in enumerate(words):
        option, equals, value = word.partition("=")
        empty = option.startswith("--") and equals and not value
        if empty or not word:
            named = option if empty else next((w for w in reversed(words[:at]) if w), "")
            after = f" after {named}" if named else ""
            raise UsageError(f"an empty value{after}: is a shell variable unset?")


def _warn(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """A warning as a person reads it, without the place in the code that gave it."""
    sys.stderr.write(f"evenhand: warning: {message}\n")


def _stop(message: str, code: int) -> NoReturn:
    with contextlib.suppress(OSError):
        sys.stderr.write(f"evenhand: {message}\n")
    with contextlib.suppress(OSError):
        sys.stdout.flush()
    sys.exit(code)
