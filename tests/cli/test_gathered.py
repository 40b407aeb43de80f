"""Contract: a command's records stand for their options, in their place on the help page, and
arrive filled; the options that count, audit and filter share are declared once."""

from __future__ import annotations

import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import pytest
import typer
from typer.testing import CliRunner

from evenhand.cli._calls import Calls, parse_labels
from evenhand.cli._gathered import gathered
from evenhand.counting import lost_calls
from evenhand.errors import UsageError


@dataclass(frozen=True, slots=True)
class Pair:
    """Two options."""

    left: Annotated[int, typer.Option("--left", help="One side.")]
    right: Annotated[int, typer.Option("--right", help="The other.")] = 7


def show(
    name: Annotated[str, typer.Option("--name")],
    *,
    pair: Pair,
    loud: Annotated[bool, typer.Option("--loud")] = False,
) -> None:
    """Show what came."""
    typer.echo(f"{name} {pair.left} {pair.right} {loud}")


def run(*words: str) -> tuple[int, str]:
    app = typer.Typer()
    app.command("show")(gathered(show))
    found = CliRunner().invoke(app, list(words))
    return found.exit_code, found.output


def test_options_arrive_in_their_record() -> None:
    assert run("--name", "x", "--left", "3") == (0, "x 3 7 False\n")
    assert run("--name", "x", "--left", "3", "--right", "4", "--loud") == (0, "x 3 4 True\n")
    assert run("--name", "x")[0] == 2


def test_a_record_stands_in_its_place() -> None:
    names = list(inspect.signature(gathered(show)).parameters)
    assert names == ["name", "left", "right", "loud"]
    assert gathered(show).__doc__ == show.__doc__


def test_calls_become_options_of_a_run() -> None:
    options = Calls(concurrency=3, max_cost=2.5, models=Path("x")).run_options("forced", 4)
    assert (options.concurrency, options.max_cost_usd) == (3, 2.5)
    assert (options.answer_mode, options.max_attempts) == ("forced", 4)


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("yes, no", ["yes", "no"]),
        ('["none, or both", "one"]', ["none, or both", "one"]),
        (' ["a"]', ["a"]),
        ("a],[b", ["a]", "[b"]),
    ],
)
def test_labels(text: str, labels: list[str]) -> None:
    assert parse_labels(text) == labels


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("yes,", "empty part"),
        ('["yes", "no"', "a list that is no JSON"),
        ("[yes, no]", "a list that is no JSON"),
        ("[1, 2]", "every label of the list is a text in quotes"),
    ],
)
def test_labels_that_are_none(text: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        parse_labels(text)


def test_lost_calls_are_said() -> None:
    assert lost_calls(0, 0.0) == []
    assert lost_calls(2, 0.28) == ["2 calls were lost, cut or stated no usage: up to $0.2800 more"]
    assert lost_calls(1, 1_400.0) == [
        "1 call was lost, cut or stated no usage: up to $1,400.00 more"
    ]
