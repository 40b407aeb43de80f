"""Contract: a disk that fills up leaves every older file of a report as it was, leaves no half
file, and the message names the file."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl
import pytest
from tests.report.conftest import simulated
from tests.report.test_coverage import loaded, row

from evenhand.errors import UsageError
from evenhand.report import Column, Table, build_page, write_coverage, write_page
from evenhand.report._catalogue import Material
from evenhand.report._exhibits import write_exhibits
from evenhand.report._export import write_figure, write_table
from evenhand.report.figures._patterns import majority_position

ROOM = 1_000
"""Bytes that a file may have; every file written here would be larger."""
MANY = pl.DataFrame({"number": range(10_000)})


@contextmanager
def hardly_any_room() -> Iterator[None]:
    import resource

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def page(folder: Path) -> object:
    return write_page(build_page(simulated()), folder)


def manifest(folder: Path) -> object:
    from evenhand.report._catalogue import EXHIBITS

    return write_exhibits({exhibit.name: [] for exhibit in EXHIBITS}, folder)


def table(folder: Path) -> object:
    return write_table("t", MANY, Table("T", (Column("N"),), ()), folder)


def figure(folder: Path) -> object:
    return write_figure("f", majority_position(Material(simulated()).main), folder)


def coverage(folder: Path) -> object:
    return write_coverage(loaded([row(str(at)) for at in range(30)]), folder, {})


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on a file's size")
@pytest.mark.parametrize(
    ("write", "name"),
    [
        (page, "report.html"),
        (manifest, "manifest.json"),
        (table, "t.csv"),
        (figure, "f.svg"),
        (coverage, "coverage.parquet"),
    ],
)
def test_what_stood_there_is_kept(
    write: Callable[[Path], object], name: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text("before")
    with hardly_any_room(), pytest.raises(UsageError, match=f"cannot write .*{name}"):
        write(tmp_path)
    assert (tmp_path / name).read_text() == "before"
    assert [path.name for path in tmp_path.iterdir() if path.suffix == ".part"] == []
