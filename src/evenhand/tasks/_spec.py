"""What a task is: labels, question, wording parts and gold rule, read from one TOML file."""

from __future__ import annotations

import tomllib
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from evenhand._word import WORD_RULE, fold_word, is_word
from evenhand.errors import UsageError

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails


def _line(text: str) -> str:
    """A break of any kind inside a wording could forge an instance line."""
    if text.splitlines() != [text] or not text.strip():
        raise ValueError("must be one line of text, not empty")
    return text


def _word(text: str) -> str:
    if not is_word(text):
        raise ValueError(f"{text!r} must be {WORD_RULE}")
    return text


Line = Annotated[str, AfterValidator(_line)]
Word = Annotated[str, AfterValidator(_word)]

_TIE_READ = "-1"
_WORDS = {
    "missing": "Field required",
    "extra_forbidden": "unknown field: check the spelling, or take it out",
    "string_type": "must be text: put it between quotes",
    "literal_error": "must be -1: replies are read with no other tie answer",
}
"""Pydantic's kinds of fault in words that say what to do; the others speak for themselves."""

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
        tie: The answer that means a tie: -1, as B.1 has it and the parser reads it.
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
    tie: Literal[-1] = -1
    gold: Line
    self_prompt: SelfPrompt
    alone: AlonePrompt

    @field_validator("labels", "listed", mode="before")
    @classmethod
    def _two(cls, value: object) -> object:
        if isinstance(value, list | tuple) and len(value) != 2:
            raise ValueError(
                f"must name two labels, not {len(value)}: one label against several others is "
                "not supported"
            )
        return value

    @model_validator(mode="after")
    def _labels_agree(self) -> Task:
        first, second = self.labels
        folded = [fold_word(label).replace("\u2212", "-") for label in self.labels]
        if folded[0] == folded[1]:
            raise ValueError(
                f"the two labels {first!r} and {second!r} are the same after casefold and "
                "without invisible marks: answers could not tell them apart"
            )
        for label, word in zip(self.labels, folded, strict=True):
            if word == _TIE_READ:
                raise ValueError(f"the tie answer {self.tie} is also a label ({label!r})")
            if not word:
                raise ValueError(f"the label {label!r} shows nothing: choose a visible one")
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
        text = path.read_text("utf-8-sig")
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
        faults = "; ".join(map(_fault, error.errors()))
        raise UsageError(f"{origin}: {faults}") from error


def _fault(fault: ErrorDetails) -> str:
    said = _WORDS.get(fault["type"], fault["msg"]).removeprefix("Value error, ")
    place = ".".join(map(str, fault["loc"]))
    return f"{place}: {said}" if place else said
