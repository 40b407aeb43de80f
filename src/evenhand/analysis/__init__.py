"""Statistics: results table in, table out. Shares and gaps run from 0 to 1, not in percent."""

from evenhand.analysis._accuracy import accuracy, invalid_rate, outcome_shares
from evenhand.analysis._bounds import invalid_bounds
from evenhand.analysis._compare import compare
from evenhand.analysis._contrasts import CONTRASTS, Contrast, contrasts
from evenhand.analysis._coverage import (
    COVERAGE_BINS,
    TRACE_CLASSES,
    Mention,
    TraceReading,
    block_boundaries,
    coverage,
    coverage_bins,
    coverage_notes,
    find_mentions,
    label_agreement,
    mean_coverage,
    mention_rates,
    mentioned_ids,
    read_trace,
    trace_classes,
)
from evenhand.analysis._exhausted import exhausted_budgets
from evenhand.analysis._figures import (
    OVERALL,
    accuracy_by_pattern,
    accuracy_by_task,
    budget_outcomes,
    counts_grid,
    error_types,
    invalid_counts,
    task_by_pattern,
    variant_changes,
)
from evenhand.analysis._flips import flip_rate
from evenhand.analysis._gap import best_worst_gap
from evenhand.analysis._holm import holm
from evenhand.analysis._margin import label_bias, oriented_margin
from evenhand.analysis._margin_difference import margin_difference
from evenhand.analysis._null import PERMUTATIONS, gap_null
from evenhand.analysis._orderings import original_against_orderings
from evenhand.analysis._partition import CLUSTER, Invalid
from evenhand.analysis._pooling import pooling_warnings
from evenhand.analysis._power import GapPower, gap_power, runs_per_pattern, set_seeds_needed
from evenhand.analysis._rows import core_rows, table_rows
from evenhand.analysis._split_half import split_half_gap
from evenhand.analysis._tables import (
    all_experiments_table,
    budget_table,
    filter_agreement,
    overview_table,
)

__all__ = [
    "CLUSTER",
    "CONTRASTS",
    "COVERAGE_BINS",
    "OVERALL",
    "PERMUTATIONS",
    "TRACE_CLASSES",
    "Contrast",
    "GapPower",
    "Invalid",
    "Mention",
    "TraceReading",
    "accuracy",
    "accuracy_by_pattern",
    "accuracy_by_task",
    "all_experiments_table",
    "best_worst_gap",
    "block_boundaries",
    "budget_outcomes",
    "budget_table",
    "compare",
    "contrasts",
    "core_rows",
    "counts_grid",
    "coverage",
    "coverage_bins",
    "coverage_notes",
    "error_types",
    "exhausted_budgets",
    "filter_agreement",
    "find_mentions",
    "flip_rate",
    "gap_null",
    "gap_power",
    "holm",
    "invalid_bounds",
    "invalid_counts",
    "invalid_rate",
    "label_agreement",
    "label_bias",
    "margin_difference",
    "mean_coverage",
    "mention_rates",
    "mentioned_ids",
    "oriented_margin",
    "original_against_orderings",
    "outcome_shares",
    "overview_table",
    "pooling_warnings",
    "read_trace",
    "runs_per_pattern",
    "set_seeds_needed",
    "split_half_gap",
    "table_rows",
    "task_by_pattern",
    "trace_classes",
    "variant_changes",
]
