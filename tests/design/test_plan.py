"""Contract: presets expand to the paper's grids, experiment by experiment; ids are readable,
stable and unique; any axis can be overridden."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from evenhand.design import PRESETS, Experiment, Plan, Setting, load_setting, make_plan
from evenhand.errors import UsageError
from evenhand.tasks import TASKS, load_task

ALL_TASKS = {name: load_task(name) for name in TASKS}
POOLS = dict.fromkeys(TASKS, "synthetic")


def expand(*settings: Setting) -> Plan:
    return make_plan(settings, ALL_TASKS, POOLS)


COUNTS = [("core", 270), ("counts", 1800), ("variants", 1080), ("budgets", 5760)]


@pytest.mark.parametrize(("preset", "count"), [*COUNTS, ("orderings", 3600)])
def test_preset_sizes(preset: str, count: int) -> None:
    assert len(expand(*PRESETS[preset]).experiments) == count


def test_core_per_axis() -> None:
    counts = expand(*PRESETS["core"]).axis_counts()
    assert counts["pattern"] == {
        "random": 90,
        "majority-first": 30,
        "majority-last": 30,
        "majority-edges": 30,
        "majority-middle": 30,
        "soft-majority-edges": 30,
        "soft-majority-middle": 30,
    }
    assert counts["task"] == dict.fromkeys(TASKS, 54)
    assert counts["set_seed"] == {"0": 90, "1": 90, "2": 90}
    assert counts["order_seed"] == {"0": 30, "1": 30, "2": 30, "none": 180}
    assert counts["n"] == {"2000": 270}


def test_core_and_generalisability_grids_make_2070_rows() -> None:
    assert len(expand(*PRESETS["core"], *PRESETS["counts"]).experiments) == 2070


def test_orderings_shuffle_every_structured_pattern_under_fifty_seeds() -> None:
    plan = expand(*PRESETS["orderings"])
    per_pattern = Counter((e.task, e.majority_label, e.pattern) for e in plan.experiments)
    assert set(per_pattern.values()) == {150}
    assert len(per_pattern) == 2 * 2 * 6


def test_ids() -> None:
    plan = expand(replace(PRESETS["core"][0], tasks=("sentiment",), repeats=2, counterbalance=True))
    ids = [e.id for e in plan.experiments]
    assert len(ids) == 54 * 2 * 2
    assert "core/sentiment/n2000/p0.55/maj=positive/s0/random.o2/standard/20k" in ids
    assert "core/sentiment/n2000/p0.55/maj=positive/s0/random.o2/standard/20k/r1" in ids
    assert "core/sentiment/n2000/p0.55/maj=negative/s1/majority-first/standard-swapped/20k" in ids


def test_proportions_are_written_one_way() -> None:
    assert Setting("a", p=("0.90", "0.6")).p == ("0.9", "0.6")


FAULTS = [
    ({"n": (50,)}, "use n = 40 or 60"),
    ({"p": ("0.5",)}, "between 0.5 and 1"),
    ({"patterns": ("middle",)}, "unknown pattern 'middle'"),
    ({"variants": ("nudge",)}, "unknown variant 'nudge'"),
    ({"set_seeds": (0, 0)}, "names 0 twice"),
    ({"p": ("0.9", "0.90")}, "names '0.9' twice"),
    ({"tasks": ()}, "tasks is empty"),
    ({"random_order_seeds": ()}, "needs an order seed"),
    ({"repeats": 0}, "use 1 or more"),
    ({"output_budgets": (0,)}, "at least 1 token"),
    ({"set_seeds": (-1,)}, "set_seeds holds -1: use whole numbers from 0"),
    ({"set_seeds": (2**63,)}, "set_seeds holds 9223372036854775808"),
    ({"random_order_seeds": (0, -3)}, "random_order_seeds holds -3"),
    ({"pattern_order_seeds": (2**70,)}, "pattern_order_seeds holds"),
    ({"output_budgets": (2**64,)}, "output_budgets holds"),
    ({"n": (200.0,)}, "n holds 200.0: use whole numbers"),
    ({"n": (True,)}, "n holds True"),
    ({"repeats": 2**64}, "repeats holds"),
    ({"repeats": 10_000}, "plans up to 2,700,000 experiments, and a run holds 1,000,000"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_bad_settings(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Setting("mine", **change)  # type: ignore[arg-type]


def test_whole_numbers_of_numpy_are_whole_numbers() -> None:
    setting = Setting("mine", n=(np.int64(200),), repeats=np.int8(2))  # type: ignore[arg-type]
    assert (setting.n, type(setting.n[0]), setting.repeats) == ((200,), int, 2)


def test_a_hundred_thousand_seeds_are_checked_at_once() -> None:
    seeds = tuple(range(100_000))
    assert (
        Setting("mine", ("ner",), set_seeds=seeds, patterns=("majority-first",)).set_seeds == seeds
    )


def test_the_largest_seed_is_a_seed() -> None:
    assert Setting("mine", set_seeds=(2**63 - 1,)).set_seeds == (2**63 - 1,)


def test_bad_label_and_twins() -> None:
    with pytest.raises(UsageError, match="no label 'positive'"):
        expand(replace(PRESETS["core"][0], tasks=("ner",), majority_labels=("positive",)))
    with pytest.raises(UsageError, match="more than once"):
        expand(PRESETS["core"][0], PRESETS["core"][0])


EXPERIMENT = Experiment(
    "core", "ner", "synthetic", 20, "0.55", "PER", 0, "majority-first", None, "standard", 512
)


def test_experiment_id_of_an_odd_budget() -> None:
    assert EXPERIMENT.id == "core/ner/n20/p0.55/maj=PER/s0/majority-first/standard/512"


@pytest.mark.parametrize(
    "change",
    [
        {"setting": "my core"},
        {"majority_label": "a/b"},
        {"setting": "nul\x00"},
        {"setting": "turned\u202e"},
        {"pool": "lone\udc80"},
    ],
)
def test_words_that_would_break_an_id(change: dict[str, str]) -> None:
    with pytest.raises(UsageError, match="cannot stand in an experiment id"):
        replace(EXPERIMENT, **change)  # type: ignore[arg-type]


def test_setting_file() -> None:
    setting = load_setting('name = "mine"\nn = [200]\np = [0.6, "0.70"]\nrepeats = 3\n', "my.toml")
    assert setting == Setting("mine", n=(200,), p=("0.6", "0.7"), repeats=3)


FILES = [
    ("name = ", "my.toml: not valid TOML"),
    ("n = [200]", "my.toml: a setting needs a name"),
    ('name = "a"\nseeds = [1]', "my.toml: unknown field 'seeds'"),
    ('name = "a"\nn = ["200"]', "my.toml: n must be a list of int"),
    ('name = "a"\nrepeats = "2"', "my.toml: repeats must be int"),
    ('name = "a"\nn = [50]', "my.toml: p = 0.55 of n = 50"),
]


@pytest.mark.parametrize(("text", "message"), FILES)
def test_bad_setting_files(text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load_setting(text, "my.toml")
