"""A set is read alike from JSON Lines and the Hub's Parquet; faults name file and row."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Sequence
from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import UsageError
from evenhand.pools._folder import read_upstream
from evenhand.pools._upstream import UPSTREAM

MATH = UPSTREAM["math"]
NER = UPSTREAM["ner"]
TRAIN = {"question": "How many?", "answer": "#### 3"}
TEST = {"question": "How few?", "answer": "#### 4"}


def write_lines(path: Path, records: Sequence[object]) -> None:
    text = "".join(json.dumps(record) + "\n" for record in records)
    path.write_bytes(gzip.compress(text.encode()))


def write_parquet(path: Path, records: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pl.DataFrame(records).write_parquet(path)


def test_json_lines(tmp_path: Path) -> None:
    rows = [
        {"split": "test", "row": 5, **TEST},
        {"split": "train", "row": 0, **TRAIN},
        {"split": "other", "row": 0, **TRAIN},
    ]
    write_lines(tmp_path / MATH.file, rows)
    read = read_upstream(MATH, tmp_path)
    assert [(row.split, row.row, dict(row.values)) for row in read.rows] == [
        ("test", 5, TEST),
        ("train", 0, TRAIN),
    ]
    assert list(read.files) == ["gsm8k.jsonl.gz"]


@pytest.mark.parametrize("root", ["gsm8k", "openai/gsm8k"])
def test_hub_parquet(tmp_path: Path, root: str) -> None:
    folder = tmp_path / root / "main"
    write_parquet(folder / "train-00000-of-00002.parquet", [dict(TRAIN)])
    write_parquet(folder / "train-00001-of-00002.parquet", [dict(TEST), dict(TRAIN)])
    write_parquet(folder / "test-00000-of-00001.parquet", [dict(TEST)])
    read = read_upstream(MATH, tmp_path)
    assert [(row.split, row.row, row.values["question"]) for row in read.rows] == [
        ("train", 0, "How many?"),
        ("train", 1, "How few?"),
        ("train", 2, "How many?"),
        ("test", 0, "How few?"),
    ]
    assert read.form == "Parquet of openai/gsm8k"


def test_class_numbers_become_tags_and_splits_get_upstream_names(tmp_path: Path) -> None:
    record: dict[str, object] = {"tokens": ["Ada", "left"], "ner_tags": [1, 0], "langs": ["en"] * 2}
    for split in ("train", "validation", "test"):
        write_parquet(tmp_path / "wikiann_en" / "en" / f"{split}-00000-of-00001.parquet", [record])
    read = read_upstream(NER, tmp_path)
    assert [row.split for row in read.rows] == ["train", "dev", "test"]
    assert read.rows[1].values == {"tokens": ["Ada", "left"], "ner_tags": ["B-PER", "O"]}


def test_a_missing_folder_and_a_missing_set_are_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no data folder .*nowhere"):
        read_upstream(MATH, tmp_path / "nowhere")
    with pytest.raises(UsageError, match=r"does not hold GSM8K.*`evenhand data fetch math`"):
        read_upstream(MATH, tmp_path)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ({"split": "train", "row": 0, "question": "x"}, "line 2: no column 'answer'; the columns"),
        ({"split": "train", "row": 0, "question": 3, "answer": "x"}, "must be text, not int"),
        ({"split": "train", "row": None, **TRAIN}, "'row' must be a whole number, not null"),
        ({"split": "train", "row": "0", **TRAIN}, "'row' must be a whole number, not str"),
        ({"split": "train", "row": 0, **TEST}, "line 2: row 0 of split train is there twice"),
    ],
)
def test_wrong_columns_are_named(tmp_path: Path, record: object, words: str) -> None:
    write_lines(tmp_path / MATH.file, [{"split": "train", "row": 0, **TRAIN}, record])
    with pytest.raises(UsageError, match=words):
        read_upstream(MATH, tmp_path)


def test_faults_in_parquet_are_named(tmp_path: Path) -> None:
    folder = tmp_path / "gsm8k" / "main"
    write_parquet(folder / "train-00000-of-00002.parquet", [dict(TRAIN)])
    with pytest.raises(UsageError, match="has 1 of the 2 files of split train"):
        read_upstream(MATH, tmp_path)
    write_parquet(folder / "train-00001-of-00002.parquet", [{"question": "x"}])
    with pytest.raises(UsageError, match="no column 'answer'; the columns there are: question"):
        read_upstream(MATH, tmp_path)
    write_parquet(folder / "train-00001-of-00002.parquet", [dict(TRAIN)])
    with pytest.raises(UsageError, match=re.escape("has no test-*.parquet")):
        read_upstream(MATH, tmp_path)
    (folder / "test-00000-of-00001.parquet").write_bytes(b"PAR1 cut")
    with pytest.raises(UsageError, match="not a readable Parquet file"):
        read_upstream(MATH, tmp_path)


@pytest.mark.parametrize("tags", [[9, 0], [None, 0], ["B-PER", "O"]])
def test_unknown_class_numbers_are_refused(tmp_path: Path, tags: list[object]) -> None:
    folder = tmp_path / "wikiann" / "en"
    write_parquet(folder / "train.parquet", [{"tokens": ["Ada", "left"], "ner_tags": tags}])
    with pytest.raises(UsageError, match="row 0: column 'ner_tags' must be a list of numbers"):
        read_upstream(NER, tmp_path)
