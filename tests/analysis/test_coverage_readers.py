"""Contract: on simulated readers of the core setting (n = 2,000, p = 0.55, seven orders), coverage,
bins, per-id rates, agreement and classes are exactly what follows from their rule."""

from __future__ import annotations

import asyncio
from functools import cache
from types import MappingProxyType

import polars as pl
import pytest

from evenhand.analysis import (
    coverage,
    coverage_bins,
    label_agreement,
    mean_coverage,
    mention_rates,
    trace_classes,
)
from evenhand.design import PATTERNS, arrange
from evenhand.models import GenerationSettings
from evenhand.models._reader import open_reader
from evenhand.outcomes import judge
from evenhand.pools import Instance
from evenhand.prompts import render
from evenhand.results import ATTEMPTS_SCHEMA, RESULTS_SCHEMA
from evenhand.tasks import load_task

N = 2_000
TASK = load_task("ner")
# Reader, ids that it names, their bin, and how its reading ends.
READERS: list[tuple[str, range, str, str]] = [
    ("first-200", range(1, 201), "<25%", "prefix then guess"),
    ("first-500", range(1, 501), "[25, 75)", "prefix then guess"),
    ("perfect", range(1, 2_001), "=100%", "exhaustive"),
    ("every-50", range(50, 2_001, 50), "<25%", "prefix and spot checks"),
    ("noisy-0.9", range(1, 2_001), "=100%", "exhaustive"),
    ("last-1500", range(501, 2_001), "[75, 100)", "scattered"),
    ("coin", range(0), "<25%", "no instance named"),
]


@cache
def orders() -> MappingProxyType[str, tuple[Instance, ...]]:
    majority = [Instance(f"p{at}", f"a painter, number {at}", "PER") for at in range(1_100)]
    minority = [Instance(f"l{at}", f"a lake, number {at}", "LOC") for at in range(900)]
    return MappingProxyType(
        {name: tuple(arrange(majority, minority, name, order_seed=1)) for name in PATTERNS}
    )


def measured(reader: str) -> pl.DataFrame:
    key = {item.text: item.label for item in orders()["random"]}
    model = open_reader(reader, key)
    results, attempts = [], []
    for name, ordered in orders().items():
        prompt = render(TASK, ordered)
        reply = asyncio.run(model.generate(prompt.messages, GenerationSettings()))
        judged = judge(reply.text, TASK.labels, "PER")
        results.append(
            {
                "experiment_id": name,
                "model": model.name,
                "task": "ner",
                "n": N,
                "p": 0.55,
                "majority_label": "PER",
                "pattern": name,
                "order_seed": 1,
                "variant": "standard",
                "output_budget": 20_000,
                "answer_mode": "generate",
                "outcome": judged.outcome,
                "valid": judged.valid,
                "correct": judged.outcome == "correct",
                "labels": list(TASK.labels),
            }
        )
        attempts.append(
            {
                "experiment_id": name,
                "reasoning": reply.reasoning,
                "reasoning_source": reply.reasoning_source,
                "reasoning_tokens": reply.usage.reasoning_tokens,
                "output_tokens": reply.usage.output_tokens,
                "finish_reason": reply.finish_reason,
                "decides": True,
            }
        )
    return coverage(
        pl.DataFrame(results, schema=dict(RESULTS_SCHEMA)),
        pl.DataFrame(attempts, schema=dict(ATTEMPTS_SCHEMA)),
        lambda name: [item.label for item in orders()[name]],
    )


@pytest.mark.parametrize(
    ("reader", "ids", "name", "ending"), READERS, ids=[reader[0] for reader in READERS]
)
def test_readers_get_exactly_what_they_read(
    reader: str, ids: range, name: str, ending: str
) -> None:
    frame = measured(reader)
    count = len(PATTERNS)
    assert frame["mentioned_ids"].to_list() == frame["named_ids"].to_list() == [list(ids)] * count
    assert frame["coverage"].to_list() == [len(ids) / N] * count
    assert frame["ranged"].to_list() == [0] * count
    assert frame["stopped_at"].to_list() == [len(ids) if ids[:1] == range(1, 2) else 0] * count
    assert frame["stated"].to_list() == [len(ids)] * count

    bins = coverage_bins(frame)
    assert (
        bins.filter(pl.col("experiments") > 0).select("bin", "experiments").rows()
        == [(name, count)] * 2
    )
    classes = trace_classes(frame).filter(pl.col("experiments") > 0)
    assert classes.select("trace_class", "experiments").rows() == [(ending, count)] * 2
    means = mean_coverage(frame)
    assert means["ids"].to_list() == [len(ids)] * 2

    mentioned = set(ids)
    rates = mention_rates(frame, ("pattern",)).filter(population="valid")
    assert (
        rates["rate"].to_list()
        == [1.0 if at in mentioned else 0.0 for at in range(1, N + 1)] * count
    )

    agreed = sum(frame["agreed"].to_list())
    if reader == "noisy-0.9":
        # The same errors in every order; 0.9 ± 4 standard errors of 2,000 draws.
        assert frame["agreed"].n_unique() == 1
        assert abs(agreed / count / N - 0.9) < 4 * (0.9 * 0.1 / N) ** 0.5
    else:
        assert agreed == len(ids) * count
        assert frame["fails_from"].null_count() == count
        assert label_agreement(frame)["agreement"].unique().to_list() in ([1.0], [])
