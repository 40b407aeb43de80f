"""Beginning a run folder, or finding out that one can be gone on with."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

from evenhand.design import Experiment, Plan
from evenhand.errors import UsageError
from evenhand.pools import Pool
from evenhand.running._identity import but_budget, check_same_run
from evenhand.running._store import DATABASE_NAME, RunStore
from evenhand.running._table_work import TableTask, TableWork
from evenhand.running._workload import Work, Workload
from evenhand.tasks import Task

_KINDS = ("pools", "table")
"""Kinds of workload that a folder holds whole; others are made by the rooms that they are of."""


def check_plan(work: Work, folder: Path, rerun: Literal["overlong"] | None) -> None:
    """Refuse what no folder could take, before one is made.

    Raises:
        UsageError: If the plan is empty, or there is no run of which to rerun anything.
    """
    if not work.experiments:
        raise UsageError("the plan holds no experiment")
    if rerun and not (folder / DATABASE_NAME).is_file():
        raise _nothing_ran(folder, rerun)


def open_run(
    store: RunStore,
    work: Work,
    planned: Mapping[str, str],
    settings: Mapping[str, Any],
    *,
    rerun: Literal["overlong"] | None = None,
) -> None:
    """Store the plan in an empty folder, or check it against the folder's.

    Args:
        store: Open for writing.
        work: The workload.
        planned: Experiment id to planned hash.
        settings: Everything else that decides what is sent.
        rerun: Replace the overlong experiments by the workload's, which have a larger budget.

    Raises:
        UsageError: If the folder was begun with something else, or there is nothing to rerun.
    """
    listed = [(experiment, planned[experiment.id]) for experiment in work.experiments]
    if not store.started:
        if rerun:
            raise _nothing_ran(store.folder, rerun)
        store.start(work.snapshot(), listed, settings)
        return
    check_same_run(store, work.snapshot(), listed, settings, any_budget=bool(rerun))
    if rerun:
        store.add_reruns(_reruns(store, listed))


def _nothing_ran(folder: Path, rerun: str) -> UsageError:
    return UsageError(f"{folder} has no run yet: run it once before --rerun {rerun}")


def _reruns(
    store: RunStore, listed: list[tuple[Experiment, str]]
) -> list[tuple[Experiment, str, str]]:
    budgets = {experiment.output_budget for experiment, _ in listed}
    if len(budgets) != 1:
        raise UsageError("a rerun needs one raised output budget: pass --budget with one number")
    (budget,) = budgets
    by_place = {but_budget(experiment): (experiment, sha) for experiment, sha in listed}
    overlong = store.with_outcome("overlong")
    reruns = [
        (*by_place[but_budget(old)], old.id) for old in overlong if old.output_budget < budget
    ]
    if reruns:
        return reruns
    begun = store.rerun_ids() & {experiment.id for experiment, _ in listed}
    if any(experiment.id in begun for experiment in store.pending()):
        return []
    if overlong:
        most = max(old.output_budget for old in overlong)
        raise UsageError(
            f"the overlong experiments already had {most:,} output tokens: "
            "raise --budget above that to rerun them"
        )
    if not begun:
        raise UsageError(f"nothing to rerun: no experiment of {store.folder} came to overlong")
    return []


def open_work(store: RunStore, *, only: Experiment | None = None) -> Work:
    """The workload of a run folder, from what the folder holds and nothing else.

    Args:
        store: The folder's store; it stays open while ready-made prompts are asked for.
        only: Open the workload of this experiment alone, which is faster.

    The instances used are all that selection needs: ranked among themselves they keep their order,
    so the smaller pool gives the same sets.

    Raises:
        UsageError: If the folder's calls are those of a count or an audit.
        EvenhandError: If the folder is damaged.
    """
    kind = store.meta("kind")
    if kind not in _KINDS:
        raise UsageError(
            f"{store.folder} holds {kind} of evenhand count or audit, no experiments: "
            f"see {store.folder.parent / 'report.html'}"
        )
    experiments = store.all_experiments() if only is None else (only,)
    if kind == "table":
        pools_of = store.pools()
        known = {
            name: TableTask(definition, *pools_of[name])
            for name, definition in store.tasks().items()
        }
        hashes = {e.id: store.planned_sha256(e.id) for e in experiments}
        return TableWork(experiments, known, hashes, store.stored_prompt)
    wanted = {experiment.task for experiment in experiments}
    tasks = {
        name: Task.model_validate_json(text)
        for name, text in store.tasks().items()
        if name in wanted
    }
    pools = {
        task: Pool(task, name, store.instances(task), provenance)
        for task, (name, provenance) in store.pools().items()
        if task in wanted
    }
    return Workload(Plan(experiments), tasks, pools)
