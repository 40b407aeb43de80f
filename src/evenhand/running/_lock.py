"""One writer a run folder."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from evenhand.errors import UsageError

LOCK_NAME = "run.lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Make the folder and hold its lock; the system frees it however the process ends.

    Raises:
        UsageError: If another process holds it, or the folder cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder / LOCK_NAME, os.O_RDWR | os.O_CREAT, 0o644)
    except OSError as error:
        raise UsageError(f"cannot use {folder} as a run folder: {error.strerror}") from error
    try:
        if not _try_lock(handle):
            owner = os.read(handle, 32).decode("ascii", "replace").strip()
            raise UsageError(
                f"{folder} is in use by another evenhand process"
                + (f" (process {owner})" if owner else "")
                + ": wait until it ends, or choose another --out"
            )
        os.ftruncate(handle, 0)
        os.write(handle, f"{os.getpid()}\n".encode())
        yield
    finally:
        os.close(handle)


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30

    def _try_lock(handle: int) -> bool:
        """Lock one byte far behind the content, so that others can still read the owner."""
        os.lseek(handle, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            os.lseek(handle, 0, os.SEEK_SET)
        return True

else:
    import fcntl

    def _try_lock(handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
