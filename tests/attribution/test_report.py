"""Contract: `evenhand attribute` writes profiles, figures and a report with the section."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from tests.attribution.runs import small_run
from typer.testing import CliRunner

from evenhand.attribution import attribute, attributions
from evenhand.cli._app import build_app
from evenhand.report import attribution_figures, attribution_sections


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two tasks and two orders over two sizes."""
    out = tmp_path_factory.mktemp("runs") / "r"
    return small_run(out, counts=(20, 30), seeds=(0,))


def test_the_command_writes_everything(finished: Path, model_folder: Path) -> None:
    arguments = ["attribute", str(finished), "--model", f"hf/{model_folder}", "--json"]
    done = CliRunner().invoke(build_app(), arguments)
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["replayed"] == 8
    assert "replays; the longest" in done.stderr
    folder = finished / "attribution"
    names = {Path(one).name for one in said["files"]}
    assert {"profiles.parquet", "profiles-overall.parquet", "report.html"} <= names
    assert {"attribution-overall.svg", "attribution-by-count.png"} <= names
    assert all(Path(one).is_file() for one in said["files"])
    page = (folder / "report.html").read_text("utf-8")
    assert "Where the answers leant" in page
    assert pl.read_parquet(folder / "profiles.parquet")["share"].drop_nulls().min() > 0  # type: ignore[operator]


def test_a_limit_leaves_something_pending(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    arguments = ["attribute", str(finished), "--model", f"hf/{model_folder}"]
    arguments += ["--out", str(tmp_path / "some"), "--limit", "1"]
    done = CliRunner().invoke(build_app(), arguments)
    assert done.exit_code == 3, done.output
    assert "7 are pending" in done.stdout


def test_the_section_shows_records_and_counts(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    attribute(finished, f"hf/{model_folder}", out=tmp_path)
    [section] = attribution_sections([finished], folder=tmp_path)
    titles = [getattr(block, "title", "") for block in section.blocks]
    assert any("majority-middle" in title for title in titles)
    assert "highest share" in titles[-1]
    figures = attribution_figures(attributions(finished, tmp_path))
    assert list(figures) == [
        "attribution-overall",
        "attribution-1-sentiment",
        "attribution-by-count",
    ]


def test_a_run_without_replays_has_no_section(tmp_path: Path) -> None:
    assert attribution_sections([tmp_path]) == ()
