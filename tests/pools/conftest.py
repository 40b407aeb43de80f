"""Where the public data sets are found for the tests that read them."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

_REPOSITORY = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="session")
def real_data() -> Path:
    """The folder with the five public sets; the test is skipped where there is none."""
    folder = Path(os.environ.get("EVENHAND_DATA", _REPOSITORY.parent / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no public data sets in {folder}: set EVENHAND_DATA to their folder")
    return folder
