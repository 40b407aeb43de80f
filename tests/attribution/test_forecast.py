"""Contract: memory is linear in tokens; the fastest way that fits is taken; a refusal says what
would fit."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from tests.attribution.tiny import tiny_model

from evenhand.attribution import Memory, Options, Shape, measure, peak_bytes
from evenhand.attribution._forecast import Speed, choose_memory
from evenhand.errors import UsageError

KEPT, LEAN = Memory(checkpoint=False), Memory(keep_attention=False)


def tiny_shape() -> Shape:
    """Of the tiny model alone: beside it Python and Torch are large."""
    return replace(measure(tiny_model("llama")), process=0)


def chosen(monkeypatch: pytest.MonkeyPatch, free: float, sharers: int = 1) -> Options:
    monkeypatch.setattr("evenhand.attribution._forecast.free_bytes", lambda model: int(free))
    model = tiny_model("llama")
    return choose_memory(model, tiny_shape(), 10_000, Options(chunk=64), sharers)


def test_memory_grows_linearly_once_a_chunk_is_full() -> None:
    shape = tiny_shape()
    at = [peak_bytes(shape, tokens, Memory(), 64) for tokens in (1000, 2000, 4000)]
    assert at[2] - at[1] == 2 * (at[1] - at[0])


def test_more_is_kept_where_there_is_room(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = tiny_shape()
    kept, usual, lean = (peak_bytes(shape, 10_000, one, 64) for one in (KEPT, Memory(), LEAN))
    assert kept > usual > lean
    assert chosen(monkeypatch, 4.6 * kept).memory == KEPT
    assert chosen(monkeypatch, 1.2 * usual).memory == Memory()
    assert chosen(monkeypatch, 1.15 * lean).memory == LEAN
    assert chosen(monkeypatch, 4.6 * kept, sharers=2).memory == Memory()


def test_a_refusal_names_the_tokens_that_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    lean = peak_bytes(tiny_shape(), 10_000, LEAN, 64)
    with pytest.raises(UsageError, match="10,000 tokens") as refused:
        chosen(monkeypatch, lean)
    fits = re.search(r"up to ([\d,]+) tokens", str(refused.value))
    assert fits is not None
    most, room = int(fits[1].replace(",", "")), int(lean * 0.9)
    shape = tiny_shape()
    assert peak_bytes(shape, most, LEAN, 64) <= room < peak_bytes(shape, most + 1, LEAN, 64)


def test_time_has_a_linear_and_a_quadratic_part() -> None:
    assert Speed(per_token=2.0, per_pair=0.5).seconds(10) == 70.0
