"""Simulated readers: models that answer by rule from known labels.

They need no weights and no network, and give every later step an exact expectation.
"""

from evenhand.models._reader._model import open_reader
from evenhand.models._reader._rule import READER_FORMS

__all__ = ["READER_FORMS", "open_reader"]
