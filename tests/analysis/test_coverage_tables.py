"""Contract of the coverage tables: a row an experiment, then bins, rates and means by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest

from evenhand.analysis import (
    COVERAGE_BINS,
    coverage,
    coverage_bins,
    coverage_notes,
    label_agreement,
    mean_coverage,
    mention_rates,
    trace_classes,
)
from evenhand.errors import UsageError
from evenhand.results import ATTEMPTS_SCHEMA, RESULTS_SCHEMA

LABELS = ["negative", "positive"]
N = 20


def experiment(name: str, *, outcome: str = "correct", **columns: Any) -> dict[str, Any]:
    return {
        "experiment_id": name,
        "setting": "core",
        "model": "lab/model",
        "task": "sentiment",
        "pool": "synthetic",
        "n": N,
        "p": 0.55,
        "majority_label": "positive",
        "set_seed": 0,
        "pattern": "majority-first",
        "variant": "standard",
        "output_budget": 20_000,
        "repeat": 0,
        "answer_mode": "generate",
        "outcome": outcome,
        "valid": outcome in ("correct", "mistake", "tie"),
        "correct": outcome == "correct",
        "labels": LABELS,
        **columns,
    }


def attempt(name: str, reasoning: str | None, **columns: Any) -> dict[str, Any]:
    return {
        "experiment_id": name,
        "attempt": 1,
        "stage": 2,
        "reasoning": reasoning,
        "reasoning_source": None if reasoning is None else "reasoning",
        "finish_reason": "stop",
        "output_tokens": 100,
        "decides": True,
        **columns,
    }


def table(
    experiments: Sequence[dict[str, Any]],
    attempts: Sequence[dict[str, Any]],
    gold: Sequence[str] | None = None,
) -> pl.DataFrame:
    return coverage(
        pl.DataFrame(experiments, schema=dict(RESULTS_SCHEMA)),
        pl.DataFrame(attempts, schema=dict(ATTEMPTS_SCHEMA)),
        None if gold is None else lambda _: gold,
    )


def listing(ids: Sequence[int], label: str = "positive") -> str:
    return "\n".join(f"{at}: {label}" for at in ids)


@pytest.fixture
def several() -> pl.DataFrame:
    """Coverage 20%, 25%, 75%, 95% and 100%; the last but one invalid."""
    counts = {"a": 4, "b": 5, "c": 15, "d": 19, "e": 20}
    outcomes = {"a": "mistake", "b": "correct", "c": "tie", "d": "overlong", "e": "correct"}
    return table(
        [experiment(name, outcome=outcomes[name]) for name in counts],
        [attempt(name, listing(range(1, count + 1))) for name, count in counts.items()],
    )


def test_one_row_an_experiment_with_every_measure() -> None:
    text = listing(range(1, 5)) + "\nInstances 6-8 look alike, as do 9 and 2000."
    row = table([experiment("a")], [attempt("a", text)]).row(0, named=True)
    assert row["trace"] == "trace"
    assert row["mentioned_ids"] == [1, 2, 3, 4, 6, 8, 9]
    assert row["coverage"] == 7 / 20
    assert row["named_ids"] == [1, 2, 3, 4]
    assert row["strict_coverage"] == 4 / 20
    assert (row["ranged"], row["range_coverage"]) == (3, 3 / 20)
    assert (row["stopped_at"], row["trace_class"]) == (4, "prefix then guess")
    assert row["stated"] is None


def test_gold_labels_give_agreement() -> None:
    text = listing(range(1, 11)) + "\n" + listing(range(11, 16), "negative")
    gold = ["positive"] * 12 + ["negative"] * 8
    row = table([experiment("a")], [attempt("a", text)], gold).row(0, named=True)
    assert (row["stated"], row["agreed"], row["fails_from"]) == (15, 13, None)
    assert row["stated_ids"] == list(range(1, 16))
    assert row["stated_right"] == [True] * 10 + [False] * 2 + [True] * 3
    unknown = table([experiment("a")], [attempt("a", text)], ()).row(0, named=True)
    assert unknown["stated"] is None


def test_the_deciding_attempt_is_read() -> None:
    tries = [
        attempt("a", listing([1]), decides=False),
        attempt("a", listing([1, 2]), attempt=2),
        attempt("a", "Count 3 and 4.", attempt=2, stage=1, decides=False),
    ]
    assert table([experiment("a")], tries)["mentioned"].to_list() == [2]


def test_missing_and_summarised_traces_are_left_out_and_said() -> None:
    frame = table(
        [experiment(name) for name in "abcde"],
        [
            attempt("a", listing([1])),
            attempt("b", None),
            attempt("c", "  "),
            attempt("d", listing([1]), reasoning_source="reasoning_summary"),
            attempt("e", listing([1]), reasoning_tokens=5_000),
        ],
    )
    assert frame["trace"].to_list() == ["trace", "none", "none", "summary", "summary"]
    assert frame["coverage"].to_list() == [0.05, None, None, None, None]
    assert coverage_bins(frame)["experiments"].to_list() == [1, 0, 0, 0, 1, 0, 0, 0]
    assert coverage_notes(frame) == [
        "lab/model: 2 of 5 reasoning traces are only a provider's summary and are left out.",
        "lab/model: 2 of 5 experiments have no trace.",
    ]


def test_a_run_without_any_trace_gives_empty_tables() -> None:
    frame = table([experiment("a")], [attempt("a", None)])
    assert coverage_bins(frame)["experiments"].sum() == 0
    assert mention_rates(frame).is_empty()
    assert mean_coverage(frame).is_empty()
    assert label_agreement(frame).is_empty()


def test_a_cut_reply_exhausts_its_budget() -> None:
    frame = table(
        [experiment(name, outcome="overlong") for name in "ab"],
        [
            attempt("a", listing([1]), finish_reason="length"),
            attempt("b", listing([1]), output_tokens=19_991),
        ],
    )
    assert frame["trace_class"].to_list() == ["budget exhausted"] * 2


def test_bins_and_accuracy(several: pl.DataFrame) -> None:
    bins = coverage_bins(several)
    assert bins["bin"].to_list() == list(COVERAGE_BINS) * 2
    assert bins["population"].to_list() == ["valid"] * 4 + ["all"] * 4
    assert bins["experiments"].to_list() == [1, 1, 1, 1, 1, 1, 2, 1]
    assert bins["accuracy"].to_list() == [0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    assert bins["valid_rate"].unique().to_list() == [0.8]


def test_bins_by_the_strict_measure() -> None:
    frame = table([experiment("a")], [attempt("a", "All of 1, 3, 5, 7 and 9, 11, 13.")])
    assert coverage_bins(frame)["experiments"].to_list()[:4] == [0, 1, 0, 0]
    strict = coverage_bins(frame, measure="strict_coverage")
    assert strict["experiments"].to_list()[:4] == [1, 0, 0, 0]


def test_rates_of_every_id(several: pl.DataFrame) -> None:
    rates = mention_rates(several)
    valid = rates.filter(population="valid")
    assert valid["id"].to_list() == list(range(1, N + 1))
    assert valid["experiments"].unique().to_list() == [4]
    assert valid["rate"].to_list() == [1.0] * 4 + [0.75] + [0.5] * 10 + [0.25] * 5
    everything = rates.filter(population="all")
    assert everything["mentions"].to_list() == [5] * 4 + [4] + [3] * 10 + [2] * 4 + [1]


def test_rates_by_pattern_and_strict() -> None:
    frame = table(
        [experiment("a"), experiment("b", pattern="random", order_seed=0)],
        [attempt("a", "1: pos\nand 2"), attempt("b", "3: pos")],
    )
    rates = mention_rates(frame, ("pattern",), "strict_coverage").filter(population="valid")
    found = rates.filter(pl.col("mentions") > 0).select("pattern", "id").rows()
    assert found == [("majority-first", 1), ("random", 3)]


def test_means_by_n_and_p(several: pl.DataFrame) -> None:
    pooled = mean_coverage(several, ()).filter(population="valid").row(0, named=True)
    assert pooled["ids"] == (4 + 5 + 15 + 20) / 4
    assert pooled["coverage"] == pytest.approx(11 / 20)
    assert (pooled["n"], pooled["p"], pooled["experiments"]) == (20, 0.55, 4)


def test_classes_are_counted(several: pl.DataFrame) -> None:
    counted = trace_classes(several).filter(pl.col("experiments") > 0)
    assert counted.filter(population="valid").select("trace_class", "experiments").rows() == [
        ("exhaustive", 1),
        ("prefix then guess", 3),
    ]


def test_agreement_along_the_list() -> None:
    gold = ["positive"] * 10 + ["negative"] * 10
    frame = table([experiment("a")], [attempt("a", listing(range(1, 16)))], gold)
    stretches = label_agreement(frame, bins=4).filter(population="valid")
    assert stretches.select("first", "last", "stated", "agreed").rows() == [
        (1, 5, 5, 5),
        (6, 10, 5, 5),
        (11, 15, 5, 0),
    ]
    assert stretches["agreement"].to_list() == [1.0, 1.0, 0.0]
    with pytest.raises(UsageError, match="bins = 0"):
        label_agreement(frame, bins=0)
