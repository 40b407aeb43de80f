"""The prompt that puts all records before a model at once."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.prompts import Message, Prompt


def render_all(ask: str, labels: Sequence[str], texts: Sequence[str]) -> Prompt:
    """One user message with every record on a numbered line.

    Args:
        ask: The question. With labels it is about one record; without, about all of them.
        labels: The labels to choose the majority from; empty for a question whose answer is a
            number.
        texts: On one line each, in reading order.
    """
    if labels:
        listed = ", ".join(f'"{label}"' for label in labels)
        lines = [
            "Task: Find which label most of the instances below have.",
            "",
            "Instructions:",
            f"- For every instance, on its own, answer: {ask}",
            "- Count the instances that each label has.",
            f"- Give exactly one of these labels: {listed}.",
            "- If no label has more instances than every other one, answer -1.",
            '- Reply with nothing but a JSON object that has the field "answer", such as',
            f'  {{"answer": "{labels[0]}"}}',
        ]
    else:
        lines = [
            "Task: Count over all the instances below.",
            "",
            "Instructions:",
            f"- Answer this question: {ask}",
            "- Read every instance. The answer is one whole number.",
            '- Reply with nothing but a JSON object that has the field "answer", such as',
            '  {"answer": 7}',
        ]
    head = "\n".join([*lines, "", ""])
    parts, spans, at = [head], [], len(head)
    for number, text in enumerate(texts, start=1):
        lead = f"Instance {number}: "
        spans.append((at + len(lead), at + len(lead) + len(text)))
        parts += [lead, text, "\n"]
        at += len(lead) + len(text) + 1
    return Prompt((Message("user", "".join(parts)[:-1]),), tuple(spans))
