"""From an arranged instance list and a variant to messages (Appendix B)."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence

from evenhand.errors import UsageError
from evenhand.pools import Instance
from evenhand.prompts._message import Message, Prompt
from evenhand.prompts._wording import HINTS, STRATEGY, VARIANT_WORDS
from evenhand.tasks import Task

_LINE_BREAKS = re.compile(
    r"[^\S\r\n\v\f\x1c-\x1e\x85\u2028\u2029]*(?:\r\n|[\r\n\v\f\x1c-\x1e\x85\u2028\u2029])\s*"
)


def fold(text: str) -> str:
    """Trim a text and put it on one line, so that no text can forge an instance line.

    Every kind of line break (CR, LF, VT, FF, FS-RS, NEL, U+2028, U+2029), with the white space
    around it, becomes one space. Nothing else changes.
    """
    return _LINE_BREAKS.sub(" ", text.strip())


def render(
    task: Task,
    instances: Sequence[Instance],
    variant: str = "standard",
    *,
    swapped: bool = False,
    instruction: str | None = None,
) -> Prompt:
    """The prompt of one experiment: one user message (B.1, B.2).

    Args:
        task: Whose wording is used.
        instances: In the order in which the model is to read them; ids count from 1.
        variant: ``standard``, ``hint``, ``strategy`` or ``self`` (its second stage).
        swapped: List the labels, and show the example, the other way round (counterbalance).
        instruction: For ``self``, and only for it, what the model wrote in the first stage.

    Returns:
        The messages, and the character span of every instance's text in the last of them.

    Raises:
        UsageError: For an unknown variant, no instances, or an instruction that is missing or
            not wanted.
    """
    if not instances:
        raise UsageError("a prompt needs at least one instance")
    if (variant == "self") != (instruction is not None):
        raise UsageError(
            "variant 'self' needs the instruction of its first stage, and no other variant has one"
        )
    head = instruction if instruction is not None else _instructions(task, variant, swapped)
    parts = [head.rstrip(), "\n\n"]
    at = sum(map(len, parts))
    spans = []
    for number, instance in enumerate(instances, start=1):
        header, text = f"Instance {number}: ", fold(instance.text)
        spans.append((at + len(header), at + len(header) + len(text)))
        at += len(header) + len(text) + 1
        parts += [header, text, "\n"]
    content = "".join(parts)[:-1]
    return Prompt(messages=(Message("user", content),), spans=tuple(spans))


def self_instruction_prompt(task: Task, n: int) -> tuple[Message, ...]:
    """The first stage of self-prompting: the model writes its own instruction (B.2.3).

    Args:
        task: Whose task is described; no instance is shown.
        n: Number of instances that the instruction will be used on.
    """
    words = task.self_prompt
    specify = ", ".join(
        (*words.solve_and_count, "how the majority is decided", "and what to do about a tie")
    )
    return (
        Message(
            "user",
            f"Another model will later have to solve the task below over {n} {words.unit}, which "
            "are NOT shown to you now. Write the instruction prompt for it.\n\n"
            f"Task: {words.specification}\n\n"
            "Write one self-contained instruction prompt, in the imperative, addressed to the "
            f"model that solves the task. It has to state {specify}. Output only the prompt: "
            "do not solve the task and say nothing about yourself.",
        ),
    )


def _instructions(task: Task, variant: str, swapped: bool) -> str:
    if variant not in VARIANT_WORDS:
        raise UsageError(
            f"unknown variant {variant!r}: use one of {', '.join(VARIANT_WORDS)}, self"
        )
    listed = task.listed[::-1] if swapped else task.listed
    example = task.other(task.example_label) if swapped else task.example_label
    lines = [
        f"Task: {task.goal}",
        "",
        "Instructions:",
        *(f"- {point}" for point in task.instructions),
        "- Count the instances that each label has.",
        f"- Give exactly one of these labels: {_quoted(listed[0])}, {_quoted(listed[1])}.",
        f"- If both labels have the same count, answer {task.tie}.",
        '- Reply with nothing but a JSON object that has the field "answer".',
        "",
    ]
    match variant:
        case "hint":
            lines += ["Hints:", *(f"- {point}" for point in HINTS), ""]
        case "strategy":
            lines += ["Suggested Strategy:", *(f"- {point}" for point in STRATEGY), ""]
    lines += [
        "Example response format:",
        json.dumps({"answer": example}, ensure_ascii=False),
        "",
        "Close your response with the JSON object that holds your final answer.",
    ]
    return "\n".join(lines)


def _quoted(label: str) -> str:
    """A label as JSON writes it, so that an answer can copy it as it stands."""
    return json.dumps(label, ensure_ascii=False)
