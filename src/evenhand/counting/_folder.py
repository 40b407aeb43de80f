"""Whether a folder holds this very count, in the words that a user chose it by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.counting._assemble import BATCHES, Setup
from evenhand.counting._change import change
from evenhand.counting._named import named
from evenhand.counting._work import MAY_DIFFER, TASK
from evenhand.design import Experiment
from evenhand.errors import UsageError
from evenhand.models import Model
from evenhand.running import RunOptions, RunStore, run_settings

_OPTIONS = {"model": "model", "answer_mode": "answer"}


def check_folder(setup: Setup, model: Model, options: RunOptions, out: Path) -> None:
    """Refuse a folder that was begun with something else, before anything else is said or done.

    Options that change no label may differ: attempts, concurrency, limits of cost.

    Raises:
        UsageError: Names every difference, as the option that makes it.
    """
    if not len(setup.usable) or not (out / BATCHES / "run.db").is_file():
        return
    with RunStore(out / BATCHES) as store:
        before = store.settings()
        asked: dict[str, Any] = json.loads(store.tasks()[TASK])
        records = store.pools()[TASK][1].get("records_sha256")
        planned = store.planned()
        version = store.meta("evenhand")
    changes = [
        *_of_question(setup, asked),
        *_of_settings(before, run_settings(model, options)),
    ]
    if records != setup.records.digest:
        changes.append("the records were others (texts, their order or their number)")
    else:
        changes += _of_batches(setup, [experiment for experiment, _ in planned])
    work = setup.batches()
    if not changes and planned[0][1] != work.prompt_sha256(work.experiments[0]):
        changes.append(
            f"the random order was another: {named('seed')} was not {setup.seed}, or the prompts "
            f"were those of evenhand {version}"
        )
    if changes:
        raise UsageError(
            f"{out} was begun with other settings: {'; '.join(changes)}. "
            "Count with those again, or in another folder (out, --out)"
        )


def _of_question(setup: Setup, asked: dict[str, Any]) -> Iterator[str]:
    if asked["ask"] != setup.question.ask:
        yield change(named("ask"), asked["ask"], setup.question.ask)
    if tuple(asked["labels"]) != setup.question.labels:
        yield change(named("labels"), ",".join(asked["labels"]), ",".join(setup.question.labels))


def _of_settings(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    for name in {**before, **now}:
        if name not in MAY_DIFFER and before.get(name) != now.get(name):
            known = _OPTIONS.get(name)
            option = name.replace("request.", "the model's ") if known is None else named(known)
            yield change(option, before.get(name), now.get(name))


def _of_batches(setup: Setup, before: list[Experiment]) -> Iterator[str]:
    now = setup.batches().experiments
    was, is_ = before[0].n, now[0].n
    if was != is_:
        yield change(named("batch"), was, is_)
    elif before[0].output_budget != now[0].output_budget:
        yield change(named("budget"), before[0].output_budget, now[0].output_budget)
