"""The text of a new task file, commented, to be filled in."""

from __future__ import annotations

import json

from evenhand.errors import UsageError
from evenhand.tasks._spec import TASKS, parse_task

_TEMPLATE = """\
# A task of your own. Lines that begin with # are comments; texts stand between quotes.
# Change the wording until it says what you mean, then run for instance
#
#   evenhand run core --task {file} --pool rows.csv --text-column text --label-column label \\
#       --n 100 --model PROVIDER/NAME --out runs/{word}

# One word: the name in experiment ids and in the results table.
name = {name}

# How people write it, in reports.
title = {name}

# The two labels, exactly as the label column of your table has them.
labels = [{first}, {second}]

# The same two in the order in which the prompt lists them.
listed = [{first}, {second}]

# What the prompt asks for, after "Task:".
goal = "Find which label most of the instances below have."

# The same as a short question, for reports.
question = {question}

# How one instance is to be judged: one line a point. The points that every task shares (judge
# all instances, then count, then answer) are added by evenhand.
instructions = [
    {instruction},
]

# The label that the prompt's example answer shows.
example_label = {second}

# The rule that made the gold labels of your table, in words.
gold = "Label of the record, as the table gives it."

# For the variant in which the model first writes its own instruction.
[self_prompt]
unit = "instances"
specification = {specification}
solve_and_count = [
    "how each instance is judged",
    "how the two labels are counted",
]

# For `evenhand filter`, which asks for each instance alone.
[alone]
instructions = [{instruction}]
"""


def new_task(name: str, labels: tuple[str, str], file: str) -> str:
    """A task file that loads as it is, with a comment on every field.

    Args:
        name: The task's name, one word.
        labels: Its two labels.
        file: The name of the file, for the example command in it.

    Returns:
        TOML text that :func:`evenhand.tasks.load_task` takes.

    Raises:
        UsageError: If the name or a label is not one word, the name is a built-in task's, or the
            labels are the same.
    """
    if name in TASKS:
        raise UsageError(f"{name} is a built-in task: choose another name")
    first, second = labels
    text = _TEMPLATE.format(
        file=file,
        word=name,
        name=_quoted(name),
        first=_quoted(first),
        second=_quoted(second),
        question=_quoted(f"Are more of the instances {first} or {second}?"),
        instruction=_quoted(f"Decide for every instance whether it is {first} or {second}."),
        specification=_quoted(
            f'find the majority label over all instances: whether "{first}" or "{second}" occurs '
            "more often, or -1 when both occur equally often."
        ),
    )
    parse_task(text, f"task {name}")
    return text


def _quoted(text: str) -> str:
    """``text`` as a TOML string; JSON's escapes are among TOML's."""
    return json.dumps(text, ensure_ascii=False)
