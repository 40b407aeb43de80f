"""The engine: attempts, retries, concurrency, budget, resume, the run store."""

from evenhand.running._engine import run, run_async
from evenhand.running._estimate import Estimate, estimate
from evenhand.running._filter import FilterResult, alone_runs, filter_pool
from evenhand.running._identity import run_settings
from evenhand.running._judging import JudgesReplies, StopsEarly
from evenhand.running._money import is_free, price_of
from evenhand.running._open import open_work
from evenhand.running._options import RunOptions, RunSummary
from evenhand.running._ordering import order_for_prefix_sharing
from evenhand.running._plan_table import export_plan, read_plan
from evenhand.running._prepare import answer_key, plan
from evenhand.running._records import AttemptRecord, Totals
from evenhand.running._store import RunStore
from evenhand.running._table_work import TableWork
from evenhand.running._workload import Snapshot, Work, Workload

__all__ = [
    "AttemptRecord",
    "Estimate",
    "FilterResult",
    "JudgesReplies",
    "RunOptions",
    "RunStore",
    "RunSummary",
    "Snapshot",
    "StopsEarly",
    "TableWork",
    "Totals",
    "Work",
    "Workload",
    "alone_runs",
    "answer_key",
    "estimate",
    "export_plan",
    "filter_pool",
    "is_free",
    "open_work",
    "order_for_prefix_sharing",
    "plan",
    "price_of",
    "read_plan",
    "run",
    "run_async",
    "run_settings",
]
