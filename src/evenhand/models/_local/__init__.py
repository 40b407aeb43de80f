"""Models that run in this process, on Torch: ``local/…`` (embedded weights) and ``hf/…``."""

from evenhand.models._local._adapter import LocalModel
from evenhand.models._local._open import open_local
from evenhand.models._local._weights import EMBEDDED, fetch_weights, weights_path

__all__ = ["EMBEDDED", "LocalModel", "fetch_weights", "open_local", "weights_path"]
