"""The points of the hint and strategy variants (B.2.1, B.2.2), the same for every task."""

from __future__ import annotations

VARIANT_WORDS = ("standard", "hint", "strategy")

HINTS = (
    "There may be many instances in the input; neither a subset nor a sample of them can tell "
    "the majority label reliably.",
    "Base the final answer on every instance provided, not on a partial scan or an estimate.",
)

STRATEGY = (
    "There may be a large number of instances in the input, and all of them have to be taken into "
    "account: neither a subset nor a sample can tell the majority reliably.",
    "With many instances, work in batches: solve and count inside each batch, then add up the "
    "counts of all batches and decide the overall majority from these totals.",
)
