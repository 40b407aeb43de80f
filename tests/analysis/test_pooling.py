"""Contract: rows made under different conditions are named before they are pooled."""

from __future__ import annotations

from collections.abc import Callable

import polars as pl

from evenhand.analysis import pooling_warnings

Table = Callable[..., pl.DataFrame]


def test_alike_rows_give_no_warning(table: Table) -> None:
    assert pooling_warnings(table([{}, {"set_seed": 1}])).height == 0
    assert pooling_warnings(table([])).height == 0


def test_each_watched_column(table: Table) -> None:
    base = {"upstream": "a", "parameters_sha256": "1"}
    rows = [
        base,
        base | {"upstream": "b"},
        base | {"parameters_sha256": "2"},
        base | {"pool": "sst2"},
        base | {"pool_source": "hub"},
        base | {"pool_filter": "filtered"},
    ]
    found = pooling_warnings(table(rows))
    assert found["column"].to_list() == [
        "upstream",
        "parameters_sha256",
        "pool",
        "pool_source",
        "pool_filter",
    ]
    assert found["values"].to_list()[:2] == [["a", "b"], ["1", "2"]]
    assert found["runs"].to_list() == [6, 6, 6, 5, 5]
    assert found["warning"][0].endswith("a, b")


def test_expected_differences_are_not_warned_of(table: Table) -> None:
    rows = [
        {"parameters_sha256": "1"},
        {"parameters_sha256": "2", "output_budget": 100_000},
        {"parameters_sha256": "3", "repeat": 1},
        {"parameters_sha256": "4", "variant": "hint"},
        {"parameters_sha256": "1", "task": "ner", "pool": "conll"},
        {"parameters_sha256": "9", "model": "other"},
    ]
    assert pooling_warnings(table(rows)).height == 0


def test_what_was_never_asked_was_not_asked_differently(table: Table) -> None:
    rows = [
        {"parameters_sha256": "1", "upstream": "a"},
        {"outcome": "invalid_input", "parameters_sha256": None, "upstream": None},
    ]
    assert pooling_warnings(table(rows)).height == 0


def test_a_hash_is_shortened_in_the_sentence(table: Table) -> None:
    rows = [{"parameters_sha256": "0" * 64}, {"parameters_sha256": "f" * 64}]
    assert pooling_warnings(table(rows))["warning"][0].endswith("parameters: 00000000, ffffffff")


def test_an_unstated_upstream_beside_a_stated_one(table: Table) -> None:
    found = pooling_warnings(table([{"upstream": "a"}, {"upstream": None}]))
    assert found["values"].to_list() == [["(not stated)", "a"]]
