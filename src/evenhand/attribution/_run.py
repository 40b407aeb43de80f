"""Replay every generation of a run that can be, and go on where a stopped one was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from evenhand.attribution._forecast import (
    Forecast,
    calibrate,
    choose_memory,
    free_bytes,
    peak_bytes,
)
from evenhand.attribution._gradient import freeze
from evenhand.attribution._read import FOLDER, attributions, write_table
from evenhand.attribution._replay import NotReplayableError, Stored, prepare
from evenhand.attribution._store import ReplayStore
from evenhand.attribution._work import Job, Options, Outcome, replay
from evenhand.errors import UsageError
from evenhand.models._local import load_local
from evenhand.results import arrangement, attempts, results
from evenhand.running import RunStore
from evenhand.running._lock import locked

if TYPE_CHECKING:
    from evenhand.models._local import Runtime

DEFINITION = "F.1, instance texts only"
"""What is computed; a store of another definition is not gone on with."""


@dataclass(frozen=True, slots=True)
class AttributionSummary:
    """What a call of :func:`attribute` left behind.

    Attributes:
        folder: Where the replays are.
        replayed: Replays with an attribution, earlier calls included.
        pending: Replays that are still to be done.
        left_out: Why experiments have no attribution, and how many.
        straddling: Tokens, over all replays, that belong to no instance.
    """

    folder: Path
    replayed: int
    pending: int
    left_out: dict[str, int] = field(default_factory=dict)
    straddling: int = 0

    @property
    def exit_code(self) -> int:
        """3 while something is pending, else 0."""
        return 3 if self.pending else 0


def attribute(
    run: Path | str,
    model: str,
    *,
    out: Path | None = None,
    dtype: str | None = None,
    device: str | None = None,
    options: Options | None = None,
    limit: int | None = None,
    ray: str | None = None,
    on_forecast: Callable[[Forecast, int], None] | None = None,
    on_replay: Callable[[int, int], None] | None = None,
) -> AttributionSummary:
    """Attribute every valid answer of a run to its instances (5.2.1, F.1).

    Each finished replay is stored at once; the same call goes on after a stop. The numbers also go
    into ``attribution.parquet``.

    Args:
        run: The run folder.
        model: ``hf/MODEL`` or ``local/NAME``: the weights that wrote the answers, whatever served
            them.
        out: Folder of the replays; None is ``attribution`` in the run folder.
        dtype: As for models in this process.
        device: Likewise.
        options: How replays are computed.
        limit: Replays to do in this call; None does all.
        ray: ``auto`` or an address spreads the replays over a Ray cluster.
        on_forecast: Told what the longest replay will take, and how many there are, before any.
        on_replay: Told after each how many are done, of how many.

    Returns:
        What is done, left out and pending.

    Raises:
        UsageError: If the run or the model cannot be used, or a replay would not fit.
        EvenhandError: If the model gives no finite numbers.
    """
    run, folder = Path(run), out or Path(run) / FOLDER
    options = options or Options()
    with locked(folder), ReplayStore(folder, write=True) as store:
        wanted, left_out = _wanted(run)
        if not wanted:
            raise UsageError(f"{run} holds no valid answer with one of the two labels to replay")
        settings = {"run": _identity(run), "model": model, "dtype": dtype or "default"}
        store.agree({**settings, "definition": DEFINITION})
        todo = [one for one in wanted if one not in store.done()][:limit]
        if todo:
            jobs = _jobs(run, todo)
            if ray is None:
                made = _here(model, dtype, device, jobs, options, on_forecast)
            else:
                from evenhand.attribution._ray import replay_on_ray

                made = replay_on_ray(ray, model, dtype, device, jobs, options)
            for number, outcome in enumerate(made, start=1):
                store.save(outcome)
                if on_replay is not None:
                    on_replay(number, len(todo))
        done = store.done()
    frame = attributions(run, folder)
    write_table(frame, folder / "attribution.parquet")
    refused = Counter(frame["reason"].drop_nulls().to_list())
    return AttributionSummary(
        folder=folder,
        replayed=frame.filter(pl.col("reason").is_null()).height,
        pending=sum(one not in done for one in wanted),
        left_out=dict(left_out + refused),
        straddling=int(frame["straddling"].sum() or 0),
    )


def _wanted(run: Path) -> tuple[list[str], Counter[str]]:
    """Experiments whose answer is one of the two labels, and why the others are left out."""
    wanted, left_out = [], Counter[str]()
    for row in results(run).iter_rows(named=True):
        if not row["valid"]:
            left_out[f"no valid answer ({row['outcome']})"] += 1
        elif row["predicted"] not in row["labels"]:
            left_out["a tie"] += 1
        else:
            wanted.append(row["experiment_id"])
    return wanted, left_out


def _identity(run: Path) -> str:
    """The plan that a store belongs to, by its first experiment and its prompt."""
    with RunStore(run) as store:
        experiment, sha = store.planned()[0]
    return f"{experiment.id} {sha}"


def _jobs(run: Path, ids: Sequence[str]) -> Iterator[Job]:
    """What to replay, made again from the run folder one by one."""
    rows = {row["experiment_id"]: row for row in results(run).iter_rows(named=True)}
    deciding = attempts(run).filter(pl.col("decides"))
    replies = {row["experiment_id"]: row for row in deciding.iter_rows(named=True)}
    for one in ids:
        row, reply = rows[one], replies[one]
        shown = arrangement(run, one)
        first, second = row["labels"]
        yield Job(
            experiment_id=one,
            stored=Stored(
                messages=shown.messages,
                spans=shown.spans,
                labels=(first, second),
                selected=row["predicted"],
                forced=row["answer_mode"] == "forced",
                text=reply["text"] or "",
                reasoning=reply["reasoning"],
            ),
            golds=shown.labels,
            majority_label=row["majority_label"],
        )


def _here(
    model: str,
    dtype: str | None,
    device: str | None,
    jobs: Iterable[Job],
    options: Options,
    on_forecast: Callable[[Forecast, int], None] | None,
) -> Iterator[Outcome]:
    """Replay in this process, after making sure that the longest fits."""
    listed = list(jobs)
    runtime, window = load_local(model, dtype, device)
    freeze(runtime.model)
    options = within(options, window)
    longest = _longest(runtime, listed, options)
    if longest:
        options = choose_memory(runtime.model, longest, options)
        if on_forecast is not None:
            seconds = calibrate(runtime.model, options).seconds(longest)
            peak = peak_bytes(runtime.model, longest, options.memory, options.chunk)
            free = free_bytes(runtime.model)
            on_forecast(Forecast(longest, peak, seconds, free), len(listed))
    for job in listed:
        yield replay(runtime.model, runtime.tokenizer, job, options)


def within(options: Options, window: int | None) -> Options:
    """Options that leave out what the model's positions do not reach."""
    limits = [limit for limit in (options.max_tokens, window) if limit is not None]
    return replace(options, max_tokens=min(limits, default=None))


def _longest(runtime: Runtime, jobs: Sequence[Job], options: Options) -> int:
    """Tokens of the longest replay that will be done, judged by the longest prompts' own tokens."""
    found = 0
    by_length = sorted(jobs, key=lambda job: -_characters(job))
    for job in by_length:
        if _characters(job) < 0.8 * _characters(by_length[0]) and found:
            break
        tokens = tokens_of(runtime, job)
        if tokens and (options.max_tokens is None or tokens <= options.max_tokens):
            found = max(found, tokens)
            if job is not by_length[0] and _characters(job) < 0.98 * _characters(by_length[0]):
                break
    return found


def tokens_of(runtime: Runtime, job: Job) -> int:
    """Tokens of one replay; 0 where it cannot be replayed."""
    try:
        prepared = prepare(runtime.tokenizer, job.stored)
    except NotReplayableError:
        return 0
    return len(prepared.replay.prefix) + sum(map(len, prepared.replay.labels))


def _characters(job: Job) -> int:
    return sum(len(message.content) for message in job.stored.messages) + len(job.stored.text)
