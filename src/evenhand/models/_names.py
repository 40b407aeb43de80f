"""Model names: ``provider/model``, optionally ``@base_url``."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

from evenhand.errors import UsageError

EMBEDDED_PROVIDERS = ("local", "hf", "reader")
"""Providers that run in this process and have no address."""

_SEPARATOR = re.compile(r"@(?=[a-z][a-z0-9+.-]*://)", re.IGNORECASE)
_FORGOTTEN_SCHEME = re.compile(r"@(?P<address>[\w.-]+:\d+\S*|[\w.-]+/v\d\S*)$")
_PROVIDER = re.compile(r"[a-z][a-z0-9_-]*")


@dataclass(frozen=True, slots=True)
class ModelName:
    """A model's name, taken apart.

    Attributes:
        provider: The part before the first slash.
        model: The provider's own name of the model; it may hold slashes.
        base_url: Where the server is, without a trailing slash, or None for the provider's own.
    """

    provider: str
    model: str
    base_url: str | None = None

    @property
    def full(self) -> str:
        """``provider/model``, as the results table shows it."""
        return f"{self.provider}/{self.model}"


def parse_model_name(name: str, *, base_url: str | None = None) -> ModelName:
    """Take a model's name apart.

    Args:
        name: ``provider/model`` or ``provider/model@base_url``.
        base_url: The address, where it does not stand in the name.

    Raises:
        UsageError: If the provider, the model or the address is missing or malformed, or the
            address carries a password or a query (where a key would end up in files and logs).
    """
    body, *addresses = _SEPARATOR.split(name.strip(), maxsplit=1)
    provider, slash, model = body.partition("/")
    if not slash or not model or not _PROVIDER.fullmatch(provider):
        raise UsageError(
            f"{_shown(name)} is not a model name: write provider/model, "
            "such as openrouter/openai/gpt-oss-120b or vllm/NAME@http://127.0.0.1:8000/v1"
        )
    if (forgotten := _FORGOTTEN_SCHEME.search(model)) and not addresses:
        raise UsageError(
            f"the address in {_shown(name)} has no scheme: "
            f"write @http://{forgotten['address']} (or https)"
        )
    if addresses and base_url is not None and check_base_url(addresses[0]) != base_url.rstrip("/"):
        raise UsageError(f"{body} has two addresses: leave one of them out")
    address = addresses[0] if addresses else base_url
    if address is not None and provider in EMBEDDED_PROVIDERS:
        raise UsageError(f"{provider}/ models run in this process: leave the address out")
    return ModelName(provider, model, check_base_url(address) if address is not None else None)


def check_base_url(address: str) -> str:
    """The address without its trailing slash.

    Raises:
        UsageError: If it is no http(s) address, or holds a password, a query or a fragment.
    """
    try:
        parts = urlsplit(address.strip())
        sound = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        sound = False
    if not sound:
        raise UsageError(
            "a base URL looks like http://127.0.0.1:8000/v1 or https://host.example/v1, "
            f"not {_shown(address)}"
        )
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise UsageError(
            f"the base URL of {parts.hostname} must not hold a user, a password or a query: "
            "put the key into an environment variable (see docs/models.md)"
        )
    return address.strip().rstrip("/")


def _shown(text: str) -> str:
    """The text for a message, without anything that may be a password."""
    return repr(re.sub(r"//[^/@\s]*@", "//…@", re.sub(r"[?#]\S*", "…", text)))
