"""Models behind an OpenAI-compatible HTTP API."""

from evenhand.models._http._model import HttpModel

__all__ = ["HttpModel"]
