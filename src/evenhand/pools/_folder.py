"""Reading the rows of an upstream set from a folder, as gzip JSON Lines or the Hub's Parquet."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from evenhand.errors import UsageError
from evenhand.pools._json_lines import json_lines, read_bytes
from evenhand.pools._receipt import read_receipt
from evenhand.pools._upstream import HubSource, Kind, Split, Upstream

_SHARD = re.compile(r"-(\d{5})-of-(\d{5})\.parquet$")


@dataclass(frozen=True, slots=True)
class UpstreamRow:
    """One row as upstream has it; ``values`` holds the rule's columns, checked."""

    split: str
    row: int
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class UpstreamRows:
    """All rows of a set, the form they were in, and their files (name -> SHA-256)."""

    rows: tuple[UpstreamRow, ...]
    form: str
    files: Mapping[str, str]

    def counts(self) -> Counter[str]:
        """Rows of each split."""
        return Counter(row.split for row in self.rows)


def read_upstream(upstream: Upstream, folder: Path) -> UpstreamRows:
    """The set's rows from ``folder``.

    Args:
        upstream: Which set.
        folder: Holds ``<set>.jsonl.gz`` (or the same unpacked), or the Hub repository's Parquet
            files under ``<set>/``, ``<repository>/`` or ``<owner>/<repository>/``. What
            ``evenhand data fetch`` left there is checked against its receipt.

    Raises:
        UsageError: If the folder or the set is missing, a file is damaged, or a column is
            missing or of the wrong type; names file and row.
    """
    if not folder.is_dir():
        raise UsageError(f"no data folder {folder}: give a folder that holds {upstream.file}")
    place = _place(upstream, folder)
    if place is not None:
        root, files = place
        if files.is_file():
            return _received(root, _from_json_lines(upstream, files))
        if upstream.hub is not None:
            return _received(root, _from_parquet(upstream, upstream.hub, files))
    looked = upstream.file
    if upstream.hub is not None:
        looked += f" and {upstream.name}/{upstream.hub.config}/*.parquet"
    raise UsageError(
        f"{folder} does not hold {upstream.title}, which task {upstream.task} needs (looked for "
        f"{looked}): bring it with `evenhand data fetch {upstream.task}`, or leave out the task"
    )


def holds_upstream(upstream: Upstream, folder: Path) -> bool:
    """Whether ``folder`` has files of the set, in either form; they are not read."""
    return _place(upstream, folder) is not None


def _place(upstream: Upstream, folder: Path) -> tuple[Path, Path] | None:
    """The folder that holds the set, and in it the JSON Lines file or the Parquet folder."""
    for root in (folder, folder / upstream.name):
        for name in (upstream.file, upstream.file.removesuffix(".gz")):
            if (root / name).is_file():
                return root, root / name
    if upstream.hub is not None:
        repo = upstream.hub.repo
        for root in (folder / upstream.name, folder / repo, folder / repo.rpartition("/")[2]):
            if (root / upstream.hub.config).is_dir():
                return root, root / upstream.hub.config
    return None


def _received(root: Path, read: UpstreamRows) -> UpstreamRows:
    """``read`` with the source that a receipt beside the files names, and checked against it."""
    receipt = read_receipt(root)
    if receipt is None:
        return read
    for name, sha in read.files.items():
        if receipt.files.get(name) != sha:
            raise UsageError(
                f"{root / name} is not the file that was fetched: remove {root} and fetch again"
            )
    return replace(read, form=receipt.source)


def _from_json_lines(upstream: Upstream, path: Path) -> UpstreamRows:
    content = read_bytes(path)
    wanted = {split.name for split in upstream.splits}
    rows = []
    seen: set[tuple[str, int]] = set()
    for number, record in json_lines(content, path):
        where = f"{path}, line {number}"
        columns = _checked(record, {"split": "text", "row": "label", **upstream.columns}, where)
        split, row = columns.pop("split"), columns.pop("row")
        if not isinstance(row, int):
            raise UsageError(f"{where}: column 'row' must be a whole number, not null")
        if split in wanted:
            if (str(split), row) in seen:
                raise UsageError(
                    f"{where}: row {row} of split {split} is there twice: get the file again"
                )
            seen.add((str(split), row))
            rows.append(UpstreamRow(str(split), row, columns))
    return UpstreamRows(tuple(rows), "JSON Lines", {path.name: hashlib.sha256(content).hexdigest()})


def _from_parquet(upstream: Upstream, hub: HubSource, folder: Path) -> UpstreamRows:
    rows: list[UpstreamRow] = []
    files: dict[str, str] = {}
    for split in upstream.splits:
        row = 0
        for path in _shards(split, folder):
            files[f"{folder.name}/{path.name}"] = hashlib.sha256(read_bytes(path)).hexdigest()
            for values in _parquet_rows(upstream, hub, path):
                rows.append(UpstreamRow(split.name, row, values))
                row += 1
    return UpstreamRows(tuple(rows), f"Parquet of {hub.repo}", files)


def _shards(split: Split, folder: Path) -> list[Path]:
    """The split's Parquet files in order, none of its shards missing."""
    found = sorted(folder.glob(f"{split.hub}-*.parquet")) or sorted(
        folder.glob(f"{split.hub}.parquet")
    )
    if not found:
        raise UsageError(
            f"{folder} has no {split.hub}-*.parquet: get the whole set, all its splits are read"
        )
    numbered = _SHARD.search(found[0].name)
    if numbered and len(found) != int(numbered[2]):
        raise UsageError(
            f"{folder} has {len(found)} of the {int(numbered[2])} files of split {split.hub}: "
            "get the missing ones"
        )
    return found


def _parquet_rows(upstream: Upstream, hub: HubSource, path: Path) -> Iterator[dict[str, object]]:
    import polars as pl

    try:
        frame = pl.read_parquet(path)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise UsageError(f"{path}: not a readable Parquet file ({error}): get it again") from error
    missing = [column for column in upstream.columns if column not in frame.columns]
    if missing:
        raise UsageError(_no_column(str(path), missing[0], frame.columns))
    for number, record in enumerate(frame.select(list(upstream.columns)).iter_rows(named=True)):
        where = f"{path}, row {number}"
        yield _checked(_decoded(record, hub, where), upstream.columns, where)


def _decoded(record: dict[str, object], hub: HubSource, where: str) -> dict[str, object]:
    """``record`` with the Hub's class numbers turned into the classes' names."""
    decoded = dict(record)
    for column, classes in hub.codes.items():
        codes = decoded[column]
        if not isinstance(codes, list) or not all(
            isinstance(code, int) and 0 <= code < len(classes) for code in codes
        ):
            raise UsageError(
                f"{where}: column {column!r} must be a list of numbers from 0 to {len(classes) - 1}"
            )
        decoded[column] = [classes[code] for code in codes]
    return decoded


def _checked(
    record: Mapping[str, object], columns: Mapping[str, Kind], where: str
) -> dict[str, object]:
    for column, kind in columns.items():
        if column not in record:
            raise UsageError(_no_column(where, column, list(record)))
        if not _is_kind(record[column], kind):
            raise UsageError(
                f"{where}: column {column!r} must be {_KIND_WORDS[kind]}, "
                f"not {type(record[column]).__name__}"
            )
    return {column: record[column] for column in columns}


_KIND_WORDS: Mapping[Kind, str] = {
    "text": "text",
    "texts": "a list of texts",
    "label": "a whole number",
}


def _is_kind(value: object, kind: Kind) -> bool:
    if kind == "text":
        return isinstance(value, str)
    if kind == "texts":
        return isinstance(value, list) and all(isinstance(item, str) for item in value)
    return value is None or (isinstance(value, int) and not isinstance(value, bool))


def _no_column(where: str, column: str, columns: list[str]) -> str:
    return f"{where}: no column {column!r}; the columns there are: {', '.join(columns)}"
