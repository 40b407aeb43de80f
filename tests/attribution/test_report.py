"""Contract: `evenhand attribute` writes profiles, figures and a report with the section."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.attribution.runs import small_run
from tests.running.fakes import say
from typer.testing import CliRunner

from evenhand.attribution import attribute, attributions
from evenhand.cli._app import build_app
from evenhand.report import attribution_figures, attribution_sections, write_attribution
from evenhand.report._attribution_figures import single_strip
from evenhand.report._numbers import percent
from evenhand.report._page import Prose
from evenhand.results import Arrangement, arrangement


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
    # Bars of progress end before anything else is written.
    assert done.stderr.endswith("8 of 8 replays\n")
    assert said["agreeing"] == attributions(finished)["agrees"].sum()
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


def test_what_was_left_out_is_told_with_its_reason(model_folder: Path, tmp_path: Path) -> None:
    run = small_run(tmp_path / "r", replies=[say(), say('{"answer": -1}'), say("?"), say()])
    attribute(run, f"hf/{model_folder}", limit=3)
    [section] = attribution_sections([run])
    told = section.blocks[0]
    assert isinstance(told, Prose)
    # Of eight answers two are ties and two are none; of the other four one waits.
    assert "3 answers of fake/model replayed with hf/" in told.text
    for part in ("Left out: 2 (a tie).", "(no valid answer (parsing_issue)).", "Pending: 1."):
        assert part in told.text
    agrees = attributions(run)["agrees"].mean()
    assert f"the likelier one in {percent(agrees)} of them" in told.text  # type: ignore[arg-type]


def test_a_store_that_cannot_be_read_is_told_and_the_rest_is_shown(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    broken = small_run(tmp_path / "broken", seeds=(0,))
    (broken / "attribution").mkdir()
    (broken / "attribution" / "attribution.db").write_bytes(b"not a database" * 100)
    [section] = attribution_sections([broken])
    [note] = section.blocks
    assert isinstance(note, Prose)
    assert "broken/attribution/attribution.db cannot be read" in note.text
    if not (finished / "attribution").exists():
        attribute(finished, f"hf/{model_folder}", limit=2)
    [section] = attribution_sections([broken, finished])
    assert len(section.blocks) > 3


def test_each_model_is_drawn_at_its_own_commonest_size(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    attribute(finished, f"hf/{model_folder}", out=tmp_path)
    frame = attributions(finished, tmp_path)
    other = frame.filter(pl.col("n") == 30).with_columns(pl.lit("other/model").alias("model"))
    figures = attribution_figures(pl.concat([frame, other]))
    assert list(figures)[:3] == [
        "attribution-overall",
        "attribution-1-sentiment",
        "attribution-2-sentiment",
    ]
    assert "other/model: first bin" in figures["attribution-overall"].alt


def test_records_without_labels_are_shown_without_bands(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    attribute(finished, f"hf/{model_folder}", out=tmp_path)
    unknown = pl.col("majority").list.eval(pl.lit(None, dtype=pl.Boolean))
    frame = attributions(finished, tmp_path).with_columns(unknown)
    drawn = attribution_figures(frame)["attribution-1-sentiment"]
    assert "Bands mark" not in drawn.reading
    strip = single_strip(frame, frame["experiment_id"][0])
    assert strip.chart.to_dict()["encoding"]["color"]["scale"]["domain"] == ["unknown"]


def test_a_hostile_record_stays_text(
    finished: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    hostile = '</script><script>alert(1)</script>"><img src=x onerror=alert(2)>'
    arranged = arrangement

    def attacked(run: Path, experiment_id: str) -> Arrangement:
        shown = arranged(run, experiment_id)
        content = f"{hostile}\n{shown.messages[-1].content}"
        message = replace(shown.messages[-1], content=content)
        return replace(shown, messages=(message,), spans=((0, len(hostile)),) * len(shown.spans))

    attribute(finished, f"hf/{model_folder}", out=tmp_path)
    monkeypatch.setattr("evenhand.report._attribution_section.arrangement", attacked)
    page = write_attribution(finished, tmp_path)[-1].read_text("utf-8")
    assert "&lt;/script&gt;&lt;script&gt;alert(1)" in page
    assert "<script>alert(1)" not in page
    assert "<img src=x" not in page


def test_a_run_without_replays_has_no_section(tmp_path: Path) -> None:
    assert attribution_sections([tmp_path]) == ()
