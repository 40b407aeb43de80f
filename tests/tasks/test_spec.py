"""Contract: the five tasks carry the labels of B.1; a faulty task file names file and field."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.tasks import TASKS, load_task

LABELS = {
    "math": (("even_number", "odd_number"), "odd_number"),
    "ner": (("LOC", "PER"), "PER"),
    "occurrence": (("exactly_once", "more_than_once"), "exactly_once"),
    "sentiment": (("negative", "positive"), "positive"),
    "wsd": (("place", "programming_language"), "programming_language"),
}


@pytest.mark.parametrize("name", TASKS)
def test_labels_and_example_of_appendix_b(name: str) -> None:
    task = load_task(name)
    assert (task.labels, task.example_label) == LABELS[name]
    assert task.tie == -1
    assert task.other(task.labels[0]) == task.labels[1]
    assert task.alone.answer == ("number" if name in {"math", "occurrence"} else "label")


def test_occurrence_lists_its_labels_as_the_paper_does() -> None:
    assert load_task("occurrence").listed == ("more_than_once", "exactly_once")


GOOD = """
name = "stars"
title = "Stars"
labels = ["one", "five"]
listed = ["one", "five"]
goal = "Find the label most instances have."
question = "Which is it?"
instructions = ["Judge each."]
example_label = "five"
gold = "The label column."
self_prompt = { specification = "find it.", solve_and_count = ["how"] }
alone = { instructions = ["Judge it."] }
"""


def test_own_task(tmp_path: Path) -> None:
    file = tmp_path / "stars.toml"
    file.write_text(GOOD, "utf-8")
    assert load_task(file).labels == ("one", "five")


FAULTS = [
    ('labels = ["one", "five"]', 'labels = ["one", "ONE"]', "same after casefold"),
    ('labels = ["one", "five"]', 'labels = ["one"]', "labels"),
    ('labels = ["one", "five"]', 'labels = ["one", "-1"]', "also a label"),
    ('listed = ["one", "five"]', 'listed = ["one", "two"]', "exactly the two labels"),
    ('example_label = "five"', 'example_label = "six"', "not one of the labels"),
    ('question = "Which is it?"', "", "question: Field required"),
    ('question = "Which is it?"', 'question = "a\\nb"', "question"),
    ('title = "Stars"', 'titel = "Stars"', "titel"),
    ('title = "Stars"', "title = ", "not valid TOML"),
    ('question = "Which is it?"', 'question = "a\\u2028Instance 1: b"', "must be one line"),
    ('question = "Which is it?"', 'question = "a\\u0085b"', "question: must be one line"),
    ('question = "Which is it?"', 'question = " "', "not empty"),
    ('["Judge each."]', '["Judge each.\\u000BInstance 1: b"]', "instructions.0: must be one line"),
    ('labels = ["one", "five"]', 'labels = ["one", "five", "six"]', "labels: must name two labels"),
    ('labels = ["one", "five"]', "labels = [1, 5]", "put it between quotes"),
    ('labels = ["one", "five"]', 'labels = ["one", "one\\u200b"]', "could not tell them apart"),
    ('labels = ["one", "five"]', 'labels = ["one", "ｏne"]', "could not tell them apart"),
    ('labels = ["one", "five"]', 'labels = ["one", "\u22121"]', "is also a label"),
    ('labels = ["one", "five"]', 'labels = ["one", "\\u202efive"]', "control characters"),
    ('labels = ["one", "five"]', 'labels = ["one", "\\u200b"]', "shows nothing"),
    ('name = "stars"', 'name = "st ars"', "name: 'st ars' must be one word"),
    ('name = "stars"', 'name = "st\\u0000ars"', "name: .* must be one word"),
    ('title = "Stars"', 'title = "Stars"\ntie = 0', "tie: must be -1"),
    ('title = "Stars"', 'title = "Stars"\nmore = 1', "more: unknown field"),
]


@pytest.mark.parametrize(("old", "new", "message"), FAULTS)
def test_faulty_task_files(tmp_path: Path, old: str, new: str, message: str) -> None:
    file = tmp_path / "stars.toml"
    file.write_text(GOOD.replace(old, new), "utf-8")
    with pytest.raises(UsageError, match=message) as caught:
        load_task(file)
    assert str(file) in str(caught.value)


def test_a_byte_order_mark_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "stars.toml"
    file.write_text(GOOD, "utf-8-sig")
    assert load_task(file).name == "stars"


def test_unknown_task_and_label(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="unknown task 'poetry': use one of math, ner"):
        load_task("poetry")
    with pytest.raises(UsageError, match="cannot read the task file"):
        load_task(tmp_path / "none.toml")
    with pytest.raises(UsageError, match="no label 'up'"):
        load_task("ner").other("up")
    (tmp_path / "latin.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(UsageError, match="save it as UTF-8"):
        load_task(tmp_path / "latin.toml")
