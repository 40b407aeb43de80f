"""The solvable-alone filter: ask, compare, keep (C.1)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from pathlib import Path

from evenhand.errors import UsageError
from evenhand.models import Model
from evenhand.pools import (
    Agreement,
    AloneAnswers,
    Pool,
    agreement,
    filtered_pool,
    pool_path,
    write_pool,
)
from evenhand.running._alone import AloneWork, CountingReader
from evenhand.running._engine import run
from evenhand.running._estimate import Estimate, estimate
from evenhand.running._options import RunOptions, RunSummary
from evenhand.running._store import DATABASE_NAME, RunStore
from evenhand.tasks import Task


@dataclass(frozen=True, slots=True)
class FilterResult:
    """What a filter run came to.

    Attributes:
        summaries: Model name to the summary of its run.
        agreement: The comparison; None while some instance has no outcome.
        pool: The filtered pool; None likewise.
        path: The file that holds it; None likewise.
    """

    summaries: dict[str, RunSummary]
    agreement: Agreement | None = None
    pool: Pool | None = None
    path: Path | None = None


def filter_pool(
    task: Task,
    pool: Pool,
    models: Sequence[Model],
    out: Path | str,
    *,
    output_budget: int = 20_000,
    options: RunOptions | None = None,
    announce: Callable[[Mapping[str, Estimate]], None] | None = None,
) -> FilterResult:
    """Ask every model for every instance alone and keep those that all of them answer right.

    Each model has a run folder of its own under ``out/alone``; what it holds is not asked again.
    When all have answered, the pool is written to ``out/TASK.pool.parquet``, ready to be used as a
    data folder.

    Args:
        task: The task; its ``alone`` part words the prompt.
        pool: The pool to filter.
        models: One or more; closed at the end.
        out: Folder for run folders and pool.
        output_budget: Output tokens allowed for each instance.
        options: How to run. Answers are always written out (``generate``).
        announce: Told, before anything is asked, what each model (by name) will take; an error
            raised there stops it.

    Raises:
        UsageError: If there is no model, one is named twice, or a run folder is another run's.
        EvenhandError: Whatever ends a run.
    """
    options = options or RunOptions()
    if options.answer_mode != "generate":
        raise UsageError("the filter reads written answers: use answer mode generate")
    if not models:
        raise UsageError("a filter needs at least one model")
    names = [model.name for model in models]
    if len(set(names)) < len(names):
        raise UsageError("a model is named twice: name different models")
    work = AloneWork(task, pool, output_budget)
    folders = [Path(out) / "alone" / task.name / _slug(name) for name in names]
    able = [_able_to_count(model, task, pool) for model in models]
    if announce is not None:
        announce(
            {
                model.name: estimate(work, model, options, out=folder)
                for model, folder in zip(able, folders, strict=True)
            }
        )
    summaries = {
        model.name: run(work, model, folder, options)
        for model, folder in zip(able, folders, strict=True)
    }
    if any(summary.pending for summary in summaries.values()):
        return FilterResult(summaries)
    answers = [
        AloneAnswers(name, _outcomes(work, folder))
        for name, folder in zip(names, folders, strict=True)
    ]
    kept = filtered_pool(
        pool,
        answers,
        settings=f"temperature {options.temperature:g}, up to {options.max_attempts} attempts, "
        f"{output_budget:,} output tokens",
        day=max(_last_day(folder) for folder in folders),
    )
    path = pool_path(Path(out), task.name)
    write_pool(kept, path)
    return FilterResult(summaries, agreement(pool, answers), kept, path)


def alone_runs(out: Path) -> tuple[Path, ...]:
    """The models' run folders under the output of :func:`filter_pool`; none in another folder."""
    return tuple(sorted(path.parent for path in out.glob(f"alone/*/*/{DATABASE_NAME}")))


def _able_to_count(model: Model, task: Task, pool: Pool) -> Model:
    if task.alone.answer == "number" and model.name.startswith("reader/"):
        return CountingReader(model, task.labels, pool.instances)
    return model


def _outcomes(work: AloneWork, folder: Path) -> dict[str, str]:
    with RunStore(folder) as store:
        rows = store.rows(
            "SELECT set_seed, outcome FROM outcomes JOIN experiments ON id = experiment_id"
        )
    outcomes = {int(place): str(outcome) for place, outcome in rows}
    return {
        work.instance(experiment).id: outcomes[experiment.set_seed]
        for experiment in work.experiments
        if experiment.set_seed in outcomes
    }


def _last_day(folder: Path) -> date:
    """The day, UTC, of the last reply that a run folder holds."""
    with RunStore(folder) as store:
        ((last,),) = store.rows("SELECT max(finished_at) FROM attempts")
    return datetime.fromisoformat(str(last)).date()


def _slug(name: str) -> str:
    """A folder name that no other model's name shares."""
    digest = hashlib.sha256(name.encode()).hexdigest()[:8]
    return f"{re.sub(r'[^A-Za-z0-9._-]+', '-', name)}-{digest}"
