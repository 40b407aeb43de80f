"""The catalog: what the paper's models need, and how a user's file is laid over it."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from evenhand.errors import UsageError
from evenhand.models import (
    Catalog,
    GenerationSettings,
    ModelSpec,
    Price,
    load_catalog,
    open_model,
    parse_model_name,
)
from evenhand.models._http._request import parameters

# 3.2 and C.2: who served each of the fifteen models.
PAPER = [
    "openrouter/deepseek/deepseek-v4-flash",
    "openrouter/deepseek/deepseek-v4-pro",
    "gemini/gemini-3.1-flash-lite-preview",
    "gemini/gemini-3.1-pro-preview",
    "openrouter/google/gemma-4-26b-a4b-it",
    "openrouter/google/gemma-4-31b-it",
    "openrouter/openai/gpt-oss-120b",
    "openrouter/openai/gpt-5.4-nano",
    "openrouter/meta-llama/llama-4-scout",
    "openrouter/meta-llama/llama-4-maverick",
    "vllm/Qwen/Qwen3-4B-Instruct-2507",
    "vllm/Qwen/Qwen3.6-35B-A3B",
    "openrouter/qwen/qwen3.6-plus",
    "openrouter/x-ai/grok-4.1-fast",
    "openrouter/minimax/minimax-m2.7",
]


def spec_of(name: str, catalog: Catalog | None = None) -> ModelSpec:
    return (catalog or load_catalog()).spec(parse_model_name(name))


def write(folder: Path, text: str) -> Path:
    file = folder / "mine.toml"
    file.write_text(text, encoding="utf-8")
    return file


class TestSeed:
    """The catalog that ships with the package."""

    def test_the_papers_models_come_first(self) -> None:
        assert list(load_catalog().models)[:15] == PAPER

    def test_every_entry_resolves(self) -> None:
        catalog = load_catalog()
        for name in catalog.models:
            assert spec_of(name, catalog).base_url

    @pytest.mark.parametrize("name", PAPER)
    def test_the_papers_settings(self, name: str) -> None:
        body = parameters(spec_of(name), GenerationSettings(output_budget=20_000))
        assert body["temperature"] == 0.0
        if name == "openrouter/qwen/qwen3.6-plus":
            assert body["max_tokens"] == 20
            assert body["reasoning"] == {"max_tokens": 19_980}
        else:
            assert body["max_tokens"] == 20_000
        if "gemma" in name:
            assert body["reasoning"] == {"enabled": False}

    def test_what_the_paper_says_of_windows_and_reasoning(self) -> None:
        assert spec_of("openrouter/openai/gpt-oss-120b").window == 131_072
        assert spec_of("openrouter/x-ai/grok-4.1-fast").reasoning_place == "summary"

    def test_a_price_or_window_has_a_source_or_is_unknown(self) -> None:
        catalog = load_catalog()
        for name in catalog.models:
            spec = spec_of(name, catalog)
            assert spec.price.input != 0
            assert spec.price.output != 0
            if spec.window is not None or spec.price.input is not None:
                assert spec.source, name

    def test_a_model_that_nobody_listed_is_unknown_not_free(self) -> None:
        spec = spec_of("openrouter/some/new-model")
        assert spec.price == Price(None, None, None)
        assert spec.window is None
        assert spec.base_url == "https://openrouter.ai/api/v1"

    @pytest.mark.parametrize(
        ("name", "address"),
        [
            ("vllm/x", "http://127.0.0.1:8000/v1"),
            ("ollama/x", "http://127.0.0.1:11434/v1"),
            ("llamacpp/x", "http://127.0.0.1:8080/v1"),
            ("lmstudio/x", "http://127.0.0.1:1234/v1"),
            ("vllm/x@http://10.0.0.5:9000/v1", "http://10.0.0.5:9000/v1"),
        ],
    )
    def test_addresses(self, name: str, address: str) -> None:
        assert spec_of(name).base_url == address

    def test_an_address_is_needed(self) -> None:
        with pytest.raises(UsageError, match="openai-compatible/x@http"):
            spec_of("openai-compatible/x")

    def test_an_unknown_provider_lists_the_known(self) -> None:
        with pytest.raises(UsageError, match=r"unknown provider 'opnrouter'.*openrouter"):
            open_model("opnrouter/x")


class TestUsersFile:
    """``--models FILE``."""

    def test_fields_are_laid_over_one_by_one(self, tmp_path: Path) -> None:
        file = write(
            tmp_path,
            """
            [providers.mine]
            base_url = "http://127.0.0.1:9/v1/"
            key_variables = ["MINE_API_KEY"]
            [models."mine/m"]
            window = 1000
            price = { input = 1, output = 2.5 }
            body = { provider = { order = ["A"] } }
            [models."openrouter/openai/gpt-oss-120b"]
            price = { input = 0.1, output = 0.5 }
            body = { provider = { order = ["B"], allow_fallbacks = false } }
            [providers.openrouter]
            silence_s = 30
            """,
        )
        catalog = load_catalog(file)
        mine = spec_of("mine/m", catalog)
        assert (mine.base_url, mine.window) == ("http://127.0.0.1:9/v1", 1000)
        assert mine.price == Price(input=1, cached_input=None, output=2.5)
        assert mine.key_variables == ("MINE_API_KEY",)
        oss = spec_of("openrouter/openai/gpt-oss-120b", catalog)
        assert oss.window == 131_072
        assert oss.price.input == 0.1
        assert oss.silence_s == 30
        assert oss.body == {
            "usage": {"include": True},
            "provider": {"order": ["B"], "allow_fallbacks": False},
        }
        assert spec_of("openrouter/openai/gpt-oss-120b").price.input is None

    @pytest.mark.parametrize(
        ("text", "told"),
        [
            ("[models.'a/b']\nwindoww = 3", "models.a/b.windoww"),
            ("[models.'a/b']\nwindow = '3'", "models.a/b.window"),
            ("[models.'a/b']\nwindow = 0", "greater than 0"),
            ("[models.'a/b']\nprice = { input = -1 }", "price.input"),
            ("[models.'a/b']\nprice = { input = nan }", "price.input"),
            ("[models.'a/b']\noverflow = ['(']", "not a regular expression"),
            ("[models.'a/b']\nheaders = { Authorization = 'Bearer x' }", "keys do not belong"),
            ("[models.ab]\nwindow = 3", "provider/model"),
            ("[providers.p]\nbase_url = 'localhost:8000'", "looks like"),
            ("[provider.p]\n", "provider"),
            ("not toml at all", "not TOML"),
        ],
    )
    def test_a_mistake_names_the_file_and_the_field(
        self, tmp_path: Path, text: str, told: str
    ) -> None:
        with pytest.raises(UsageError) as caught:
            load_catalog(write(tmp_path, text))
        assert told in str(caught.value)
        assert "mine.toml" in str(caught.value)

    def test_a_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="cannot read the catalog"):
            load_catalog(tmp_path / "none.toml")

    def test_an_amount_without_a_field_to_put_it_in(self, tmp_path: Path) -> None:
        text = "[models.'vllm/m']\nsplit_completion = 20"
        with pytest.raises(UsageError, match="split_completion needs budget_field"):
            spec_of("vllm/m", load_catalog(write(tmp_path, text)))

    def test_the_built_in_file_is_left_alone(self, tmp_path: Path) -> None:
        before = load_catalog()
        load_catalog(write(tmp_path, "[models.'vllm/m']\nwindow = 5"))
        assert load_catalog() == before
        assert "vllm/m" not in load_catalog().models


def test_the_shipped_file_uses_no_field_twice() -> None:
    from importlib import resources

    text = resources.files("evenhand.models").joinpath("catalog.toml").read_text(encoding="utf-8")
    assert set(tomllib.loads(text)) == {"providers", "models"}
