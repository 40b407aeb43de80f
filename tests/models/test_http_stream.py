"""Events put back together, wherever the network cuts them; a lost end is always noticed."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.models._http._stream import Assembly, BrokenStreamError


def event(delta: dict[str, Any], finish: str | None = None, **top: Any) -> bytes:
    body = {"id": "x", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **top}
    return b"data: " + json.dumps(body, ensure_ascii=False).encode() + b"\n\n"


END = b"data: [DONE]\n\n"
USAGE = b'data: {"choices": [], "usage": {"completion_tokens": 2}}\n\n'
BODY = (
    b": keep-alive\n\n"
    + event({"role": "assistant", "content": ""})
    + event({"content": "a\u2028b\u0085c\r\x0b"})
    + event({"content": "ü𝄞"}, provider="P")
)


def assembled(*pieces: bytes) -> dict[str, Any]:
    assembly = Assembly()
    for piece in pieces:
        assembly.feed(piece)
    return assembly.completion()


@given(st.lists(st.integers(0, 600), max_size=12))
def test_where_the_bytes_are_cut_does_not_matter(cuts: list[int]) -> None:
    whole = BODY + event({}, "stop") + USAGE + END
    places = sorted({0, len(whole), *(cut for cut in cuts if cut < len(whole))})
    pieces = [whole[a:b] for a, b in itertools.pairwise(places)]
    completion = assembled(*pieces)
    assert completion["choices"] == [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "a\u2028b\u0085c\r\x0bü𝄞"},
            "finish_reason": "stop",
        }
    ]
    assert completion["usage"] == {"completion_tokens": 2}
    assert completion["provider"] == "P"


def test_line_ends_of_either_kind() -> None:
    crlf = (BODY + event({}, "stop") + END).replace(b"\n\n", b"\r\n\r\n")
    assert assembled(crlf)["choices"][0]["finish_reason"] == "stop"


def test_a_data_line_needs_no_space() -> None:
    assert assembled(
        b'data:{"choices":[{"delta":{"content":"x"},"finish_reason":"stop"}]}\n\n', END
    )


@pytest.mark.parametrize(
    ("pieces", "complete"),
    [
        ((BODY, event({}, "stop"), USAGE, END), True),
        ((BODY, event({}, "stop"), END), True),
        ((BODY, event({}, "stop"), USAGE), True),
        ((BODY, event({}, "stop"), USAGE.rstrip()), True),
        ((BODY, event({}, "stop")), False),
        ((BODY,), False),
        ((BODY, END), False),
        ((BODY, USAGE), False),
        ((), False),
        ((b": keep-alive\n\n",), False),
    ],
)
def test_an_end_that_was_lost_is_noticed(pieces: tuple[bytes, ...], complete: bool) -> None:
    if complete:
        assert assembled(*pieces)["choices"]
    else:
        with pytest.raises(BrokenStreamError):
            assembled(*pieces)


def test_a_stream_of_no_choices_is_a_reply_without_any() -> None:
    assert assembled(b'data: {"choices": []}\n\n', END)["choices"] == []


def test_an_event_that_is_no_json() -> None:
    with pytest.raises(BrokenStreamError, match="not JSON"):
        assembled(b'data: {"choices": [\n\n', END)
    with pytest.raises(BrokenStreamError, match="not JSON"):
        assembled(b'data: {"choices": ' + b"[" * 100_000 + b"\n\n", END)


def test_an_error_wins_over_what_came_before() -> None:
    failed = (
        b'data: {"error": {"code": 502}, "choices": [{"delta": {}, "finish_reason": "error"}]}\n\n'
    )
    assert assembled(BODY, failed, END) == {"error": {"code": 502}, "began": True}


def test_only_the_first_choice_is_read() -> None:
    other = b'data: {"choices": [{"index": 1, "delta": {"content": "no"}}]}\n\n'
    assert (
        assembled(BODY, other, event({}, "stop"), END)["choices"][0]["message"]["content"][:1]
        == "a"
    )


def test_lists_add_up() -> None:
    first = event({"reasoning_details": [{"type": "reasoning.text", "text": "a"}]})
    second = event({"reasoning_details": [{"type": "reasoning.text", "text": "b"}]})
    message = assembled(first, second, event({}, "stop"), END)["choices"][0]["message"]
    assert [detail["text"] for detail in message["reasoning_details"]] == ["a", "b"]
