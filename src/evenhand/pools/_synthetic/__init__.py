"""Synthetic pools: texts of our own for every built-in task, labelled by construction."""

from evenhand.pools._synthetic._pool import CAPACITY, synthetic_answers, synthetic_pool

__all__ = ["CAPACITY", "synthetic_answers", "synthetic_pool"]
