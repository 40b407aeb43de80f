"""A name says which model, which number format and which device; nothing is downloaded."""

from __future__ import annotations

import asyncio
import os
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.models import GenerationSettings
from evenhand.models._local import open_local
from evenhand.models._local._runtime import need_runtime
from evenhand.prompts import Message


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("local/", "names no model of this process"),
        ("local/huge", "there is smollm2-135m"),
        ("openai/x", "names no model of this process"),
        ("hf/x?dtype=int3", "dtype must be one of float32"),
        ("hf/x?size=3", "unknown option 'size'"),
        ("hf/x?dtype", "options look like"),
        ("hf/nobody/nothing", "hf download nobody/nothing"),
    ],
)
def test_bad_names(name: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        open_local(name)


def test_a_folder_that_holds_no_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="does not load as a Transformers model"):
        open_local(f"hf/{tmp_path}")


def test_a_missing_package_names_the_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "gguf", None)
    with pytest.raises(UsageError, match=r"pip install 'evenhand\[local\]'"):
        open_local("hf/anything")


@pytest.mark.parametrize("chosen", [None, "ACTIVE"])
def test_the_environment_is_left_as_it_was(
    monkeypatch: pytest.MonkeyPatch, chosen: str | None
) -> None:
    if chosen is None:
        monkeypatch.delenv("OMP_WAIT_POLICY", raising=False)
    else:
        monkeypatch.setenv("OMP_WAIT_POLICY", chosen)
    need_runtime()
    assert os.environ.get("OMP_WAIT_POLICY") == chosen


def test_options_in_the_name_are_used_and_kept(random_model: Callable[..., Path]) -> None:
    name = f"hf/{random_model()}?dtype=bfloat16&device=cpu"
    model = open_local(name)
    assert model.name == name
    got = asyncio.run(model.generate([Message("user", "a")], GenerationSettings(2)))
    assert (got.parameters["dtype"], got.parameters["device"]) == ("bfloat16", "cpu")


def test_a_device_that_is_not_there(random_model: Callable[..., Path]) -> None:
    model = open_local(f"hf/{random_model()}?device=cuda:77")
    with pytest.raises(UsageError, match="device 'cuda:77' cannot be used"):
        asyncio.run(model.generate([Message("user", "a")], GenerationSettings(2)))


def test_a_model_without_a_chat_template(random_model: Callable[..., Path]) -> None:
    folder = random_model()
    (folder / "chat_template.jinja").unlink()
    with pytest.raises(UsageError, match="no chat template"):
        open_local(f"hf/{folder}")


def test_no_connection_is_opened(
    random_model: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = random_model()

    def refuse(*_: object) -> None:
        raise AssertionError("a connection was opened")

    async def answer() -> str:
        # The loop's own pair of sockets is open by now.
        monkeypatch.setattr(socket.socket, "connect", refuse)
        monkeypatch.setattr(socket, "getaddrinfo", refuse)
        model = open_local(f"hf/{folder}", device="cpu")
        return (await model.generate([Message("user", "a")], GenerationSettings(2))).finish_reason

    assert asyncio.run(answer()) == "length"
