"""A causal language model and its tokenizer, loaded from a folder or from the Hub's cache."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evenhand._cache import cache_dir
from evenhand.errors import UsageError
from evenhand.models._local._gguf import FORMAT, convert, converted_is_current
from evenhand.models._local._linear import quicken
from evenhand.models._local._weights import embedded, verified_weights

if TYPE_CHECKING:
    import torch
    from transformers import PreTrainedTokenizerBase

DTYPES = ("float32", "bfloat16", "float16", "auto")


@dataclass(frozen=True, slots=True)
class Runtime:
    """A model ready to be called.

    Attributes:
        model: The Transformers model, in evaluation mode, on ``device``.
        tokenizer: Its tokenizer, with a chat template.
        device: As Torch names it.
        dtype: Number format of the weights, ``float32`` and so on.
        stop_ids: Tokens that end a reply.
    """

    model: torch.nn.Module
    tokenizer: PreTrainedTokenizerBase
    device: str
    dtype: str
    stop_ids: frozenset[int]


def need_runtime() -> None:
    """Say how to install Torch and Transformers where they are missing."""
    try:
        import gguf  # noqa: F401
        import safetensors  # noqa: F401

        with _patient_threads():
            import torch  # noqa: F401
        import transformers  # noqa: F401
    except ModuleNotFoundError as error:
        raise UsageError(
            f"models in this process need the package {error.name!r}: "
            "run: pip install 'evenhand[local]'"
        ) from None


def embedded_folder(name: str) -> Path:
    """The model folder of an embedded model, made from its GGUF file where it is not there yet.

    Raises:
        WeightsError: If the folder must be made and the GGUF file is missing or damaged.
    """
    entry = embedded(name)
    folder = cache_dir() / "converted" / f"{name}-{entry.sha256[:12]}-v{FORMAT}"
    if not converted_is_current(folder, entry.sha256):
        convert(verified_weights(name), entry.sha256, folder)
    return folder


def load_tokenizer(source: str, *, embedded_model: bool) -> PreTrainedTokenizerBase:
    """The tokenizer of a folder, or of a Hub id that is in the Hub's cache; no network.

    Raises:
        UsageError: If it is not there, or has no chat template.
    """
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    kind: Any = PreTrainedTokenizerFast if embedded_model else AutoTokenizer
    try:
        tokenizer: PreTrainedTokenizerBase = kind.from_pretrained(source, local_files_only=True)
    except (OSError, ValueError) as error:
        raise _absent(source, error) from None
    if tokenizer.chat_template is None:
        raise UsageError(
            f"{source} has no chat template: choose an instruction-tuned model, or add the "
            "template to its folder as chat_template.jinja"
        )
    return tokenizer


def load_runtime(
    source: str, tokenizer: PreTrainedTokenizerBase, *, dtype: str | None, device: str | None
) -> Runtime:
    """The model of a folder, or of a Hub id that is in the Hub's cache; no network.

    Args:
        source: Folder or Hub id.
        tokenizer: From :func:`load_tokenizer`.
        dtype: One of :data:`DTYPES`. None is float32 on a CPU (bfloat16 is slower there, and less
            exact) and the checkpoint's own format elsewhere.
        device: As Torch names it; None is the first GPU, or else the CPU.

    Raises:
        UsageError: If the model is not there, or the device is not.
    """
    import torch
    from transformers import AutoModelForCausalLM

    place = device or ("cuda" if torch.cuda.is_available() else "cpu")
    number_format = dtype or ("float32" if place == "cpu" else "auto")
    try:
        with _no_loading_bar():
            model: Any = AutoModelForCausalLM.from_pretrained(
                source, local_files_only=True, dtype=number_format
            )
    except (OSError, ValueError) as error:
        raise _absent(source, error) from None
    try:
        model = model.to(place).eval()
    except (RuntimeError, AssertionError) as error:
        raise UsageError(f"device {place!r} cannot be used: {_first_line(error)}") from None
    quicken(model)
    return Runtime(
        model=model,
        tokenizer=tokenizer,
        device=place,
        dtype=str(model.dtype).removeprefix("torch."),
        stop_ids=_stop_ids(model, tokenizer),
    )


def window_of(source: str) -> int | None:
    """Tokens that the model's positions reach, by its configuration; None where it says nothing."""
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(source, local_files_only=True)
    except (OSError, ValueError) as error:
        raise _absent(source, error) from None
    reach = getattr(config.get_text_config(), "max_position_embeddings", None)
    return int(reach) if reach else None


def _stop_ids(model: Any, tokenizer: Any) -> frozenset[int]:
    found: set[int] = set()
    for holder in (model.generation_config, model.config.get_text_config(), tokenizer):
        ids = getattr(holder, "eos_token_id", None)
        found.update(ids if isinstance(ids, list | tuple) else [] if ids is None else [ids])
    return frozenset(found)


def _absent(source: str, error: Exception) -> UsageError:
    if Path(source).exists():
        return UsageError(f"{source} does not load as a Transformers model: {_first_line(error)}")
    return UsageError(
        f"{source!r} is neither a folder nor in the Hub's cache; nothing is downloaded while "
        f"models run: use: hf download {source}"
    )


def _first_line(error: BaseException) -> str:
    text = str(error).strip()
    return text.splitlines()[0] if text else type(error).__name__


@contextlib.contextmanager
def _patient_threads() -> Iterator[None]:
    """Let Torch's threads sleep while they wait for each other, unless the user chose otherwise.

    They spin by default, which costs nothing on an idle machine and, measured where every core
    had other work, up to nine tenths of the speed. OpenMP reads the variable once, as it loads.
    """
    variable = "OMP_WAIT_POLICY"
    if variable in os.environ:
        yield
        return
    os.environ[variable] = "PASSIVE"
    try:
        yield
    finally:
        del os.environ[variable]


@contextlib.contextmanager
def _no_loading_bar() -> Iterator[None]:
    """Progress on stderr belongs to the engine; put Transformers' setting back afterwards."""
    from transformers import utils

    logging: Any = utils.logging

    was_on = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if was_on:
            logging.enable_progress_bar()
