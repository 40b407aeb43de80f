"""The terminal shows every model's accuracy by order, its gap beside its null, and a sentence."""

from __future__ import annotations

import io

import polars as pl
from rich.console import Console
from tests.report.conftest import Simulate

from evenhand.report import terminal_report


def _shown(frame: pl.DataFrame, width: int = 160) -> str:
    stream = io.StringIO()
    Console(file=stream, width=width).print(terminal_report(frame))
    return stream.getvalue()


def test_one_model(simulate: Simulate) -> None:
    shown = _shown(simulate(seeds=range(12)))
    assert "Right answers by order (n = 100, p = 0.55, 12 set seeds)" in shown
    assert "soft-majority-middle" in shown
    assert "by chance, up to" in shown
    assert "With the same 100 records, this model’s answer was right" in shown


def test_many_models_stand_below_each_other(simulate: Simulate) -> None:
    frame = pl.concat([simulate(f"maker/model-{at}", seeds=(0,)) for at in range(5)])
    lines = _shown(frame, 200).splitlines()
    rows = [line for line in lines if line.startswith("│ maker/model-")]
    assert len(rows) == 10
    assert rows[0].count("%") == 7


def test_brackets_in_a_models_name_are_no_markup(simulate: Simulate) -> None:
    assert "[bold]odd[/bold]" in _shown(simulate("[bold]odd[/bold]", seeds=(0,)))
