"""The one results table."""

from evenhand.results._schema import OUTCOMES, RESULTS_SCHEMA, VALID_OUTCOMES, Outcome

__all__ = ["OUTCOMES", "RESULTS_SCHEMA", "VALID_OUTCOMES", "Outcome"]
