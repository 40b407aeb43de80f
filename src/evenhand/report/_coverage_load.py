"""Coverage of run folders, with what is needed to show single traces."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import polars as pl

from evenhand.analysis import Mention, coverage, coverage_notes, find_mentions
from evenhand.errors import UsageError
from evenhand.report._explorer import label_runs
from evenhand.results import attempts, results
from evenhand.running import RunStore, open_work

SHOWN_TRACES = 200
SHOWN_CHARACTERS = 8_000_000
_SAME = ["model", "answer_mode", "experiment_id"]
_KINDS = ["model", "task", "pattern", "trace_class"]


@dataclass(frozen=True, slots=True)
class TraceView:
    """One trace as the page shows it.

    Attributes:
        experiment: Its row of the coverage table.
        text: The trace.
        mentions: Places in the text, in characters, and the ids they name.
        runs: Run lengths of the order, majority first; empty where the records are unknown.
    """

    experiment: dict[str, object]
    text: str
    mentions: tuple[Mention, ...]
    runs: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class LoadedCoverage:
    """Coverage of one run or several.

    Attributes:
        frame: From :func:`evenhand.analysis.coverage`, all runs.
        notes: What the tables leave out, and why.
        views: Traces to look at: one of each model, task, order and class first, then others, up
            to 200 traces or 8 million characters, shared equally between the runs.
    """

    frame: pl.DataFrame
    notes: tuple[str, ...]
    views: tuple[TraceView, ...]


def load_coverage(paths: Sequence[Path], *, processes: int = 1) -> LoadedCoverage:
    """Measure the traces of run folders; an experiment that two runs hold counts once.

    Args:
        paths: Run folders.
        processes: How many may read traces, as :func:`evenhand.analysis.coverage` says.

    Raises:
        UsageError: If a path is no run folder, nothing is finished, or no experiment has a trace.
    """
    frames, views = [], []
    for path in paths:
        if path.suffix == ".parquet":
            raise UsageError(f"{path} holds results only: coverage needs the run folder's traces")
        frame, shown = _of_run(path, len(paths), processes)
        frames.append(frame)
        views += shown
    together = pl.concat(frames).unique(_SAME, keep="first", maintain_order=True)
    if together.is_empty():
        raise UsageError(
            f"no experiment of {', '.join(map(str, paths))} is finished: go on with evenhand run"
        )
    if together.filter(pl.col("trace") != "none").is_empty():
        raise UsageError(
            "no experiment of these runs has a reasoning trace: coverage needs a model that "
            "returns its reasoning, such as reader/first-200"
        )
    return LoadedCoverage(together, tuple(coverage_notes(together)), tuple(views))


def _of_run(path: Path, sharing: int, processes: int) -> tuple[pl.DataFrame, list[TraceView]]:
    calls = attempts(path)
    with RunStore(path) as store:
        work = open_work(store)

        def gold(experiment_id: str) -> tuple[str, ...]:
            instances = work.instances(store.experiment(experiment_id))
            return tuple(instance.label for instance in instances)

        frame = coverage(results(path), calls, gold, processes=processes)
        texts = calls.filter("decides").select("experiment_id", "reasoning")
        views: list[TraceView] = []
        characters = 0
        for row in _sample(frame).join(texts, on="experiment_id", maintain_order="left").to_dicts():
            if len(views) * sharing >= SHOWN_TRACES or characters * sharing >= SHOWN_CHARACTERS:
                break
            text = row.pop("reasoning")
            characters += len(text)
            truth = gold(row["experiment_id"])
            runs = label_runs([label == row["majority_label"] for label in truth])
            mentions = tuple(find_mentions(text, row["n"]))
            views.append(TraceView(row, text, mentions, runs if truth else ()))
    return frame, views


def _sample(frame: pl.DataFrame) -> pl.DataFrame:
    traced = frame.filter(pl.col("trace") == "trace")
    ranked = traced.with_columns(pl.int_range(pl.len()).over(_KINDS).alias("_round"))
    first = ranked.filter(pl.col("_round") == 0)
    return pl.concat([first, ranked.filter(pl.col("_round") > 0)]).drop("_round")


def id_runs(ids: Sequence[int]) -> list[tuple[int, int]]:
    """Ascending ids as (first, last) of every consecutive stretch."""
    stretches = []
    for _, group in groupby(enumerate(ids), key=lambda pair: pair[1] - pair[0]):
        members = [one for _, one in group]
        stretches.append((members[0], members[-1]))
    return stretches
