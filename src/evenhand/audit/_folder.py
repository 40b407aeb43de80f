"""Whether a folder holds this very audit, in the words that a user chose it by."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from evenhand.audit._auditor import Setup
from evenhand.audit._work import TASK
from evenhand.counting import change
from evenhand.design import Experiment
from evenhand.errors import UsageError
from evenhand.running import RunStore, run_settings

_OPTIONS = {"model": "--model", "answer_mode": "--answer", "max_attempts": "--max-attempts"}


def check_folder(setup: Setup) -> None:
    """Refuse a folder that was begun with something else, before anything else is said or done.

    Raises:
        UsageError: Names every difference, as the option that makes it.
    """
    hashes: dict[int, str] = {}
    for folder in setup.folders():
        changes = list(_changes(setup, folder, hashes))
        if changes:
            raise UsageError(
                f"{setup.out} was begun with other settings: {'; '.join(changes)}. "
                "Audit with those again, or in another folder (--out)"
            )


def _changes(setup: Setup, folder: Path, hashes: dict[int, str]) -> Iterator[str]:
    with RunStore(folder) as store:
        if not store.started:
            return
        before = store.settings()
        asked: dict[str, Any] = json.loads(store.tasks()[TASK])
        digest = store.pools()[TASK][1].get("records_sha256")
        planned = store.planned()
        version = store.meta("evenhand")
    now = run_settings(setup.model, setup.options)
    found = []
    if asked["ask"] != setup.ask:
        found.append(change("--ask", asked["ask"], setup.ask))
    if tuple(asked["labels"]) != setup.labels:
        found.append(change("--labels", ",".join(asked["labels"]), ",".join(setup.labels)))
    for name in {**before, **now}:
        if before.get(name) != now.get(name):
            option = _OPTIONS.get(name, name.replace("_", " ").replace("request.", "the model's "))
            found.append(change(option, before.get(name), now.get(name)))
    if digest != setup.records.digest:
        found.append("the records were others (texts, their order or their number)")
    budget = planned[0][0].output_budget
    if budget != setup.budget:
        found.append(change("--budget", budget, setup.budget))
    yield from found
    if not found and any(_other(setup, experiment, sha, hashes) for experiment, sha in planned):
        yield (
            f"the orders were others: --seed was not {setup.seed}, --gold was another, or the "
            f"prompts were those of evenhand {version}"
        )


def _other(setup: Setup, experiment: Experiment, sha: str, hashes: dict[int, str]) -> bool:
    """Whether the order of this number is now another one; unknown where it is not planned."""
    number = experiment.order_seed or 0
    if number >= len(setup.orders):
        return False
    if number not in hashes:
        (now,) = setup.round(number, number + 1, repeat=0).work().experiments
        hashes[number] = setup.round(number, number + 1, repeat=0).work().prompt_sha256(now)
    return hashes[number] != sha
