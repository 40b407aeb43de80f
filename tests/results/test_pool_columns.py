"""Contract: ``pool``, ``pool_source`` and ``pool_filter`` say where the instances of a row came
from, whatever kind of pool a run drew from."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
from tests.running.fakes import FakeModel, say

from evenhand.pools import Instance, Pool, TableSource
from evenhand.pools._build import upstream_pool
from evenhand.pools._upstream import UPSTREAM, Split
from evenhand.results import results
from evenhand.running import RunOptions, Work, export_plan, filter_pool, plan, read_plan, run
from evenhand.tasks import load_task

QUIET = RunOptions(progress=False)
ONE: dict[str, Any] = {
    "tasks": "sentiment",
    "n": 4,
    "p": "0.75",
    "set_seeds": 0,
    "patterns": "majority-first",
}
LABELS = ("negative", "positive")


def columns(work: Work, out: Path) -> tuple[object, ...]:
    """The three columns of a run, the same in each of its rows."""
    run(work, FakeModel(), out, QUIET)
    row: tuple[object, ...]
    (row,) = results(out).select("pool", "pool_source", "pool_filter").unique().rows()
    return row


def test_a_synthetic_pool(tmp_path: Path) -> None:
    found = columns(plan("core", per_label=50, **ONE), tmp_path)
    assert found == ("synthetic-50", "synthetic", None)


def test_an_own_table(tmp_path: Path) -> None:
    table = tmp_path / "talk.csv"
    table.write_text("note,kind\n" + "".join(f"n{k},{LABELS[k % 2]}\n" for k in range(10)))
    work = plan("core", table=TableSource(table, "note", "kind"), **ONE)
    assert columns(work, tmp_path / "run") == (
        "talk.csv",
        "table talk.csv, text in 'note', label in 'kind'",
        None,
    )


def test_an_upstream_set(tmp_path: Path) -> None:
    set_ = replace(UPSTREAM["sentiment"], splits=(Split("train", 10, "train"),), per_label=4)
    rows = [{"split": "train", "row": k, "sentence": f"s{k}", "label": k % 2} for k in range(10)]
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / set_.file).write_bytes(gzip.compress(lines.encode()))
    work = plan("core", pools={"sentiment": upstream_pool(set_, tmp_path)}, **ONE)
    pool, source, filtered = columns(work, tmp_path / "run")
    assert (pool, filtered) == ("sst2", None)
    assert isinstance(source, str)
    assert source.startswith("Stanford Sentiment Treebank")


def test_a_filtered_pool_keeps_its_source_and_names_its_models(tmp_path: Path) -> None:
    before = Pool(
        "sentiment",
        "talk",
        tuple(Instance(f"i{k}", f"text {k}", LABELS[k % 2]) for k in range(10)),
        {"source": "made by hand"},
    )

    model = FakeModel(name="fake/judge")
    asked = sorted(before.instances, key=lambda instance: instance.id)
    model.script = lambda number, *_: say(json.dumps({"answer": asked[number].label}))
    one_by_one = RunOptions(progress=False, concurrency=1, max_attempts=1)
    filter_pool(load_task("sentiment"), before, [model], tmp_path, options=one_by_one)
    found = columns(plan("core", data=tmp_path, **ONE), tmp_path / "run")
    assert found == (
        "talk-filtered",
        "made by hand",
        "kept where each of these, asked for the instance alone, was right: fake/judge",
    )


def test_a_plan_read_from_a_table(tmp_path: Path) -> None:
    pool = Pool(
        "sentiment",
        "talk-filtered",
        tuple(Instance(f"i{k}", f"text {k}", LABELS[k % 2]) for k in range(10)),
        {"source": "made by hand", "filter": "kept where right"},
    )
    path = tmp_path / "plan.parquet"
    export_plan(plan("core", pools={"sentiment": pool}, **ONE), path)
    found = columns(read_plan(path), tmp_path / "run")
    assert found == ("talk-filtered", "made by hand", "kept where right")
    # A table that says nothing of its pool is itself the source.
    pl.read_parquet(path).drop("pool_source", "pool_filter").write_parquet(path)
    found = columns(read_plan(path), tmp_path / "other")
    assert found == ("talk-filtered", f"plan {path}", None)
