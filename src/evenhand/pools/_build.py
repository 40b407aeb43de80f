"""From upstream rows to a pool: rule, cleaning, duplicates, sample (Appendix A, C.1)."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from evenhand.errors import UsageError
from evenhand.pools._folder import UpstreamRows, read_upstream
from evenhand.pools._instance import Instance, Pool
from evenhand.pools._rules import Eligible
from evenhand.pools._sample import sample, sample_words
from evenhand.pools._text import one_line
from evenhand.pools._upstream import Upstream

PerLabel = int | Literal["all"] | None
"""How many instances of each label a pool keeps; see :func:`evenhand.pools.load_pool`."""


def upstream_pool(upstream: Upstream, folder: Path, per_label: PerLabel = None) -> Pool:
    """The pool of one upstream set, read from ``folder``.

    Raises:
        UsageError: If the set is missing or damaged, or has fewer than ``per_label`` instances.
    """
    read = read_upstream(upstream, folder)
    rows = _row_words(upstream, read, folder)
    instances, left_out = eligible_instances(upstream, read)
    counts = Counter(instance.label for instance in instances)
    chosen, sampled, suffix = _sampled(upstream, instances, counts, per_label)
    return Pool(
        task=upstream.task,
        name=upstream.name + suffix,
        instances=chosen,
        provenance={
            "source": f"{upstream.title}, {read.form}",
            "files": "; ".join(f"{name} (SHA-256 {sha})" for name, sha in read.files.items()),
            "rows": rows,
            "rule": upstream.rule_words,
            "cleaning": "trimmed, line breaks folded; exact duplicates once; "
            "texts with both labels left out",
            "left_out": _listed(left_out) or "none",
            "eligible": _listed({label: counts[label] for label in upstream.labels}),
            "sample": sampled,
            "licence": upstream.licence,
            "citation": upstream.citation,
        },
    )


def eligible_instances(
    upstream: Upstream, read: UpstreamRows
) -> tuple[tuple[Instance, ...], Mapping[str, int]]:
    """All eligible instances, and how many rows were left out for which reason.

    Of rows with the same text the first stays (splits in the set's order, then by row); a text
    that carries both labels leaves with all its rows.
    """
    left_out: Counter[str] = Counter()
    by_text: defaultdict[str, list[Instance]] = defaultdict(list)
    order = {split.name: position for position, split in enumerate(upstream.splits)}
    for row in sorted(read.rows, key=lambda row: (order[row.split], row.row)):
        verdict = upstream.rule(**row.values)
        if not isinstance(verdict, Eligible):
            left_out[verdict] += 1
            continue
        text = one_line(verdict.text)
        if not text:
            left_out["empty text"] += 1
            continue
        instance = Instance(f"{row.split}:{row.row}", text, verdict.label, verdict.answer)
        by_text[text].append(instance)
    kept = []
    for same_text in by_text.values():
        if len({instance.label for instance in same_text}) > 1:
            left_out["text with both labels"] += len(same_text)
            continue
        kept.append(same_text[0])
        if len(same_text) > 1:
            left_out["duplicate text"] += len(same_text) - 1
    return tuple(kept), dict(left_out)


def _sampled(
    upstream: Upstream,
    instances: tuple[Instance, ...],
    counts: Mapping[str, int],
    per_label: PerLabel,
) -> tuple[tuple[Instance, ...], str, str]:
    """The chosen instances, how they were chosen in words, and the mark on the pool's name."""
    if per_label == "all":
        return instances, "all eligible instances", "-all"
    wanted = upstream.per_label if per_label is None else per_label
    if wanted < 1:
        raise UsageError(f"{wanted} instances per label: choose at least 1")
    short = [label for label in upstream.labels if counts[label] < wanted]
    if short and per_label is not None:
        raise UsageError(
            f"{upstream.title} has {counts[short[0]]:,} eligible instances of {short[0]!r}, "
            f"fewer than {wanted:,} per label: ask for fewer, or for all"
        )
    suffix = "" if wanted == upstream.per_label else f"-{wanted}"
    words = sample_words(wanted) + (", or all there are" if short else "")
    return sample(instances, upstream.task, wanted), words, suffix


def _row_words(upstream: Upstream, read: UpstreamRows, folder: Path) -> str:
    """Rows read by split; warns where they are not the published ones."""
    counts = read.counts()
    parts = []
    for split in upstream.splits:
        rows = counts[split.name]
        if rows == split.rows:
            parts.append(f"{split.name} {rows:,}")
        else:
            parts.append(f"{split.name} {rows:,} (published: {split.rows:,})")
            warnings.warn(
                f"{folder}: {upstream.title} has {rows:,} rows in split {split.name}, not the "
                f"{split.rows:,} that were published: its instance sets will be others",
                stacklevel=2,
            )
    return "; ".join(parts)


def _listed(counts: Mapping[str, int]) -> str:
    return "; ".join(f"{word}: {count:,}" for word, count in counts.items())
