"""From rows to a pool: duplicates once, texts with both labels out, every row accounted for."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.pools._build import upstream_pool
from evenhand.pools._upstream import UPSTREAM, Split

PHRASES = [
    ("train", 0, "so dull ", 0),
    ("train", 1, "so bright", 1),
    ("train", 2, "so dull", 0),
    ("train", 3, "so so", 0),
    ("train", 4, "so so", 1),
    ("train", 5, " \u2028 ", 1),
    ("train", 6, "no mark", None),
    ("train", 7, "a plain\nbore", 0),
    ("dev", 0, "a whole sentence .", 1),
]
TOY = replace(UPSTREAM["sentiment"], splits=(Split("train", 8, "train"),), per_label=2)


def folder_with_phrases(folder: Path) -> Path:
    lines = (
        json.dumps({"split": split, "row": row, "sentence": text, "label": label}) + "\n"
        for split, row, text, label in PHRASES
    )
    (folder / TOY.file).write_bytes(gzip.compress("".join(lines).encode()))
    return folder


def test_the_pool_and_its_accounts(tmp_path: Path) -> None:
    pool = upstream_pool(TOY, folder_with_phrases(tmp_path))
    assert (pool.task, pool.name) == ("sentiment", "sst2")
    assert {(i.id, i.text, i.label) for i in pool.instances} == {
        ("train:0", "so dull", "negative"),
        ("train:1", "so bright", "positive"),
        ("train:7", "a plain bore", "negative"),
    }
    assert pool.provenance["rows"] == "train 8"
    assert pool.provenance["eligible"] == "negative: 2; positive: 1"
    assert pool.provenance["left_out"] == (
        "empty text: 1; no label: 1; duplicate text: 1; text with both labels: 2"
    )
    assert "sst2_glue.jsonl.gz (SHA-256 " in pool.provenance["files"]


def test_size_shows_in_the_name(tmp_path: Path) -> None:
    folder = folder_with_phrases(tmp_path)
    assert upstream_pool(TOY, folder, "all").name == "sst2-all"
    one_each = upstream_pool(TOY, folder, 1)
    assert (one_each.name, len(one_each.instances)) == ("sst2-1", 2)


def test_more_than_there_is_or_none_is_refused(tmp_path: Path) -> None:
    folder = folder_with_phrases(tmp_path)
    with pytest.raises(UsageError, match="has 1 eligible instances of 'positive', fewer than 2"):
        upstream_pool(TOY, folder, 2)
    with pytest.raises(UsageError, match="choose at least 1"):
        upstream_pool(TOY, folder, 0)


def test_row_counts_other_than_published_are_said(tmp_path: Path) -> None:
    published = replace(TOY, splits=(Split("train", 9, "train"),))
    with pytest.warns(UserWarning, match="has 8 rows in split train, not the 9 that were"):
        pool = upstream_pool(published, folder_with_phrases(tmp_path))
    assert pool.provenance["rows"] == "train 8 (published: 9)"
