"""What a fetched set says of itself: where it came from, on what terms, and its files' sums."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from evenhand.errors import UsageError

NAME = "SOURCE.json"


@dataclass(frozen=True, slots=True)
class Receipt:
    """The receipt of one fetched set.

    Attributes:
        source: Repository and revision, in words.
        licence: As upstream states it.
        citation: Whom to cite.
        rows: Rows of each split.
        files: File name, relative to the set's folder, -> SHA-256.
    """

    source: str
    licence: str
    citation: str
    rows: Mapping[str, int]
    files: Mapping[str, str]


def write_receipt(folder: Path, receipt: Receipt) -> None:
    """Lay the receipt into the set's folder."""
    content = TypeAdapter(dict[str, object]).dump_json(asdict(receipt), indent=2)
    (folder / NAME).write_bytes(content + b"\n")


def read_receipt(folder: Path) -> Receipt | None:
    """The receipt in the set's folder, or None where there is none.

    Raises:
        UsageError: If it cannot be understood.
    """
    path = folder / NAME
    if not path.is_file():
        return None
    try:
        return TypeAdapter(Receipt).validate_json(path.read_bytes())
    except (OSError, ValidationError) as error:
        raise UsageError(f"{path} is damaged: remove {folder} and fetch again") from error
