"""Where downloaded and derived files live."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def cache_dir() -> Path:
    """The user's cache folder for evenhand, which may not exist yet.

    ``EVENHAND_CACHE`` if set, else the platform's own place: ``$XDG_CACHE_HOME`` or ``~/.cache``
    on Linux, ``~/Library/Caches`` on macOS, ``%LOCALAPPDATA%`` on Windows.
    """
    chosen = os.environ.get("EVENHAND_CACHE")
    if chosen:
        return Path(chosen).expanduser().absolute()
    if sys.platform == "darwin":
        base = Path.home() / "Library" / "Caches"
    elif sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local")
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return base / "evenhand"
