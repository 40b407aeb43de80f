"""The data files: word lists and frames in TOML, all wording our own."""

from __future__ import annotations

import re
import tomllib
from importlib import resources
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field


def _entries(text: object) -> tuple[str, ...]:
    """Split a word list into its entries: at line ends and semicolons."""
    return _distinct(text, r"[;\n]")


def _lines(text: object) -> tuple[str, ...]:
    """Split a block of frames: at line ends only."""
    return _distinct(text, r"\n")


def _distinct(text: object, separator: str) -> tuple[str, ...]:
    """Split a block of text.

    Raises:
        ValueError: If it is not text, holds nothing, or holds an entry twice.
    """
    if not isinstance(text, str):
        raise ValueError("a word list is one block of text")
    found = tuple(entry.strip() for entry in re.split(separator, text) if entry.strip())
    twice = sorted({entry for entry in found if found.count(entry) > 1})
    if not found or twice:
        raise ValueError(f"twice in one list: {twice}" if twice else "an empty list")
    return found


Entries = Annotated[tuple[str, ...], BeforeValidator(_entries)]
Frames = Annotated[tuple[str, ...], BeforeValidator(_lines)]


class BandData(BaseModel):
    """Frames with their weight; for one label only where ``label`` names it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    weight: int = Field(gt=0)
    label: str | None = None
    frames: Frames


class FrameData(BaseModel):
    """One data file of frames: shared word lists, word lists by label, bands of frames."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    shared: dict[str, Entries]
    by_label: dict[str, dict[str, Entries]]
    bands: tuple[BandData, ...] = Field(min_length=1)

    def words(self, label: str | None) -> dict[str, tuple[str, ...]]:
        """The word lists of one label, or (None) those that both labels share."""
        return self.shared if label is None else self.by_label[label]


def read_data(task: str) -> FrameData:
    """The frames and word lists of a task that is built from frames."""
    return FrameData.model_validate(read_toml(task))


def read_toml(name: str) -> dict[str, object]:
    """One data file as it stands."""
    source = resources.files("evenhand.pools._synthetic") / "data" / f"{name}.toml"
    return tomllib.loads(source.read_text("utf-8"))
