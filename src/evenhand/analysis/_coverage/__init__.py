"""What reasoning traces mention: coverage, stopping point, stated labels (5.1, C.5.4, E)."""

from evenhand.analysis._coverage._blocks import block_boundaries
from evenhand.analysis._coverage._classify import TRACE_CLASSES, TraceClass, classify_trace
from evenhand.analysis._coverage._mentions import Mention, find_mentions, named_ids, ranged_ids
from evenhand.analysis._coverage._numbers import mentioned_ids
from evenhand.analysis._coverage._read import TraceReading, read_trace
from evenhand.analysis._coverage._stated import stated_labels
from evenhand.analysis._coverage._stopping import stopping_point
from evenhand.analysis._coverage._summaries import (
    COVERAGE_BINS,
    coverage_bins,
    coverage_notes,
    label_agreement,
    mean_coverage,
    mention_rates,
    trace_classes,
)
from evenhand.analysis._coverage._summary import is_summary
from evenhand.analysis._coverage._table import coverage

__all__ = [
    "COVERAGE_BINS",
    "TRACE_CLASSES",
    "Mention",
    "TraceClass",
    "TraceReading",
    "block_boundaries",
    "classify_trace",
    "coverage",
    "coverage_bins",
    "coverage_notes",
    "find_mentions",
    "is_summary",
    "label_agreement",
    "mean_coverage",
    "mention_rates",
    "mentioned_ids",
    "named_ids",
    "ranged_ids",
    "read_trace",
    "stated_labels",
    "stopping_point",
    "trace_classes",
]
