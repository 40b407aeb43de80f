"""Model names: ``provider/model``, optionally ``@base_url``; nothing secret may stand in one."""

from __future__ import annotations

import pytest

from evenhand.errors import UsageError
from evenhand.models import ModelName, parse_model_name

SOUND = [
    ("openrouter/openai/gpt-oss-120b", ModelName("openrouter", "openai/gpt-oss-120b")),
    ("openai/gpt-5.4-nano", ModelName("openai", "gpt-5.4-nano")),
    ("openrouter/qwen/qwen3.6-plus:free", ModelName("openrouter", "qwen/qwen3.6-plus:free")),
    ("gemini/gemini-3.1-pro-preview", ModelName("gemini", "gemini-3.1-pro-preview")),
    ("ollama/gemma3:27b", ModelName("ollama", "gemma3:27b")),
    (
        "vllm/Qwen/Qwen3-4B@http://10.0.0.5:8000/v1",
        ModelName("vllm", "Qwen/Qwen3-4B", "http://10.0.0.5:8000/v1"),
    ),
    (
        "openai-compatible/x@https://host.example/v1/",
        ModelName("openai-compatible", "x", "https://host.example/v1"),
    ),
    ("llamacpp/m@http://[::1]:8080/v1", ModelName("llamacpp", "m", "http://[::1]:8080/v1")),
    ("openai-compatible/x@HTTP://h:1/v1", ModelName("openai-compatible", "x", "HTTP://h:1/v1")),
    ("vllm/team@2024-05@http://h/v1", ModelName("vllm", "team@2024-05", "http://h/v1")),
    ("vllm/team@2024-05", ModelName("vllm", "team@2024-05")),
    ("hf/org/model?dtype=bfloat16", ModelName("hf", "org/model?dtype=bfloat16")),
    ("reader/first-200", ModelName("reader", "first-200")),
    ("inspect/mockllm/model", ModelName("inspect", "mockllm/model")),
    ("  xai/grok-4.1-fast ", ModelName("xai", "grok-4.1-fast")),
]


@pytest.mark.parametrize(("text", "expected"), SOUND, ids=[text for text, _ in SOUND])
def test_a_name_is_taken_apart(text: str, expected: ModelName) -> None:
    assert parse_model_name(text) == expected


@pytest.mark.parametrize(
    ("text", "remedy"),
    [
        ("gpt-4", "provider/model"),
        ("", "provider/model"),
        ("openai/", "provider/model"),
        ("/x", "provider/model"),
        ("Open AI/x", "provider/model"),
        ("vllm/x@localhost:8000/v1", "@http://localhost:8000/v1"),
        ("vllm/x@127.0.0.1:8000", "@http://127.0.0.1:8000"),
        ("vllm/x@host.example/v1", "@http://host.example/v1"),
        ("vllm/x@http://", "looks like"),
        ("vllm/x@ftp://host/v1", "looks like http"),
        ("vllm/x@ws://host:8000/v1", "looks like http"),
        ("vllm/x@http://host:99999/v1", "looks like"),
        ("vllm/x@https://user:hunter2secret@host/v1", "environment variable"),
        ("vllm/x@https://host/v1?key=hunter2secret", "environment variable"),
        ("local/smollm2-135m@http://h/v1", "in this process"),
    ],
)
def test_a_malformed_name_says_what_to_write(text: str, remedy: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_model_name(text)
    assert remedy in str(caught.value)
    assert "hunter2secret" not in str(caught.value)


def test_the_address_may_be_given_apart() -> None:
    assert parse_model_name("vllm/x", base_url="http://h:1/v1/").base_url == "http://h:1/v1"
    assert parse_model_name("vllm/x@http://h/v1", base_url="http://h/v1/").base_url == "http://h/v1"
    with pytest.raises(UsageError, match="two addresses"):
        parse_model_name("vllm/x@http://h/v1", base_url="http://g/v1")


def test_the_full_name_leaves_the_address_out() -> None:
    assert parse_model_name("vllm/org/x@http://h/v1").full == "vllm/org/x"
