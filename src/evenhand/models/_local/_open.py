"""From a model's name to its adapter."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

from evenhand.errors import UsageError
from evenhand.models._local._adapter import LocalModel
from evenhand.models._local._runtime import (
    DTYPES,
    Runtime,
    embedded_folder,
    load_runtime,
    load_tokenizer,
    need_runtime,
    window_of,
)
from evenhand.models._local._weights import embedded

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def open_local(name: str, dtype: str | None = None, device: str | None = None) -> LocalModel:
    """Open a model that runs in this process.

    Args:
        name: ``local/smollm2-135m``, or ``hf/`` and a model folder or a Hub id that is in the
            Hub's cache. ``?dtype=bfloat16&device=cuda`` may follow.
        dtype: ``float32``, ``bfloat16``, ``float16`` or ``auto`` (the checkpoint's own).
            Default: float32 on a CPU and for embedded models, else ``auto``.
        device: As Torch names it, such as ``cpu`` or ``cuda:1``. Default: a GPU if there is one.

    Returns:
        The adapter. The weights load with the first call.

    Raises:
        UsageError: If the name or an option is wrong, or the packages are not installed.
        WeightsError: If an embedded model's file is missing or damaged.
    """
    found = _Source.of(name, dtype, device)
    return LocalModel(
        name, tokenizer=found.tokenizer, window=window_of(found.source), load=found.load
    )


def load_local(
    name: str, dtype: str | None = None, device: str | None = None
) -> tuple[Runtime, int | None]:
    """Load a model that runs in this process, for work that needs more than its replies.

    Args:
        name: As for :func:`open_local`.
        dtype: Likewise.
        device: Likewise.

    Returns:
        The loaded model, and the tokens that its positions reach (None where it does not say).

    Raises:
        UsageError: As :func:`open_local`, or if the model or the device cannot be used.
        WeightsError: If an embedded model's file is missing or damaged.
    """
    found = _Source.of(name, dtype, device)
    return found.load(), window_of(found.source)


@dataclass(frozen=True, slots=True)
class _Source:
    """Where a named model lies, and how it is wanted."""

    source: str
    tokenizer: PreTrainedTokenizerBase
    dtype: str | None
    device: str | None

    @classmethod
    def of(cls, name: str, dtype: str | None, device: str | None) -> _Source:
        bare, _, query = name.partition("?")
        provider, _, spec = bare.partition("/")
        options = {"dtype": dtype, "device": device, **_options(name, query)}
        if options["dtype"] is not None and options["dtype"] not in DTYPES:
            raise UsageError(f"{name}: dtype must be one of {', '.join(DTYPES)}")
        if provider not in ("local", "hf") or not spec:
            raise UsageError(f"{name!r} names no model of this process: use local/NAME or hf/MODEL")
        is_embedded = provider == "local"
        if is_embedded:
            embedded(spec)
        need_runtime()
        if is_embedded:
            source = str(embedded_folder(spec))
            options["dtype"] = options["dtype"] or "float32"
        else:
            source = str(Path(spec).expanduser()) if spec.startswith("~") else spec
        tokenizer = load_tokenizer(source, embedded_model=is_embedded)
        return cls(source, tokenizer, options["dtype"], options["device"])

    def load(self) -> Runtime:
        return load_runtime(self.source, self.tokenizer, dtype=self.dtype, device=self.device)


def _options(name: str, query: str) -> dict[str, str]:
    try:
        options = dict(parse_qsl(query, strict_parsing=True)) if query else {}
    except ValueError:
        raise UsageError(f"{name!r}: options look like ?dtype=bfloat16&device=cuda") from None
    unknown = set(options) - {"dtype", "device"}
    if unknown:
        raise UsageError(f"{name}: unknown option {min(unknown)!r}: use dtype or device")
    return options
