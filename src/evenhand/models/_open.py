"""From a model's name to its adapter."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from evenhand.errors import UsageError
from evenhand.models._catalog import Catalog, load_catalog
from evenhand.models._keys import find_key
from evenhand.models._names import parse_model_name
from evenhand.models._protocol import Model


def open_model(
    name: str,
    *,
    answer_key: Mapping[str, str] | None = None,
    catalog: Catalog | Path | str | None = None,
    base_url: str | None = None,
    need_key: bool = True,
) -> Model:
    """Open a model by its name.

    Args:
        name: ``provider/model``, or ``provider/model@base_url``.
        answer_key: Instance text to label; only ``reader/`` models look at it.
        catalog: A catalog, or a catalog file laid over the built-in one.
        base_url: The server's address, where it does not stand in the name.
        need_key: False opens a model without its key, to look at its window and price only.

    Returns:
        The adapter. Nothing is called or loaded yet.

    Raises:
        UsageError: For an unknown provider, a malformed name or address, a missing key, or a
            missing extra.
    """
    parsed = parse_model_name(name, base_url=base_url)
    known = catalog if isinstance(catalog, Catalog) else load_catalog(_path(catalog))
    match parsed.provider:
        case "reader":
            from evenhand.models._reader import open_reader

            return open_reader(parsed.full, answer_key)
        case "local" | "hf":
            from evenhand.models._local import open_local

            return open_local(parsed.full)
        case "inspect":
            from evenhand.models._inspect import open_inspect

            return open_inspect(parsed.full, base_url=parsed.base_url)
    from evenhand.models._http import HttpModel

    spec = known.spec(parsed)
    key = find_key(spec.key_variables)
    if key is None and spec.key_required and need_key:
        raise UsageError(
            f"{spec.name} needs a key: set {' or '.join(spec.key_variables)} in the environment, "
            "or write it into a file .env in the working folder"
        )
    if key is not None and not (key.isascii() and key.isprintable() and " " not in key):
        raise UsageError(
            f"the key in {' or '.join(spec.key_variables)} holds a space, a line break or a "
            "character outside ASCII: copy it again"
        )
    return HttpModel(spec, key)


def _path(file: Path | str | None) -> Path | None:
    return None if file is None else Path(file)
