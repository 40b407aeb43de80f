"""Runs read for a report: one table of all, and where to look up an experiment's texts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import polars as pl

from evenhand.errors import EvenhandError, UsageError
from evenhand.prompts import messages_sha256
from evenhand.report._explorer import Attempt, CloseUp, LookUp
from evenhand.report._numbers import plural
from evenhand.report._other_folders import refuse_other
from evenhand.results import Waiting, attempts, results, verdicts, waiting
from evenhand.running import RunStore, Work, alone_runs, open_work

ANSWERING = 2
"""The stage of an attempt that answers; stage 1 writes an instruction (B.2.3)."""
_RUN = "run.db"
_SAME = ["model", "answer_mode", "experiment_id"]


@dataclass(frozen=True, slots=True)
class LoadedRuns:
    """Runs as a report needs them.

    Attributes:
        frame: Results of all runs, with a ``run`` column: the number of the path.
        paths: Where each run lies; folders of a filter are not among them.
        notes: What a reader must know: experiments that are pending, or that two runs hold.
        waiting: The runs with pending experiments.
        verdicts: From :func:`evenhand.results.verdicts`, of each output folder of a filter.
    """

    frame: pl.DataFrame
    paths: tuple[Path, ...]
    notes: tuple[str, ...]
    waiting: tuple[Waiting, ...] = ()
    verdicts: tuple[pl.DataFrame, ...] = ()

    @contextmanager
    def look_up(self) -> Iterator[LookUp]:
        """Texts of an experiment, from its run folder; None for a Parquet file.

        A run is opened once for all its experiments: opening ranks the whole pool.

        Raises:
            EvenhandError: By the function given, if a prompt differs from what was sent.
        """
        opened: dict[int, _Open] = {}
        with ExitStack() as stack:

            def look(run: int, experiment_id: str) -> CloseUp | None:
                path = self.paths[run]
                if path.suffix == ".parquet":
                    return None
                if run not in opened:
                    store = stack.enter_context(RunStore(path))
                    opened[run] = _Open(store, open_work(store), _attempts_by_experiment(path))
                return _close_up(opened[run], experiment_id)

            yield look


@dataclass(frozen=True, slots=True)
class _Open:
    """A run with its store open."""

    store: RunStore
    work: Work
    calls: dict[str, list[tuple[Attempt, str, str | None]]]


def _close_up(run: _Open, experiment_id: str) -> CloseUp:
    """The prompt made again, checked against the hash of what was sent last."""
    experiment = run.store.experiment(experiment_id)
    calls = run.calls.get(experiment_id, [])
    answering = [call for call in calls if call[0].stage == ANSWERING]
    if not answering and experiment.base_variant == "self":
        return CloseUp(run.work.instances(experiment), (), [call for call, _, _ in calls])
    instruction = answering[-1][2] if answering else None
    messages = run.work.prompt(experiment, instruction).messages
    if answering and messages_sha256(messages) != answering[-1][1]:
        raise EvenhandError(
            f"{experiment_id}: the prompt made again is not the one that was sent. "
            f"{run.store.folder} was written by evenhand {run.store.meta('evenhand')}: "
            "use that version"
        )
    return CloseUp(run.work.instances(experiment), messages, [call for call, _, _ in calls])


def load_runs(paths: Sequence[Path]) -> LoadedRuns:
    """Read every run; an experiment that a model did in two runs counts once, the first.

    Args:
        paths: Run folders, Parquet files of results, and beside them output folders of
            ``evenhand filter``, of which the verdicts are read.

    Raises:
        UsageError: If no run is given, or a path is none, as the folders of a count or an audit.
    """
    if not paths:
        raise UsageError("name at least one run folder: evenhand report runs/NAME")
    for path in paths:
        refuse_other(path)
    filters = {path: alone for path in paths if (alone := alone_runs(path))}
    paths = [path for path in paths if path not in filters or (path / _RUN).is_file()]
    if not paths:
        raise UsageError(
            f"{next(iter(filters))} holds what a filter was answered, and no run: name a run "
            "folder beside it"
        )
    frame = pl.concat(
        results(path).with_columns(pl.lit(number, dtype=pl.Int64).alias("run"))
        for number, path in enumerate(paths)
    )
    left = waiting(paths) + tuple(
        replace(one, command="evenhand filter")
        for alone in filters.values()
        for one in waiting(alone)
    )
    notes = [f"{one.told(one.run.resolve().name)}." for one in left]
    once = frame.unique(_SAME, keep="first", maintain_order=True)
    if once.height < frame.height:
        notes.append(
            f"{plural(frame.height - once.height, 'experiment')} of a model stood in more than one "
            "of these runs; the first run named counts."
        )
    return LoadedRuns(once, tuple(paths), tuple(notes), left, tuple(map(verdicts, filters)))


def _attempts_by_experiment(path: Path) -> dict[str, list[tuple[Attempt, str, str | None]]]:
    """Each experiment's calls in order, with the hash and the instruction of what was sent."""
    found: dict[str, list[tuple[Attempt, str, str | None]]] = {}
    columns = (
        "experiment_id", "attempt", "stage", "outcome", "text", "reasoning", "finish_reason",
        "reason", "prompt_sha256", "instruction",
    )  # fmt: skip
    for row in attempts(path).select(columns).iter_rows():
        call = (Attempt(*row[1:8]), row[8], row[9])
        found.setdefault(row[0], []).append(call)
    for calls in found.values():
        calls.sort(key=lambda call: (call[0].number, call[0].stage))
    return found
