"""What every test shares: no network, no stray keys."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"


@pytest.fixture(autouse=True)
def _no_stray_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the developer's own environment must never reach a test."""
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the five public sets; the test is skipped where there is none."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "data"
    folder = Path(os.environ.get("EVENHAND_DATA", beside))
    if not folder.is_dir():
        pytest.skip(f"no public data sets in {folder}: set EVENHAND_DATA to their folder")
    return folder
