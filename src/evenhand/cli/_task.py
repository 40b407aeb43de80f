"""``evenhand task``: a task of your own."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import Annotated

import typer

from evenhand.errors import UsageError


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(help="A task of your own.", no_args_is_help=True, rich_markup_mode=None)
    group.command("new")(new_command)
    app.add_typer(group, name="task")


def new_command(
    name: Annotated[str, typer.Argument(help="One word, such as refunds.")],
    labels: Annotated[
        str, typer.Option("--labels", help="The two labels, as your table has them.")
    ] = "label_a,label_b",
    out: Annotated[
        Path | None, typer.Option("--out", help="File to write (default: NAME.toml).")
    ] = None,
) -> None:
    """Write a commented task file, to be filled in.

    Example: evenhand task new refunds --labels refund,other
    """
    from evenhand.cli._options import split_words
    from evenhand.tasks import new_task

    words = split_words(labels)
    if len(words) != 2:
        raise UsageError(f"--labels {labels!r} names {len(words)}: an instance set has two labels")
    path = out or Path(f"{name}.toml")
    text = new_task(name, (words[0], words[1]), path.name)
    if path.suffix != ".toml":
        raise UsageError(f"--out {path}: a task file's name ends in .toml")
    try:
        with path.open("x", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{path} is there already: choose another --out") from None
    except OSError as error:
        with contextlib.suppress(OSError):
            path.unlink(missing_ok=True)
        raise UsageError(f"cannot write {path}: {error.strerror or error}") from error
    sys.stdout.write(f"{path}\n")
