"""What a task is: labels, question, wording parts and gold rule, read from one TOML file."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import Annotated

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    StringConstraints,
    ValidationError,
    model_validator,
)

from evenhand.errors import UsageError

Line = Annotated[str, StringConstraints(min_length=1, pattern=r"^[^\r\n]*$")]
Word = Annotated[str, StringConstraints(pattern=r"^[^\s/=]+$")]

TASKS = ("math", "ner", "occurrence", "sentiment", "wsd")


class SelfPrompt(BaseModel):
    """The task-specific parts of the first stage of self-prompting (B.2.3)."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    unit: Line = "instances"
    specification: Line
    solve_and_count: tuple[Line, ...] = Field(min_length=1)


class AlonePrompt(BaseModel):
    """How one instance is asked for on its own (C.1).

    Attributes:
        instructions: What to do with the single instance.
        answer: ``label`` when the reply is one of the labels, ``number`` when it is compared as a
            number with the instance's exact value.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    instructions: tuple[Line, ...] = Field(min_length=1)
    answer: str = Field(default="label", pattern=r"^(label|number)$")


class Task(BaseModel):
    """One task. All wording is ours; what it says follows B.1, point by point.

    Attributes:
        name: One word; the ``task`` column.
        title: How people write the name.
        labels: The two labels, Label A first. ``margin`` is the second minus the first.
        listed: The labels in the order in which the prompt lists them (B.1 differs per task).
        goal: What the prompt asks for, after ``Task:``.
        question: The same as a short question, for reports.
        instructions: The points that come before the shared ones.
        example_label: The label that the example response shows.
        tie: The answer that means a tie.
        gold: The rule that makes an instance's gold label, in words.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Word
    title: Line
    labels: tuple[Word, Word]
    listed: tuple[Word, Word]
    goal: Line
    question: Line
    instructions: tuple[Line, ...] = Field(min_length=1)
    example_label: Word
    tie: int = -1
    gold: Line
    self_prompt: SelfPrompt
    alone: AlonePrompt

    @model_validator(mode="after")
    def _labels_agree(self) -> Task:
        first, second = self.labels
        if first.casefold() == second.casefold():
            raise ValueError(f"the two labels {first!r} and {second!r} are the same after casefold")
        if str(self.tie) in self.labels:
            raise ValueError(f"the tie answer {self.tie} is also a label")
        if sorted(self.listed) != sorted(self.labels):
            raise ValueError("listed must hold exactly the two labels")
        if self.example_label not in self.labels:
            raise ValueError(f"example_label {self.example_label!r} is not one of the labels")
        return self

    def other(self, label: str) -> str:
        """The label that ``label`` is not.

        Raises:
            UsageError: If ``label`` is not a label of this task.
        """
        if label not in self.labels:
            raise UsageError(
                f"task {self.name} has no label {label!r}: use one of {', '.join(self.labels)}"
            )
        first, second = self.labels
        return second if label == first else first


def load_task(name: str | Path) -> Task:
    """A built-in task by name, or your own from a TOML file.

    Args:
        name: One of :data:`TASKS`, or a path that ends in ``.toml``.

    Raises:
        UsageError: If there is no such task, or the file is not a task; names file and field.
    """
    if str(name) in TASKS:
        source = resources.files("evenhand.tasks") / "data" / f"{name}.toml"
        return parse_task(source.read_text("utf-8"), str(name))
    path = Path(name)
    if path.suffix != ".toml":
        raise UsageError(
            f"unknown task {str(name)!r}: use one of {', '.join(TASKS)}, or a path to a .toml file"
        )
    try:
        text = path.read_text("utf-8")
    except OSError as error:
        raise UsageError(f"cannot read the task file {path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text ({error.reason}): save it as UTF-8") from error
    return parse_task(text, str(path))


def parse_task(text: str, origin: str) -> Task:
    """A task from TOML text; ``origin`` is named in the :class:`UsageError` of a faulty one."""
    try:
        return Task.model_validate(tomllib.loads(text))
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{origin}: not valid TOML: {error}") from error
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'task'}: {fault['msg']}"
            for fault in error.errors()
        )
        raise UsageError(f"{origin}: {faults}") from error
