"""The paper's tables and figures: which the data allow, and which run would supply the others."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import polars as pl

from evenhand.analysis import (
    all_experiments_table,
    budget_table,
    exhausted_budgets,
    overview_table,
)
from evenhand.report._conditions import (
    MODE_WORDS,
    main_condition,
    pooled_models,
    same_size,
    size_grid,
    told_apart,
)
from evenhand.report._finding import Finding, findings
from evenhand.report._page import Figure, Table
from evenhand.report.figures._budgets import (
    accuracy_by_budget,
    outcomes_by_budget,
    several_budgets,
)
from evenhand.report.figures._grid import (
    counts_by_budget,
    counts_by_pattern,
    counts_by_representative_pattern,
    invalid_by_budget,
)
from evenhand.report.figures._outcomes import error_types, invalid_counts
from evenhand.report.figures._patterns import (
    all_patterns_by_model,
    all_patterns_by_task,
    majority_position,
    representative_patterns,
)
from evenhand.report.figures._tasks import tasks_by_model
from evenhand.report.figures._variants import (
    accuracy_by_variant,
    change_from_standard,
    gap_by_variant,
)
from evenhand.report.tables._exhausted import exhausted_table
from evenhand.report.tables._filter import filter_agreements, filter_table
from evenhand.report.tables._summary import (
    both_definitions_table,
    core_table,
    in_models_order,
)


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table for readers with the frame behind it."""

    frame: pl.DataFrame
    table: Table


class Material:
    """A results table cut in the ways that tables and figures need, each cut made once.

    Args:
        frame: Results of one run or several.
        permutations: Of every null.
        verdicts: Of filters, as :class:`evenhand.report.LoadedRuns` has them.
    """

    def __init__(
        self,
        frame: pl.DataFrame,
        permutations: int = 10_000,
        verdicts: Sequence[pl.DataFrame] = (),
    ) -> None:
        self.permutations = permutations
        self.verdicts = verdicts
        self.rows = told_apart(frame)

    @cached_property
    def main(self) -> pl.DataFrame:
        """One condition a model: what the headline speaks of."""
        return main_condition(self.rows)

    @cached_property
    def overview(self) -> pl.DataFrame:
        """Accuracy, gap with its null and invalid rate of each model in its main condition."""
        table = overview_table(self.main, permutations=self.permutations)
        return in_models_order(table, self.main)

    @cached_property
    def found(self) -> tuple[Finding, ...]:
        """One finding a model."""
        nulls = self.overview.select(
            "model", "null_mean", "null_95", "p_value", low="gap_low", high="gap_high"
        )
        return findings(self.main, nulls)

    @cached_property
    def sized(self) -> pl.DataFrame:
        """The main n and p under every prompt and output budget."""
        return same_size(self.rows, self.main)

    @cached_property
    def standard(self) -> pl.DataFrame:
        """The main n and p, standard prompt, under every output budget."""
        return self.sized.filter(pl.col("variant") == "standard")

    @cached_property
    def grid(self) -> pl.DataFrame:
        """Settings that vary n or p, standard prompt."""
        return size_grid(self.rows)

    def pooled(self, rows: pl.DataFrame) -> Iterator[tuple[str, pl.DataFrame]]:
        """What figures that pool models may pool: one answer mode, no reader beside a model."""
        kept = pooled_models(rows)
        modes = sorted(kept["answer_mode"].unique())
        for mode in modes:
            words = MODE_WORDS.get(mode, mode)
            yield ("" if len(modes) == 1 else words), kept.filter(pl.col("answer_mode") == mode)


Made = Sequence[tuple[str, Figure | DataTable]]
"""File name (without ending) and what goes into it."""


@dataclass(frozen=True, slots=True)
class Exhibit:
    """One table or figure of the paper, or numbers that its text gives.

    Attributes:
        paper: Its number there.
        name: What it shows, as a file name.
        kind: Table or figure.
        needs: What the data must hold.
        command: The run that would supply it.
        make: Gives files to write, none where the data do not allow it.
    """

    paper: str
    name: str
    kind: Literal["table", "figure"]
    needs: str
    command: str
    make: Callable[[Material], Made]


def _one(name: str, made: Figure | DataTable | None) -> Made:
    return [] if made is None else [(name, made)]


def _core_summary(material: Material) -> Made:
    table = core_table(material.overview)
    return [("core-summary", DataTable(material.overview, table))]


def _filter_agreement(material: Material) -> Made:
    frame = filter_agreements(material.verdicts)
    if frame.is_empty():
        return []
    return [("filter-agreement", DataTable(frame, filter_table(frame)))]


def _exhausted_budgets(material: Material) -> Made:
    frame = exhausted_budgets(material.main)
    if frame.is_empty():
        return []
    return [("exhausted-budgets", DataTable(frame, exhausted_table(frame)))]


def _prompts_and_budgets(material: Material) -> Made:
    by = ("model", "variant", "output_budget")
    several = several_budgets(material.sized)
    if several.is_empty() or several["variant"].n_unique() < 2:
        return []
    frame = in_models_order(budget_table(several), several)
    table = both_definitions_table(
        frame, by, "Accuracy, gaps and invalid rates by prompt and budget"
    )
    return [("prompts-and-budgets", DataTable(frame, table))]


def _invalid_as_incorrect(material: Material) -> Made:
    by = ("model", "output_budget")
    frame = in_models_order(all_experiments_table(material.standard), material.standard)
    table = both_definitions_table(frame, by, "All-experiment and valid-only accuracy and gap")
    return [("invalid-as-incorrect", DataTable(frame, table))]


def _pooled(
    name: str,
    rows: Callable[[Material], pl.DataFrame],
    draw: Callable[[pl.DataFrame], Figure | None],
) -> Callable[[Material], Made]:
    def make(material: Material) -> Made:
        made: list[tuple[str, Figure | DataTable]] = []
        for words, kept in material.pooled(rows(material)):
            figure = draw(kept)
            if figure is not None and words:
                figure = replace(figure, title=f"{figure.title} ({words})")
            made += _one(f"{name}-{words.replace(' ', '-')}" if words else name, figure)
        return made

    return make


def _by_budget(
    draw: Callable[[pl.DataFrame], Figure | None], name: str
) -> Callable[[Material], Made]:
    """One figure a model that ran the grid under several budgets."""

    def make(material: Material) -> Made:
        made: list[tuple[str, Figure | DataTable]] = []
        rows = several_budgets(material.grid)
        models = rows["model"].unique(maintain_order=True).to_list()
        for at, model in enumerate(models):
            suffix = f"-{at + 1}" if len(models) > 1 else ""
            figure = draw(rows.filter(pl.col("model") == model))
            made += _one(name + suffix, figure)
        return made

    return make


def _budget_outcomes(material: Material) -> Made:
    return [
        *_one("outcomes-by-budget", outcomes_by_budget(material.standard)),
        *_one("accuracy-by-budget", accuracy_by_budget(material.standard)),
    ]


def _variant_figures(material: Material) -> Made:
    rows = material.sized.filter(pl.col("output_budget") == _main_budget(material))
    return [
        *_one("accuracy-by-prompt", accuracy_by_variant(rows)),
        *_one("gap-by-prompt", gap_by_variant(rows, permutations=material.permutations)),
    ]


def _main_budget(material: Material) -> int:
    budgets = material.main["output_budget"].value_counts(sort=True)
    return int(budgets["output_budget"][0])


_CORE = "evenhand run core --model MODEL --out runs/NAME"
_COUNTS = "evenhand run counts --model MODEL --out runs/NAME"
_VARIANTS = "evenhand run variants --model MODEL --out runs/NAME"
_BUDGETS = "evenhand run budgets --model MODEL --out runs/NAME"

EXHIBITS: tuple[Exhibit, ...] = (
    Exhibit("Table 2", "core-summary", "table", "any run", _CORE, _core_summary),
    Exhibit("Table 4", "filter-agreement", "table", "two filtering models' verdicts",
            "evenhand filter TASK --model A --model B --out FOLDER", _filter_agreement),
    Exhibit("Table 5", "prompts-and-budgets", "table",
            "several prompts under several output budgets", _BUDGETS, _prompts_and_budgets),
    Exhibit("Table 6", "invalid-as-incorrect", "table", "any run", _CORE, _invalid_as_incorrect),
    Exhibit("Figures 1 and 8", "majority-position", "figure", "any run", _CORE,
            lambda m: _one("majority-position", majority_position(m.main))),
    Exhibit("Figure 2", "representative-patterns", "figure", "any run", _CORE,
            lambda m: _one("representative-patterns", representative_patterns(m.main))),
    Exhibit("Figure 3", "counts-by-representative-pattern", "figure",
            "several n or p in one setting", _COUNTS,
            _pooled("counts-by-representative-pattern", lambda m: m.grid,
                    counts_by_representative_pattern)),
    Exhibit("Figure 4", "accuracy-and-gap-by-prompt", "figure", "several prompts", _VARIANTS,
            _variant_figures),
    Exhibit("Figure 9", "outcomes-by-budget", "figure", "several output budgets", _BUDGETS,
            _budget_outcomes),
    Exhibit("Figure 10", "counts-by-budget", "figure",
            "several n or p under several output budgets", _BUDGETS,
            _by_budget(counts_by_budget, "counts-by-budget")),
    Exhibit("Figure 11", "invalid-by-budget", "figure",
            "several n or p under several output budgets", _BUDGETS,
            _by_budget(invalid_by_budget, "invalid-by-budget")),
    Exhibit("Figure 14", "error-types", "figure", "a run that is not right every time", _CORE,
            lambda m: _one("error-types", error_types(m.main))),
    Exhibit("Figure 15", "invalid-counts", "figure", "a run with an invalid answer", _CORE,
            lambda m: _one("invalid-counts", invalid_counts(m.main))),
    Exhibit("Appendix D.1", "exhausted-budgets", "table",
            "a model whose reasoning has a budget of its own, apart from its answer's",
            "evenhand run core --model openrouter/qwen/qwen3.6-plus --out runs/NAME",
            _exhausted_budgets),
    Exhibit("Figure 16", "tasks-by-model", "figure", "several tasks", _CORE,
            lambda m: _one("tasks-by-model", tasks_by_model(m.main))),
    Exhibit("Figure 17", "all-patterns-by-model", "figure", "any run", _CORE,
            lambda m: _one("all-patterns-by-model", all_patterns_by_model(m.main))),
    Exhibit("Figure 18", "all-patterns-by-task", "figure", "any run", _CORE,
            _pooled("all-patterns-by-task", lambda m: m.main, all_patterns_by_task)),
    Exhibit("Figure 19", "counts-by-pattern", "figure", "several n or p in one setting", _COUNTS,
            _pooled("counts-by-pattern", lambda m: m.grid, counts_by_pattern)),
    Exhibit("Figure 20", "change-from-standard", "figure", "several prompts", _VARIANTS,
            lambda m: _one("change-from-standard", change_from_standard(
                m.sized.filter(pl.col("output_budget") == _main_budget(m))))),
)  # fmt: skip
"""In the paper's order. Coverage and attribution bring theirs from their own rooms."""
