"""Synthetic pools: texts of our own for every built-in task, labelled by construction."""

from evenhand.pools._synthetic._count import carrier_count
from evenhand.pools._synthetic._pool import CAPACITY, synthetic_answers, synthetic_pool

__all__ = ["CAPACITY", "carrier_count", "synthetic_answers", "synthetic_pool"]
