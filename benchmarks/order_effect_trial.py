"""Does a model show an order effect on a pool? A quick look before a demo is settled.

Every instance set is put into all seven patterns and answered by forced choice:

    python benchmarks/order_effect_trial.py synthetic --n 100 --sets 6
    python benchmarks/order_effect_trial.py ../shared/data --n 100 --sets 12 --replies 14

The margin is oriented: + points to the majority label. ``--replies`` also lets the model write
freely, and states how many of the replies hold an answer.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from evenhand.design import PATTERNS, arrange, select
from evenhand.models import ForcedChoice, GenerationSettings, Model, open_model
from evenhand.outcomes import parse_answer
from evenhand.pools import Pool, load_pool
from evenhand.prompts import Message, render
from evenhand.tasks import Task, load_task


@dataclass(frozen=True, slots=True)
class Trial:
    """One prompt: its pattern, its majority label, and its messages."""

    pattern: str
    majority: str
    set_seed: int
    messages: tuple[Message, ...]


@dataclass(frozen=True, slots=True)
class Answer:
    """What a forced choice said, with the tokens it took."""

    trial: Trial
    choice: ForcedChoice
    tokens: int
    reused: int
    seconds: float


def trials(
    task: Task,
    pool: Pool,
    patterns: list[str],
    *,
    n: int,
    p: str,
    sets: range,
    random_orders: int,
    swapped: bool,
) -> Iterator[Trial]:
    """Every prompt; those of one instance set follow each other, those alike side by side."""
    for set_seed in sets:
        for majority in task.labels:
            chosen = select(pool, n=n, p=p, majority_label=majority, set_seed=set_seed)
            for pattern in patterns:
                for order_seed in range(random_orders) if pattern == "random" else (None,):
                    ordered = arrange(chosen.majority, chosen.minority, pattern, order_seed)
                    prompt = render(task, ordered, swapped=swapped)
                    yield Trial(pattern, majority, set_seed, prompt.messages)


async def answers(
    model: Model, task: Task, asked: list[Trial], *, in_prefix_order: bool
) -> list[Answer]:
    """A forced choice for every prompt."""
    settings = GenerationSettings(answer_mode="forced", labels=task.labels)
    if in_prefix_order:
        asked = sorted(asked, key=lambda trial: trial.messages[-1].content)
    found = []
    for number, trial in enumerate(asked, start=1):
        got = await model.generate(trial.messages, settings)
        sys.stderr.write(f"\r{number} of {len(asked)}")
        if got.forced is None:
            raise TypeError("a forced choice was asked for")
        found.append(
            Answer(
                trial,
                got.forced,
                got.usage.input_tokens or 0,
                got.usage.cached_input_tokens or 0,
                got.latency_s,
            )
        )
    sys.stderr.write("\n")
    return found


def print_table(task: Task, found: list[Answer]) -> None:
    """Accuracy, oriented margin and label mass, by pattern and in all."""
    print(f"{'pattern':22}{'runs':>5}{'right':>7}{'oriented margin':>17}{'SD':>7}{'mass':>7}")
    seen = {row.trial.pattern for row in found}
    for pattern in [*(each for each in PATTERNS if each in seen), "all"]:
        rows = [row for row in found if pattern in (row.trial.pattern, "all")]
        right = [row.choice.label == row.trial.majority for row in rows]
        toward = [oriented(task, row) for row in rows]
        spread = statistics.stdev(toward) if len(toward) > 1 else float("nan")
        mass = statistics.mean(row.choice.label_mass for row in rows)
        print(
            f"{pattern:22}{len(rows):5}{statistics.mean(right):7.0%}"
            f"{statistics.mean(toward):+17.3f}{spread:7.3f}{mass:7.3f}"
        )
    says = statistics.mean(row.choice.label == task.labels[1] for row in found)
    tilt = statistics.mean(row.choice.margin for row in found)
    print(f"label bias: says {task.labels[1]} in {says:.0%}; mean margin {tilt:+.3f}")
    tokens = statistics.mean(row.tokens for row in found)
    reused = sum(row.reused for row in found) / sum(row.tokens for row in found)
    seconds = sum(row.seconds for row in found)
    print(f"{tokens:.0f} tokens a prompt, {reused:.0%} of them reused; {seconds:.0f} s in all")


def print_contrast(task: Task, found: list[Answer], high: str, low: str) -> None:
    """The paired difference of two patterns' oriented margins over sets and majority labels."""

    def by_set(pattern: str) -> dict[tuple[str, int], float]:
        return {
            (row.trial.majority, row.trial.set_seed): oriented(task, row)
            for row in found
            if row.trial.pattern == pattern
        }

    above, below = by_set(high), by_set(low)
    differences = [above[key] - below[key] for key in above]
    if len(differences) > 1:
        error = statistics.stdev(differences) / len(differences) ** 0.5
        mean = statistics.mean(differences)
        print(f"{high} minus {low}: {mean:+.3f}, t = {mean / error:.1f}, {len(differences)} pairs")


def oriented(task: Task, row: Answer) -> float:
    """The margin, turned so that + points to the majority label."""
    return row.choice.margin if row.trial.majority == task.labels[1] else -row.choice.margin


async def print_replies(model: Model, task: Task, asked: list[Trial], count: int) -> None:
    """How many free replies hold an answer, with what they said."""
    parsed = 0
    step = max(1, len(asked) // count)
    for trial in asked[::step][:count]:
        got = await model.generate(trial.messages, GenerationSettings(output_budget=64))
        answer = parse_answer(got.text, task.labels, got.finish_reason)
        parsed += answer.label is not None or answer.tie
        print(f"  {got.finish_reason:7}{answer.outcome or answer.label or 'tie'!s:16}{got.text!r}")
    print(f"{parsed} of {len(asked[::step][:count])} free replies (64 tokens) hold an answer")


async def main() -> None:
    """Run the trial that the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("pool", help="'synthetic', or a folder of public data sets")
    parser.add_argument("--model", default="local/smollm2-135m")
    parser.add_argument("--task", default="sentiment")
    parser.add_argument("--n", type=int, default=100)
    parser.add_argument("--p", default="0.55")
    parser.add_argument("--sets", type=int, default=6)
    parser.add_argument("--first-set", type=int, default=0, help="fresh sets, to confirm a choice")
    parser.add_argument("--random-orders", type=int, default=3)
    parser.add_argument("--patterns", nargs="+", choices=PATTERNS, default=PATTERNS)
    parser.add_argument("--swapped", action="store_true", help="list the labels the other way")
    parser.add_argument("--unsorted", action="store_true", help="prompts in the plan's order")
    parser.add_argument("--replies", type=int, default=0)
    options = parser.parse_args()
    task = load_task(options.task)
    data = None if options.pool == "synthetic" else Path(options.pool)
    pool = load_pool(task, data=data)
    asked = list(
        trials(
            task,
            pool,
            options.patterns,
            n=options.n,
            p=options.p,
            sets=range(options.first_set, options.first_set + options.sets),
            random_orders=options.random_orders,
            swapped=options.swapped,
        )
    )
    model = open_model(options.model)
    print(f"{options.model} on {task.name} ({pool.name}), n={options.n}, p={options.p}")
    started = time.perf_counter()
    found = await answers(model, task, asked, in_prefix_order=not options.unsorted)
    print_table(task, found)
    print_contrast(task, found, "majority-edges", "majority-middle")
    print(f"{time.perf_counter() - started:.0f} s wall time")
    if options.replies:
        await print_replies(model, task, asked, options.replies)
    await model.aclose()


if __name__ == "__main__":
    asyncio.run(main())
