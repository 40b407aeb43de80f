"""One protocol, ``generate(messages, settings) -> Generation``, and its adapters."""

from evenhand.models._catalog import Catalog, load_catalog
from evenhand.models._check import Check, check_model
from evenhand.models._names import ModelName, parse_model_name
from evenhand.models._open import open_model
from evenhand.models._protocol import (
    PARAMETERS_OF_ONE_CALL,
    AccessRefusedError,
    AnswerMode,
    ContextOverflowError,
    ForcedChoice,
    Generation,
    GenerationSettings,
    Model,
    ModelError,
    ParameterRefusedError,
    TokenCount,
    TransientError,
    Usage,
)
from evenhand.models._spec import FREE, ModelSpec, Price

__all__ = [
    "FREE",
    "PARAMETERS_OF_ONE_CALL",
    "AccessRefusedError",
    "AnswerMode",
    "Catalog",
    "Check",
    "ContextOverflowError",
    "ForcedChoice",
    "Generation",
    "GenerationSettings",
    "Model",
    "ModelError",
    "ModelName",
    "ModelSpec",
    "ParameterRefusedError",
    "Price",
    "TokenCount",
    "TransientError",
    "Usage",
    "check_model",
    "load_catalog",
    "open_model",
    "parse_model_name",
]
