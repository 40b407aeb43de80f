"""JSON Lines: gzip or plain, a byte order mark, and complaints that name file and line."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.pools._json_lines import json_lines, read_bytes

FILE = Path("rows.jsonl.gz")
CONTENT = b'{"a": 1}\n\n{"a": "\\u2028"}\r\n'
ROWS = [(1, {"a": 1}), (3, {"a": "\u2028"})]


@pytest.mark.parametrize("content", [CONTENT, gzip.compress(CONTENT), b"\xef\xbb\xbf" + CONTENT])
def test_rows_with_their_line_numbers(content: bytes) -> None:
    assert list(json_lines(content, FILE)) == ROWS


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert list(json_lines(b'{"a": "\\ud83d\\ude00"}', FILE)) == [(1, {"a": "\U0001f600"})]


def test_a_raw_line_separator_does_not_split_a_record() -> None:
    assert list(json_lines('{"a": "x\u2028y"}'.encode(), FILE)) == [(1, {"a": "x\u2028y"})]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (gzip.compress(CONTENT * 50)[:-9], "rows.jsonl.gz: the gzip file is damaged or cut off"),
        (gzip.compress(CONTENT)[:12] + b"\0" * 30, "damaged or cut off"),
        (b'{"a": 1}\n{"a": }\n', r"rows.jsonl.gz, line 2: not valid JSON \(.* at character 7\)"),
        (b'{"a": 1}\n[1]\n', "line 2: not a JSON object"),
        (b'{"a": "\xff"}', "line 1: not UTF-8 text"),
        (b'{"a": ' + b"1" * 5_000 + b"}", "line 1: JSON that cannot be read"),
        (b"\n" + b'{"a": ' * 100_000, "line 2: JSON that cannot be read"),
        (b'{"a": 1, "b": 2, "a": 3}', "line 1: two fields are called 'a'"),
        (b'{"a": "lone \\uD800"}', r"line 1: half a surrogate pair \(.ud800\)"),
        (b'{"\\udc00": 1}', r"line 1: half a surrogate pair \(.udc00\)"),
    ],
)
def test_damage_is_named(content: bytes, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        list(json_lines(content, FILE))


def test_an_unreadable_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"cannot read .*gone.jsonl: No such file"):
        read_bytes(tmp_path / "gone.jsonl")
