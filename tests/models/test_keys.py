"""Keys come from the environment, else from ``.env``; masks leave nothing of them in a text."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.models._keys import find_key, redact, redact_message

KEY = "sk-or-v1-0123456789abcdef/+="


def test_the_environment_comes_before_the_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("FIRST_API_KEY=from-file\nSECOND_API_KEY='quoted'\n")
    names = ("FIRST_API_KEY", "SECOND_API_KEY")
    assert find_key(names, folder=tmp_path) == "from-file"
    monkeypatch.setenv("SECOND_API_KEY", "from-environment")
    assert find_key(names, folder=tmp_path) == "from-environment"
    monkeypatch.setenv("FIRST_API_KEY", "first")
    assert find_key(names, folder=tmp_path) == "first"


def test_reading_the_file_leaves_the_environment_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text('ONLY_API_KEY="a$b"\n')
    monkeypatch.chdir(tmp_path)
    before = dict(os.environ)
    assert find_key(["ONLY_API_KEY"]) == "a$b"
    assert dict(os.environ) == before


def test_an_empty_variable_is_no_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FIRST_API_KEY", "  ")
    assert find_key(["FIRST_API_KEY"], folder=tmp_path) is None
    assert find_key([], folder=tmp_path) is None


def test_a_file_with_a_byte_order_mark_holds_its_first_key(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("ONLY_API_KEY=found\n", "utf-8-sig")
    assert find_key(["ONLY_API_KEY"], folder=tmp_path) == "found"


def test_a_file_that_cannot_be_read_is_named_and_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_bytes(b"ONLY_API_KEY=secret-\xff\n")
    with pytest.raises(UsageError, match=r"cannot read .*\.env \(it is not UTF-8") as caught:
        find_key(["ONLY_API_KEY"], folder=tmp_path)
    assert "secret-" not in str(caught.value)
    assert find_key([], folder=tmp_path) is None
    monkeypatch.setenv("ONLY_API_KEY", "set")
    assert find_key(["ONLY_API_KEY"], folder=tmp_path) == "set"


def test_masks() -> None:
    assert redact(f"key {KEY} end", [KEY]) == "key [key] end"
    assert redact("u?k=sk-or-v1-0123456789abcdef%2F%2B%3D", [KEY]) == "u?k=[key]"
    assert redact("none of it", ["none"]) == "none of it"
    assert redact_message("Authorization: Bearer abcdefgh123", []) == "Authorization: Bearer [key]"
