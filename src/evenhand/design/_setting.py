"""Settings: the axes of a grid of experiments, and the paper's grids as presets."""

from __future__ import annotations

import tomllib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from math import prod
from operator import index
from types import MappingProxyType
from typing import Any

from evenhand.design._experiment import VARIANTS, proportion
from evenhand.design._patterns import PATTERNS, STRUCTURED_PATTERNS
from evenhand.design._select import split_count
from evenhand.errors import UsageError

LARGEST = 2**63 - 1
"""The largest whole number that a run folder and a results table can hold."""
MOST_EXPERIMENTS = 1_000_000
_WHOLE = ("n", "set_seeds", "random_order_seeds", "pattern_order_seeds", "output_budgets")

PAPER_TASKS = ("math", "ner", "occurrence", "sentiment", "wsd")


@dataclass(frozen=True, slots=True)
class Setting:
    """The axes of one grid; its experiments are their product.

    Attributes:
        name: First part of every experiment id.
        tasks: Task names.
        n: Instance counts.
        p: Majority proportions, as decimal strings.
        majority_labels: Labels that take the majority in turn; empty for both labels of a task.
        set_seeds: Selection seeds.
        patterns: Order patterns.
        random_order_seeds: Order seeds of the random pattern.
        pattern_order_seeds: Order seeds under which structured patterns shuffle the instances
            within each label (5.2.1); empty keeps the original order.
        variants: Prompt variants.
        output_budgets: Output tokens allowed.
        repeats: Same-order repeats of every experiment, 1 for none.
        counterbalance: Also run every experiment with the labels listed, and the example shown,
            the other way round.
    """

    name: str
    tasks: tuple[str, ...] = PAPER_TASKS
    n: tuple[int, ...] = (2000,)
    p: tuple[str, ...] = ("0.55",)
    majority_labels: tuple[str, ...] = ()
    set_seeds: tuple[int, ...] = (0, 1, 2)
    patterns: tuple[str, ...] = PATTERNS
    random_order_seeds: tuple[int, ...] = (0, 1, 2)
    pattern_order_seeds: tuple[int, ...] = ()
    variants: tuple[str, ...] = ("standard",)
    output_budgets: tuple[int, ...] = (20_000,)
    repeats: int = 1
    counterbalance: bool = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "p", tuple(format(proportion(p), "f") for p in self.p))
        for name in _WHOLE:
            whole = tuple(self._whole(name, value) for value in getattr(self, name))
            object.__setattr__(self, name, whole)
        object.__setattr__(self, "repeats", self._whole("repeats", self.repeats))
        optional = {"majority_labels", "pattern_order_seeds", "random_order_seeds"}
        for field in fields(self):
            values = getattr(self, field.name)
            if not isinstance(values, tuple):
                continue
            if not values and field.name not in optional:
                raise UsageError(f"setting {self.name}: {field.name} is empty: name at least one")
            twice = next((value for value, count in Counter(values).items() if count > 1), None)
            if twice is not None:
                raise UsageError(f"setting {self.name}: {field.name} names {twice!r} twice")
        _check_words(self.name, "pattern", self.patterns, PATTERNS)
        _check_words(self.name, "variant", self.variants, VARIANTS)
        if "random" in self.patterns and not self.random_order_seeds:
            raise UsageError(f"setting {self.name}: the random pattern needs an order seed")
        if self.repeats < 1:
            raise UsageError(f"setting {self.name}: repeats = {self.repeats}: use 1 or more")
        if min(self.output_budgets) < 1:
            raise UsageError(f"setting {self.name}: an output budget is at least 1 token")
        for n in self.n:
            for p in self.p:
                split_count(n, p)
        if (count := self._most_experiments()) > MOST_EXPERIMENTS:
            raise UsageError(
                f"setting {self.name} plans up to {count:,} experiments, and a run holds "
                f"{MOST_EXPERIMENTS:,} at most: leave out values, or make several runs"
            )

    def _whole(self, name: str, value: int) -> int:
        """``value``, or NumPy's kind of it, as an int that can be stored."""
        try:
            whole = -1 if isinstance(value, bool) else index(value)
        except TypeError:
            whole = -1
        if not 0 <= whole <= LARGEST:
            raise UsageError(
                f"setting {self.name}: {name} holds {str(value)[:40]}: use whole numbers from 0 "
                f"to {LARGEST:,}"
            )
        return whole

    def _most_experiments(self) -> int:
        """How many experiments the axes multiply to, at two labels a task."""
        shuffled = len(self.pattern_order_seeds) or 1
        orders = sum(
            len(self.random_order_seeds) if pattern == "random" else shuffled
            for pattern in self.patterns
        )
        axes = (self.tasks, self.n, self.p, self.set_seeds, self.variants, self.output_budgets)
        labels = len(self.majority_labels) or 2
        repeated = self.repeats * (2 if self.counterbalance else 1)
        return prod(map(len, axes)) * labels * orders * repeated


def _check_words(name: str, what: str, given: tuple[str, ...], known: tuple[str, ...]) -> None:
    unknown = [word for word in given if word not in known]
    if unknown:
        raise UsageError(
            f"setting {name}: unknown {what} {unknown[0]!r}: use one of {', '.join(known)}"
        )


_CORE = Setting("core")
_COUNTS = Setting(
    "counts",
    n=(100, 200, 500, 1000, 2000),
    p=("0.9", "0.7", "0.6", "0.55"),
    set_seeds=(1,),
)
_VARIANTS = Setting("variants", variants=VARIANTS)
_BUDGETS = (20_000, 100_000)

PRESETS: Mapping[str, tuple[Setting, ...]] = MappingProxyType(
    {
        "core": (_CORE,),
        "counts": (_COUNTS,),
        "variants": (_VARIANTS,),
        "budgets": (
            replace(_CORE, output_budgets=_BUDGETS),
            replace(_COUNTS, output_budgets=_BUDGETS),
            replace(_VARIANTS, variants=("hint", "strategy", "self"), output_budgets=_BUDGETS),
        ),
        "orderings": (
            Setting(
                "orderings",
                tasks=("ner", "sentiment"),
                patterns=STRUCTURED_PATTERNS,
                pattern_order_seeds=tuple(range(1, 51)),
            ),
        ),
    }
)
"""The paper's grids, a model: ``core`` (3.5) 270 experiments, ``counts`` (4.2) 1,800, ``variants``
(4.3) 1,080, ``budgets`` (C.5) 5,760, ``orderings`` (5.2.1) 3,600. ``budgets`` leaves the standard
prompt out of its variants, because its core part already holds those very experiments."""


def load_setting(text: str, origin: str) -> Setting:
    """A setting from TOML: the fields of :class:`Setting`, lists for the axes.

    Args:
        text: The file's content.
        origin: Its name, for messages.

    Raises:
        UsageError: Names file and field.
    """
    try:
        raw: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin}: not valid TOML: {error}") from error
    known = {field.name: str(field.type) for field in fields(Setting)}
    unknown = sorted(raw.keys() - known.keys())
    if unknown:
        raise UsageError(f"{origin}: unknown field {unknown[0]!r}: use {', '.join(known)}")
    if not isinstance(raw.get("name"), str):
        raise UsageError(f'{origin}: a setting needs a name, such as name = "mine"')
    values: dict[str, Any] = {}
    for name, value in raw.items():
        kind = known[name]
        if kind.startswith("tuple"):
            items = value if isinstance(value, list) else [value]
            element: type = int if "int" in kind else str
            if name == "p":
                items = [str(item) for item in items]
            if not all(type(item) is element for item in items):
                raise UsageError(f"{origin}: {name} must be a list of {element.__name__}")
            values[name] = tuple(items)
        elif type(value).__name__ != kind:
            raise UsageError(f"{origin}: {name} must be {kind}, not {value!r}")
        else:
            values[name] = value
    try:
        return Setting(**values)
    except UsageError as error:
        raise UsageError(f"{origin}: {error}") from error
