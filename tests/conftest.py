"""What every test shares: no network, no stray keys."""

from __future__ import annotations

import os

import pytest

os.environ["HF_HUB_OFFLINE"] = "1"
os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"


@pytest.fixture(autouse=True)
def _no_stray_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    """A key in the developer's own environment must never reach a test."""
    for name in list(os.environ):
        if name.endswith("_API_KEY"):
            monkeypatch.delenv(name)
