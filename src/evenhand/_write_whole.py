"""Files that are written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path

from evenhand.errors import UsageError


def write_text_whole(target: Path, text: str) -> None:
    """Write UTF-8 text with plain line feeds, whole or not at all.

    Args:
        target: Where the file is to be; its folder is made.
        text: What it holds.

    Raises:
        UsageError: If that cannot be done; names ``target``.
    """
    write_whole(target, lambda path: path.write_text(text, encoding="utf-8", newline="\n"))


def write_whole(target: Path, write: Callable[[Path], object]) -> None:
    """Have ``write`` write a file beside ``target``, then put it in its place.

    A full disk or a kill leaves what stood at ``target`` before, and no half file of that name.

    Args:
        target: Where the file is to be; its folder is made.
        write: Writes the file at the path that it is given.

    Raises:
        UsageError: If that cannot be done; names ``target``.
    """
    import polars as pl

    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        write(partial)
        partial.replace(target)
    except OSError as error:
        raise UsageError(f"cannot write {target}: {error.strerror or error}") from error
    except pl.exceptions.PolarsError as error:
        # Polars does not say that a disk is full: its writers fail in words of their own.
        raise UsageError(f"cannot write {target} ({error}): is the disk full?") from error
    finally:
        with contextlib.suppress(OSError):
            partial.unlink(missing_ok=True)
