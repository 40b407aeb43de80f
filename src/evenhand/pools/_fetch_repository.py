"""CoarseWSD-20 from the files of its repository, written as JSON Lines."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections.abc import Sequence
from http.client import HTTPException, IncompleteRead
from pathlib import Path
from urllib.error import HTTPError
from urllib.request import urlopen

from evenhand.errors import EvenhandError
from evenhand.pools._upstream import RepositorySource, Upstream

_TIMEOUT_S = 60

Row = tuple[int, str, int]
"""Position of the word among the blank-separated tokens, text, number of the sense."""


def fetch_from_repository(upstream: Upstream, source: RepositorySource, into: Path) -> None:
    """Write the set as ``into / upstream.file``. ``HTTPS_PROXY`` names a proxy.

    Raises:
        EvenhandError: If a file cannot be had, or its rows are not the pinned ones.
    """
    lines = []
    for split in upstream.splits:
        texts = _lines(_download(source, f"{split.name}.data.txt"))
        golds = _lines(_download(source, f"{split.name}.gold.txt"))
        rows = parse_rows(texts, golds)
        if rows is None or rows_sha256(rows) != source.sha256[split.name]:
            raise EvenhandError(
                f"{source.url}: split {split.name} does not match its checksum; nothing was kept: "
                "run the same command again"
            )
        for number, (position, text, gold) in enumerate(rows):
            record = {
                "split": split.name,
                "row": number,
                "position": position,
                "text": text,
                "gold": gold,
                "sense": source.senses[gold],
            }
            lines.append(json.dumps(record))
    into.mkdir(parents=True, exist_ok=True)
    content = "".join(f"{line}\n" for line in lines).encode()
    (into / upstream.file).write_bytes(gzip.compress(content, mtime=0))


def parse_rows(texts: Sequence[str], golds: Sequence[str]) -> list[Row] | None:
    """The rows of ``POSITION<tab>TEXT`` lines and their sense numbers; None if they are not so."""
    if len(texts) != len(golds):
        return None
    rows = []
    for line, gold in zip(texts, golds, strict=True):
        position, tab, text = line.partition("\t")
        if not (tab and position.isdecimal() and gold.isdecimal()):
            return None
        rows.append((int(position), text, int(gold)))
    return rows


def rows_sha256(rows: Sequence[Row]) -> str:
    """SHA-256 of the rows as compact JSON: independent of line ends and of gzip."""
    return hashlib.sha256(json.dumps(rows, separators=(",", ":")).encode()).hexdigest()


def _lines(content: bytes) -> list[str]:
    """Lines at line feeds alone: other separators may stand inside a text."""
    lines = [line.rstrip("\r") for line in content.decode("utf-8", "replace").split("\n")]
    return lines[:-1] if lines[-1] == "" else lines


def _download(source: RepositorySource, name: str) -> bytes:
    url = f"{source.url}/{source.revision}/{source.folder}/{name}"
    try:
        with urlopen(url, timeout=_TIMEOUT_S) as reply:
            return bytes(reply.read())
    except HTTPError as error:
        raise EvenhandError(
            f"cannot fetch {url}: it answered {error.code}: try again later, or get the set "
            "elsewhere and give its folder with --data"
        ) from error
    except IncompleteRead as error:
        raise EvenhandError(
            f"cannot fetch {url}: the download broke off: run the same command again"
        ) from error
    except (OSError, HTTPException) as error:
        raise EvenhandError(
            f"cannot fetch {url} ({getattr(error, 'reason', error)}): check the network, set "
            "HTTPS_PROXY if there is a proxy, or get the set elsewhere and give its folder "
            "with --data"
        ) from error
