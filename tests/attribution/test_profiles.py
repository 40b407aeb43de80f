"""Contract: profiles average shares by position as the paper's figures do (5.2.2, F.2 to F.4)."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

from evenhand.attribution import order_profile, overall_profile, relative_profile, single_profile
from evenhand.attribution._profiles import region_bands, regions
from evenhand.design import PATTERNS, arrange
from evenhand.errors import UsageError


def row(share: Sequence[float | None], **more: object) -> dict[str, object]:
    n = len(share)
    return {
        "experiment_id": "e",
        "model": "m",
        "task": "sentiment",
        "pattern": "majority-first",
        "n": n,
        "p": 0.6,
        "majority_label": "positive",
        "set_seed": 0,
        "variant": "standard",
        "correct": True,
        "reason": None,
        "majority": [True] * (n - n // 3) + [False] * (n // 3),
        "share": list(share),
        "push": [None if one is None else -one for one in share],
        **more,
    }


def frame(*rows: dict[str, object]) -> pl.DataFrame:
    return pl.DataFrame(list(rows), infer_schema_length=None)


def test_ten_instances_a_bin_replays_equal() -> None:
    found = order_profile(frame(row([1.0] * 140 + [3.0] * 65), row([2.0] * 140 + [5.0] * 65)))
    assert found["share"].to_list() == [1.5] * 14 + [4.0] * 7
    assert found["push"].to_list() == [-1.5] * 14 + [-4.0] * 7
    assert found.select("first", "last").rows()[-2:] == [(191.0, 200.0), (201.0, 205.0)]
    # 205 - 205 // 3 = 137 instances of the majority: the fourteenth bin holds both labels.
    assert found["region"].to_list() == ["majority"] * 13 + [None] + ["minority"] * 7
    assert found["replays"].to_list() == [2] * 21
    assert found["low"].to_list() == [None] * 21


@pytest.mark.parametrize(
    ("n", "size"), [(1, 1), (20, 1), (39, 1), (40, 2), (60, 3), (199, 9), (200, 10), (2000, 10)]
)
def test_short_lists_have_smaller_bins(n: int, size: int) -> None:
    found = order_profile(frame(row([1.0] * n)))
    assert found["last"][0] == size
    assert found["last"][-1] == n
    assert found.height == -(-n // size)


def test_bands_stand_where_the_labels_do() -> None:
    order = arrange([True] * 12, [False] * 8, "majority-edges")
    rows = [row([1.0] * 20, pattern="majority-edges", majority=order, set_seed=at) for at in (0, 1)]
    found = region_bands(frame(*rows), ("pattern",))
    assert found.rows() == [
        ("majority-edges", 20, "majority", 1, 6),
        ("majority-edges", 20, "minority", 7, 14),
        ("majority-edges", 20, "majority", 15, 20),
    ]
    assert order_profile(frame(*rows), ("pattern",))["region"].to_list() == (
        ["majority"] * 6 + ["minority"] * 8 + ["majority"] * 6
    )
    other = row([1.0] * 20, pattern="majority-edges")
    assert region_bands(frame(*rows, other), ("pattern",)).is_empty()


def test_instances_without_tokens_are_passed_over() -> None:
    found = order_profile(frame(row([None, 2.0] * 10 + [None] * 20)))
    assert found["share"].to_list() == [2.0] * 10 + [None] * 10


def test_the_interval_is_over_instance_sets() -> None:
    # Set means 1, 2 and 3: mean 2, standard error 1/sqrt(3), Student's t 4.3027 with 2 degrees.
    # Two replays of one set are one piece of evidence.
    rows = [row([float(seed + 1)] * 10, set_seed=seed) for seed in (0, 1, 2)]
    found = order_profile(frame(*rows, *rows))
    half = 4.302653 / 3**0.5
    assert found["sets"].to_list() == [3] * 10
    assert found["low"].to_list() == [0.0] * 10
    assert found["high"].to_list() == pytest.approx([2 + half] * 10, rel=1e-5)


def test_pooling_leaves_the_random_order_out() -> None:
    rows = [row([1.0] * 10), row([9.0] * 10, pattern="random"), row([3.0] * 10, task="ner")]
    assert overall_profile(frame(*rows))["share"].to_list() == [2.0] * 10


def test_relative_bins_weigh_tasks_equally() -> None:
    rows = [row([1.0] * 40), row([1.0] * 40, correct=False), row([4.0] * 40, task="ner")]
    found = relative_profile(frame(*rows), ("model",))
    assert found["share"].to_list() == pytest.approx([2.5] * 20)
    assert found["accuracy"][0] == pytest.approx((0.5 + 1) / 2)
    assert (found["first"][0], found["last"][0], found["last"][19]) == (0.0, 0.05, 1.0)


def test_relative_bins_hold_consecutive_instances_of_any_length() -> None:
    found = relative_profile(frame(row([float(at // 5) for at in range(100)])), ("model",))
    assert found["share"].to_list() == [float(at) for at in range(20)]
    with pytest.raises(UsageError, match="at least as many"):
        relative_profile(frame(row([1.0] * 19)), ("model",))


def test_one_replay_by_instance() -> None:
    found = single_profile(frame(row([0.5, None, 1.5])), "e")
    assert found.columns == ["instance", "majority", "share", "push"]
    assert found["instance"].to_list() == [1, 2, 3]
    assert found["share"].to_list() == [0.5, None, 1.5]
    with pytest.raises(UsageError, match="no attribution"):
        single_profile(frame(row([1.0])), "other")


@pytest.mark.parametrize("pattern", PATTERNS[1:])
def test_regions_of_every_pattern(pattern: str) -> None:
    order = arrange([True] * 60, [False] * 40, pattern)
    found = regions(order)
    if pattern.startswith("soft"):
        assert found.count("alternating") in range(76, 82)
        assert found.count("minority") == 0
    else:
        assert (found.count("majority"), found.count("minority")) == (60, 40)


def test_replays_without_attribution_do_not_count() -> None:
    refused = row([], reason="a reason", n=10, majority=[True] * 10)
    assert order_profile(frame(row([1.0] * 10), refused))["replays"].to_list() == [1] * 10
