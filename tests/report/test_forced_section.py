"""Forced choices always stand with accuracy, label bias, label mass, margins, and what free-form
answers of the same model would have been worth."""

from __future__ import annotations

import polars as pl
from tests.report.conftest import Simulate

from evenhand.report import Facts, build_page
from evenhand.report._forced_section import FreeForm, free_form, free_form_words

NAMES = [
    "Right, all orders", "Label bias", "Label mass", "Margin, edges − middle", "Free-form answers",
]  # fmt: skip


def _runs(simulate: Simulate) -> pl.DataFrame:
    """A model's forced choices, two readers, and four free-form answers that nobody can read."""
    always = {"reader/perfect": 1.0, "reader/first-20": 0.9}
    readers = [simulate(name) for name in always]
    few = simulate("local/small", seeds=(0,), order_seeds=(0,), budgets=(48,), invalid=1.0)
    some = few.filter(pl.col("pattern").is_in(["majority-first", "majority-middle"]))
    return pl.concat([simulate("local/small", forced=True), *readers, some])


def test_the_page_is_about_the_forced_model(simulate: Simulate) -> None:
    page = build_page(_runs(simulate))
    assert page.lead.kicker == "evenhand · local/small · n = 100, p = 0.55, 3 set seeds"
    assert "local/small was right" in page.lead.headline
    said = " ".join(page.lead.explanation)
    for words in (
        "Over all orders: ", "(95% interval ", "), 54 runs.", "Label mass: the two labels hold 2",
        "Label bias: “", "with it at the edges less with it in the middle: ", "paired t = ",
        "0 of 4 can be read (0%), which is why the model was made to choose.",
        "For scale, simulated readers: reader/perfect was right",
    ):  # fmt: skip
        assert words in said


def test_all_that_belongs_together_stands_together(simulate: Simulate) -> None:
    (section,) = [part for part in build_page(_runs(simulate)).sections if part.anchor == "forced"]
    (facts,) = [block for block in section.blocks if isinstance(block, Facts)]
    assert facts.title == "To be read together: local/small (forced choice)"
    assert [name for name, _ in facts.items] == NAMES


def test_free_form_answers_are_those_of_the_same_model(simulate: Simulate) -> None:
    rows = _runs(simulate)
    assert free_form(rows, "local/small") == FreeForm(0, 4)
    assert free_form(rows, "local/other") is None
    assert free_form_words(None).startswith("not known: ")
    assert free_form_words(FreeForm(3, 4)) == (
        "3 of 4 can be read (75%), so it need not have been made to choose"
    )
