"""The page's own sections, in order. Each takes the prepared frame and gives a section or None."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import polars as pl

from evenhand.analysis import pooling_warnings
from evenhand.errors import UsageError
from evenhand.report._catalogue import Made, Material
from evenhand.report._conditions import sizes_differ
from evenhand.report._exhibits import missing_exhibits
from evenhand.report._explorer import LookUp, explorer_panel
from evenhand.report._facts import run_facts
from evenhand.report._finding import Finding, headline
from evenhand.report._numbers import plural
from evenhand.report._page import Block, Cell, Column, Figure, Prose, Section, Table
from evenhand.report.figures._contrasts import comparison, planned_contrasts
from evenhand.report.figures._gap import VERDICTS, gap_against_chance
from evenhand.report.figures._outcomes import (
    invalid_by_model,
    outcomes_by_pattern,
)
from evenhand.report.tables._robust import bounds_table, orderings_table, stability_table

Exhibits = Mapping[str, Made]


def position_section(material: Material, made: Exhibits) -> Section:
    """Accuracy by order pattern, and one line a model."""
    blocks: list[Block] = list(_figures(made, "majority-position"))
    if len(material.found) > 1:
        blocks.append(_one_line_each(material.found))
    warning = sizes_differ(material.main)
    if warning is not None:
        blocks.insert(0, Prose(warning, "warning"))
    return Section(
        "Where the majority stood",
        "position",
        "Every set of records was shown in several orders. Only the order differs, so the right "
        "answer never changes; the model’s share of right answers should not either.",
        tuple(blocks),
    )


def _figures(made: Exhibits, *names: str) -> Iterator[Figure | Table]:
    """The page blocks of some exhibits, those that the data allow."""
    for name in names:
        for _, content in made[name]:
            yield content if isinstance(content, Figure) else content.table


def _one_line_each(found: Sequence[Finding]) -> Table:
    rows = tuple(
        (
            Cell(one.model, one.model),
            Cell(headline(one, one.model)),
            Cell(VERDICTS[one.verdict], one.verdict),
        )
        for one in found
    )
    columns = (Column("Model"), Column("Finding"), Column("Verdict"))
    return Table("Every model in one line", columns, rows)


def gap_section(material: Material) -> Section:
    """The gap against its null, planned contrasts, stability."""
    figure = gap_against_chance(material.found)
    blocks: list[Block] = (
        [figure]
        if figure is not None
        else [Prose("No model has two orders with valid answers, so no gap can be measured.")]
    )
    planned = planned_contrasts(material.main)
    if planned is not None:
        blocks.append(planned)
    blocks.append(stability_table(_with_repeats(material)))
    orderings = orderings_table(material.rows)
    if orderings is not None:
        blocks.append(orderings)
    return Section(
        "Is the gap more than chance?",
        "gap",
        "The best of seven orders beats the worst even when order does not matter at all. So a gap "
        "means something only beside the gaps that chance makes in a design of the same size.",
        tuple(blocks),
    )


def _with_repeats(material: Material) -> pl.DataFrame:
    """The main condition with its same-order repeats, which give the noise floor."""
    keys = ["model", "task", "pool", "n", "p", "output_budget", "variant"]
    original = (pl.col("pattern") == "random") | pl.col("order_seed").is_null()
    repeats = material.rows.filter(original & (pl.col("repeat") > 0))
    same = repeats.join(material.main.select(keys).unique(), on=keys, how="semi")
    return pl.concat([material.main, same])


def outcome_section(material: Material, made: Exhibits) -> Section:
    """Outcomes and invalid runs."""
    main = material.main
    blocks: list[Block] = [outcomes_by_pattern(main)]
    if len(material.found) > 1:
        blocks += _figures(made, "error-types")
    figure = invalid_by_model(main)
    if figure is not None:
        blocks.append(figure)
    blocks += _figures(made, "invalid-counts", "exhausted-budgets")
    bounds = bounds_table(main)
    if bounds is not None:
        blocks.append(bounds)
    if not int((~main["valid"]).sum()):
        blocks.append(Prose(f"Invalid rate: none of {plural(main.height, 'run')}.", "note"))
    return Section(
        "What became of every run",
        "outcomes",
        "A run is right, wrong, or has no valid answer: the prompt did not fit, the output was cut "
        "off, or no label could be read in it. Shares of right answers leave invalid runs out.",
        tuple(blocks),
    )


def model_section(material: Material, made: Exhibits) -> Section:
    """Models and tasks side by side."""
    names = ["core-summary", "invalid-as-incorrect"]
    if len(material.found) > 1:
        names += ["representative-patterns", "all-patterns-by-model"]
    if material.main["task"].n_unique() > 1:
        names += ["tasks-by-model", "all-patterns-by-task"]
    return Section(
        "Models and tasks side by side",
        "models",
        "The same numbers by model and by task, with the spread over set seeds. Which order is "
        "best and which is worst may differ from model to model.",
        tuple(_figures(made, *names)),
    )


def filter_section(made: Exhibits) -> Section | None:
    """What the filtering models made of the records alone."""
    return _if_any(
        Section(
            "Can the records be solved alone?",
            "filter",
            "Two models were asked for every record by itself. A pool that keeps what both got "
            "right leaves order, not difficulty, to explain a wrong majority.",
            tuple(_figures(made, "filter-agreement")),
        )
    )


def size_section(made: Exhibits) -> Section | None:
    """Instance counts and label distributions."""
    names = ("counts-by-representative-pattern", "counts-by-pattern")
    return _if_any(
        Section(
            "More records, closer majorities",
            "sizes",
            "Does the order effect grow with the number of records, and as the two labels come "
            "closer to a draw?",
            tuple(_figures(made, *names)),
        )
    )


def prompt_section(made: Exhibits) -> Section | None:
    """Prompting variants."""
    return _if_any(
        Section(
            "Does another prompt help?",
            "prompts",
            "The same records in the same orders under other prompts: a hint to read everything, a "
            "strategy to count in batches, or instructions that the model wrote itself.",
            tuple(_figures(made, "accuracy-and-gap-by-prompt", "change-from-standard")),
        )
    )


def budget_section(made: Exhibits) -> Section | None:
    """Output budgets."""
    names = ("outcomes-by-budget", "counts-by-budget", "invalid-by-budget", "prompts-and-budgets")
    return _if_any(
        Section(
            "Does more room to think help?",
            "budgets",
            "The same experiments with more output tokens allowed.",
            tuple(_figures(made, *names)),
        )
    )


def _if_any(section: Section) -> Section | None:
    return section if section.blocks else None


def compare_section(material: Material, a: str, b: str) -> Section:
    """Two models over the experiments that both did.

    Raises:
        UsageError: If a name is no model of the report, or the two share no experiment.
    """
    known = material.rows["model"].unique(maintain_order=True).to_list()
    for name in (a, b):
        if name not in known:
            raise UsageError(f"no model {name!r} in these runs: use one of {', '.join(known)}")
    figure = comparison(material.rows, a, b)
    if figure is None:
        raise UsageError(
            f"{a} and {b} have no experiment in common: "
            "run both over the same tasks, n, p and seeds"
        )
    return Section(
        f"{a} against {b}",
        "compare",
        "Paired: the same records in the same order under the same prompt, one model against the "
        "other.",
        (figure,),
    )


def missing_section(made: Exhibits) -> Section | None:
    """What of the paper's tables and figures these runs do not allow."""
    missing = missing_exhibits(made)
    if not missing:
        return None
    rows = tuple((Cell(p, p), Cell(n, n), Cell(needs), Cell(run)) for p, n, needs, run in missing)
    columns = (
        Column("In the paper"),
        Column("Shows"),
        Column("Needs"),
        Column("A run that would supply it"),
    )
    return Section(
        "What these runs cannot show",
        "missing",
        "Tables and figures of the paper that need other runs. Add their folders to the command "
        "and they appear.",
        (Table("Not made", columns, rows),),
    )


def explorer_section(frame: pl.DataFrame, look_up: LookUp) -> Section:
    """Any experiment from close up."""
    return Section(
        "Look at any experiment",
        "experiments",
        "Choose one to see its order, record by record, what the model was asked, and what it "
        "answered. Tall blue bars are majority records, short ochre ones minority records.",
        (explorer_panel(frame, look_up),),
    )


def facts_section(frame: pl.DataFrame, notes: Sequence[str] = ()) -> Section:
    """Run facts, and warnings about rows that were not made alike."""
    warnings = tuple(Prose(note, "warning") for note in notes) + tuple(
        Prose(f"{row['model']}: {row['warning']} ({plural(row['runs'], 'run')}).", "warning")
        for row in pooling_warnings(frame).iter_rows(named=True)
    )
    return Section(
        "Facts of the runs",
        "facts",
        "What was asked, of whom, how often, and at what price. Costs and tokens are those that "
        "the provider stated; what it did not state is unknown, not zero.",
        (*warnings, *run_facts(frame)),
    )
