"""Contract: count and audit print the verdict first, give JSON where asked, and exit with 0 when
decided or stable, 1 when a ledger does not verify, 2 for bad input, 3 when undecided."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.cli.command import Cli
from tests.fake_server import FakeServer

ASK = ("--ask", "Good or bad?", "--labels", "good,bad")


def test_count_then_verify(cli: Cli, table: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    args = ("count", str(table), "--text", "body", *ASK, "--gold", "kind", "--out", str(out))
    code, stdout, stderr = cli(*args, "--model", "reader/perfect")
    assert code == 0, stderr
    assert stdout.startswith("The majority is good (good 36, bad 24).\n")
    assert "coverage: 60 of 60 labelled once; 0 unresolved; ledger SHA-256 " in stdout
    assert (out / "report.html").is_file()
    assert stderr.startswith("calls: 2, at worst 124\n")
    code, stdout, _ = cli("count", "--verify", str(out / "ledger.csv"))
    assert (code, stdout.count("yes ")) == (0, 10)
    ledger = out / "ledger.csv"
    ledger.write_text(ledger.read_text().replace("row:1,good", "row:1,bad"))
    code, stdout, stderr = cli("count", "--verify", str(ledger))
    assert code == 1
    assert "not verified" in stderr


def test_count_as_json_and_undecided(cli: Cli, table: Path, tmp_path: Path) -> None:
    args = ("count", str(table), "--text", "body", *ASK, "--gold", "kind", "--json")
    code, stdout, _ = cli(*args, "--model", "reader/noisy-0.1", "--out", str(tmp_path / "a"))
    found = json.loads(stdout)
    assert code == 0
    assert sum(each["count"] for each in found["labels"]) == 60
    table.write_text("body,kind\nx,good\ny,bad\n")
    code, stdout, _ = cli(*args, "--model", "reader/perfect", "--out", str(tmp_path / "b"))
    assert (code, json.loads(stdout)["verdict"]) == (3, "undecided")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        (("--text", "nope", "--model", "reader/perfect"), "no column 'nope'"),
        (("--text", "body"), "count needs --model"),
        (("--text", "body", "--model", "reader/perfect", "--until-sure", "1"), "--until-sure"),
        (("--text", "body", "--model", "reader/perfect", "--batch", "0"), "at least one record"),
    ],
)
def test_bad_input(more: tuple[str, ...], words: str, cli: Cli, table: Path) -> None:
    code, _, stderr = cli("count", str(table), *ASK, *more)
    assert code == 2
    assert words in stderr


def test_audit(cli: Cli, table: Path, tmp_path: Path) -> None:
    args = ("audit", str(table), "--text", "body", *ASK, "--gold", "kind")
    code, stdout, stderr = cli(*args, "--model", "reader/perfect", "--out", str(tmp_path / "a"))
    assert code == 0
    assert stderr.startswith("calls: 17, at worst 102\ninput tokens: about ")
    assert "output tokens: about 850 (50 a call, one short answer), at worst 2,040,000\n" in stderr
    assert stdout.startswith("Stable: all 16 orders answered good")
    more = ("--json", "--out", str(tmp_path / "b"))
    code, stdout, _ = cli(*args, *more, "--model", "reader/first-15")
    assert (code, json.loads(stdout)["verdict"]) == (3, "order-sensitive")
    assert (tmp_path / "b" / "report.html").is_file()


def test_a_negative_margin_has_a_minus_sign(cli: Cli, table: Path, tmp_path: Path) -> None:
    args = ("audit", str(table), "--text", "body", *ASK, "--gold", "kind", "--out", str(tmp_path))
    _, stdout, _ = cli(*args, "--model", "reader/perfect", "--answer", "forced")
    assert "(margin −" in stdout
    assert "(margin -" not in stdout + (tmp_path / "report.html").read_text("utf-8")


@pytest.mark.parametrize("command", ["count", "audit"])
def test_nothing_is_asked_above_the_cost_without_a_yes(
    command: str, cli: Cli, table: Path, tmp_path: Path
) -> None:
    catalog = tmp_path / "models.toml"
    with FakeServer() as server:
        model = f"openai-compatible/fake@{server.url}"
        catalog.write_text(
            '[models."openai-compatible/fake"]\nprice = { input = 1000.0, output = 1000.0 }\n'
        )
        args = (command, str(table), "--text", "body", *ASK, "--model", model,
                "--models", str(catalog), "--out", str(tmp_path / "out"))  # fmt: skip
        code, stdout, stderr = cli(*args, "--ask-over", "0.5")
        assert server.seen == []
    assert (code, stdout) == (2, "")
    assert "calls: " in stderr
    assert "cost: about $" in stderr
    assert "say --yes, or raise --ask-over" in stderr
    assert not (tmp_path / "out").exists()
