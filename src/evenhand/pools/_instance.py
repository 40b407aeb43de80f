"""The two records that every pool is made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Instance:
    """One record with its gold label.

    Attributes:
        id: Unique within its pool; ``split:row`` for upstream sets (Appendix A).
        text: Trimmed, on one line, never empty.
        label: One of the task's two labels.
        answer: The exact number behind the label where the task has one (Math: the final answer,
            Occurrence: the count), else None; the solvable-alone filter compares with it (C.1).
    """

    id: str
    text: str
    label: str
    answer: int | None = None


@dataclass(frozen=True, slots=True)
class Pool:
    """Instances of one task from one source.

    Attributes:
        task: Name of the task whose labels the instances carry.
        name: Short name of the source, as the results table's ``pool`` column shows it
            (``synthetic``, ``gsm8k``, a table's file name).
        instances: The instances; their order carries no meaning.
        provenance: Where they came from (folder or hub revision, rules applied, rows left out
            and why, filter models). Strings only, so that it can be stored as it is.
    """

    task: str
    name: str
    instances: tuple[Instance, ...]
    provenance: Mapping[str, str] = field(default_factory=dict)
