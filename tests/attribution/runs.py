"""Small finished runs to attribute."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tests.running.fakes import Answer, FakeModel, say

from evenhand.design import Setting, make_plan
from evenhand.models import GenerationSettings
from evenhand.pools import load_pool
from evenhand.prompts import Message
from evenhand.running import RunOptions, Workload, run
from evenhand.tasks import load_task


def small_run(
    out: Path,
    *,
    tasks: Sequence[str] = ("sentiment",),
    patterns: Sequence[str] = ("majority-first", "majority-middle"),
    seeds: Sequence[int] = (0, 1),
    counts: Sequence[int] = (20,),
    replies: Sequence[Answer] = (say(),),
) -> Path:
    """Run a scripted model, whose replies go round, over synthetic records."""
    setting = Setting(
        name="small",
        tasks=tuple(tasks),
        n=tuple(counts),
        p=("0.6",),
        set_seeds=tuple(seeds),
        patterns=tuple(patterns),
        majority_labels=(),
    )
    known = {name: load_task(name) for name in tasks}
    pools = {name: load_pool(task, per_label=200) for name, task in known.items()}
    plan = make_plan([setting], known, {name: pool.name for name, pool in pools.items()})

    def script(number: int, messages: Sequence[Message], settings: GenerationSettings) -> Answer:
        return replies[number % len(replies)]

    model = FakeModel(script, max_concurrency=1)
    run(Workload(plan, known, pools), model, out, RunOptions(max_attempts=1))
    return out
