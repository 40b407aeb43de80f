"""A command to run, and a table of sixty records to run it on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.cli.command import Cli, evenhand


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    """Run a command: exit code, stdout, stderr."""

    def run(*words: str) -> tuple[int, str, str]:
        code = evenhand(*words)
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


@pytest.fixture
def table(tmp_path: Path) -> Path:
    path = tmp_path / "rows.csv"
    rows = [f"good thing {k},good" for k in range(36)] + [f"bad thing {k},bad" for k in range(24)]
    path.write_text("body,kind\n" + "\n".join(rows) + "\n")
    return path
