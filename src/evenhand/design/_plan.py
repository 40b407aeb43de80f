"""From settings to the list of experiments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product

from evenhand.design._experiment import SWAPPED_SUFFIX, Experiment
from evenhand.design._setting import Setting
from evenhand.errors import UsageError
from evenhand.tasks import Task

AXES = (
    "setting",
    "task",
    "pool",
    "n",
    "p",
    "majority_label",
    "set_seed",
    "pattern",
    "order_seed",
    "variant",
    "output_budget",
    "repeat",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """The experiments of a run, each once, in the order of the axes."""

    experiments: tuple[Experiment, ...]

    def __post_init__(self) -> None:
        twice = [key for key, count in Counter(e.id for e in self.experiments).items() if count > 1]
        if twice:
            raise UsageError(f"the plan holds experiment {twice[0]} more than once")

    def axis_counts(self) -> dict[str, dict[str, int]]:
        """For every axis, how many experiments each of its values has (``none`` for no seed)."""
        return {
            axis: dict(
                Counter(
                    "none" if (value := getattr(e, axis)) is None else str(value)
                    for e in self.experiments
                )
            )
            for axis in AXES
        }


def make_plan(
    settings: Sequence[Setting], tasks: Mapping[str, Task], pools: Mapping[str, str]
) -> Plan:
    """Expand settings into experiments (3.5, 4.2, 4.3, C.5, 5.2.1).

    Args:
        settings: A preset of :data:`PRESETS`, or your own.
        tasks: Every task that a setting names.
        pools: For each task, the name of the pool that its sets are drawn from.

    Raises:
        UsageError: For a majority label that a task does not have.
    """
    return Plan(tuple(e for setting in settings for e in _expand(setting, tasks, pools)))


def _expand(
    setting: Setting, tasks: Mapping[str, Task], pools: Mapping[str, str]
) -> Iterator[Experiment]:
    variants = [
        variant + suffix
        for variant in setting.variants
        for suffix in (("", SWAPPED_SUFFIX) if setting.counterbalance else ("",))
    ]
    for name in setting.tasks:
        task = tasks[name]
        for label in setting.majority_labels:
            task.other(label)
        grid = product(
            setting.n,
            setting.p,
            setting.majority_labels or task.labels,
            setting.set_seeds,
            list(_orders(setting)),
            variants,
            setting.output_budgets,
            range(setting.repeats),
        )
        for n, p, label, set_seed, (pattern, order_seed), variant, budget, repeat in grid:
            yield Experiment(
                setting=setting.name,
                task=name,
                pool=pools[name],
                n=n,
                p=p,
                majority_label=label,
                set_seed=set_seed,
                pattern=pattern,
                order_seed=order_seed,
                variant=variant,
                output_budget=budget,
                repeat=repeat,
            )


def _orders(setting: Setting) -> Iterator[tuple[str, int | None]]:
    for pattern in setting.patterns:
        seeds: tuple[int | None, ...] = (
            setting.random_order_seeds
            if pattern == "random"
            else setting.pattern_order_seeds or (None,)
        )
        for seed in seeds:
            yield pattern, seed
