"""Contract: the memory that a process can have is the least of what the system and its control
groups leave, with its own share; pages of files count as available."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.attribution._machine import free_system_bytes, held_bytes

GIB = 1 << 30


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A system with 8 GiB available, of which this process holds 1 GiB besides."""
    write(tmp_path / "proc/meminfo", f"MemTotal: 1 kB\nMemAvailable: {8 * GIB // 1024} kB\n")
    write(
        tmp_path / "proc/self/status", f"VmRSS: {3 * GIB // 1024} kB\nRssAnon: {GIB // 1024} kB\n"
    )
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "ascii")


def group(folder: Path, limit: str, used: int, cached: int) -> None:
    write(folder / "memory.max", f"{limit}\n")
    write(folder / "memory.current", f"{used}\n")
    write(folder / "memory.stat", f"anon 5\ninactive_file {cached}\nactive_file 0\n")


def test_without_groups_the_system_speaks(root: Path) -> None:
    assert free_system_bytes(root) == 9 * GIB
    assert held_bytes(root) == 3 * GIB


def test_the_narrowest_group_above_the_process_counts(root: Path) -> None:
    write(root / "proc/self/cgroup", "0::/a/b\n")
    group(root / "sys/fs/cgroup/a/b", "max", 0, 0)
    group(root / "sys/fs/cgroup/a", str(4 * GIB), 3 * GIB, 2 * GIB)
    # 4 GiB, of which 3 are used, 2 of those for files: 3 GiB are left, and 1 is held.
    assert free_system_bytes(root) == 4 * GIB


def test_within_a_container_the_base_is_the_group(root: Path) -> None:
    write(root / "proc/self/cgroup", "0::/of/the/host\n")
    group(root / "sys/fs/cgroup", str(2 * GIB), GIB, 0)
    assert free_system_bytes(root) == 2 * GIB


def test_the_older_hierarchy(root: Path) -> None:
    write(root / "proc/self/cgroup", "5:devices:/\n4:cpu,memory:/job\n0::/\n")
    folder = root / "sys/fs/cgroup/memory/job"
    write(folder / "memory.limit_in_bytes", f"{5 * GIB}\n")
    write(folder / "memory.usage_in_bytes", f"{3 * GIB}\n")
    write(folder / "memory.stat", f"total_inactive_file {GIB}\ntotal_active_file 0\n")
    assert free_system_bytes(root) == 4 * GIB
    write(folder / "memory.limit_in_bytes", "9223372036854771712\n")
    assert free_system_bytes(root) == 9 * GIB


def test_where_the_system_does_not_say(tmp_path: Path) -> None:
    assert free_system_bytes(tmp_path) is None
    assert held_bytes(tmp_path) == 0
