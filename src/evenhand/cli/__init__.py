"""The command line, thin: parse, call, print."""

from evenhand.cli._app import main

__all__ = ["main"]
