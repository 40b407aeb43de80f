"""The prompt for one instance alone: its own points, its own answer, one folded line."""

from __future__ import annotations

import pytest

from evenhand.pools import Instance
from evenhand.prompts import render_alone
from evenhand.tasks import TASKS, load_task


@pytest.mark.parametrize("name", TASKS)
def test_points_answer_and_span(name: str) -> None:
    task = load_task(name)
    prompt = render_alone(task, Instance("a", "first\nsecond", task.labels[0]))
    (message,) = prompt.messages
    ((start, end),) = prompt.spans
    assert message.role == "user"
    assert message.content[start:end] == "first second"
    assert message.content.endswith("\n\nInstance 1: first second")
    assert all(f"- {point}\n" in message.content for point in task.alone.instructions)
    shown = [f'"{label}"' in message.content[:start] for label in task.labels]
    assert shown == [task.alone.answer == "label"] * 2
    assert "majority" not in message.content


def test_the_whole_prompt() -> None:
    content = render_alone(load_task("wsd"), Instance("a", "java", "place")).messages[0].content
    assert content == (
        '- Decide whether "java" means a place or a programming language in the instance.\n'
        '- Give exactly one of these labels: "place", "programming_language".\n'
        '- End with a JSON object that has the field "answer", such as '
        '{"answer": "programming_language"}.\n'
        "\n"
        "Instance 1: java"
    )
    number = render_alone(load_task("math"), Instance("a", "1 + 1?", "even_number", 2))
    assert 'the number alone, such as {"answer": 7}.\n\nInstance 1: 1 + 1?' in (
        number.messages[0].content
    )
