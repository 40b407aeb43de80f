"""Statistics: results table in, table out. Shares and gaps run from 0 to 1, not in percent."""

from evenhand.analysis._accuracy import accuracy, invalid_rate, outcome_shares
from evenhand.analysis._gap import best_worst_gap
from evenhand.analysis._margin import label_bias, oriented_margin
from evenhand.analysis._partition import CLUSTER, Invalid
from evenhand.analysis._pooling import pooling_warnings

__all__ = [
    "CLUSTER",
    "Invalid",
    "accuracy",
    "best_worst_gap",
    "invalid_rate",
    "label_bias",
    "oriented_margin",
    "outcome_shares",
    "pooling_warnings",
]
