"""A room that shares its name with its main function.

``from evenhand import results`` is to give the function ``results(path)``, and
``evenhand.results`` is also the package that holds it. Python binds a package to its parent's
attribute when it is first imported, whatever the parent says; so the package itself can be called,
and has the function's documentation and signature.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from inspect import Signature, signature
from types import ModuleType
from typing import Any


class CallableRoom(ModuleType):
    """A package whose call is the function of the same name inside it."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call the function."""
        return _function(self)(*args, **kwargs)

    @property
    def __signature__(self) -> Signature:
        """The function's: what ``inspect.signature`` and the help of editors show."""
        return signature(_function(self))


def _function(room: ModuleType) -> Callable[..., Any]:
    found: Callable[..., Any] = getattr(room, room.__name__.rpartition(".")[2])
    return found


def make_callable(room: str) -> None:
    """Let the package named ``room`` be called; for the end of its ``__init__``.

    ``help(room)`` then opens with the call and the function's documentation, as a page about a
    module does with the module's.
    """
    module = sys.modules[room]
    module.__class__ = CallableRoom
    module.__doc__ = _function(module).__doc__
