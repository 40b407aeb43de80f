"""Contract: data flows one way. A room imports only from rooms to its left, at any depth of the
file, and `import evenhand` does no work."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[1] / "src" / "evenhand"

ALLOWED: dict[str, set[str]] = {}
_left: set[str] = set()
for _room in (
    "tasks",
    "pools",
    "design",
    "prompts",
    "outcomes",
    "models",
    "running",
    "results",
    "inspecting",
    "analysis",
    "attribution",
    "counting",
    "audit",
    "report",
    "cli",
):
    ALLOWED[_room] = set(_left)
    _left.add(_room)
ALLOWED["outcomes"] -= {"pools", "design", "prompts"}
ALLOWED["prompts"] -= {"design"}
ALLOWED["models"] -= {"design"}
ALLOWED["analysis"] -= {"models", "running", "inspecting"}
ALLOWED["attribution"] -= {"inspecting"}
ALLOWED["counting"] -= {"results", "inspecting", "attribution"}
ALLOWED["audit"] -= {"inspecting", "attribution"}
ALLOWED["report"] -= {"models", "inspecting"}


def imported_rooms(file: Path) -> set[str]:
    rooms = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        names = []
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names = [node.module]
        rooms |= {name.split(".")[1] for name in names if name.startswith("evenhand.")}
    return rooms


@pytest.mark.parametrize("room", sorted(ALLOWED))
def test_a_room_imports_only_from_its_left(room: str) -> None:
    rooms = {path.name for path in SOURCE.iterdir() if path.is_dir() and path.name[0] != "_"}
    for file in (SOURCE / room).rglob("*.py"):
        wrong = (imported_rooms(file) & rooms) - ALLOWED[room] - {room}
        assert not wrong, f"{file.relative_to(SOURCE)} imports from {sorted(wrong)}"


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, evenhand; "
        "print(sorted({'torch', 'polars', 'altair', 'openai', 'numpy'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
