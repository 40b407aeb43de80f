"""A name opens the adapter of its provider; nothing is called or loaded by opening it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.models import Model, open_model
from evenhand.models._http import HttpModel


@pytest.mark.parametrize(
    "name", ["ollama/gemma3", "vllm/a/b@http://127.0.0.1:1/v1", "openai-compatible/x@http://h/v1"]
)
def test_servers_open_without_a_key(name: str) -> None:
    model = open_model(name)
    assert isinstance(model, HttpModel)
    assert isinstance(model, Model)
    assert model.name == name.partition("@")[0]
    assert model.max_concurrency is None


def test_readers() -> None:
    assert open_model("reader/first-200", answer_key={"x": "positive"}).name == "reader/first-200"


def test_the_address_may_be_given_apart() -> None:
    model = open_model("openai-compatible/x", base_url="http://127.0.0.1:1/v1")
    assert isinstance(model, HttpModel)
    assert model.spec.base_url == "http://127.0.0.1:1/v1"


def test_a_catalog_file_is_used(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text("[models.'ollama/gemma3']\nwindow = 8192\nprice = { input = 1, output = 2 }\n")
    model = open_model("ollama/gemma3", catalog=file)
    assert isinstance(model, HttpModel)
    assert model.context_window == 8192
    assert model.price.output == 2


def test_an_unknown_provider_says_so() -> None:
    with pytest.raises(UsageError, match="unknown provider"):
        open_model("nobody/x")


def test_a_catalog_file_that_cannot_be_read_is_refused_for_every_model(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot read the catalog"):
        open_model("reader/perfect", catalog=tmp_path / "none.toml")


def test_a_catalog_file_may_begin_with_a_byte_order_mark(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[models."ollama/gemma3"]\nwindow = 100\n', "utf-8-sig")
    assert open_model("ollama/gemma3", catalog=file).context_window == 100
