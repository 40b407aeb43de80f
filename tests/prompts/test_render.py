"""Contract: a prompt says every point of Appendix B in its order, one instance a line, with the
exact place of every instance; and no text can forge a line of its own."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from evenhand.errors import UsageError
from evenhand.pools import Instance
from evenhand.prompts import fold, messages_sha256, render, self_instruction_prompt
from evenhand.tasks import TASKS, load_task

TWO = (Instance("a", "warm and funny", "positive"), Instance("b", "a dull mess", "negative"))


def test_standard_sentiment_prompt_word_for_word() -> None:
    prompt = render(load_task("sentiment"), TWO)
    assert [message.role for message in prompt.messages] == ["user"]
    assert prompt.messages[0].content == (
        "Task: Find which sentiment label most of the instances below have.\n"
        "\n"
        "Instructions:\n"
        "- Judge every instance on its own as positive or negative.\n"
        "- Count the instances that each label has.\n"
        '- Give exactly one of these labels: "negative", "positive".\n'
        "- If both labels have the same count, answer -1.\n"
        '- Reply with nothing but a JSON object that has the field "answer".\n'
        "\n"
        "Example response format:\n"
        '{"answer": "positive"}\n'
        "\n"
        "Close your response with the JSON object that holds your final answer.\n"
        "\n"
        "Instance 1: warm and funny\n"
        "Instance 2: a dull mess"
    )


@pytest.mark.parametrize("name", TASKS)
@pytest.mark.parametrize("variant", ["standard", "hint", "strategy"])
def test_points_of_appendix_b_in_order(name: str, variant: str) -> None:
    task = load_task(name)
    content = render(task, TWO, variant).messages[0].content
    extra = {"standard": [], "hint": ["Hints:"], "strategy": ["Suggested Strategy:"]}[variant]
    landmarks = [
        "Task: ",
        "Instructions:",
        *task.instructions,
        "- Count the instances",
        f'"{task.listed[0]}", "{task.listed[1]}"',
        "answer -1",
        'field "answer"',
        *extra,
        "Example response format:",
        f'{{"answer": "{task.example_label}"}}',
        "Instance 1: ",
        "Instance 2: ",
    ]
    places = [content.index(mark) for mark in landmarks]
    assert places == sorted(places)
    assert ("Hints:" in content) == (variant == "hint")
    assert ("Suggested Strategy:" in content) == (variant == "strategy")


def test_a_label_with_a_quotation_mark_is_shown_as_an_answer_can_copy_it() -> None:
    task = load_task("ner").model_copy(
        update={"labels": ('say"so', "né"), "listed": ('say"so', "né"), "example_label": 'say"so'}
    )
    content = render(task, [Instance("a", "text", "né")]).messages[-1].content
    assert 'these labels: "say\\"so", "né".' in content
    assert '{"answer": "say\\"so"}' in content


@pytest.mark.parametrize("name", TASKS)
def test_swapped_lists_labels_and_example_the_other_way_round(name: str) -> None:
    task = load_task(name)
    content = render(task, TWO, swapped=True).messages[0].content
    assert f'labels: "{task.listed[1]}", "{task.listed[0]}".' in content
    assert f'{{"answer": "{task.other(task.example_label)}"}}' in content


def test_self_prompt_second_stage_is_the_instruction_and_the_instances() -> None:
    prompt = render(load_task("ner"), TWO, "self", instruction="Count them.\n")
    assert prompt.messages[0].content == (
        "Count them.\n\nInstance 1: warm and funny\nInstance 2: a dull mess"
    )


@pytest.mark.parametrize("name", TASKS)
def test_self_prompt_first_stage_shows_no_instance(name: str) -> None:
    (message,) = self_instruction_prompt(load_task(name), 2000)
    task = load_task(name)
    assert "2000 " + ("math problems" if name == "math" else "instances") in message.content
    assert "Instance 1" not in message.content
    places = [
        message.content.index(mark)
        for mark in (
            "NOT shown",
            f"Task: {task.self_prompt.specification}",
            *task.self_prompt.solve_and_count,
            "majority is decided",
            "tie",
        )
    ]
    assert places[1:] == sorted(places[1:])
    assert all(f'"{label}"' in message.content for label in task.labels)


FOLDED = [
    ("  a b \n", "a b"),
    ("a\nInstance 2: forged", "a Instance 2: forged"),
    ("a\r\nb", "a b"),
    ("a\rb", "a b"),
    ("a \x85 b", "a b"),
    ("a\u2028b\u2029c", "a b c"),
    ("a\x0bb\x0cc\x1cd\x1de\x1ef", "a b c d e f"),
    ("a\n\n\n b", "a b"),
    ("two  spaces\tstay", "two  spaces\tstay"),
]


@pytest.mark.parametrize(("text", "folded"), FOLDED)
def test_fold(text: str, folded: str) -> None:
    assert fold(text) == folded


@given(st.lists(st.text(min_size=1), min_size=1, max_size=20))
def test_one_line_an_instance_and_spans_point_at_the_text(texts: list[str]) -> None:
    instances = [Instance(str(k), text, "positive") for k, text in enumerate(texts)]
    prompt = render(load_task("sentiment"), instances)
    content = prompt.messages[-1].content
    body = content[content.index("Instance 1: ") :]
    lines = body.splitlines()
    assert len(lines) == len(texts)
    for k, (text, (start, end)) in enumerate(zip(texts, prompt.spans, strict=True), start=1):
        assert content[start:end] == fold(text)
        assert lines[k - 1] == f"Instance {k}: {fold(text)}"


def test_the_hash_covers_roles_and_contents() -> None:
    prompt = render(load_task("sentiment"), TWO)
    other = render(load_task("sentiment"), TWO[::-1])
    assert messages_sha256(prompt.messages) == messages_sha256(prompt.messages)
    assert messages_sha256(prompt.messages) != messages_sha256(other.messages)


def test_bad_requests() -> None:
    task = load_task("sentiment")
    with pytest.raises(UsageError, match="unknown variant 'haste'"):
        render(task, TWO, "haste")
    with pytest.raises(UsageError, match="at least one"):
        render(task, [])
    with pytest.raises(UsageError, match="needs the instruction"):
        render(task, TWO, "self")
    with pytest.raises(UsageError, match="no other variant"):
        render(task, TWO, instruction="x")
