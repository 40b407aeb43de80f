"""Where a model looked: contrastive Input × Gradient over replayed generations (5.2, F)."""

from evenhand.attribution._forecast import Forecast, gigabytes, peak_bytes
from evenhand.attribution._gradient import Contrast, Replay, contrast, freeze
from evenhand.attribution._layers import Memory
from evenhand.attribution._profiles import (
    order_profile,
    overall_profile,
    region_bands,
    relative_profile,
    single_profile,
)
from evenhand.attribution._read import REPLAYS_SCHEMA, attributions, write_table
from evenhand.attribution._replay import NotReplayableError, Prepared, Stored, prepare
from evenhand.attribution._run import AttributionSummary, attribute, wanted_of
from evenhand.attribution._shape import Shape, measure
from evenhand.attribution._shares import Shares, shares
from evenhand.attribution._spans import InstanceTokens, instance_tokens
from evenhand.attribution._store import holds_replays
from evenhand.attribution._work import Options, Outcome

__all__ = [
    "REPLAYS_SCHEMA",
    "AttributionSummary",
    "Contrast",
    "Forecast",
    "InstanceTokens",
    "Memory",
    "NotReplayableError",
    "Options",
    "Outcome",
    "Prepared",
    "Replay",
    "Shape",
    "Shares",
    "Stored",
    "attribute",
    "attributions",
    "contrast",
    "freeze",
    "gigabytes",
    "holds_replays",
    "instance_tokens",
    "measure",
    "order_profile",
    "overall_profile",
    "peak_bytes",
    "prepare",
    "region_bands",
    "relative_profile",
    "shares",
    "single_profile",
    "wanted_of",
    "write_table",
]
