"""What is asked: labels, question, wording and gold rule. One TOML file a task."""

from evenhand.tasks._new import new_task
from evenhand.tasks._spec import TASKS, AlonePrompt, SelfPrompt, Task, load_task

__all__ = ["TASKS", "AlonePrompt", "SelfPrompt", "Task", "load_task", "new_task"]
