"""The options that ``plan`` and ``run`` share: which experiments, and from which records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from evenhand.cli._options import parse_per_label, split_integers, split_words, table_source
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.running import Workload


@dataclass(frozen=True, slots=True)
class Grid:
    """What the user asked for, as typed. Field order is the order of the help page."""

    setting: Annotated[
        str,
        typer.Argument(
            help="core, counts, variants, budgets, orderings, or a TOML file with a setting."
        ),
    ] = "core"
    tasks: Annotated[
        str | None, typer.Option("--tasks", help="Tasks, comma-separated: math,ner,...")
    ] = None
    n: Annotated[str | None, typer.Option("--n", help="Instance counts: 100,200")] = None
    p: Annotated[str | None, typer.Option("--p", help="Majority proportions: 0.55,0.7")] = None
    majority_labels: Annotated[
        str | None,
        typer.Option("--majority-labels", help="Labels that take the majority (default: both)."),
    ] = None
    set_seeds: Annotated[
        str | None, typer.Option("--set-seeds", help="Selection seeds: 0,1,2 or 0-11")
    ] = None
    patterns: Annotated[
        str | None, typer.Option("--patterns", help="Order patterns: random,majority-first,...")
    ] = None
    order_seeds: Annotated[
        str | None, typer.Option("--order-seeds", help="Order seeds of the random pattern: 0,1,2")
    ] = None
    pattern_order_seeds: Annotated[
        str | None,
        typer.Option(
            "--pattern-order-seeds",
            help="Shuffle within each label of the structured patterns under these seeds: 1-50",
        ),
    ] = None
    variants: Annotated[
        str | None,
        typer.Option("--variants", help="Prompt variants: standard,hint,strategy,self"),
    ] = None
    budget: Annotated[
        str | None,
        typer.Option("--budget", help="Output tokens allowed: 20000 or 20000,100000"),
    ] = None
    repeats: Annotated[
        int | None, typer.Option("--repeats", help="Same-order repeats of every experiment.")
    ] = None
    counterbalance: Annotated[
        bool,
        typer.Option(
            "--counterbalance",
            help="Run every experiment also with the labels listed the other way round.",
        ),
    ] = False
    data: Annotated[
        Path | None,
        typer.Option(
            "--data", help="Folder with the upstream data sets (default: synthetic pools)."
        ),
    ] = None
    task: Annotated[
        list[Path] | None,
        typer.Option("--task", metavar="<path>", help="Your own task, a TOML file; repeatable."),
    ] = None
    pool: Annotated[
        Path | None,
        typer.Option("--pool", help="Your own records: CSV, TSV, JSON Lines or Parquet."),
    ] = None
    text_column: Annotated[
        str | None,
        typer.Option("--text-column", help="Column of --pool with the text (default: text)."),
    ] = None
    label_column: Annotated[
        str | None,
        typer.Option("--label-column", help="Column of --pool with the label (default: label)."),
    ] = None
    id_column: Annotated[
        str | None,
        typer.Option("--id-column", help="Column of --pool with a unique id (default: row)."),
    ] = None
    per_label: Annotated[
        str | None,
        typer.Option("--per-label", help="Instances a label that the pool is to hold, or all."),
    ] = None

    def axes(self) -> dict[str, Any]:
        """The axes that the user overrides, as :func:`evenhand.running.plan` takes them."""
        typed: list[tuple[str, str | None, Callable[[str], list[Any]]]] = [
            ("tasks", self.tasks, split_words),
            ("n", self.n, split_integers),
            ("p", self.p, split_words),
            ("majority_labels", self.majority_labels, split_words),
            ("set_seeds", self.set_seeds, split_integers),
            ("patterns", self.patterns, split_words),
            ("random_order_seeds", self.order_seeds, split_integers),
            ("pattern_order_seeds", self.pattern_order_seeds, split_integers),
            ("variants", self.variants, split_words),
            ("output_budgets", self.budget, split_integers),
        ]
        axes: dict[str, Any] = {
            name: parse(text) for name, text, parse in typed if text is not None
        }
        if self.repeats is not None:
            axes["repeats"] = self.repeats
        if self.counterbalance:
            axes["counterbalance"] = True
        return axes

    def workload(self) -> Workload:
        """Load tasks and pools and lay out the plan."""
        from evenhand.running import plan

        if self.data is not None and self.pool is not None:
            raise UsageError("--data and --pool are two sources of records: give one of them")
        table = table_source(self.pool, self.text_column, self.label_column, self.id_column)
        return plan(
            self.setting,
            data=self.data,
            table=table,
            task_files=self.task or (),
            per_label=parse_per_label(self.per_label),
            **self.axes(),
        )
