"""The ``evenhand`` command: one app, one error handler."""

from __future__ import annotations

import importlib
import sys

import typer

from evenhand.errors import EvenhandError

COMMAND_MODULES: tuple[str, ...] = (
    "_demo",
    "_plan",
    "_run",
    "_report",
    "_export",
    "_coverage",
    "_import",
    "_task",
    "_data",
    "_filter",
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
    )

    @app.callback()
    def root() -> None:
        """Does a language model count every record equally?"""

    for name in COMMAND_MODULES:
        importlib.import_module(f"evenhand.cli.{name}").register(app)
    return app


def main() -> None:
    """Run the command line; errors meant for the user are printed without a traceback."""
    try:
        build_app()()
    except EvenhandError as error:
        sys.stderr.write(f"evenhand: {error}\n")
        sys.exit(error.exit_code)
