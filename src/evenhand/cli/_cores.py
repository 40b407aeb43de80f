"""How many processes a command may use."""

from __future__ import annotations

import os
import sys


def cores() -> int:
    """The cores that this process may use."""
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
