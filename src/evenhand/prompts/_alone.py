"""The prompt that asks for one instance alone (C.1)."""

from __future__ import annotations

from evenhand.pools import Instance
from evenhand.prompts._message import Message, Prompt
from evenhand.prompts._render import fold
from evenhand.tasks import Task

_EXAMPLE_NUMBER = 7


def render_alone(task: Task, instance: Instance) -> Prompt:
    """One user message that asks for the label, or the exact number, of a single instance.

    Args:
        task: Its ``alone`` part says what to do and what the answer is.
        instance: The instance.

    Returns:
        The message, and the character span of the instance's text in it.
    """
    lines = [f"- {point}" for point in task.alone.instructions]
    if task.alone.answer == "number":
        example = f'{{"answer": {_EXAMPLE_NUMBER}}}'
        lines.append(
            f'- End with a JSON object whose field "answer" is the number alone, such as {example}.'
        )
    else:
        example = f'{{"answer": "{task.example_label}"}}'
        first, second = task.listed
        lines.append(f'- Give exactly one of these labels: "{first}", "{second}".')
        lines.append(f'- End with a JSON object that has the field "answer", such as {example}.')
    head = "\n".join(lines) + "\n\nInstance 1: "
    text = fold(instance.text)
    return Prompt(
        messages=(Message("user", head + text),), spans=((len(head), len(head) + len(text)),)
    )
