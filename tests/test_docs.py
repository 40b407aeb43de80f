"""Contract: every command in README and docs names a command and options that exist, every link
between pages leads somewhere, and docs/README.md lists every page."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
import typer.main

from evenhand.cli._app import build_app

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    *sorted((ROOT / "docs").glob("*.md")),
]
COMMAND = re.compile(r"^(?: {4}|\$ )?(evenhand [a-z].*)$", re.MULTILINE)
LINK = re.compile(r"!?\[[^\]]*\]\(([^)#\s]+)[^)]*\)")


def commands(text: str) -> list[list[str]]:
    """Every line of code that begins with ``evenhand``, as words; comments left out."""
    lines = COMMAND.findall(text.replace("\\\n", " "))
    return [shlex.split(line, comments=True)[1:] for line in lines]


def faults(words: list[str]) -> list[str]:
    """What of one command line does not exist."""
    command = typer.main.get_command(build_app())
    rest = list(words)
    while rest and (inner := getattr(command, "commands", {}).get(rest[0])) is not None:
        command = inner
        rest.pop(0)
    if len(rest) == len(words) or (rest and getattr(command, "commands", {}) and rest[0][0] != "-"):
        return [f"no command {' '.join(words[:2])}"]
    known = {"--help", *(option for parameter in command.params for option in parameter.opts)}
    given = [word.partition("=")[0] for word in rest if word.startswith("--")]
    return [f"{words[0]} has no {option}" for option in given if option not in known]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_commands_exist(page: Path) -> None:
    found = [fault for words in commands(page.read_text("utf-8")) for fault in faults(words)]
    assert found == []


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("evenhand run core --model m --out o", []),
        ("evenhand data fetch --accept-licence --to d  # all", []),
        ("evenhand models --models f", []),
        ("evenhand walk", ["no command walk"]),
        ("evenhand data eat", ["no command data eat"]),
        ("evenhand run core --modle m", ["run has no --modle"]),
    ],
)
def test_faults(line: str, expected: list[str]) -> None:
    assert [fault for words in commands(f"    {line}\n") for fault in faults(words)] == expected


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    targets = [t for t in LINK.findall(page.read_text("utf-8")) if "://" not in t]
    assert [target for target in targets if not (page.parent / target).exists()] == []


def test_the_index_lists_every_page() -> None:
    listed = set(LINK.findall((ROOT / "docs" / "README.md").read_text("utf-8")))
    pages = {page.name for page in (ROOT / "docs").glob("*.md")} - {"README.md"}
    assert pages - listed == set()
