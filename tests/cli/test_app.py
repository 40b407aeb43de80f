"""Contract: whatever is typed and wherever output goes, a person reads one message, never a
traceback; an option that would do nothing is refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from tests.cli.command import evenhand

from evenhand import __version__
from evenhand.cli._app import COMMAND_MODULES

REFUSED = [
    (("run", "core", "--model", "reader/perfect", "--out", ""), "an empty value after --out"),
    (("run", "core", "--model", "reader/perfect", "--out="), "an empty value after --out"),
    (("plan", "core", "--data", ""), "is a shell variable unset?"),
    (("report", ""), "an empty value after report"),
    (("plan", "core", "--id-column", "key"), "--id-column names a column of --pool"),
    (("plan", "core", "--text-column", "text"), "--text-column names a column of --pool"),
    (
        ("filter", "ner", "--model", "reader/perfect", "--out", "f", "--label-column", "x"),
        "--label",
    ),
    (("plan", "core", "--out", "runs/a"), "--out is for the forecast: say for which --model"),
    (("plan", "core", "--models", "mine.toml"), "--models is for the forecast"),
    (
        (
            "plan",
            "core",
            "--tasks",
            "ner",
            "--n",
            "20",
            "--model",
            "reader/perfect",
            "--models",
            "-",
        ),
        "cannot read the catalog -",
    ),
    (("plan", "core", "--set-seeds", "0-999999999"), "more than 100,000 numbers"),
    (("plan", "core", "--repeats", "999999999"), "a run holds 1,000,000 at most"),
    (("plan", "core", "--tasks", "my.toml", "--n", "20"), "my.toml is a file: give it as --task"),
    (("data", "list", "--data", "none"), "no folder none"),
    (("task", "new", "math"), "math is a built-in task"),
    (("task", "new", "a/b"), "must be one word"),
]


@pytest.mark.parametrize(("words", "message"), REFUSED)
def test_refused(
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    code = evenhand(*words)
    assert (code, list(tmp_path.iterdir())) == (2, [])
    assert message in capsys.readouterr().err


PAGES = ["", *(name[1:] for name in COMMAND_MODULES)]


@pytest.mark.parametrize("page", PAGES)
def test_a_help_page_lists_commands_in_whole_sentences(
    page: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code = evenhand(*page.split(), "--help")
    shown = capsys.readouterr().out
    _, _, commands = shown.partition("Commands:")
    assert code == 0
    assert "..." not in commands


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    code = evenhand("--version")
    assert (code, capsys.readouterr().out) == (0, f"evenhand {__version__}\n")


def test_a_warning_is_a_line_of_its_own(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "gsm8k.jsonl").write_text(
        '{"split": "train", "row": 0, "question": "a", "answer": "#### 1"}\n'
        '{"split": "train", "row": 1, "question": "b", "answer": "#### 2"}\n'
    )
    words = ("plan", "core", "--tasks", "math", "--n", "20", "--data", str(tmp_path))
    code = evenhand(*words)
    shown = capsys.readouterr().err.splitlines()
    assert code == 2
    assert all(line.startswith("evenhand: ") for line in shown)
    assert f"evenhand: warning: {tmp_path}: GSM8K has 2 rows in split train" in shown[0]


def test_h_is_help_everywhere(capsys: pytest.CaptureFixture[str]) -> None:
    for words in ((), ("plan",), ("task", "new")):
        assert evenhand(*words, "-h") == 0
        assert "Show this message and exit" in capsys.readouterr().out


PRESSED_WHILE_LOADING = """
import sys

class Pressed:
    def find_spec(self, name, *_):
        if name == {module!r}:
            raise KeyboardInterrupt

sys.meta_path.insert(0, Pressed())
sys.argv = ["evenhand", "reference"]
from evenhand.cli import main
main()
"""


@pytest.mark.parametrize("module", ["typer", "evenhand.cli._reference", "evenhand.design"])
def test_ctrl_c_while_modules_load_is_no_traceback(module: str) -> None:
    program = PRESSED_WHILE_LOADING.format(module=module)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (130, "")
    assert done.stderr == "evenhand: stopped\n"


def shell(command: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which ``evenhand`` is this interpreter's."""
    line = f'evenhand() {{ "{sys.executable}" -m evenhand "$@"; }}; {command}'
    environment = {**os.environ, **variables}
    return subprocess.run(
        ["sh", "-c", line], capture_output=True, text=True, env=environment, check=False
    )


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
def test_a_full_disk_is_one_message() -> None:
    done = shell("evenhand reference > /dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith("evenhand: No space left on device")
    assert "Traceback" not in done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_closed_outputs_are_no_fault() -> None:
    assert (done := shell("evenhand reference >&-")).returncode == 0, done.stderr
    assert (done := shell("evenhand reference --n 7 >&- 2>&-")).returncode == 2, done.stderr


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
def test_an_output_without_the_letter_shows_its_code(tmp_path: Path) -> None:
    made = shell(f"cd '{tmp_path}' && evenhand task new ünï", PYTHONIOENCODING="ascii")
    assert (made.returncode, made.stdout) == (0, "\\xfcn\\xef.toml\n"), made.stderr
    assert (tmp_path / "ünï.toml").is_file()


def test_every_command_is_listed_once() -> None:
    assert len(set(COMMAND_MODULES)) == len(COMMAND_MODULES)
