"""Commands that receive groups of options gathered in records."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, Field, fields, is_dataclass
from typing import Any, TypeVar, get_type_hints

R = TypeVar("R")


def gathered(command: Callable[..., R]) -> Callable[..., R]:
    """Give a command the options that its records hold.

    A parameter that is annotated with a dataclass stands for that class's fields: on the help page
    they take its place, in their order, and the command receives them gathered in one record.
    """
    signature = inspect.signature(command, eval_str=True)
    records: dict[str, type] = {
        name: parameter.annotation
        for name, parameter in signature.parameters.items()
        if isinstance(parameter.annotation, type) and is_dataclass(parameter.annotation)
    }
    listed: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        own = [parameter] if name not in records else _parameters(records[name])
        listed += [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in own]

    def wrapper(**options: Any) -> R:
        for name, record in records.items():
            names = [field.name for field in fields(record)]
            options[name] = record(**{each: options.pop(each) for each in names})
        return command(**options)

    wrapper.__name__ = command.__name__
    wrapper.__doc__ = command.__doc__
    wrapper.__annotations__ = {each.name: each.annotation for each in listed}
    wrapper.__signature__ = inspect.Signature(listed)  # type: ignore[attr-defined]
    return wrapper


def _parameters(record: type) -> list[inspect.Parameter]:
    hints = get_type_hints(record, include_extras=True)
    return [
        inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=_default(field),
            annotation=hints[field.name],
        )
        for field in fields(record)
    ]


def _default(field: Field[Any]) -> Any:
    return inspect.Parameter.empty if field.default is MISSING else field.default
