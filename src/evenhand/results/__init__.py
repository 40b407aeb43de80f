"""The one results table (a row an experiment), read from run stores, Parquet or Inspect logs."""

from evenhand._callable_room import make_callable
from evenhand.results._arrangement import Arrangement, arrangement
from evenhand.results._export import ExportFormat, export
from evenhand.results._read import ATTEMPTS_SCHEMA, attempts, parameters_sha256, pending, results
from evenhand.results._schema import (
    OPTIONAL_COLUMNS,
    OUTCOMES,
    RESULTS_SCHEMA,
    VALID_OUTCOMES,
    Outcome,
)
from evenhand.results._verdicts import VERDICTS_SCHEMA, verdicts
from evenhand.results._waiting import Waiting, waiting

__all__ = [
    "ATTEMPTS_SCHEMA",
    "OPTIONAL_COLUMNS",
    "OUTCOMES",
    "RESULTS_SCHEMA",
    "VALID_OUTCOMES",
    "VERDICTS_SCHEMA",
    "Arrangement",
    "ExportFormat",
    "Outcome",
    "Waiting",
    "arrangement",
    "attempts",
    "export",
    "parameters_sha256",
    "pending",
    "results",
    "verdicts",
    "waiting",
]

make_callable(__name__)
