"""Results and attempts in, one row of coverage an experiment out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import polars as pl

from evenhand.analysis._coverage._batches import in_batches
from evenhand.analysis._coverage._blocks import block_boundaries
from evenhand.analysis._coverage._classify import classify_trace
from evenhand.analysis._coverage._read import TraceReading, read_trace
from evenhand.analysis._coverage._summary import is_summary
from evenhand.analysis._partition import conform
from evenhand.errors import UsageError
from evenhand.outcomes import was_cut

COORDINATES = (
    "experiment_id",
    "setting",
    "model",
    "task",
    "pool",
    "n",
    "p",
    "majority_label",
    "set_seed",
    "pattern",
    "order_seed",
    "variant",
    "output_budget",
    "repeat",
    "answer_mode",
    "outcome",
    "valid",
    "correct",
)
_MEASURES: Mapping[str, pl.DataType] = {
    "trace": pl.String(),
    "trace_characters": pl.Int64(),
    "mentioned": pl.Int64(),
    "coverage": pl.Float64(),
    "named": pl.Int64(),
    "strict_coverage": pl.Float64(),
    "ranged": pl.Int64(),
    "range_coverage": pl.Float64(),
    "stopped_at": pl.Int64(),
    "trace_class": pl.String(),
    "stated": pl.Int64(),
    "agreed": pl.Int64(),
    "fails_from": pl.Int64(),
    "mentioned_ids": pl.List(pl.Int64()),
    "named_ids": pl.List(pl.Int64()),
    "stated_ids": pl.List(pl.Int64()),
    "stated_right": pl.List(pl.Boolean()),
}
_TRACE = (
    *("experiment_id", "reasoning", "reasoning_source", "reasoning_tokens", "output_tokens"),
    *("finish_reason", "decides"),
)
_WINDOW = 20
_FAILING = 0.75

Gold = Callable[[str], Sequence[str]]


def coverage(
    frame: pl.DataFrame,
    attempts: pl.DataFrame,
    gold: Gold | None = None,
    *,
    processes: int = 1,
) -> pl.DataFrame:
    """How much of its instances each experiment's reasoning trace mentions (5.1.2).

    The trace is the reasoning of the attempt that decided the experiment.

    Args:
        frame: Results table of one run.
        attempts: Attempts table of the same run.
        gold: Experiment id to the gold labels in reading order; without it the label columns are
            null. Empty where they are unknown.
        processes: How many processes may share the work. More than one is used for some megabytes
            of traces or more, and needs a main module that can be imported (a script with
            ``if __name__ == "__main__":``). Results are the same.

    Returns:
        A row an experiment: its coordinates, ``outcome``, ``valid``, ``correct``, and

        - ``trace``: ``trace``, ``summary`` (left out of every measure, E.1.4) or ``none``;
        - ``mentioned``, ``coverage``, ``mentioned_ids``: ids by the paper's measure, and their
          share of n;
        - ``named``, ``strict_coverage``, ``named_ids``: by the strict measure;
        - ``ranged``, ``range_coverage``: ids that ranges cover;
        - ``stopped_at``, ``trace_class``: where and how the reading ends, by the strict measure;
        - ``stated``, ``agreed``, ``stated_ids``, ``stated_right``: ids with a stated label, and
          whether it is the gold label; ``fails_from``: the first of 20 consecutive stated ids of
          which fewer than 75% agree.
    """
    missing = [name for name in _TRACE if name not in attempts.columns]
    if missing:
        raise UsageError(
            f"the attempts have no column {', '.join(missing)}: read them with attempts()"
        )
    frame = conform(frame, (*COORDINATES, "labels"))
    decisive = attempts.filter("decides").select(
        "experiment_id",
        "reasoning",
        "reasoning_source",
        pl.col("reasoning_tokens").alias("trace_tokens"),
        pl.col("output_tokens").alias("reply_tokens"),
        pl.col("finish_reason").alias("reply_finish"),
    )
    joined = frame.select(*COORDINATES, "labels").join(
        decisive, on="experiment_id", how="left", maintain_order="left"
    )
    without = joined.filter(pl.col("reasoning").is_not_null() & ~(pl.col("n") > 0).fill_null(False))
    if without.height:
        raise UsageError(
            f"experiment {without['experiment_id'][0]} has a trace but n = {without['n'][0]}: "
            "coverage is a share of n instances"
        )
    truths = [
        gold(name) if gold is not None and has_trace else ()
        for name, has_trace in joined.select(
            "experiment_id", pl.col("reasoning").is_not_null()
        ).iter_rows()
    ]
    return pl.concat(
        [_measured(joined.clear(), []), *in_batches(_measured, joined, truths, processes)]
    )


def _measured(joined: pl.DataFrame, truths: Sequence[Sequence[str]]) -> pl.DataFrame:
    """The coverage of some experiments; a function of its arguments, so that any process may."""
    rows = [
        _row(row, truth) for row, truth in zip(joined.iter_rows(named=True), truths, strict=True)
    ]
    schema = {**{name: joined.schema[name] for name in COORDINATES}, **_MEASURES}
    return pl.DataFrame(rows, schema=schema)


def _row(row: dict[str, object], truth: Sequence[str]) -> dict[str, object]:
    kept = {name: row[name] for name in COORDINATES}
    text = _text(row["reasoning"])
    if text is None:
        return {**kept, "trace": "none"}
    if is_summary(text, _text(row["reasoning_source"]), _whole(row["trace_tokens"])):
        return {**kept, "trace": "summary", "trace_characters": len(text)}
    n = _whole(row["n"]) or 0
    labels = row["labels"] if isinstance(row["labels"], list) else []
    reading = read_trace(text, n, labels)
    return {
        **kept,
        "trace": "trace",
        "trace_characters": len(text),
        "mentioned": len(reading.mentioned),
        "coverage": len(reading.mentioned) / n,
        "named": len(reading.named),
        "strict_coverage": len(reading.named) / n,
        "ranged": len(reading.ranged),
        "range_coverage": len(reading.ranged) / n,
        "stopped_at": reading.stopped_at,
        "trace_class": classify_trace(
            text,
            reading.named,
            n,
            reading.stopped_at,
            boundaries=block_boundaries(str(row["pattern"]), n, float(str(row["p"]))),
            cut=was_cut(_text(row["reply_finish"])),
            tokens=_whole(row["reply_tokens"]),
            output_budget=_whole(row["output_budget"]),
        ),
        "mentioned_ids": sorted(reading.mentioned),
        "named_ids": sorted(reading.named),
        **_agreement(reading, truth),
    }


def _agreement(reading: TraceReading, truth: Sequence[str]) -> dict[str, object]:
    if len(truth) != reading.n:
        return {}
    ids = sorted(reading.stated)
    right = [reading.stated[one] == truth[one - 1] for one in ids]
    return {
        "stated": len(ids),
        "agreed": sum(right),
        "fails_from": fails_from(ids, right),
        "stated_ids": ids,
        "stated_right": right,
    }


def fails_from(ids: Sequence[int], right: Sequence[bool]) -> int | None:
    """Where the stated labels start to fail.

    Args:
        ids: Ids with a stated label, ascending.
        right: Whether each is the gold label.

    Returns:
        The first id of the first 20 consecutive stated ids of which fewer than 75% agree, or None.
    """
    agreeing = sum(right[:_WINDOW])
    for start in range(len(ids) - _WINDOW + 1):
        if start:
            agreeing += right[start + _WINDOW - 1] - right[start - 1]
        if agreeing < _FAILING * _WINDOW:
            return ids[start]
    return None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _whole(value: object) -> int | None:
    return value if isinstance(value, int) else None
