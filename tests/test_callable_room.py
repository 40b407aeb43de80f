"""Contract: a room that is called like its main function has its documentation and signature."""

from __future__ import annotations

import inspect
import pydoc
from collections.abc import Callable

import pytest

import evenhand
from evenhand._callable_room import CallableRoom
from evenhand.audit import audit
from evenhand.results import results

ROOMS = [("audit", audit), ("results", results)]


@pytest.mark.parametrize(("name", "function"), ROOMS)
def test_the_room_tells_what_its_function_tells(name: str, function: Callable[..., object]) -> None:
    room = getattr(evenhand, name)
    assert isinstance(room, CallableRoom)
    assert inspect.signature(room) == inspect.signature(function)
    assert inspect.getdoc(room) == inspect.getdoc(function)
    page = pydoc.plain(pydoc.render_doc(room))
    first = (inspect.getdoc(function) or "").splitlines()[0]
    assert f"evenhand.{name} - {first}" in page
    assert f"    {name}({str(inspect.signature(function))[1:-1]}" in page


def test_the_options_are_those_of_the_command() -> None:
    names = list(inspect.signature(evenhand.audit).parameters)
    assert names[:10] == [
        "records", "ask", "labels", "model", "text", "out", "orders", "gold", "error_rate",
        "tolerance",
    ]  # fmt: skip
    assert {"budget", "answer", "models", "seed"} <= set(names)
