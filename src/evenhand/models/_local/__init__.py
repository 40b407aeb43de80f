"""Models that run in this process, on Torch: ``local/…`` (embedded weights) and ``hf/…``."""

from evenhand.models._local._adapter import LocalModel
from evenhand.models._local._chat import chat_text, token_ids
from evenhand.models._local._linear import product, products_available, pull_back, quicken
from evenhand.models._local._open import load_local, open_local
from evenhand.models._local._runtime import Runtime
from evenhand.models._local._weights import EMBEDDED, fetch_weights, weights_path

__all__ = [
    "EMBEDDED",
    "LocalModel",
    "Runtime",
    "chat_text",
    "fetch_weights",
    "load_local",
    "open_local",
    "product",
    "products_available",
    "pull_back",
    "quicken",
    "token_ids",
    "weights_path",
]
