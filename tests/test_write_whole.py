"""Contract: a file is written whole or not at all, and what stood there before survives a fault."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand._write_whole import write_whole
from evenhand.errors import UsageError


def full(partial: Path) -> None:
    partial.write_text("half")
    raise OSError(28, "No space left on device")


def full_in_polars_words(partial: Path) -> None:
    partial.write_text("half")
    raise pl.exceptions.ComputeError("Invalid thrift: transport error")


def test_a_file_and_its_folder_are_made(tmp_path: Path) -> None:
    target = tmp_path / "a" / "b" / "t.csv"
    write_whole(target, lambda partial: partial.write_text("whole"))
    assert [path.name for path in target.parent.iterdir()] == ["t.csv"]
    assert target.read_text() == "whole"


@pytest.mark.parametrize(
    ("write", "words"),
    [(full, "No space left on device"), (full_in_polars_words, "is the disk full")],
)
def test_a_fault_leaves_what_was_there(tmp_path: Path, write: object, words: str) -> None:
    target = tmp_path / "t.csv"
    target.write_text("before")
    with pytest.raises(UsageError, match=f"cannot write .*t.csv.*{words}"):
        write_whole(target, write)  # type: ignore[arg-type]
    assert [path.name for path in tmp_path.iterdir()] == ["t.csv"]
    assert target.read_text() == "before"
