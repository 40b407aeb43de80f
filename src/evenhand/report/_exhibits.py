"""All tables and figures as files, with a manifest that says what is missing and why."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from evenhand._write_whole import write_text_whole
from evenhand.report._catalogue import EXHIBITS, DataTable, Made, Material
from evenhand.report._export import write_figure, write_table
from evenhand.report._page import Figure


@dataclass(frozen=True, slots=True)
class ManifestEntry:
    """What became of one table or figure of the paper.

    Attributes:
        paper: Its number there.
        name: What it shows.
        made: Whether the data allowed it.
        files: Paths relative to the folder.
        needs: What the data must hold.
        command: The run that would supply it.
    """

    paper: str
    name: str
    made: bool
    files: tuple[str, ...]
    needs: str
    command: str


def exhibits(material: Material) -> dict[str, Made]:
    """Exhibit name to what the data allow of it; empty where they do not."""
    return {exhibit.name: exhibit.make(material) for exhibit in EXHIBITS}


def write_exhibits(made: Mapping[str, Made], out: Path) -> tuple[ManifestEntry, ...]:
    """Write ``tables/``, ``figures/`` and ``manifest.json`` under a folder.

    Args:
        made: From :func:`exhibits`.
        out: Folder; created if needed.

    Returns:
        One entry an exhibit, made or missing, in the paper's order.
    """
    entries = []
    for exhibit in EXHIBITS:
        files: list[Path] = []
        for name, content in made[exhibit.name]:
            files += _write(name, content, out)
        entries.append(
            ManifestEntry(
                exhibit.paper,
                exhibit.name,
                bool(files),
                tuple(path.relative_to(out).as_posix() for path in files),
                exhibit.needs,
                exhibit.command,
            )
        )
    text = json.dumps([asdict(entry) for entry in entries], indent=2, ensure_ascii=False)
    write_text_whole(out / "manifest.json", text + "\n")
    return tuple(entries)


def missing_exhibits(made: Mapping[str, Made]) -> Sequence[tuple[str, str, str, str]]:
    """Paper number, name, what it needs and the command, of every exhibit not made."""
    return [
        (exhibit.paper, exhibit.name, exhibit.needs, exhibit.command)
        for exhibit in EXHIBITS
        if not made[exhibit.name]
    ]


def _write(name: str, content: Figure | DataTable, out: Path) -> list[Path]:
    if isinstance(content, Figure):
        return write_figure(name, content, out / "figures")
    return write_table(name, content.frame, content.table, out / "tables")
