"""The parts of a reply that stand outside closed reasoning tags."""

from __future__ import annotations

import re
from collections import defaultdict, deque

_TAG = re.compile(
    r"<(?P<shut>/?)(?P<name>think|thinking|thought|reasoning|analysis|scratchpad)>"
    r"|\[(?P<shut2>/?)(?P<name2>think)\]",
    re.IGNORECASE,
)


def visible_parts(text: str) -> list[str]:
    """Cut closed reasoning out of a reply.

    A closing tag closes the earliest tag of its name that is still open, so a tag that the
    reasoning merely quotes does not end up showing a draft. A closing tag before any opening one
    hides everything up to it: chat templates often write the opening tag into the prompt. A tag
    that is never closed hides nothing.

    Args:
        text: The reply.

    Returns:
        The visible pieces, in order. They are kept apart so that nothing can be read across a cut.
    """
    hidden: list[tuple[int, int]] = []
    still_open: defaultdict[str, deque[int]] = defaultdict(deque)
    seen: set[str] = set()
    for tag in _TAG.finditer(text):
        name = (tag["name"] or f"[{tag['name2']}").casefold()
        if not (tag["shut"] or tag["shut2"]):
            still_open[name].append(tag.start())
        elif still_open[name]:
            hidden.append((still_open[name].popleft(), tag.end()))
        elif name not in seen:
            hidden.append((0, tag.end()))
        seen.add(name)
    parts: list[str] = []
    shown_from = 0
    for start, end in sorted(hidden):
        if start > shown_from:
            parts.append(text[shown_from:start])
        shown_from = max(shown_from, end)
    parts.append(text[shown_from:])
    return parts
