"""Every error that a user is meant to read.

A message says what is wrong, where (file, row, name), and what to do next. The command line
prints the message alone, without a traceback, and exits with ``exit_code``.
"""

from __future__ import annotations


class EvenhandError(Exception):
    """Something went wrong that the user can act on (exit code 1: failed)."""

    exit_code = 1


class UsageError(EvenhandError):
    """The request or its input is wrong (exit code 2): a name, a number, a file, a row."""

    exit_code = 2
