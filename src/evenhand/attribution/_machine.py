"""How much main memory this process can have (Linux; elsewhere the system does not say)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path, PurePosixPath

_UNLIMITED = 1 << 60
"""Older control groups write no limit as a number near 2⁶³."""
_FILES = {
    True: ("memory.max", "memory.current", ("inactive_file", "active_file")),
    False: (
        "memory.limit_in_bytes",
        "memory.usage_in_bytes",
        ("total_inactive_file", "total_active_file"),
    ),
}
"""For the unified hierarchy and the older one: limit, use, and which part of it is file cache."""


def free_system_bytes(root: Path = Path("/")) -> int | None:
    """Main memory that this process can have in all, what it holds already included.

    The least of what the system has available and what every control group above the process
    leaves. Pages of files, among them weights that are mapped from theirs, can be given back at
    any time: they count as available, and not as held.

    Args:
        root: Of the file system.

    Returns:
        Bytes, or None where the system does not say.
    """
    found = [kilobytes * 1024 for kilobytes in _numbers(root / "proc/meminfo", "MemAvailable:")]
    found += _left_by_groups(root)
    if not found:
        return None
    return max(0, min(found)) + sum(_numbers(root / "proc/self/status", "RssAnon:")) * 1024


def held_bytes(root: Path = Path("/")) -> int:
    """Main memory in which this process lies now; 0 where the system does not say."""
    return sum(_numbers(root / "proc/self/status", "VmRSS:")) * 1024


def _left_by_groups(root: Path) -> Iterator[int]:
    for line in _lines(root / "proc/self/cgroup"):
        _, controllers, path = line.split(":", 2)
        unified = not controllers
        if not unified and "memory" not in controllers.split(","):
            continue
        base = root / "sys/fs/cgroup" / ("" if unified else "memory")
        limit_name, used_name, cached_names = _FILES[unified]
        # In a container the path may be the host's: then only the base is there.
        for group in (PurePosixPath(path), *PurePosixPath(path).parents):
            folder = base / str(group).lstrip("/")
            limit, used = _number(folder / limit_name), _number(folder / used_name)
            if limit is None or used is None or limit >= _UNLIMITED:
                continue
            cached = sum(sum(_numbers(folder / "memory.stat", name)) for name in cached_names)
            yield limit - used + cached


def _number(path: Path) -> int | None:
    lines = _lines(path)
    return int(lines[0]) if lines and lines[0].isdigit() else None


def _numbers(path: Path, name: str) -> list[int]:
    """The number behind a name, as a list of one or none."""
    words = [line.split() for line in _lines(path)]
    return [int(one[1]) for one in words if len(one) > 1 and one[0] == name and one[1].isdigit()]


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text("utf-8").splitlines()
    except (OSError, ValueError):
        return []
