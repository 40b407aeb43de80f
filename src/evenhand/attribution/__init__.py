"""Where a model looked: contrastive Input × Gradient over replayed generations (5.2, F)."""

from evenhand.attribution._gradient import Contrast, Replay, contrast, freeze
from evenhand.attribution._layers import Memory
from evenhand.attribution._replay import NotReplayableError, Prepared, Stored, prepare
from evenhand.attribution._shares import Shares, shares
from evenhand.attribution._spans import InstanceTokens, instance_tokens

__all__ = [
    "Contrast",
    "InstanceTokens",
    "Memory",
    "NotReplayableError",
    "Prepared",
    "Replay",
    "Shares",
    "Stored",
    "contrast",
    "freeze",
    "instance_tokens",
    "prepare",
    "shares",
]
