"""A new task file loads as it is, whatever the labels, and faults are named."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.tasks import load_task, new_task


@pytest.mark.parametrize("labels", [("refund", "other"), ("1", "5"), ('say"so\\', "né")])
def test_the_file_is_a_task(tmp_path: Path, labels: tuple[str, str]) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(new_task("mine", labels, path.name), encoding="utf-8")
    task = load_task(path)
    assert (task.name, task.labels, task.alone.answer) == ("mine", labels, "label")


@pytest.mark.parametrize(
    ("name", "labels", "words"),
    [
        ("two words", ("a", "b"), "task two words: name: 'two words' must be one word"),
        ("mine", ("a b", "c"), "labels.0"),
        ("mine", ("A", "a"), "are the same after casefold"),
        ("mine", ("-1", "1"), "the tie answer -1 is also a label"),
    ],
)
def test_faults(name: str, labels: tuple[str, str], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        new_task(name, labels, "mine.toml")
