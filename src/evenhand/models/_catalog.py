"""The catalog: what differs by provider and model, as data.

``catalog.toml`` ships with the package; a user's file of the same form is laid over it, field by
field. A name resolves by three layers: the built-in defaults, its provider, the model itself.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from evenhand.errors import UsageError
from evenhand.models._names import EMBEDDED_PROVIDERS, ModelName, check_base_url
from evenhand.models._spec import Forced, Json, ModelSpec, Price, ReasoningPlace

_SECRET_HEADERS = frozenset({"authorization", "x-api-key", "api-key", "proxy-authorization"})
_NEEDED_FIELDS = (
    ("split_completion", "budget_field"),
    ("reasoning_budget", "budget_field"),
    ("effort", "effort_field"),
)
_OTHER_PROVIDERS = (*EMBEDDED_PROVIDERS, "inspect")


def _no_secrets(headers: dict[str, str]) -> dict[str, str]:
    for name in headers:
        if name.lower() in _SECRET_HEADERS:
            raise ValueError(f"keys do not belong in a catalog: leave {name} out")
    return headers


def _pattern(text: str) -> str:
    try:
        re.compile(text)
    except re.error as error:
        raise ValueError(f"not a regular expression: {error}") from None
    return text


def _base_url(text: str) -> str:
    try:
        return check_base_url(text)
    except UsageError as error:
        raise ValueError(str(error)) from None


_Dollars = Annotated[float, Field(ge=0, allow_inf_nan=False)]
_Tokens = Annotated[int, Field(gt=0)]
_Seconds = Annotated[float, Field(gt=0, allow_inf_nan=False)]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PriceEntry(_Strict):
    """Prices as a catalog file gives them."""

    input: _Dollars | None = None
    cached_input: _Dollars | None = None
    output: _Dollars | None = None


class Entry(_Strict):
    """One provider's or model's fields as a catalog file gives them; see :class:`ModelSpec`."""

    base_url: Annotated[str, AfterValidator(_base_url)] | None = None
    key_variables: list[str] | None = None
    key_required: bool | None = None
    window: _Tokens | None = None
    price: PriceEntry | None = None
    cap_field: str | None = None
    temperature: bool | None = None
    seed_field: str | None = None
    stream: bool | None = None
    effort: str | None = None
    effort_field: str | None = None
    reasoning_budget: _Tokens | None = None
    budget_field: str | None = None
    split_completion: _Tokens | None = None
    reasoning_place: ReasoningPlace | None = None
    body: dict[str, Any] | None = None
    headers: Annotated[dict[str, str], AfterValidator(_no_secrets)] | None = None
    overflow: list[Annotated[str, AfterValidator(_pattern)]] | None = None
    cuts_input: bool | None = None
    forced: Forced | None = None
    forced_body: dict[str, Any] | None = None
    top_logprobs: _Tokens | None = None
    json_schema: bool | None = None
    silence_s: _Seconds | None = None
    deadline_s: _Seconds | None = None
    chars_per_token: _Seconds | None = None
    source: str | None = None


class _File(_Strict):
    providers: dict[str, Entry] = Field(default_factory=dict)
    models: dict[str, Entry] = Field(default_factory=dict)


_Layer = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Catalog:
    """Providers and models by name, as layers of fields that were given."""

    providers: Mapping[str, _Layer]
    models: Mapping[str, _Layer]

    def named(self, full_name: str) -> ModelSpec:
        """Everything known of a listed model, by its ``provider/model``; it may lack an address."""
        provider, _, model = full_name.partition("/")
        return self._resolved(ModelName(provider, model))

    def spec(self, name: ModelName) -> ModelSpec:
        """Everything known of one model.

        Raises:
            UsageError: For a provider that no catalog names, one without an address, or a split
                budget without a field to put the reasoning budget in.
        """
        spec = self._resolved(name)
        if spec.base_url is None:
            raise UsageError(
                f"{name.full} has no address: write {name.full}@http://HOST:PORT/v1, "
                f"or give [providers.{name.provider}] a base_url in a catalog file"
            )
        return spec

    def _resolved(self, name: ModelName) -> ModelSpec:
        if name.provider not in self.providers:
            known = ", ".join(sorted([*self.providers, *_OTHER_PROVIDERS]))
            raise UsageError(
                f"unknown provider {name.provider!r}: use one of {known}, or add "
                f"[providers.{name.provider}] to a catalog file (--models FILE)"
            )
        layer = _over(self.providers[name.provider], self.models.get(name.full, {}))
        spec = _build(name.full, layer if name.base_url is None else layer | _address(name))
        for amount, path in _NEEDED_FIELDS:
            if getattr(spec, amount) is not None and getattr(spec, path) is None:
                raise UsageError(f"catalog entry {name.full}: {amount} needs {path}")
        return spec


def load_catalog(file: Path | None = None) -> Catalog:
    """The catalog that ships with the package, with a user's file laid over it.

    Raises:
        UsageError: If the file is missing, is not TOML, or holds an unknown or malformed field.
    """
    builtin = _builtin()
    if file is None:
        return builtin
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"cannot read the catalog {file}: {error}") from None
    own = _parse(text, str(file))
    return Catalog(
        providers=_merged(builtin.providers, own.providers),
        models=_merged(builtin.models, own.models),
    )


@cache
def _builtin() -> Catalog:
    text = resources.files("evenhand.models").joinpath("catalog.toml").read_text(encoding="utf-8")
    return _parse(text, "catalog.toml")


def _parse(text: str, where: str) -> Catalog:
    try:
        parsed = _File.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{where} is not TOML: {error}") from None
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(step) for step in first["loc"])
        hint = (
            f" (known fields: {', '.join(Entry.model_fields)})"
            if first["type"] == "extra_forbidden"
            else ""
        )
        raise UsageError(f"{where}: {place}: {first['msg']}{hint}") from None
    for name in parsed.models:
        if "/" not in name:
            raise UsageError(f'{where}: models."{name}": write "provider/model"')
    return Catalog(
        providers={name: entry.model_dump(exclude_unset=True) for name, entry in _items(parsed, 0)},
        models={name: entry.model_dump(exclude_unset=True) for name, entry in _items(parsed, 1)},
    )


def _items(parsed: _File, which: int) -> list[tuple[str, Entry]]:
    return list((parsed.providers, parsed.models)[which].items())


def _merged(below: Mapping[str, _Layer], above: Mapping[str, _Layer]) -> dict[str, _Layer]:
    return {name: _over(below.get(name, {}), above.get(name, {})) for name in {**below, **above}}


def _over(below: _Layer, above: _Layer) -> dict[str, Any]:
    """The upper layer wins field by field; tables merge, lists replace."""
    both = dict(below)
    for name, value in above.items():
        old = both.get(name)
        both[name] = (
            _over(old, value) if isinstance(old, dict) and isinstance(value, dict) else value
        )
    return both


def _address(name: ModelName) -> dict[str, Json]:
    return {"base_url": name.base_url}


def _build(full_name: str, layer: _Layer) -> ModelSpec:
    known = {field.name for field in fields(ModelSpec)}
    given = {name: value for name, value in layer.items() if name in known}
    if "price" in given:
        given["price"] = Price(**given["price"])
    for name in ("key_variables", "overflow"):
        if name in given:
            given[name] = tuple(given[name])
    return ModelSpec(name=full_name, **given)
