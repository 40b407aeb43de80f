"""The options of commands that call a model about a user's own records."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.cli._options import split_words
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.audit import Audit
    from evenhand.counting import Count, Forecast
    from evenhand.running import RunOptions

Concurrency = Annotated[
    int | None, typer.Option("--concurrency", help="Calls at once (default: adapts).")
]
Catalog = Annotated[
    Path | None, typer.Option("--models", help="Your additions to the model catalog (TOML).")
]
Labels = Annotated[str | None, typer.Option("--labels", help="Two labels or more: yes,no,unclear")]
AnswerMode = Annotated[
    str,
    typer.Option(
        "--answer", help="generate: the model writes; forced: its label probabilities decide."
    ),
]
PrintsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@dataclass(frozen=True, slots=True)
class Calls:
    """How calls are made and what they may cost, as typed."""

    concurrency: Concurrency = None
    max_cost: Annotated[
        float | None, typer.Option("--max-cost", help="Most dollars in all; a hard stop.")
    ] = None
    ask_over: Annotated[
        float, typer.Option("--ask-over", help="Ask first above this many dollars expected.")
    ] = 5.0
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask about the cost.")] = False
    models: Catalog = None

    def run_options(self, answer: str, max_attempts: int) -> RunOptions:
        """The options of a run with these calls."""
        from evenhand.running import RunOptions

        return RunOptions(
            answer_mode=answer,  # type: ignore[arg-type]  # RunOptions refuses other words
            max_attempts=max_attempts,
            concurrency=self.concurrency,
            max_cost_usd=self.max_cost,
        )

    def announcer(self, model: str) -> Callable[[Forecast], None]:
        """Says what it will take, and asks above a number of dollars."""
        from evenhand.cli._announce import announcer

        return announcer(model, ask_over=self.ask_over, yes=self.yes)


def parse_labels(text: str) -> list[str]:
    """The value of ``--labels``: words between commas, or a JSON list where labels hold commas.

    Raises:
        UsageError: If a part is empty, or what begins as a JSON list is none of texts.
    """
    if not text.lstrip().startswith("["):
        return split_words(text)
    try:
        labels = json.loads(text)
    except ValueError as error:
        raise UsageError(f"--labels {text[:80]}: a list that is no JSON: {error}") from error
    if not all(isinstance(label, str) for label in labels):
        raise UsageError(f"--labels {text[:80]}: every label of the list is a text in quotes")
    return list(labels)


def print_found(found: Audit | Count, page: Path, *, as_json: bool) -> None:
    """An answer on stdout, and its exit code.

    Raises:
        typer.Exit: If the answer is not settled.
    """
    if as_json:
        sys.stdout.write(json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n")
    else:
        sys.stdout.write(f"{found}\nreport: {page}\n")
    if found.exit_code:
        raise typer.Exit(found.exit_code)
