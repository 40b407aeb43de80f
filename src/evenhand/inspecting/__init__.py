"""The probe inside Inspect AI: tasks, solver and scorer, and its logs as results (extra
``inspect``).

Inspect finds the tasks by the entry point ``evenhand.inspecting._registry``; nothing of Inspect is
imported before a name here is used.
"""

from evenhand.inspecting._log import read_inspect_log
from evenhand.inspecting._record import Attempt

__all__ = ["Attempt", "read_inspect_log"]
