"""The strict measure: mentions that name an instance, and ranges of instances."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Literal, NamedTuple

from evenhand.analysis._coverage._numbers import STANDALONE, chain_ids

MentionKind = Literal["worded", "line", "hash", "run", "range"]

_NUMBER = r"[0-9]++(?:[.,][0-9]++)*+(?!\w)"
# The first letter stands alone before its look back, so that the search can skip to such letters.
_NOUN = (
    r"[IiPpEeSsRrTt](?<!\w\w)(?:(?<=[Ii])(?:nst(?:ance)?|NSTANCE|tem|d|D)|(?<=[Pp])roblem"
    r"|(?<=[Ee])(?:xample|ntry|ntrie)|(?<=[Ss])entence|(?<=[Rr])(?:eview|ecord|ow)|(?<=[Tt])weet)"
    r"[sS]?"
)
_WORDED = re.compile(
    rf"(?P<noun>{_NOUN})\.?[ \t_-]{{0,3}}(?:(?:[Ii][Dd]|[Nn]o|number)s?\.?[ \t]{{1,2}})?"
    rf"[#(\[\"'*`]{{0,4}}(?P<number>{_NUMBER})"
)
_AND = re.compile(
    r"[ \t]*(?:(?P<comma>,|;|/)|(?<=[ \t])(?:and|or)(?=[ \t])|&|(?P<to>[-–—~]|\.{2,3}|…"
    r"|(?<=[ \t])(?:to|through|thru|until)(?=[ \t])))[ \t]*(?P<both>(?:and|or|&)[ \t]+)?"
    rf"(?:instances?[ \t]*)?#?(?P<number>{_NUMBER})",
    re.IGNORECASE,
)
_BULLET = r"[ \t]{0,8}(?:[-*•+>|][ \t]{0,3}){0,3}[\[\"'(*_`#]{0,4}"
_LINE = re.compile(
    rf"[\n\r]{_BULLET}(?P<number>{_NUMBER})[\])\"'*_`]{{0,4}}[ \t]{{0,4}}"
    r"(?::(?![0-9])|\.(?![0-9.])|(?<=[)\]])|\)|->|→|=>|\||[–—][ \t]*(?![0-9 \t])"
    r"|-[ \t]+(?![0-9 \t])|=[ \t]*(?=[A-Za-z]))"
)
_HASH = re.compile(rf"#(?<![\w&#]#)[ \t]?(?P<number>{_NUMBER})")
_RANGE = re.compile(
    rf"(?P<from>{STANDALONE})[ \t]{{0,2}}(?P<dash>[-–—]|(?<=[ \t])(?:to|through)(?=[ \t]))"
    rf"[ \t]{{0,2}}(?P<number>{_NUMBER})(?![ \t]{{0,2}}[-–—/=*+]|%)"
)
_RANGE_LEAD = re.compile(
    r"(?:\A|[\n\r]|(?<!\w)(?:from|between|in|for|ids?|batch|chunk|block|part|group|items?)[ \t])"
    rf"{_BULLET}\Z",
    re.IGNORECASE,
)
_RUN = re.compile(
    # Punctuation, but no comma or point inside a number.
    r"[,.;|:)\]>\n\r](?:(?<![,.])|(?<![0-9][,.])|(?![0-9]))[ \t\r\n]{0,3}[(\"#*\[]{0,3}"
    rf"(?P<number>{_NUMBER})[)\"*\]]{{0,3}}"
    r"(?=[ \t]{0,2}(?::|->|→|=>|=|\(|[-–—])|[ \t]{1,2}[A-Za-z\"'“‘]|(?<=[)\]]))"
)
_GOES_ON = re.compile(
    r"[ \t]+(?!(?:and|or|to|through|are|is|were|was|all|also|both|look|seem|have|as|in|on|show"
    r"|again|too)\b)[A-Za-z]",
    re.IGNORECASE,
)
_WORD = re.compile(r"[ \t]+[A-Za-z]")
_RUN_REACH = 300
_RUN_LENGTH = 3


class Mention(NamedTuple):
    """One mention in a trace.

    Attributes:
        start: Where its number, or its range, starts in the text.
        end: Where it ends.
        first: The instance id; of a range the first.
        last: The same id; of a range the last.
        kind: ``worded`` (``Instance 12``), ``line`` (``12:`` at a line's start), ``hash``
            (``#12``), ``run`` (``…, 3 pos, 4 neg, 5 pos``) or ``range``.
    """

    start: int
    end: int
    first: int
    last: int
    kind: MentionKind


def find_mentions(text: str | None, n: int) -> list[Mention]:
    """Mentions that name an instance: the strict measure, which goes past the paper's (5.1.2).

    An id is named by

    - a noun and a number: ``Instance 12``, ``problem #12``, ``instances 12, 13 and 14``;
    - a number that starts a line and is set off: ``12:``, ``12.``, ``(12)``, ``12 ->``,
      ``- **12** |``;
    - ``#12``;
    - a run: at least three numbers that count up by one, or that go on from one already named
      (or start the range just named), each behind punctuation or a line break and before a mark
      or a word: ``1 pos, 2 neg, 3 pos``.

    ``instances 12-19``, ``from 12 to 19`` and ``1–100`` are ranges: they name no id on their own
    and are counted apart. A range over the whole list (1 to n) is a way to say "all" and is left
    out. Numbers in arithmetic, dates, money and tallies are none of these.

    Args:
        text: The trace, or None.
        n: Number of instances.

    Returns:
        Mentions by place, an id as often as it is named. Takes time linear in the text.
    """
    if not text:
        return []
    found = sorted(chain(_worded(text, n), _lines(text, n), _hashes(text, n), _ranges(text, n)))
    apart = _without_overlaps(found)
    return _with_runs(apart, _run_candidates(text, n))


def named_ids(mentions: Iterable[Mention]) -> set[int]:
    """Ids that are named one by one."""
    return {mention.first for mention in mentions if mention.kind != "range"}


def ranged_ids(mentions: Iterable[Mention]) -> set[int]:
    """Ids that some range covers, its ends included."""
    ids: set[int] = set()
    spans = {(mention.first, mention.last) for mention in mentions if mention.kind == "range"}
    for first, last in spans:
        ids.update(range(first, last + 1))
    return ids


def _worded(text: str, n: int) -> Iterator[Mention]:
    at = 0
    while (match := _WORDED.search(text, at)) is not None:
        at = match.end()
        ids = chain_ids(match["number"], n)
        if not ids:
            continue
        plural = match["noun"][-1] in "sS"
        members = [Mention(*match.span("number"), value, value, "worded") for value in ids]
        while (more := _AND.match(text, at)) is not None:
            values = chain_ids(more["number"], n)
            before = members[-1]
            if not values or values[0] <= before.last:
                break
            if more["to"]:
                if before.kind == "range" or len(values) > 1:
                    break
                members[-1] = Mention(
                    before.start, more.end("number"), before.first, values[0], "range"
                )
            elif not plural or (
                more["comma"] and not more["both"] and _GOES_ON.match(text, more.end())
            ):
                break
            else:
                span = more.span("number")
                members += [Mention(*span, value, value, "worded") for value in values]
            at = more.end()
        if plural and len(members) == 1 and members[0].kind != "range" and _WORD.match(text, at):
            continue
        yield from (member for member in members if not _whole_list(member, n))


def _lines(text: str, n: int) -> Iterator[Mention]:
    # A line break in front makes every line start alike, which lets the search skip to breaks.
    for match in _LINE.finditer("\n" + text):
        ids = chain_ids(match[1], n)
        if len(ids) == 1:
            start, end = match.span(1)
            yield Mention(start - 1, end - 1, ids[0], ids[0], "line")


def _hashes(text: str, n: int) -> Iterator[Mention]:
    for match in _HASH.finditer(text):
        for value in chain_ids(match["number"], n):
            yield Mention(*match.span("number"), value, value, "hash")


def _ranges(text: str, n: int) -> Iterator[Mention]:
    for match in _RANGE.finditer(text):
        ends = (*chain_ids(match["from"], n), *chain_ids(match["number"], n))
        if len(ends) != 2 or ends[0] >= ends[1]:
            continue
        start, end = match.start("from"), match.end("number")
        if start and (text[start - 1].isalnum() or text[start - 1] in "_.,$-–—/#"):
            continue
        sure = match["dash"] in "–—" or text[end : end + 1] == ":"
        mention = Mention(start, end, ends[0], ends[1], "range")
        if (sure or _RANGE_LEAD.search(text[max(0, start - 40) : start])) and not _whole_list(
            mention, n
        ):
            yield mention


def _whole_list(mention: Mention, n: int) -> bool:
    return mention.kind == "range" and (mention.first, mention.last) == (1, n)


def _without_overlaps(found: list[Mention]) -> list[Mention]:
    """Drop what another rule has found at the same place; ids that share a number stay."""
    kept: list[Mention] = []
    for mention in found:
        if kept and mention.start < kept[-1].end:
            before = kept[-1]
            same_number = (mention.start, mention.end) == (before.start, before.end)
            if not same_number or mention.first <= before.first or mention.kind != before.kind:
                continue
        kept.append(mention)
    return kept


def _run_candidates(text: str, n: int) -> list[Mention]:
    found = []
    for match in _RUN.finditer(text):
        ids = chain_ids(match["number"], n)
        if len(ids) == 1:
            found.append(Mention(*match.span("number"), ids[0], ids[0], "run"))
    return found


def _with_runs(named: list[Mention], candidates: list[Mention]) -> list[Mention]:
    """Add candidates that count up from a named id, or by themselves for long enough."""
    taken = {mention.start for mention in named}
    merged = sorted(
        chain(named, (candidate for candidate in candidates if candidate.start not in taken))
    )
    kept: list[Mention] = []
    waiting: list[Mention] = []  # candidates that count up, too few yet to be a run
    for mention in merged:
        if mention.kind != "run":
            waiting.clear()
            kept.append(mention)
            continue
        if kept and mention.start < kept[-1].end:
            continue
        if kept and _follows(kept[-1], mention):
            kept.append(mention)
            continue
        if not (waiting and _follows(waiting[-1], mention)):
            waiting.clear()
        waiting.append(mention)
        if len(waiting) == _RUN_LENGTH:
            kept += waiting
            waiting.clear()
    return kept


def _follows(before: Mention, mention: Mention) -> bool:
    if mention.start - before.end > _RUN_REACH:
        return False
    wanted = before.first if before.kind == "range" else before.last + 1
    return mention.first == wanted
