"""Contract: replays spread over Ray workers give what one process gives, and a worker that dies
mid-way loses nothing."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.attribution.runs import small_run

from evenhand.attribution import Options, attribute, attributions
from evenhand.attribution import _run as room
from evenhand.attribution._ray import Worker, _connected, replay_on_ray
from evenhand.errors import UsageError

ray: Any = pytest.importorskip("ray", reason="ray is not installed: pip install 'evenhand[ray]'")


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Two CPU slots on this machine; workers find this repository's tests."""
    root = str(Path(__file__).parents[2])
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(
        num_cpus=2,
        include_dashboard=False,
        log_to_driver=False,
        object_store_memory=100_000_000,
        runtime_env={"env_vars": {"PYTHONPATH": root, "OMP_NUM_THREADS": "1"}},
    )
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_run(tmp_path_factory.mktemp("runs") / "r", counts=(10,))


@pytest.mark.usefixtures("cluster")
def test_two_workers_give_what_one_process_gives(
    finished: Path, model_folder: Path, tmp_path: Path
) -> None:
    name = f"hf/{model_folder}"
    here = attribute(finished, name, out=tmp_path / "here")
    there = attribute(finished, name, out=tmp_path / "there", ray="auto")
    assert there.replayed == here.replayed == 8
    one, other = attributions(finished, here.folder), attributions(finished, there.folder)
    assert one["experiment_id"].to_list() == other["experiment_id"].to_list()
    for mine, theirs in zip(one["share"], other["share"], strict=True):
        assert theirs.to_list() == pytest.approx(mine.to_list(), rel=1e-4)


def test_a_cluster_started_here_reports_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[tuple[str, str | None]] = []

    def init(*, address: str, **_: object) -> None:
        seen.append((address, os.environ.get("RAY_USAGE_STATS_ENABLED")))

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    monkeypatch.setattr(ray, "init", init)
    monkeypatch.delenv("RAY_USAGE_STATS_ENABLED", raising=False)
    assert _connected("local") is ray
    monkeypatch.setenv("RAY_USAGE_STATS_ENABLED", "1")
    _connected("local")
    assert seen == [("local", "0"), ("local", "1")]


class Dying(Worker):
    """Kills its own process on the first replay of all."""

    marker = ""

    def replay(self, job: Any) -> Any:
        """Die once, then work."""
        marker = Path(os.environ["DIE_ONCE"])
        try:
            marker.touch(exist_ok=False)
        except FileExistsError:
            return super().replay(job)
        os.kill(os.getpid(), signal.SIGKILL)
        raise AssertionError


@pytest.mark.usefixtures("cluster")
def test_a_killed_worker_loses_nothing(
    finished: Path, model_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    marker = tmp_path / "died"

    class Marked(Dying):
        def replay(self, job: Any) -> Any:
            os.environ["DIE_ONCE"] = str(marker)
            return super().replay(job)

    monkeypatch.setattr("evenhand.attribution._ray.Worker", Marked)
    ids = sorted(attributions_of(finished))
    jobs = list(room._jobs(finished, ids))
    done = list(replay_on_ray("auto", f"hf/{model_folder}", None, None, jobs, Options(), workers=2))
    assert marker.exists()
    assert sorted(one.experiment_id for one in done) == ids
    assert all(one.score is not None for one in done)


@pytest.mark.usefixtures("cluster")
def test_a_worker_that_cannot_load_the_model_says_why(finished: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="neither a folder nor in the Hub's cache"):
        attribute(finished, "hf/nothing", out=tmp_path, ray="auto")


def attributions_of(run: Path) -> list[str]:
    from evenhand.results import results

    return results(run)["experiment_id"].to_list()
