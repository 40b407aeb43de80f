"""The experiment: one instance set, one order, one prompt, and its readable id."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from decimal import Decimal, InvalidOperation

from evenhand._word import WORD_RULE, is_word
from evenhand.design._patterns import PATTERNS
from evenhand.errors import UsageError

VARIANTS = ("standard", "hint", "strategy", "self")
SWAPPED_SUFFIX = "-swapped"


def proportion(value: str | float | Decimal) -> Decimal:
    """The majority proportion as the exact decimal that was written: 0.55, not its float.

    Raises:
        UsageError: If ``value`` is not a number strictly between 0.5 and 1.
    """
    try:
        p = Decimal(str(value)).normalize()
    except InvalidOperation:
        raise UsageError(f"p must be a number such as 0.55, not {value!r}") from None
    if not (p.is_finite() and Decimal("0.5") < p < 1):
        raise UsageError(
            f"p = {value} is not a majority proportion: choose one between 0.5 and 1, both excluded"
        )
    return p


def budget_word(tokens: int) -> str:
    """An output budget as ids write it: ``20k`` for 20,000, ``512`` for 512."""
    return f"{tokens // 1000}k" if tokens % 1000 == 0 and tokens else str(tokens)


@dataclass(frozen=True, slots=True)
class Experiment:
    """The coordinates of one experiment (3.3, 3.5).

    Attributes:
        setting: Name of the preset or file that planned it (``core``).
        task: Task name.
        pool: Name of the pool that the set is drawn from.
        n: Number of instances.
        p: Majority proportion, as written (a decimal string such as ``0.55``).
        majority_label: The gold label.
        set_seed: Seed of the selection.
        pattern: One of the seven order patterns.
        order_seed: Seed of the order; None for a structured pattern in its original order.
        variant: Prompt variant; a ``-swapped`` suffix marks the counterbalanced label order.
        output_budget: Output tokens allowed, per stage.
        repeat: Index of a same-order repeat, from 0.
    """

    setting: str
    task: str
    pool: str
    n: int
    p: str
    majority_label: str
    set_seed: int
    pattern: str
    order_seed: int | None
    variant: str
    output_budget: int
    repeat: int = 0

    def __post_init__(self) -> None:
        if self.pattern not in PATTERNS:
            raise UsageError(
                f"unknown order pattern {self.pattern!r}: use one of {_list(PATTERNS)}"
            )
        if self.base_variant not in VARIANTS:
            raise UsageError(f"unknown variant {self.variant!r}: use one of {_list(VARIANTS)}")
        if (self.pattern == "random") and self.order_seed is None:
            raise UsageError("the random pattern needs an order seed")
        for name in ("setting", "task", "pool", "majority_label"):
            if not is_word(getattr(self, name)):
                raise UsageError(
                    f"{name} {getattr(self, name)!r} cannot stand in an experiment id: "
                    f"use {WORD_RULE}"
                )

    @property
    def base_variant(self) -> str:
        """The variant without its counterbalance mark."""
        return self.variant.removesuffix(SWAPPED_SUFFIX)

    @property
    def swapped(self) -> bool:
        """Whether the prompt lists the labels, and shows its example, the other way round."""
        return self.variant.endswith(SWAPPED_SUFFIX)

    @property
    def id(self) -> str:
        """A readable, stable name.

        For instance ``core/sentiment/n2000/p0.55/maj=positive/s0/random.o2/standard/20k``.

        A same-order repeat k > 0 adds ``/rk``.
        """
        order = self.pattern if self.order_seed is None else f"{self.pattern}.o{self.order_seed}"
        parts = [
            self.setting,
            self.task,
            f"n{self.n}",
            f"p{self.p}",
            f"maj={self.majority_label}",
            f"s{self.set_seed}",
            order,
            self.variant,
            budget_word(self.output_budget),
        ]
        if self.repeat:
            parts.append(f"r{self.repeat}")
        return "/".join(parts)

    def coordinates(self) -> dict[str, str | int | None]:
        """The fields as a plain dictionary, for a store or a table."""
        return asdict(self)


def _list(words: tuple[str, ...]) -> str:
    return ", ".join(words)
