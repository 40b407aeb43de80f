"""A fetched set is whole and checked, or it is not there and one message says what to do."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest
from tests.fake_hub import FakeHub

from evenhand.errors import EvenhandError, UsageError
from evenhand.pools import fetch_upstream
from evenhand.pools._build import upstream_pool
from evenhand.pools._fetch_repository import parse_rows, rows_sha256
from evenhand.pools._upstream import UPSTREAM, RepositorySource, Split

SPLITS = (Split("train", 3, "train"), Split("test", 1, "test"))
TOY = replace(UPSTREAM["math"], splits=SPLITS)
ROWS = {
    "train": [
        {"question": "One?", "answer": "#### 1"},
        {"question": "Two?", "answer": "#### 2"},
        {"question": "Three?", "answer": "#### 3"},
    ],
    "test": [{"question": "Four?", "answer": "#### 4"}],
}


def parquet(rows: list[dict[str, str]]) -> bytes:
    buffer = io.BytesIO()
    pl.DataFrame(rows).write_parquet(buffer)
    return buffer.getvalue()


def hub_path(split: str) -> str:
    assert TOY.hub is not None
    return (
        f"/datasets/{TOY.hub.repo}/resolve/{TOY.hub.revision}/main/{split}-00000-of-00001.parquet"
    )


def put(hub: FakeHub, split: str, fault: str | None = None) -> None:
    hub.put(hub_path(split), parquet(ROWS[split]), fault)


@pytest.fixture
def hub(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A Hub with the toy set, an empty cache, and no waiting between the client's retries."""
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub-cache"))
    monkeypatch.setattr("time.sleep", lambda _: None)
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    with FakeHub() as server:
        monkeypatch.setenv("HF_ENDPOINT", server.url)
        put(server, "train")
        put(server, "test")
        yield server


def left_over(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir()) if folder.exists() else []


def test_a_set_arrives_whole_and_is_not_fetched_twice(hub: FakeHub, tmp_path: Path) -> None:
    said: list[str] = []
    first = fetch_upstream(TOY, tmp_path / "data", say=said.append)
    assert first.new
    assert said == ["fetching GSM8K"]
    assert first.receipt.rows == {"train": 3, "test": 1}
    assert first.receipt.licence == "MIT"
    assert left_over(tmp_path / "data") == ["gsm8k"]
    assert left_over(first.path) == ["SOURCE.json", "main"]
    requests = len(hub.seen)
    assert fetch_upstream(TOY, tmp_path / "data") == replace(first, new=False)
    assert len(hub.seen) == requests


def test_a_fetched_set_is_a_pool_that_names_its_source(hub: FakeHub, tmp_path: Path) -> None:
    fetch_upstream(TOY, tmp_path)
    pool = upstream_pool(TOY, tmp_path, "all")
    assert sorted((i.id, i.text, i.answer) for i in pool.instances) == [
        ("test:0", "Four?", 4),
        ("train:0", "One?", 1),
        ("train:1", "Two?", 2),
        ("train:2", "Three?", 3),
    ]
    assert pool.provenance["source"] == (
        "GSM8K, openai/gsm8k at e53f048856ff4f594e959d75785d2c2d37b678ee (Hugging Face Hub)"
    )


def test_a_file_that_changed_after_the_fetch_is_refused_and_fetched_anew(
    hub: FakeHub, tmp_path: Path
) -> None:
    path = fetch_upstream(TOY, tmp_path).path / "main" / "train-00000-of-00001.parquet"
    path.write_bytes(parquet(ROWS["test"]))
    with pytest.raises(UsageError, match="is not the file that was fetched"):
        upstream_pool(TOY, tmp_path)
    assert fetch_upstream(TOY, tmp_path).new
    assert len(upstream_pool(TOY, tmp_path, "all").instances) == 4


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("cut", "the download broke off .*: run the same command again"),
        ("short", "the download broke off .*: run the same command again"),
        ("swapped", "does not match the Hub's checksum and was thrown away: run"),
        ("503", "answered 503: try again later, or get the files elsewhere"),
        ("403", "answered 403: try again later, or get the files elsewhere"),
        ("401", "answered 401: try again later, or get the files elsewhere"),
    ],
)
def test_faults_leave_nothing_behind_and_a_second_try_works(
    hub: FakeHub, tmp_path: Path, fault: str, words: str
) -> None:
    put(hub, "test", fault)
    with pytest.raises(EvenhandError, match=words) as caught:
        fetch_upstream(TOY, tmp_path / "data")
    assert str(caught.value).count("\n") == 0
    assert left_over(tmp_path / "data") == []
    put(hub, "test")
    assert fetch_upstream(TOY, tmp_path / "data").new


def test_a_missing_file_is_named(hub: FakeHub, tmp_path: Path) -> None:
    del hub.files[hub_path("test")]
    with pytest.raises(EvenhandError, match=r"openai/gsm8k \(main/test-.*does not have it"):
        fetch_upstream(TOY, tmp_path)


def test_a_dead_hub_and_offline_mode(
    hub: FakeHub, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(EvenhandError, match=r"127.0.0.1:9 cannot be reached: check the network"):
        fetch_upstream(TOY, tmp_path)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(
        EvenhandError, match="not asked while HF_HUB_OFFLINE is set: unset it, or get"
    ):
        fetch_upstream(TOY, tmp_path)


def test_other_row_counts_are_refused(hub: FakeHub, tmp_path: Path) -> None:
    more = replace(TOY, splits=(Split("train", 4, "train"), Split("test", 1, "test")))
    with pytest.raises(EvenhandError, match="split train has 3 rows, not the 4 that were"):
        fetch_upstream(more, tmp_path)
    assert left_over(tmp_path) == ["hub-cache"]


def test_a_place_that_is_taken_is_left_alone(hub: FakeHub, tmp_path: Path) -> None:
    (tmp_path / "gsm8k").mkdir()
    (tmp_path / "gsm8k" / "mine.txt").touch()
    with pytest.raises(UsageError, match="was not fetched by evenhand"):
        fetch_upstream(TOY, tmp_path)
    (tmp_path / "file").touch()
    with pytest.raises(UsageError, match="cannot write to"):
        fetch_upstream(TOY, tmp_path / "file")


SENSES = {
    "train": (b"0\tjava is warm .\r\n2\ti drink\x0b java", b"0\r\n0"),
    "test": ("1\tin java\u2028 we trust\n".encode(), b"1\n"),
}
PARSED = {
    "train": [(0, "java is warm .", 0), (2, "i drink\x0b java", 0)],
    "test": [(1, "in java\u2028 we trust", 1)],
}


def with_senses(hub: FakeHub) -> RepositorySource:
    source = RepositorySource(
        url=hub.url,
        revision="abc",
        folder="data/java",
        senses=("java_java", "java_java_(programming_language)"),
        sha256={split: rows_sha256(rows) for split, rows in PARSED.items()},
    )
    for split, (texts, golds) in SENSES.items():
        hub.put(f"/abc/data/java/{split}.data.txt", texts)
        hub.put(f"/abc/data/java/{split}.gold.txt", golds)
    return source


def test_the_sense_set_comes_from_its_repository(hub: FakeHub, tmp_path: Path) -> None:
    toy = replace(
        UPSTREAM["wsd"],
        splits=(Split("train", 2, "train"), Split("test", 1, "test")),
        repository=with_senses(hub),
    )
    fetch_upstream(toy, tmp_path)
    pool = upstream_pool(toy, tmp_path, "all")
    assert {(i.id, i.text, i.label) for i in pool.instances} == {
        ("train:0", "java is warm .", "place"),
        ("train:1", "i drink java", "place"),
        ("test:0", "in java we trust", "programming_language"),
    }


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("cut", "the download broke off: run the same command again"),
        ("swapped", "split test does not match its checksum"),
        ("500", "it answered 500: try again later"),
    ],
)
def test_faults_of_the_repository(hub: FakeHub, tmp_path: Path, fault: str, words: str) -> None:
    toy = replace(
        UPSTREAM["wsd"],
        splits=(Split("train", 2, "train"), Split("test", 1, "test")),
        repository=with_senses(hub),
    )
    hub.put("/abc/data/java/test.data.txt", SENSES["test"][0], fault)
    with pytest.raises(EvenhandError, match=words):
        fetch_upstream(toy, tmp_path / "data")
    assert left_over(tmp_path / "data") == []


def test_a_dead_repository(hub: FakeHub, tmp_path: Path) -> None:
    toy = replace(UPSTREAM["wsd"], repository=replace(with_senses(hub), url="http://127.0.0.1:9"))
    with pytest.raises(EvenhandError, match=r"127.0.0.1:9.*check the network"):
        fetch_upstream(toy, tmp_path)


@pytest.mark.parametrize(
    ("texts", "golds"),
    [(["0\tx"], []), (["no tab"], ["0"]), (["x\ty"], ["0"]), (["0\ty"], ["-"])],
)
def test_lines_that_are_no_rows(texts: list[str], golds: list[str]) -> None:
    assert parse_rows(texts, golds) is None


def test_pinned_sums_are_those_of_the_real_rows(real_data: Path) -> None:
    from evenhand.pools._folder import read_upstream

    upstream = UPSTREAM["wsd"]
    assert upstream.repository is not None
    wide = replace(upstream, columns={"position": "label", "text": "text", "gold": "label"})
    read = read_upstream(wide, real_data)
    for split in upstream.splits:
        rows = [
            (row.values["position"], row.values["text"], row.values["gold"])
            for row in read.rows
            if row.split == split.name
        ]
        assert rows_sha256(rows) == upstream.repository.sha256[split.name]  # type: ignore[arg-type]
