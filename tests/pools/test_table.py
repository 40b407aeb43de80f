"""A user's table: every row stays a row, labels stay text, and every fault names file and row."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import UsageError
from evenhand.pools import Pool, TableSource, load_pool
from evenhand.tasks import Task, load_task


def task(first: str = "good", second: str = "bad") -> Task:
    return load_task("sentiment").model_copy(
        update={"name": "mine", "labels": (first, second), "listed": (first, second)}
    )


def load(path: Path, content: bytes | str, given: Task | None = None, **columns: str) -> Pool:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return load_pool(given or task(), table=TableSource(path, **columns))


ROWS = [("row:1", "one", "good"), ("row:2", "two", "bad"), ("row:3", "one", "good")]
AS_JSON = "".join(json.dumps({"text": t, "label": y, "n": 1}) + "\n" for _, t, y in ROWS)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("rows.csv", b"text,label\none,good\ntwo,bad\none,good\n"),
        ("bom.csv", b"\xef\xbb\xbftext,label\r\none,good\r\ntwo,bad\r\none,good\r\n"),
        ("semi.CSV", b"label;text\ngood;one\nbad;two\ngood;one"),
        ("tabs.csv", b"text\tlabel\none\tgood\ntwo\tbad\none\tgood\n"),
        ("utf16.csv", "text\tlabel\r\none\tgood\r\ntwo\tbad\r\none\tgood\r\n".encode("utf-16")),
        ("blank lines.csv", b'\ntext,label,\n"one",good,\n\n two ,bad ,x\n"one",good,'),
        ("rows.tsv", b"text\tlabel\none\tgood\ntwo\tbad\none\tgood\n"),
        ("rows.jsonl", AS_JSON.encode()),
        ("rows.ndjson", AS_JSON.encode()),
        ("rows.jsonl.gz", gzip.compress(AS_JSON.encode())),
    ],
)
def test_every_text_format_gives_the_same_rows(tmp_path: Path, name: str, content: bytes) -> None:
    pool = load(tmp_path / name, content)
    assert [(i.id, i.text, i.label) for i in pool.instances] == ROWS
    assert pool.name == name.replace(" ", "-")
    assert pool.provenance["eligible"] == "good: 2; bad: 1"


def test_parquet(tmp_path: Path) -> None:
    pl.DataFrame({"body": ["one", "two"], "stars": [1, 5]}).write_parquet(tmp_path / "r.parquet")
    pool = load_pool(task("1", "5"), table=TableSource(tmp_path / "r.parquet", "body", "stars"))
    assert [(i.text, i.label) for i in pool.instances] == [("one", "1"), ("two", "5")]


@pytest.mark.parametrize(
    ("content", "labels"),
    [
        ("text,label\na,NA\nb,1\n", ("NA", "1")),
        ("text,label\na,TRUE\nb,FALSE\n", ("TRUE", "FALSE")),
        ("text,label\na,01\nb,1.0\n", ("01", "1.0")),
        ("text,label\na,null\nb,None\n", ("null", "None")),
    ],
)
def test_labels_stay_text(tmp_path: Path, content: str, labels: tuple[str, str]) -> None:
    pool = load(tmp_path / "rows.csv", content, task(*labels))
    assert tuple(i.label for i in pool.instances) == labels


def test_json_labels_become_the_text_that_json_writes(tmp_path: Path) -> None:
    content = '{"text": "a", "label": true}\n{"text": "b", "label": 1}\n'
    pool = load(tmp_path / "rows.jsonl", content, task("true", "1"))
    assert [i.label for i in pool.instances] == ["true", "1"]


def test_quoted_line_breaks_are_folded_and_lines_still_counted(tmp_path: Path) -> None:
    good = 'text,label\n"first\nhalf, ""then"" rest",good\nb,bad\n'
    assert load(tmp_path / "a.csv", good).instances[0].text == 'first half, "then" rest'
    with pytest.raises(UsageError, match=r"'label' is 'worse' in row 3 \(line 5\), and task mine"):
        load(tmp_path / "b.csv", good + "c,worse\n", task("good", "bad"))


def test_ids_from_a_column(tmp_path: Path) -> None:
    content = "key,text,label\nk7,a,good\nk9,b,bad\n"
    assert [i.id for i in load(tmp_path / "a.csv", content, id_column="key").instances] == [
        "k7",
        "k9",
    ]
    with pytest.raises(UsageError, match=r"'key' is empty or not unique in row 1 .*, row 3"):
        load(tmp_path / "b.csv", content + "k7,c,bad\n", id_column="key")


FAULTS = [
    ("a.csv", "body,label\nx,good\n", r"no column 'text'; the columns there are: 'body', 'label'"),
    ("a.csv", "text,text,label\nx,y,good\n", "2 columns are called 'text'"),
    (
        "a.csv",
        "text,label\nx,good\n ,bad\n",
        r"'text' is empty, or shows nothing, in row 2 \(line 3\): fill in",
    ),
    ("a.csv", "text,label\nx,good\ny,\nz,bad\n", r"'label' is '' in row 2 \(line 3\)"),
    ("a.csv", "text,label\nx,good\ny,Bad\n", "'label' is 'Bad' in row 2"),
    (
        "a.csv",
        "text,label\nx,good\ny,bad\nz,so-so\n",
        r"'so-so' in row 3 \(line 4\), .* holds 3 labels, .* not supported",
    ),
    ("a.csv", "text,label\nx,good\ny,good\n", "no row of column 'label' is 'bad'"),
    ("a.csv", "text,label\nx,y,good\n", r"row 1 \(line 2\): 3 fields and the header has 2"),
    ("a.csv", 'text,label\nx,good\n"y,bad\n', "from line 3: not readable as CSV .* quote left"),
    ("a.csv", b"text,label\nx\xe9,good\n", "line 2: not UTF-8 text .* save it as CSV UTF-8"),
    ("a.csv", "text,label\nx,good\n\u200b\u202e,bad\n", r"shows nothing, in row 2 \(line 3\)"),
    ("a.csv", "", "is empty: the first line must name the columns"),
    ("a.csv", "text,label\n", "has no rows"),
    ("a.xlsx", "PK", r"cannot tell what kind of table .* \.csv, \.tsv"),
    ("a.jsonl", '{"text": "x"}\n', r"row 1 \(line 1\) of .*a.jsonl: no column 'label'"),
    ("a.jsonl", '{"text": ["x"], "label": "good"}\n', "column 'text' holds a list, not text"),
    ("a.jsonl", '{"text": null, "label": "good"}\n', "'text' is empty, or shows nothing, in row 1"),
    ("a.jsonl", "{\n", "line 1: not valid JSON"),
    ("a.parquet", "PAR1", "not a readable Parquet file"),
]


@pytest.mark.parametrize(("name", "content", "words"), FAULTS)
def test_faults(tmp_path: Path, name: str, content: str | bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        load(tmp_path / name, content)


def test_many_faulty_rows_are_counted(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"row 5 \(line 6\) and 3 more: fill in"):
        load(tmp_path / "a.csv", "text,label\n" + ",good\n" * 8)


def test_a_missing_table_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no table .*gone\.csv"):
        load_pool(task(), table=TableSource(tmp_path / "gone.csv"))
    with pytest.raises(UsageError, match="a data folder or a table, not both"):
        load_pool(task(), table=TableSource(tmp_path / "gone.csv"), data=tmp_path)


def test_a_sample_of_a_table(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    load(path, "text,label\na,good\nb,bad\nc,good\n")
    pool = load_pool(task(), table=TableSource(path), per_label=1)
    assert sorted(i.label for i in pool.instances) == ["bad", "good"]
    assert pool.name == "rows.csv-1"
    with pytest.raises(UsageError, match="has 1 instances of 'bad', fewer than 2 per label"):
        load_pool(task(), table=TableSource(path), per_label=2)
