"""The rules that readers follow, and how their names are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from evenhand.errors import UsageError

Kind = Literal["perfect", "first", "last", "every", "noisy", "coin", "label"]

READER_FORMS = (
    "reader/perfect",
    "reader/first-K",
    "reader/last-K",
    "reader/every-K",
    "reader/noisy-Q",
    "reader/coin",
    "reader/label-LABEL",
)
_COUNT = re.compile(r"[1-9][0-9]{0,8}")
_SHARE = re.compile(r"0(?:\.[0-9]+)?|1(?:\.0+)?")


@dataclass(frozen=True, slots=True)
class Rule:
    """One reader's rule.

    Attributes:
        spec: The name without ``reader/``.
        kind: Which rule.
        count: K of ``first-K``, ``last-K`` and ``every-K``.
        accuracy: Q of ``noisy-Q``: the chance that one instance is labelled right.
        label: LABEL of ``label-LABEL``.
    """

    spec: str
    kind: Kind
    count: int = 0
    accuracy: float = 1.0
    label: str = ""

    def reads(self, n: int) -> range:
        """The ids, from 1, that the reader looks at in a list of ``n``."""
        match self.kind:
            case "perfect" | "noisy":
                return range(1, n + 1)
            case "first":
                return range(1, min(self.count, n) + 1)
            case "last":
                return range(max(n - self.count, 0) + 1, n + 1)
            case "every":
                return range(self.count, n + 1, self.count)
            case "coin" | "label":
                return range(0)


def parse_rule(spec: str) -> Rule:
    """Read a reader's name.

    Args:
        spec: With or without its ``reader/``.

    Raises:
        UsageError: If it has none of the forms in :data:`READER_FORMS`.
    """
    bare = spec.removeprefix("reader/")
    kind, dash, value = bare.partition("-")
    if bare in ("perfect", "coin"):
        return Rule(bare, "perfect" if bare == "perfect" else "coin")
    if kind == "label" and value and not re.search(r"\s", value):
        return Rule(bare, "label", label=value)
    if kind == "noisy" and _SHARE.fullmatch(value):
        return Rule(bare, "noisy", accuracy=float(value))
    if dash and _COUNT.fullmatch(value):
        match kind:
            case "first" | "last" | "every":
                return Rule(bare, kind, count=int(value))
    raise UsageError(
        f"unknown reader {spec!r}: use one of {', '.join(READER_FORMS)} "
        "(K a whole number from 1, Q between 0 and 1)"
    )
