"""The reader gives the logits of a plain forward pass, and reuse changes no bit of them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from evenhand.models._local._reader import Interrupted, Reader
from evenhand.models._local._runtime import Runtime, load_runtime, load_tokenizer
from evenhand.models._protocol import ModelError

CHUNK = 8
Save = Callable[..., Path]


def runtime_of(folder: Path) -> Runtime:
    tokenizer = load_tokenizer(str(folder), embedded_model=False)
    return load_runtime(str(folder), tokenizer, dtype="float32", device="cpu")


def straight(runtime: Runtime, ids: list[int]) -> torch.Tensor:
    """Logits after every token, shape (len(ids), vocabulary), by one ordinary call."""
    output: Any = runtime.model(input_ids=torch.tensor([ids]), use_cache=False)
    logits: torch.Tensor = output.logits[0]
    return logits


def ids_of(length: int, seed: int = 0) -> list[int]:
    source = torch.Generator().manual_seed(seed)
    return [int(value) for value in torch.randint(3, 200, (length,), generator=source)]


@pytest.fixture
def stop() -> threading.Event:
    return threading.Event()


@pytest.mark.parametrize("length", [1, 7, 8, 9, 16, 50])
@torch.inference_mode()
def test_reading_in_chunks_equals_one_pass(
    random_model: Save, stop: threading.Event, length: int
) -> None:
    runtime, ids = runtime_of(random_model()), ids_of(length)
    logits, reused = Reader(runtime, CHUNK).read(ids, stop)
    assert reused == 0
    torch.testing.assert_close(logits, straight(runtime, ids)[-1])


@torch.inference_mode()
def test_weights_that_are_no_numbers_end_the_run(random_model: Save, stop: threading.Event) -> None:
    runtime = runtime_of(random_model())
    next(iter(runtime.model.parameters()))[5] = float("nan")
    reader = Reader(runtime, CHUNK)
    with pytest.raises(ModelError, match="damaged"):
        reader.continuations([5, 6], [[7], [8]], stop)


@torch.inference_mode()
def test_a_tokenizer_of_another_model_is_told(random_model: Save, stop: threading.Event) -> None:
    with pytest.raises(ModelError, match="a token 999999, the model knows"):
        Reader(runtime_of(random_model()), CHUNK).read([5, 999_999], stop)


@pytest.mark.parametrize(("shared", "reused"), [(0, 0), (7, 0), (8, 8), (21, 16), (40, 32)])
@torch.inference_mode()
def test_a_shared_beginning_is_not_read_again_and_changes_no_bit(
    random_model: Save, stop: threading.Event, shared: int, reused: int
) -> None:
    runtime = runtime_of(random_model())
    before = ids_of(40, seed=1)
    ids = before if shared == 40 else [*before[:shared], 2, *ids_of(30, seed=2)]
    fresh, _ = Reader(runtime, CHUNK).read(ids, stop)
    reader = Reader(runtime, CHUNK)
    reader.read(before, stop)
    again, count = reader.read(ids, stop)
    assert count == reused
    assert torch.equal(again, fresh)


@pytest.mark.parametrize(
    ("kind", "settings", "plain"),
    [
        ("llama", {}, True),
        ("qwen3", {"head_dim": 8}, True),
        ("mistral", {"sliding_window": 8}, False),
    ],
)
@torch.inference_mode()
def test_continuations_equal_whole_passes(
    random_model: Save, stop: threading.Event, kind: str, settings: dict[str, int], plain: bool
) -> None:
    runtime = runtime_of(random_model(kind, **settings))
    reader = Reader(runtime, CHUNK)
    assert reader.plain is plain
    ids, tails = ids_of(21), [[5], [6, 7, 8], [5, 9]]
    for _ in range(2):  # the second time from memory, where there is one
        found, reused = reader.continuations(ids, tails, stop)
        for tail, logits in zip(tails, found, strict=True):
            expected = straight(runtime, ids + tail)[len(ids) - 1 :]
            torch.testing.assert_close(logits, expected)
    assert reused == (16 if plain else 0)


@torch.inference_mode()
def test_logits_are_computed_only_where_they_are_needed(
    random_model: Save, stop: threading.Event
) -> None:
    runtime = runtime_of(random_model())
    seen: list[int] = []
    head: Any = runtime.model.lm_head
    head.register_forward_hook(lambda _module, _inputs, output: seen.append(output.shape[-2]))
    Reader(runtime, CHUNK).continuations(ids_of(21), [[5, 6]], stop)
    assert seen == [1, 1, 1, 2]


@torch.inference_mode()
def test_what_follows_a_prompt_is_forgotten_again(
    random_model: Save, stop: threading.Event
) -> None:
    runtime, ids = runtime_of(random_model()), ids_of(20)
    reader = Reader(runtime, CHUNK)
    first, _ = reader.read(ids, stop)
    reader.extend([9, 9, 9])
    again, reused = reader.read(ids, stop)
    assert (reused, torch.equal(first, again)) == (16, True)


def test_an_unwanted_reading_stops_between_chunks(
    random_model: Save, stop: threading.Event
) -> None:
    reader = Reader(runtime_of(random_model()), CHUNK)
    stop.set()
    with pytest.raises(Interrupted):
        reader.read(ids_of(20), stop)
    logits, reused = reader.read(ids_of(20), threading.Event())
    assert reused == 0
    assert logits.isfinite().all()
