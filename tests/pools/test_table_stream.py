"""Contract: a table is streamed, whatever the length of its fields, and damage names its line."""

from __future__ import annotations

import csv
from itertools import islice
from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import UsageError
from evenhand.pools import stream_table


def test_the_first_rows_come_before_a_later_fault(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("text\n" + "fine\n" * 20_000 + "one,too many\n")
    rows = stream_table(path, ["text"])
    assert [row.values["text"] for row in islice(rows, 2)] == ["fine", "fine"]
    with pytest.raises(UsageError, match=r"row 20001 \(line 20002\): 2 fields"):
        list(rows)


def test_a_field_of_200_kb_and_the_limit_is_put_back(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("text\n" + "x" * 200_000 + "\n")
    before = csv.field_size_limit()
    assert [len(row.values["text"]) for row in stream_table(path, ["text"])] == [200_000]
    assert csv.field_size_limit() == before


def test_a_byte_that_is_not_utf8_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "latin.csv"
    path.write_bytes(b"text\nfine\ncaf\xe9 noir\n")
    with pytest.raises(UsageError, match="line 3: not UTF-8"):
        list(stream_table(path, ["text"]))


def test_parquet_comes_in_slices_with_row_numbers_that_go_on(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pl.DataFrame({"text": [str(k) for k in range(1, 25_001)]}).write_parquet(path)
    assert all(row.values["text"] == str(row.number) for row in stream_table(path, ["text"]))
    assert sum(1 for _ in stream_table(path, ["text"])) == 25_000


def test_json_lines_with_a_byte_order_mark(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_bytes(b'\xef\xbb\xbf{"text": "a"}\n\n{"text": 1}\n')
    assert [(r.place, r.values["text"]) for r in stream_table(path, ["text"])] == [
        ("row 1 (line 1)", "a"),
        ("row 2 (line 3)", "1"),
    ]
