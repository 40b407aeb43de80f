"""Which column of somebody's table holds which field of a plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evenhand.design import AXES
from evenhand.errors import UsageError

OPTIONAL = (
    "order_seed",
    "repeat",
    "labels",
    "prompt_sha256",
    "instance_ids",
    "instance_labels",
    "pool_source",
    "pool_filter",
)
FIELDS = (*AXES, "messages", *(name for name in OPTIONAL if name not in AXES))


@dataclass(frozen=True, slots=True)
class Columns:
    """A column map: field to column, or to ``=value`` for all rows."""

    given: Mapping[str, str]

    def __post_init__(self) -> None:
        unknown = [name for name in self.given if name not in FIELDS]
        if unknown:
            raise UsageError(f"a plan has no field {unknown[0]!r}: use {', '.join(FIELDS)}")

    def resolve(self, names: Sequence[str], origin: str) -> dict[str, str]:
        """Field to column, for the fields that come from a column.

        Raises:
            UsageError: If a column is not there, or a field that a plan needs has none.
        """
        found = {}
        for field in FIELDS:
            column = self.given.get(field, field)
            if column.startswith("="):
                continue
            if column in names:
                found[field] = column
            elif field in self.given:
                raise UsageError(
                    f"{origin} has no column {column!r} for {field}: it has {', '.join(names)}"
                )
            elif field not in OPTIONAL:
                raise UsageError(
                    f"{origin} has no column {field!r}: map one to it ({field}=COLUMN), "
                    f"or give a value for all rows ({field}==VALUE). It has {', '.join(names)}"
                )
        return found

    def fields(self, row: Mapping[str, Any], found: Mapping[str, str]) -> dict[str, Any]:
        """A row under the plan's names."""
        constants = {field: text[1:] for field, text in self.given.items() if text.startswith("=")}
        return constants | {field: row[column] for field, column in found.items()}


def row_error(where: str, column: str, fault: str) -> UsageError:
    """An error that names file, row and column."""
    return UsageError(f"{where}: {column} {fault}")
