"""Contract: records come from every kind of list and frame, each once and in order; a row that
cannot be told from another, or shows nothing, is said and never guessed at."""

from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from evenhand.counting import open_records
from evenhand.errors import UsageError

TEXTS = ["good, very", "bad", "good"]


@pytest.mark.parametrize(
    "records",
    [
        tuple(TEXTS),
        np.array(TEXTS),
        pl.Series(TEXTS),
    ],
)
def test_texts_in_a_row(records: Any) -> None:
    rows = open_records(records)
    assert [rows.text(place) for place in range(len(rows))] == TEXTS
    assert rows.id(2) == "row:3"


def test_a_pandas_column_and_frame() -> None:
    pandas = pytest.importorskip("pandas")
    # Labels of pandas rows are not row numbers: they are not used.
    frame = pandas.DataFrame({"body": TEXTS, "n": [1, None, 3]}, index=[9, 9, 9])
    rows = open_records(frame["body"])
    assert rows.digest == open_records(frame, text="body").digest == open_records(TEXTS).digest
    numbers = open_records(frame, text="n")
    assert [numbers.text(place) for place in range(3)] == ["1.0", "", "3.0"]
    twice = pandas.DataFrame([["good", "bad"]], columns=["body", "body"])
    with pytest.raises(UsageError, match="the frame has 2 columns 'body': rename them"):
        open_records(twice, text="body")


def test_a_lazy_frame_and_other_kinds_of_columns() -> None:
    frame = pl.DataFrame({"body": pl.Series(TEXTS, dtype=pl.Categorical), "n": [1, 2, 3]})
    assert open_records(frame.lazy(), text="body").digest == open_records(TEXTS).digest
    assert open_records(frame, text="n").text(1) == "2"


@pytest.mark.parametrize(
    ("records", "words"),
    [
        (pl.DataFrame({"t": [["a"]]}), "row 1: column 't' holds a Series, not text"),
        (pl.DataFrame({"t": [datetime.date(2020, 1, 1)]}), "row 1: column 't' holds a date"),
        (b"good", "records are a bytes"),
        ({"t": TEXTS}, "records are a dict"),
        ((text for text in TEXTS), "records are a generator"),
        (None, "records are a NoneType"),
    ],
)
def test_what_holds_no_texts(records: object, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        open_records(records, text="t")


@pytest.mark.parametrize(
    ("ids", "words"),
    [
        (["a", "b", "a"], "rows.csv: row 1 (line 2) and row 3 (line 4) have the same id 'a': give"),
        (["a", " ", "b"], "rows.csv: row 2 (line 3) has no id: fill it in, or name no id column"),
    ],
)
def test_ids_that_name_no_row(ids: list[str], words: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("body,key\n" + "".join(f"x,{id_}\n" for id_ in ids))
    with pytest.raises(UsageError) as caught:
        open_records(path, text="body", id_column="key")
    assert words in str(caught.value)


def test_rows_that_cannot_be_asked_about() -> None:
    rows = open_records(["a", "", " \n", "\u200b\x00", "\ud800b", "b\x00"])
    assert rows.unusable == {
        1: "the text is empty",
        2: "the text is empty",
        3: "the text shows nothing",
        4: "the text holds half of a surrogate pair, which cannot be sent",
    }
    assert rows.usable().tolist() == [0, 5]
