"""Bringing a public data set into a folder, whole or not at all."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from evenhand.errors import EvenhandError, UsageError
from evenhand.pools._fetch_hub import fetch_from_hub
from evenhand.pools._fetch_repository import fetch_from_repository
from evenhand.pools._folder import read_upstream
from evenhand.pools._receipt import Receipt, read_receipt, write_receipt
from evenhand.pools._upstream import Upstream


@dataclass(frozen=True, slots=True)
class Fetched:
    """A set that lies in a folder now.

    Attributes:
        path: The set's own folder.
        receipt: Its source, terms and files.
        new: Whether it was fetched just now; False if it was there already, and whole.
    """

    path: Path
    receipt: Receipt
    new: bool


def fetch_upstream(
    upstream: Upstream, folder: Path, *, say: Callable[[str], None] = lambda _: None
) -> Fetched:
    """Fetch one set at its pinned revision, unless it is there already.

    Files are gathered in a hidden folder beside the final one, checked (sums where the source
    gives them, columns, rows of every split), and moved into place in one step.

    Args:
        upstream: The set.
        folder: Where fetched sets lie; the set goes to ``folder / upstream.name``.
        say: Told, in a line, what is being done.

    Raises:
        UsageError: If the place is taken by something that was not fetched.
        EvenhandError: If the source cannot be reached or a file is not what it should be; says
            what to do next. Nothing is left in the place of the set.
    """
    target = folder / upstream.name
    there = _already(upstream, folder)
    if there is not None:
        return Fetched(target, there, new=False)
    say(f"fetching {upstream.title}")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        staging = Path(tempfile.mkdtemp(prefix=f".{upstream.name}-", dir=folder))
    except OSError as error:
        raise UsageError(f"cannot write to {folder}: {error.strerror or error}") from error
    try:
        source = _gather(upstream, staging / upstream.name)
        receipt = _checked(upstream, staging, source)
        write_receipt(staging / upstream.name, receipt)
        if target.exists():
            target.rename(staging / "replaced")
        (staging / upstream.name).rename(target)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
    return Fetched(target, receipt, new=True)


def _already(upstream: Upstream, folder: Path) -> Receipt | None:
    """The receipt of a whole set in place; None where it has to be fetched (again)."""
    target = folder / upstream.name
    if not target.exists():
        return None
    receipt = read_receipt(target)
    if receipt is None:
        raise UsageError(
            f"{target} is there and was not fetched by evenhand: choose another folder with --to, "
            "or move it away"
        )
    try:
        read_upstream(upstream, folder)
    except UsageError:
        return None
    return receipt


def _gather(upstream: Upstream, into: Path) -> str:
    """Bring the files; returns the source in words."""
    if upstream.hub is not None:
        fetch_from_hub(upstream.hub, upstream.hub.files(upstream.splits), into)
        return f"{upstream.hub.repo} at {upstream.hub.revision} (Hugging Face Hub)"
    if upstream.repository is not None:
        fetch_from_repository(upstream, upstream.repository, into)
        return f"{upstream.repository.url} at {upstream.repository.revision}"
    raise UsageError(f"{upstream.title} is not to be had over the network: use a data folder")


def _checked(upstream: Upstream, staging: Path, source: str) -> Receipt:
    read = read_upstream(upstream, staging)
    counts = read.counts()
    for split in upstream.splits:
        if counts[split.name] != split.rows:
            raise EvenhandError(
                f"{source}: split {split.name} has {counts[split.name]:,} rows, not the "
                f"{split.rows:,} that were published; nothing was kept: try again, and report it "
                "if it stays so"
            )
    return Receipt(
        source=source,
        licence=upstream.licence,
        citation=upstream.citation,
        rows={split.name: split.rows for split in upstream.splits},
        files=read.files,
    )
