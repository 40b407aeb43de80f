"""``evenhand data``: the five public data sets."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.errors import EvenhandError, UsageError

if TYPE_CHECKING:
    from evenhand.pools import Fetched, Upstream


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        help="The five public data sets.", no_args_is_help=True, rich_markup_mode=None
    )
    group.command("fetch", short_help="Fetch public data sets, checked, for use with --data.")(
        fetch_command
    )
    group.command("list", short_help="Show the sets, their licences, and which a folder holds.")(
        list_command
    )
    app.add_typer(group, name="data")


def fetch_command(
    tasks: Annotated[
        list[str] | None, typer.Argument(help="math, ner, occurrence, sentiment, wsd (all).")
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", help="Folder for the sets (default: the user's cache).")
    ] = None,
    accept_licence: Annotated[
        bool,
        typer.Option("--accept-licence", help="Agree to sets for non-commercial use only (wsd)."),
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Fetch public data sets at their pinned revisions, whole and checked, for use with --data.

    Example: evenhand data fetch math sentiment
    """
    from evenhand.pools import fetch_upstream

    wanted = [_upstream(task) for task in dict.fromkeys(tasks or _all_tasks())]
    refused = [upstream for upstream in wanted if upstream.non_commercial]
    if refused and not accept_licence:
        others = " ".join(upstream.task for upstream in wanted if not upstream.non_commercial)
        raise UsageError(
            f"{refused[0].title} (task {refused[0].task}) is licensed {refused[0].licence}: add "
            "--accept-licence if your use is non-commercial"
            + (f", or name the other tasks: {others}" if others else "")
        )
    folder = to or _default_folder()
    fetched: list[tuple[Upstream, Fetched]] = []
    faults: list[str] = []
    for upstream in wanted:
        try:
            fetched.append((upstream, fetch_upstream(upstream, folder, say=_note)))
        except UsageError:
            raise
        except EvenhandError as error:
            faults.append(str(error))
    _print_fetched(fetched, folder, as_json)
    if faults:
        raise EvenhandError("\nevenhand: ".join(faults))


def list_command(
    data: Annotated[
        Path | None, typer.Option("--data", help="Folder to look in (default: the user's cache).")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show the public data sets, their licences, and which of them a folder holds.

    Example: evenhand data list --data my-folder
    """
    from evenhand.pools import UPSTREAM, holds_upstream

    if data is not None and not data.is_dir():
        raise UsageError(f"no folder {data}")
    folder = data or _default_folder()
    entries = [
        {
            "task": upstream.task,
            "pool": upstream.name,
            "title": upstream.title,
            "rows": sum(split.rows for split in upstream.splits),
            "per_label": upstream.per_label,
            "licence": upstream.licence,
            "citation": upstream.citation,
            "there": holds_upstream(upstream, folder),
        }
        for upstream in UPSTREAM.values()
    ]
    if as_json:
        sys.stdout.write(json.dumps({"folder": str(folder), "sets": entries}, indent=2) + "\n")
        return
    for entry in entries:
        mark = "there" if entry["there"] else "not there"
        sys.stdout.write(
            f"{entry['task']}: {entry['title']} ({entry['rows']:,} rows; {mark})\n"
            f"  licence: {entry['licence']}\n  cite: {entry['citation']}\n"
        )
    sys.stdout.write(f"looked in {folder}\n")


def _print_fetched(fetched: list[tuple[Upstream, Fetched]], folder: Path, as_json: bool) -> None:
    if as_json:
        entries = [
            {
                "task": upstream.task,
                "path": str(result.path),
                "new": result.new,
                "source": result.receipt.source,
                "rows": dict(result.receipt.rows),
                "licence": result.receipt.licence,
                "citation": result.receipt.citation,
            }
            for upstream, result in fetched
        ]
        sys.stdout.write(json.dumps({"folder": str(folder), "sets": entries}, indent=2) + "\n")
        return
    for upstream, result in fetched:
        rows = sum(result.receipt.rows.values())
        sys.stdout.write(
            f"{upstream.task}: {upstream.title}, {rows:,} rows, "
            f"{'fetched' if result.new else 'there already'}\n"
            f"  from: {result.receipt.source}\n  licence: {result.receipt.licence}\n"
            f"  cite: {result.receipt.citation}\n"
        )
    if fetched:
        sys.stdout.write(f"use with: --data {folder}\n")


def _upstream(task: str) -> Upstream:
    from evenhand.pools import UPSTREAM

    if task not in UPSTREAM:
        raise UsageError(f"no public data set serves task {task!r}: use {', '.join(UPSTREAM)}")
    return UPSTREAM[task]


def _all_tasks() -> list[str]:
    from evenhand.pools import UPSTREAM

    return list(UPSTREAM)


def _default_folder() -> Path:
    from evenhand._cache import cache_dir

    return cache_dir() / "data"


def _note(line: str) -> None:
    sys.stderr.write(line + "\n")
