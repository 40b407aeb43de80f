"""API keys: where they come from, and how they are kept out of everything that is written."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from urllib.parse import quote

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
    """
    from dotenv import dotenv_values

    file = (folder if folder is not None else Path.cwd()) / ".env"
    written = dotenv_values(file, interpolate=False) if file.is_file() else {}
    for source in (os.environ, written):
        for name in variables:
            if key := (source.get(name) or "").strip():
                return key
    return None


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
