"""A pool file gives back the pool that was written, and only to the task that it belongs to."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest

from evenhand.errors import UsageError
from evenhand.pools import Instance, Pool, TableSource, load_pool, pool_path, read_pool, write_pool
from evenhand.tasks import load_task

MATH = load_task("math")
POOL = Pool(
    task="math",
    name="gsm8k-filtered",
    instances=(
        Instance("test:9", "How few?", "even_number", 1_200),
        Instance("train:1", "Naïve?", "odd_number", -3),
    ),
    provenance={"filter": "two models", "rows": "2"},
)


def test_round_trip(tmp_path: Path) -> None:
    path = pool_path(tmp_path / "new", "math")
    write_pool(POOL, path)
    assert read_pool(path, MATH) == POOL
    assert load_pool(MATH, data=tmp_path / "new") == POOL
    assert load_pool(MATH, table=TableSource(path)) == POOL
    assert [entry.name for entry in path.parent.iterdir()] == ["math.pool.parquet"]


def test_equal_pools_are_equal_files(tmp_path: Path) -> None:
    turned = Pool(POOL.task, POOL.name, POOL.instances[::-1], POOL.provenance)
    write_pool(POOL, tmp_path / "a.parquet")
    write_pool(turned, tmp_path / "b.parquet")
    assert (tmp_path / "a.parquet").read_bytes() == (tmp_path / "b.parquet").read_bytes()


def test_a_filtered_pool_can_be_sampled_too(tmp_path: Path) -> None:
    write_pool(POOL, pool_path(tmp_path, "math"))
    assert load_pool(MATH, data=tmp_path, per_label=1).name == "gsm8k-filtered-1"
    with pytest.raises(UsageError, match="fewer than 2 per label"):
        load_pool(MATH, data=tmp_path, per_label=2)


def test_another_task_is_refused(tmp_path: Path) -> None:
    write_pool(POOL, tmp_path / "math.parquet")
    with pytest.raises(UsageError, match="is a pool of task math, not of task ner"):
        read_pool(tmp_path / "math.parquet", load_task("ner"))
    other = MATH.model_copy(update={"labels": ("even_number", "uneven")})
    with pytest.raises(UsageError, match="holds the label 'odd_number' and task math knows"):
        read_pool(tmp_path / "math.parquet", other)


def test_a_common_table_is_not_a_pool_file(tmp_path: Path) -> None:
    pl.DataFrame({"text": ["x"]}).write_parquet(tmp_path / "rows.parquet")
    with pytest.raises(UsageError, match="is not a pool that `evenhand filter` wrote"):
        read_pool(tmp_path / "rows.parquet", MATH)


def test_a_common_table_in_a_pool_file_s_place_is_refused(tmp_path: Path) -> None:
    rows = {"text": ["x", "y"], "label": ["even_number", "odd_number"]}
    pl.DataFrame(rows).write_parquet(pool_path(tmp_path, "math"))
    with pytest.raises(UsageError, match=r"is not a pool .*: give your own table as --pool"):
        load_pool(MATH, data=tmp_path)


HEADER = '{"task": "math", "name": "x", "provenance": {}}'
ROWS = {"id": ["a", "b"], "text": ["x", "y"], "label": ["even_number"] * 2, "answer": [2, 4]}
DAMAGED = [
    ("{", ROWS, "is damaged: run `evenhand filter` again"),
    ('{"task": "math"}', ROWS, "is damaged"),
    ('{"task": "math", "name": 3, "provenance": []}', ROWS, "is damaged"),
    (HEADER, {**ROWS, "answer": ["two", "four"]}, "is damaged"),
    (HEADER, {"id": ["a"], "text": ["x"]}, "is damaged"),
    (HEADER, {**ROWS, "text": ["x", None]}, "has no text in some rows"),
    (HEADER, {**ROWS, "id": ["a", "a"]}, "holds an id twice"),
]


@pytest.mark.parametrize(("header", "rows", "words"), DAMAGED)
def test_a_damaged_pool_file_is_named(
    tmp_path: Path, header: str, rows: dict[str, list[object]], words: str
) -> None:
    path = tmp_path / "math.pool.parquet"
    pl.DataFrame(rows).write_parquet(path, metadata={"evenhand.pool": header})
    with pytest.raises(UsageError, match=f"math.pool.parquet {words}"):
        read_pool(path, MATH)


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write "):
        write_pool(POOL, tmp_path / "file" / "math.pool.parquet")
