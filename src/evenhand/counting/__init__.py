"""A user's own records, counted: one label each, a ledger, an interval, a certificate."""

from evenhand.counting._alpha import StoppingRule, called
from evenhand.counting._change import change
from evenhand.counting._check import Check
from evenhand.counting._correction import Corrected, Correction, correct
from evenhand.counting._count import count, with_answer
from evenhand.counting._forecast import Announce, Forecast, forecast, if_needed, together
from evenhand.counting._interval import count_interval
from evenhand.counting._ledger import LEDGER_SCHEMA, read_ledger
from evenhand.counting._question import Question, make_question, read_label
from evenhand.counting._records import Records, open_records
from evenhand.counting._result import Count, LabelCount
from evenhand.counting._rounds import in_a_loop
from evenhand.counting._spending import (
    Spending,
    cost_words,
    lost_calls,
    run_folders,
    spending,
    with_spending,
)
from evenhand.counting._verify import verify

__all__ = [
    "LEDGER_SCHEMA",
    "Announce",
    "Check",
    "Corrected",
    "Correction",
    "Count",
    "Forecast",
    "LabelCount",
    "Question",
    "Records",
    "Spending",
    "StoppingRule",
    "called",
    "change",
    "correct",
    "cost_words",
    "count",
    "count_interval",
    "forecast",
    "if_needed",
    "in_a_loop",
    "lost_calls",
    "make_question",
    "open_records",
    "read_label",
    "read_ledger",
    "run_folders",
    "spending",
    "together",
    "verify",
    "with_answer",
    "with_spending",
]
