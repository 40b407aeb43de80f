"""A room that shares its name with its main function.

``from evenhand import results`` is to give the function ``results(path)``, and
``evenhand.results`` is also the package that holds it. Python binds a package to its parent's
attribute when it is first imported, whatever the parent says; so the package itself can be called.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any


class CallableRoom(ModuleType):
    """A package whose call is the function of the same name inside it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return getattr(self, self.__name__.rpartition(".")[2])(*args, **kwargs)


def make_callable(room: str) -> None:
    """Let the package named ``room`` be called; for the end of its ``__init__``."""
    sys.modules[room].__class__ = CallableRoom
