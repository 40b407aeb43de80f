"""The experimental design: selection, order patterns, the grid of experiments. Pure functions."""

from evenhand._rank import rank_key
from evenhand.design._experiment import VARIANTS, Experiment, budget_word, proportion
from evenhand.design._patterns import PATTERNS, STRUCTURED_PATTERNS, Pattern, arrange
from evenhand.design._plan import AXES, Plan, make_plan
from evenhand.design._reference import Reference, accuracy_needed, reference
from evenhand.design._select import InstanceSet, ranked, select, split_count
from evenhand.design._setting import PRESETS, Setting, load_setting

__all__ = [
    "AXES",
    "PATTERNS",
    "PRESETS",
    "STRUCTURED_PATTERNS",
    "VARIANTS",
    "Experiment",
    "InstanceSet",
    "Pattern",
    "Plan",
    "Reference",
    "Setting",
    "accuracy_needed",
    "arrange",
    "budget_word",
    "load_setting",
    "make_plan",
    "proportion",
    "rank_key",
    "ranked",
    "reference",
    "select",
    "split_count",
]
