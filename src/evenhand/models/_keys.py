"""API keys: where they come from, and how they are kept out of everything that is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from urllib.parse import quote

from evenhand.errors import UsageError

MASK = "[key]"
_SHORTEST_SECRET = 8
_BEARER = re.compile(r"(?i)\b(bearer\s+)[\w.~+/=-]{8,}")


def find_key(variables: Sequence[str], *, folder: Path | None = None) -> str | None:
    """The first of the variables that is set, in the environment or else in ``.env``.

    Args:
        variables: Names of environment variables, in order of preference.
        folder: Where ``.env`` is looked for; default the working folder. The file is read, never
            loaded into the environment.

    Returns:
        The key, or None when no variable holds one.

    Raises:
        UsageError: If ``.env`` is needed and cannot be read; shows nothing of it.
    """
    if key := _first(os.environ, variables):
        return key
    file = (folder if folder is not None else Path.cwd()) / ".env"
    if not variables or not file.is_file():
        return None
    from dotenv import dotenv_values

    try:
        written = dotenv_values(file, interpolate=False, encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        fault = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(
            f"cannot read {file} ({fault}): correct it, or set {' or '.join(variables)} in the "
            "environment"
        ) from None
    return _first(written, variables)


def _first(source: Mapping[str, str | None], variables: Sequence[str]) -> str | None:
    return next((key for name in variables if (key := (source.get(name) or "").strip())), None)


def redact(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret, as it is or URL-encoded, replaced by ``[key]``.

    Secrets shorter than eight characters are placeholders of local servers (``none``, ``x``) and
    ordinary words in any reply, so they stay.
    """
    for secret in secrets:
        if len(secret) >= _SHORTEST_SECRET:
            for form in {secret, quote(secret, safe="")}:
                text = text.replace(form, MASK)
    return text


def redact_message(text: str, secrets: Iterable[str]) -> str:
    """As :func:`redact`, and whatever follows the word ``Bearer`` too."""
    return _BEARER.sub(rf"\1{MASK}", redact(text, secrets))
