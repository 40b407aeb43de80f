"""Contract: every audit says what to do next, with a command that can be pasted."""

from __future__ import annotations

import itertools
import json
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.audit.test_audit import ASK, GIVES_UP, LABELS, QUIET, Answers, Stops, first_word

import evenhand
from evenhand.audit import Audit, audit
from evenhand.running import RunOptions

TURNS = itertools.count(1)
STABLE = Answers(lambda texts, seed: "positive")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "my rows.csv"
    rows = [f"good {k},positive" for k in range(33)] + [f"bad {k},negative" for k in range(27)]
    path.write_text("body,kind\n" + "\n".join(rows) + "\n")
    return path


def ask(table: object, out: Path, model: Any, **more: Any) -> Audit:
    given: dict[str, Any] = {"labels": LABELS, "options": QUIET, "text": "body", **more}
    return audit(table, ask=ASK, model=model, out=out, **given)


def typed(found: Audit) -> list[str]:
    return shlex.split(found.next_step.command or "")


def test_order_sensitive(table: Path, tmp_path: Path) -> None:
    options = RunOptions(progress=False, concurrency=2, max_cost_usd=1.5)
    found = ask(table, tmp_path, "reader/first-20", gold="kind", options=options)
    assert found.verdict == "order-sensitive"
    assert typed(found) == [
        "evenhand", "count", str(table), "--text", "body", "--ask", ASK,
        "--labels", "positive,negative", "--model", "reader/first-20", "--gold", "kind",
        "--concurrency", "2", "--max-cost", "1.5",
    ]  # fmt: skip
    assert "\nnext: do not rely on one order, whichever it is. evenhand count labels" in str(found)
    assert f"in code:\n  {found.next_step.command}\n" in str(found)
    kept = json.loads((tmp_path / "audit.json").read_text())
    assert kept["next_step"]["command"] == found.next_step.command


def test_stable_says_what_it_does_not_prove(table: Path, tmp_path: Path) -> None:
    found = ask(table, tmp_path, STABLE, gold="kind")
    assert found.next_step.words.startswith(
        "stable does not prove that positive is right: a model that says positive whatever it "
        "reads is stable too. evenhand count labels"
    )
    # Hand labels are the count's own matter: predicted ones would not be hand labels.
    assert "--gold" not in typed(found)
    assert typed(found)[-2:] == ["--model", "fake/reader"]


def test_labels_with_commas_are_a_json_list(table: Path, tmp_path: Path) -> None:
    found = ask(table, tmp_path, Answers(lambda texts, seed: "a, b"), labels=["a, b", "c"])
    assert json.loads(typed(found)[typed(found).index("--labels") + 1]) == ["a, b", "c"]


def test_a_question_about_all_needs_one_about_each(table: Path, tmp_path: Path) -> None:
    found = ask(table, tmp_path, Answers(lambda texts, seed: 7), labels=())
    assert "it needs a question about one record, and its labels, such as:" in found.next_step.words
    assert typed(found)[5:9] == ["--ask", "Does it mention delivery?", "--labels", "yes,no"]


def test_a_list_is_counted_in_python(tmp_path: Path) -> None:
    found = ask([f"good {k}" for k in range(9)], tmp_path, STABLE, text=None)
    assert found.next_step.command == (
        "evenhand.count(records, ask='Is the review positive or negative?', "
        "labels=['positive', 'negative'], model='fake/reader')"
    )


def alternate(texts: Sequence[str], seed: int) -> str:
    return "positive" if texts[0].startswith("good") else "!no idea"


def drifting(texts: Sequence[str], seed: int) -> str:
    """Another answer at every third call, whatever the order."""
    return LABELS[next(TURNS) // 3 % 2]


@pytest.mark.parametrize(
    ("model", "more", "words"),
    [
        (Stops(first_word, 2), {"options": GIVES_UP}, "the same command goes on where it stopped"),
        (Answers(alternate), {}, "see in the replies why some cannot be read"),
        # 0.7 ** 9 = 4.0% and 0.7 ** 8 = 5.8%: nine random orders, with the given one and reversed.
        (STABLE, {"orders": 4}, "ask for more orders: --orders 11"),
        (Answers(drifting), {"gold": "kind"}, "more orders (--orders 24) tell noise from order"),
        (Answers(first_word), {"orders": 3}, "more orders (--orders 6) tell noise from order"),
    ],
)
def test_undecided(
    model: Answers, more: dict[str, Any], words: str, table: Path, tmp_path: Path
) -> None:
    found = ask(table, tmp_path / "out", model, **more)
    assert found.verdict == "undecided"
    assert found.next_step.words.startswith(words)


def test_replies_that_cannot_be_read_can_be_looked_at(table: Path, tmp_path: Path) -> None:
    """The first look was read whole; the second was not."""
    turn = iter(range(100))
    model = Answers(lambda texts, seed: "positive" if next(turn) < 4 else "!no idea")
    command = ask(table, tmp_path / "it's", model).next_step.command
    assert command is not None
    assert "orders-5-8" in command
    assert set(eval(command, {"evenhand": evenhand})) == {"!no idea"}


def test_what_is_advised_is_enough(table: Path, tmp_path: Path) -> None:
    assert ask(table, tmp_path, STABLE, orders=11).verdict == "stable"
    assert ask(table, tmp_path, STABLE, orders=10).verdict == "undecided"
