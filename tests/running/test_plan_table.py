"""Contract: a plan goes out as a table with the exact messages and comes back the same; a table
that someone else made runs under a column map; what is wrong with it is named by file, row and
column."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from tests.running.fakes import FakeModel

from evenhand.errors import UsageError
from evenhand.results import arrangement, results
from evenhand.running import RunOptions, RunStore, export_plan, open_work, plan, read_plan, run
from evenhand.running._plan_source import plan_files
from evenhand.running._table_work import instance_spans

QUIET = RunOptions(progress=False)
WORKLOAD = plan("core", tasks=("sentiment", "ner"), n=20, set_seeds=(0, 1), per_label=60)


def foreign(**changes: Any) -> pl.DataFrame:
    """Two rows as somebody else would write them."""
    return pl.DataFrame(
        {
            "prompt": ["Which?\n\nInstance 1: a\nInstance 2: b\nInstance 3: c", "Which?"],
            "gold": ["yes", "no"],
            "task": ["own", "own"],
            "n": [3, 3],
            "p": [0.6667, 0.6667],
            "order": ["majority-first", "majority-last"],
            **changes,
        }
    )


MAP = {
    "messages": "prompt",
    "majority_label": "gold",
    "pattern": "order",
    "setting": "=theirs",
    "pool": "=theirs",
    "set_seed": "=0",
    "variant": "=standard",
    "output_budget": "=500",
    "labels": "=no,yes",
}


def test_a_plan_goes_out_and_comes_back(tmp_path: Path) -> None:
    table = export_plan(WORKLOAD, tmp_path / "plan.parquet")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.parquet"]
    frame = pl.read_parquet(table)
    assert frame.height == len(WORKLOAD.experiments) == 72
    assert frame["experiment_id"].to_list() == [e.id for e in WORKLOAD.experiments]
    back = read_plan(table)
    assert back.experiments == WORKLOAD.experiments
    for experiment in WORKLOAD.experiments:
        assert back.prompt(experiment) == WORKLOAD.prompt(experiment)
        assert back.prompt_sha256(experiment) == WORKLOAD.prompt_sha256(experiment)
        assert back.instances(experiment) == WORKLOAD.instances(experiment)
        assert back.labels(experiment) == WORKLOAD.labels(experiment)
        assert back.characters(experiment) == WORKLOAD.characters(experiment)
    one, other = WORKLOAD.experiments[:2]
    assert back.shared_characters(one, other) == WORKLOAD.shared_characters(one, other)


def test_it_runs_as_the_plan_itself_does(tmp_path: Path) -> None:
    back = read_plan(export_plan(WORKLOAD, tmp_path / "plan.parquet"))
    model = FakeModel()
    run(back, model, tmp_path / "run", QUIET)
    direct = FakeModel()
    run(WORKLOAD, direct, tmp_path / "direct", QUIET)
    assert model.asked == direct.asked
    columns = ["experiment_id", "outcome", "prompt_sha256", "labels"]
    assert (
        results(tmp_path / "run")
        .select(columns)
        .equals(results(tmp_path / "direct").select(columns))
    )
    again = FakeModel()
    run(back, again, tmp_path / "run", QUIET)
    assert again.asked == []
    (tmp_path / "plan.parquet").unlink()
    experiment = WORKLOAD.experiments[3]
    found = arrangement(tmp_path / "run", experiment.id)
    assert found.instances == WORKLOAD.instances(experiment)
    assert found.spans == WORKLOAD.prompt(experiment).spans
    with RunStore(tmp_path / "run") as store:
        assert open_work(store).prompt(experiment) == WORKLOAD.prompt(experiment)


def test_somebody_else_s_table_under_a_map(tmp_path: Path) -> None:
    foreign().write_parquet(tmp_path / "t.parquet")
    work = read_plan(tmp_path / "t.parquet", MAP)
    assert [e.id for e in work.experiments] == [
        "theirs/own/n3/p0.6667/maj=yes/s0/majority-first/standard/500",
        "theirs/own/n3/p0.6667/maj=no/s0/majority-last/standard/500",
    ]
    first, second = (work.prompt(e) for e in work.experiments)
    text = first.messages[0].content
    assert [text[start:end] for start, end in first.spans] == ["a", "b", "c"]
    assert second.spans == ()
    run(work, FakeModel(), tmp_path / "run", QUIET)
    assert results(tmp_path / "run")["labels"].to_list() == [["no", "yes"]] * 2


@pytest.mark.parametrize(
    ("changes", "mapped", "message"),
    [
        ({}, {"messages": "text"}, "has no column 'text' for messages"),
        ({}, {"words": "prompt"}, "a plan has no field 'words'"),
        ({}, {"variant": "variant"}, "has no column 'variant' for variant"),
        ({"n": ["3", "many"]}, {}, r"t\.parquet, row 2: n must be a whole number, not 'many'"),
        ({"prompt": ["Which?", ""]}, {}, "row 2: messages must be a text, or a list of role"),
        ({"gold": ["yes", "maybe"]}, {}, "row 2: labels must be two, one of them the gold"),
        ({"order": ["random", "random"]}, {}, "row 1: the random pattern needs an order seed"),
        ({"order": ["majority-first", "up"]}, {}, "row 2: unknown order pattern 'up'"),
        ({"gold": ["no", "no"], "order": ["majority-first"] * 2}, {}, "row 2: .* is there twice"),
        ({"prompt_sha256": [None, "0" * 64]}, {}, "row 2: prompt_sha256 is not the hash"),
    ],
)
def test_faults_are_named(
    changes: dict[str, Any], mapped: dict[str, str], message: str, tmp_path: Path
) -> None:
    foreign(**changes).write_parquet(tmp_path / "t.parquet")
    with pytest.raises(UsageError, match=message):
        read_plan(tmp_path / "t.parquet", MAP | mapped)


def test_what_has_no_exact_messages_is_not_exported(tmp_path: Path) -> None:
    staged = plan("core", tasks="ner", n=20, variants="self", per_label=60)
    with pytest.raises(UsageError, match="leave it out of the plan to export"):
        export_plan(staged, tmp_path / "plan.parquet")
    with pytest.raises(UsageError, match=r"name it .*plan\.parquet"):
        export_plan(WORKLOAD, tmp_path / "plan.csv")


def test_a_plan_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no plan at"):
        read_plan(tmp_path / "none.parquet")
    (tmp_path / "bad.parquet").write_text("no table")
    with pytest.raises(UsageError, match="cannot read the plan"):
        read_plan(tmp_path / "bad.parquet")
    with pytest.raises(UsageError, match="is not an address of a plan"):
        plan_files("hf://models/x/y")
    with pytest.raises(UsageError, match="cannot fetch hf://datasets/own/none/p"):
        plan_files("hf://datasets/own/none/p.parquet")  # the tests' Hub is offline


@pytest.mark.parametrize(
    ("content", "n", "texts"),
    [
        ("Instance 1: a\nInstance 2: b", 2, ["a", "b"]),
        ("head\nInstance 1: a\nInstance 2: b\ntail", 2, ["a", "b"]),
        ("head\nInstance 1: a Instance 2: b", 2, []),
        ("head\nInstance 1: a", 2, []),
        ("head\nInstance 2: b\nInstance 1: a", 2, []),
        ("head\nInstance 1: \nInstance 2: b", 2, ["", "b"]),
    ],
)
def test_spans_are_all_or_none(content: str, n: int, texts: list[str]) -> None:
    assert [content[start:end] for start, end in instance_spans(content, n)] == texts
