"""Inspect's logs as the results table."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl

from evenhand.design import AXES
from evenhand.errors import UsageError
from evenhand.inspecting._record import ATTEMPTS, Attempt, decide
from evenhand.results import RESULTS_SCHEMA, parameters_sha256

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog, EvalSample


def read_inspect_log(path: Path | str) -> pl.DataFrame:
    """The results table of a log that ``inspect eval evenhand/…`` wrote, one row an experiment.

    Every attempt's text is judged again, so that the same text has the same outcome as in a run
    of this package. Samples that ended in an error have no row: they are pending.

    Args:
        path: A ``.eval`` or ``.json`` log.

    Returns:
        Columns and types of :data:`evenhand.results.RESULTS_SCHEMA`.

    Raises:
        UsageError: If Inspect is not installed, the file cannot be read, or the log is not one of
            these tasks.
    """
    log = _read(Path(path))
    if not (log.eval.metadata or {}).get("evenhand_setting"):
        raise UsageError(
            f"{path} is a log of the task {log.eval.task!r}: only logs of evenhand/… tasks can "
            "be imported"
        )
    rows = [_row(sample, log.eval.model) for sample in _answered(log.samples or ())]
    return pl.DataFrame(rows, schema=dict(RESULTS_SCHEMA))


def _read(path: Path) -> EvalLog:
    try:
        from inspect_ai.log import read_eval_log
    except ImportError:
        raise UsageError("reading a log needs Inspect: pip install 'evenhand[inspect]'") from None
    if not path.is_file():
        raise UsageError(f"there is no log at {path}")
    try:
        return read_eval_log(str(path))
    except Exception as error:  # noqa: BLE001  whatever a damaged file makes the reader do
        told = " ".join(str(error).split())[:200]
    raise UsageError(f"{path} is not a log that Inspect can read: {told}")


def _answered(samples: Iterable[EvalSample]) -> Iterator[EvalSample]:
    for sample in samples:
        if sample.error is None and sample.metadata.get(ATTEMPTS):
            yield sample


def _row(sample: EvalSample, model: str) -> dict[str, Any]:
    told = sample.metadata
    attempts = [Attempt(**stored) for stored in told[ATTEMPTS]]
    decision = decide(attempts, told["labels"], told["majority_label"])
    tried = attempts[: decision.number]
    return {
        "experiment_id": str(sample.id) if sample.epoch == 1 else f"{sample.id}/e{sample.epoch}",
        **{axis: told[axis] for axis in AXES},
        "p": float(told["p"]),
        "model": f"inspect/{model}",
        "answer_mode": "generate",
        "outcome": decision.outcome,
        "predicted": decision.predicted,
        "valid": decision.valid,
        "correct": decision.outcome == "correct",
        "lenient": decision.lenient,
        "attempts": decision.number,
        "finish_reason": decision.attempt.finish_reason,
        "input_tokens": _sum(tried, "input_tokens"),
        "output_tokens": _sum(tried, "output_tokens"),
        "reasoning_tokens": _sum(tried, "reasoning_tokens"),
        "cost_usd": _sum(tried, "cost_usd"),
        "latency_s": _sum(tried, "latency_s"),
        "prompt_sha256": decision.attempt.prompt_sha256,
        "labels": told["labels"],
        "parameters_sha256": None
        if decision.attempt.parameters is None
        else parameters_sha256(json.dumps(decision.attempt.parameters)),
        "pool_source": told["pool_source"],
        "pool_filter": told["pool_filter"],
    }


def _sum(attempts: list[Attempt], name: str) -> Any:
    values = [getattr(attempt, name) for attempt in attempts]
    return None if None in values else sum(values)
