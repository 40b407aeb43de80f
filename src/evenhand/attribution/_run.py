"""Replay every generation of a run that can be, and go on where a stopped one was."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from evenhand.attribution._forecast import Forecast, calibrate, free_bytes, peak_bytes
from evenhand.attribution._read import FOLDER, attributions, write_table
from evenhand.attribution._replay import Stored
from evenhand.attribution._replayer import Replayer
from evenhand.attribution._store import ReplayStore
from evenhand.attribution._work import Job, Options, Outcome
from evenhand.errors import UsageError
from evenhand.models._local import load_local
from evenhand.results import arrangement, attempts, pending, results
from evenhand.running import RunStore
from evenhand.running._lock import locked

DEFINITION = "F.1, instance texts only"
"""What is computed; a store of another definition is not gone on with."""
_LONGEST = 5
"""Prompts of a task that are tokenised to find its longest."""


@dataclass(frozen=True, slots=True)
class AttributionSummary:
    """What a call of :func:`attribute` left behind.

    Attributes:
        folder: Where the replays are.
        replayed: Replays with an attribution, earlier calls included.
        pending: Replays that are still to be done.
        left_out: Why experiments have no attribution, and how many.
        straddling: Tokens, over all replays, that belong to no instance.
        agreeing: Replays in which the model finds the label that was answered the likelier one.
        answered_by: The run's model.
    """

    folder: Path
    replayed: int
    pending: int
    left_out: dict[str, int] = field(default_factory=dict)
    straddling: int = 0

    agreeing: int = 0
    answered_by: str = ""

    @property
    def exit_code(self) -> int:
        """3 while something is pending, 1 where nothing could be attributed, else 0."""
        return 3 if self.pending else 0 if self.replayed else 1


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
    wanted, left_out = wanted_of(run)
    if not wanted:
        raise UsageError(f"{run} holds no valid answer with one of the two labels to replay")
    settings = {"run": _identity(run), "model": model, "definition": DEFINITION}
    if dtype not in (None, "auto"):
        settings["dtype"] = dtype
    with locked(folder), ReplayStore(folder, write=True) as store:
        store.agree(settings)
        done = store.done(options.max_tokens)
        todo = [one for one in wanted if one not in done][:limit]
        if todo:
            if ray is None:
                made = _here(model, dtype, device, run, todo, options, on_forecast)
            else:
                from evenhand.attribution._ray import replay_on_ray

                made = replay_on_ray(ray, model, dtype, device, _jobs(run, todo), options)
            for number, outcome in enumerate(made, start=1):
                if outcome.dtype is not None and settings.get("dtype") != outcome.dtype:
                    # By default it is the machine's; one folder holds one.
                    settings["dtype"] = outcome.dtype
                    store.agree(settings)
                store.save(outcome)
                if on_replay is not None:
                    on_replay(number, len(todo))
        done = store.done(options.max_tokens)
    frame = attributions(run, folder)
    write_table(frame, folder / "attribution.parquet")
    refused = Counter(frame["reason"].drop_nulls().to_list())
    return AttributionSummary(
        folder=folder,
        replayed=frame.filter(pl.col("reason").is_null()).height,
        pending=sum(one not in done for one in wanted),
        left_out=dict(left_out + refused),
        straddling=int(frame["straddling"].sum() or 0),
        agreeing=int(frame["agrees"].sum() or 0),
        answered_by=", ".join(sorted(set(frame["model"]))),
    )


def wanted_of(run: Path) -> tuple[list[str], Counter[str]]:
    """Experiments whose answer is one of the two labels, and why the others are left out."""
    wanted, left_out = [], Counter[str]()
    for row in results(run).iter_rows(named=True):
        if not row["valid"]:
            left_out[f"no valid answer ({row['outcome']})"] += 1
        elif row["predicted"] not in row["labels"]:
            left_out["a tie"] += 1
        else:
            wanted.append(row["experiment_id"])
    if waiting := pending(run).height:
        left_out["no answer yet: the run is unfinished"] = waiting
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
            golds=shown.labels or (None,) * len(shown.spans),
            majority_label=row["majority_label"],
        )


def _here(
    model: str,
    dtype: str | None,
    device: str | None,
    run: Path,
    ids: Sequence[str],
    options: Options,
    on_forecast: Callable[[Forecast, int], None] | None,
) -> Iterator[Outcome]:
    """Replay in this process, after making sure that the longest fits."""
    replayer = Replayer(*load_local(model, dtype, device), options)
    longest = max(map(replayer.tokens, _jobs(run, _long_ones(run, ids))), default=0)
    if longest:
        replayer.fit(longest)
        if on_forecast is not None:
            way = replayer.options
            seconds = calibrate(replayer.model, way).seconds(longest)
            peak = peak_bytes(replayer.shape, longest, way.memory, way.chunk)
            on_forecast(Forecast(longest, peak, seconds, free_bytes(replayer.model)), len(ids))
    for job in _jobs(run, ids):
        yield replayer.replay(job)


def _long_ones(run: Path, ids: Sequence[str]) -> list[str]:
    """Experiments among which the longest replay is.

    How many tokens a record takes depends on the task, so the longest prompts of each are looked
    at: those that took the most input, or, where that is not told apart, all.
    """
    input_tokens = pl.col("input_tokens") / pl.col("attempts").clip(1)
    frame = results(run).filter(pl.col("experiment_id").is_in(ids)).with_columns(input_tokens)
    long = frame.filter(2 * pl.col("n") >= pl.col("n").max())
    found: list[str] = []
    for _, group in long.group_by("task", "variant", maintain_order=True):
        told = group["input_tokens"].null_count() == 0 and group["input_tokens"].n_unique() > 1
        ranked = group.sort("input_tokens", descending=True, nulls_last=True)
        found += (ranked.head(_LONGEST) if told else ranked)["experiment_id"].to_list()
    return found
