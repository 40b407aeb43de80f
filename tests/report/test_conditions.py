"""What is pooled was asked alike: one condition a model, one answer mode a name."""

from __future__ import annotations

import polars as pl
from tests.report.conftest import Simulate

from evenhand.report._conditions import (
    main_condition,
    one_setting,
    pooled_models,
    size_grid,
    sizes_differ,
    told_apart,
)


def test_two_answer_modes_become_two_names(simulate: Simulate) -> None:
    frame = pl.concat([simulate("a"), simulate("a", forced=True), simulate("b")])
    assert told_apart(frame)["model"].unique(maintain_order=True).to_list() == [
        "a (written answers)",
        "a (forced choice)",
        "b",
    ]


def test_a_few_free_form_answers_beside_forced_choices_are_no_model(simulate: Simulate) -> None:
    few = simulate("a", seeds=(0,), budgets=(48,))
    rows = told_apart(pl.concat([simulate("a", forced=True), simulate("reader/x"), few]))
    main = main_condition(rows)
    assert main["model"].unique(maintain_order=True).to_list() == ["a (forced choice)", "reader/x"]
    # In the main condition itself, or beside no forced choice, they are one.
    alike = told_apart(pl.concat([simulate("a", forced=True), simulate("a")]))
    assert main_condition(alike)["model"].n_unique() == 2
    alone = told_apart(pl.concat([simulate("b"), few]))
    assert set(main_condition(alone)["model"]) == {"a", "b"}


def test_the_condition_with_the_most_set_seeds_leads(simulate: Simulate) -> None:
    core = simulate(n=(2000,))
    counts = simulate(setting="counts", n=(100, 200), seeds=(1,))
    main = main_condition(pl.concat([counts, core]))
    assert main["n"].unique().to_list() == [2000]
    assert main.height == core.height


def test_a_model_of_another_size_is_not_dropped_but_warned_of(simulate: Simulate) -> None:
    frame = pl.concat([simulate("a", n=(2000,)), simulate("b", n=(100,))])
    main = main_condition(frame)
    assert main["model"].unique(maintain_order=True).to_list() == ["a", "b"]
    warning = sizes_differ(main)
    assert warning is not None
    assert "b: n = 100" in warning
    assert sizes_differ(main_condition(simulate())) is None


def test_an_experiment_of_two_settings_counts_once(simulate: Simulate) -> None:
    frame = pl.concat([simulate(), simulate(setting="variants")])
    assert one_setting(frame).height == simulate().height


def test_repeats_and_other_prompts_stay_out_of_the_headline(simulate: Simulate) -> None:
    frame = simulate(repeats=2, variants=("standard", "hint"))
    main = main_condition(frame)
    assert main["repeat"].unique().to_list() == [0]
    assert main["variant"].unique().to_list() == ["standard"]


def test_the_grid_leaves_out_settings_of_one_size(simulate: Simulate) -> None:
    counts = simulate(setting="counts", n=(100, 200), seeds=(1,))
    grid = size_grid(pl.concat([simulate(n=(100,)), counts]))
    assert grid.height == counts.height


def test_readers_never_pool_with_models(simulate: Simulate) -> None:
    readers = simulate("reader/coin")
    frame = pl.concat([readers, simulate("maker/model")])
    assert pooled_models(frame)["model"].unique().to_list() == ["maker/model"]
    assert pooled_models(readers).height == readers.height
