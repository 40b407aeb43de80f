"""How a trace ends its reading (5.1.1, E.1)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Sequence
from typing import Literal

from evenhand.analysis._coverage._numbers import STANDALONE, chain_ids

TraceClass = Literal[
    "exhaustive",
    "budget exhausted",
    "assumed balance",
    "extrapolated from a boundary",
    "prefix and spot checks",
    "prefix then guess",
    "scattered",
    "no instance named",
]
TRACE_CLASSES: tuple[TraceClass, ...] = (
    "exhaustive",
    "budget exhausted",
    "assumed balance",
    "extrapolated from a boundary",
    "prefix and spot checks",
    "prefix then guess",
    "scattered",
    "no instance named",
)

_EXHAUSTIVE = 0.95
_BUDGET_USED = 0.99
_SPOTS = 3
_ROUND_SHARE = 0.8
_BEYOND_SHARE = 0.05
_NEAR_BOUNDARY = 0.01
_BALANCE = re.compile(
    r"[AaPpEe](?<!\w\w)(?:(?<=[Aa])lternat(?:e[sd]?|ing|ion|ely)"
    r"|(?:(?<=[Pp])erfect|(?<=[Ee])xact)(?:ly)? (?:even(?:ly)? )?(?:balanced?|split|half))\b"
)
# The first letter stands before its look back, so that the search can skip to such letters.
_ONWARD = re.compile(
    r"[AaBbPpSsFfCc](?<!\w\w)(?:"
    r"(?:(?<=[Aa])fter|(?<=[Bb])eyond|(?<=[Pp])ast|(?<=[Ss])ince|(?<=[Ff])rom"
    r"|(?:(?<=[Aa])ppear|(?<=[Bb])egin|(?<=[Ss])tart|(?<=[Ss])witch|(?<=[Cc])hang)\w*"
    r" (?:at|around|from|with))"
    rf"[ ~]+(?:[Ii]nstance|id|item|number|about)?[ #~]*(?P<from>{STANDALONE})"
    r"(?! ?(?:to|[-–—])\b ?[0-9])[^.\n]{0,60}?"
    r"\b(?:many|mostly|most|all|only|on|onwards?|rest|remaining|everything|every|are)\b"
    rf"|(?<=[Ff])irst (?P<first>{STANDALONE})[^.\n]{{0,60}}?"
    r"\b(?:remaining|rest|remainder|others?)\b)"
)


def classify_trace(
    text: str,
    named: Collection[int],
    n: int,
    stopped_at: int,
    *,
    boundaries: Sequence[int] | None = None,
    cut: bool = False,
    tokens: int | None = None,
    output_budget: int | None = None,
) -> TraceClass:
    """Put a trace into one class. The first rule that fits decides.

    1. ``exhaustive``: at least 95% of the ids are named.
    2. ``budget exhausted``: the reply was cut at a token limit, or 99% of the budget was used.
    3. ``assumed balance``: it says that the labels alternate, or are exactly or perfectly balanced.
    4. ``extrapolated from a boundary``: it says what follows after (or what remains besides the
       first) K instances, K lies within 1% of n (at least 2) of a block boundary, and at most 5%
       of n are named beyond. Without known boundaries any K will do.
    5. ``prefix and spot checks``: at least 3 ids beyond the prefix, 80% of them multiples of 10.
       The prefix may be empty.
    6. ``prefix then guess``: a prefix, and at most 5% of n named beyond it.
    7. ``no instance named``, or else ``scattered``.

    The prefix ends at the stopping point. The words are searched in English.

    Args:
        text: The trace.
        named: Ids that it names.
        n: Number of instances.
        stopped_at: From :func:`stopping_point` on ``named``.
        boundaries: Last ids of the label blocks; empty if there are none; None if unknown.
        cut: Whether the reply ended at a token limit.
        tokens: Output tokens billed, reasoning included.
        output_budget: Output tokens allowed.
    """
    if len(named) >= _EXHAUSTIVE * n:
        return "exhaustive"
    if cut or (tokens is not None and output_budget and tokens >= _BUDGET_USED * output_budget):
        return "budget exhausted"
    if _BALANCE.search(text):
        return "assumed balance"
    if _from_boundary(text, named, n, boundaries):
        return "extrapolated from a boundary"
    beyond = [one for one in named if one > stopped_at]
    if len(beyond) >= _SPOTS and sum(one % 10 == 0 for one in beyond) >= _ROUND_SHARE * len(beyond):
        return "prefix and spot checks"
    if stopped_at and len(beyond) <= _BEYOND_SHARE * n:
        return "prefix then guess"
    return "scattered" if named else "no instance named"


def _from_boundary(
    text: str, named: Collection[int], n: int, boundaries: Sequence[int] | None
) -> bool:
    if boundaries is not None and not boundaries:
        return False
    near = max(2, round(_NEAR_BOUNDARY * n))
    ascending = sorted(named)
    for match in _ONWARD.finditer(text):
        for edge in chain_ids(match["from"] or match["first"], n):
            at_block = boundaries is None or any(abs(edge - cut) <= near for cut in boundaries)
            beyond = len(ascending) - bisect_right(ascending, edge + near)
            if edge < n and at_block and beyond <= _BEYOND_SHARE * n:
                return True
    return False
