"""The experimental design: selection, order patterns, the grid of experiments. Pure functions."""

from evenhand._rank import rank_key
from evenhand.design._experiment import VARIANTS, Experiment, budget_word, proportion
from evenhand.design._patterns import PATTERNS, STRUCTURED_PATTERNS, Pattern, arrange
from evenhand.design._select import InstanceSet, ranked, select, split_count

__all__ = [
    "PATTERNS",
    "STRUCTURED_PATTERNS",
    "VARIANTS",
    "Experiment",
    "InstanceSet",
    "Pattern",
    "arrange",
    "budget_word",
    "proportion",
    "rank_key",
    "ranked",
    "select",
    "split_count",
]
