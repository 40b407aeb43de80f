"""One protocol, ``generate(messages, settings) -> Generation``, and its adapters."""

from evenhand.models._protocol import (
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

__all__ = [
    "AccessRefusedError",
    "AnswerMode",
    "ContextOverflowError",
    "ForcedChoice",
    "Generation",
    "GenerationSettings",
    "Model",
    "ModelError",
    "ParameterRefusedError",
    "TokenCount",
    "TransientError",
    "Usage",
]
