"""Replays over a Ray cluster: one actor a GPU, or a CPU slot, that holds the model."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from evenhand.attribution._work import Job, Options, Outcome
from evenhand.errors import EvenhandError, UsageError

if TYPE_CHECKING:
    from evenhand.attribution._replayer import Replayer

MOST_LOSSES = 3
"""Times that one replay may lose its worker before the call gives up."""


def replay_on_ray(
    address: str,
    model: str,
    dtype: str | None,
    device: str | None,
    jobs: Iterable[Job],
    options: Options,
    *,
    workers: int | None = None,
) -> Iterator[Outcome]:
    """Replay on every worker of a cluster; a worker that dies is replaced, its replay done again.

    Args:
        address: ``auto``, ``local`` or a cluster's address.
        model: As for :func:`evenhand.attribution.attribute`, loaded by each worker.
        dtype: Likewise.
        device: Likewise.
        jobs: What to replay.
        options: How.
        workers: Actors; None is one for each GPU, or for each CPU where there is none.

    Yields:
        Outcomes as they come; the caller stores them.

    Raises:
        UsageError: If Ray is not installed or the cluster is not there.
        EvenhandError: If a replay lost its worker several times.
    """
    ray = _connected(address)
    resources = ray.cluster_resources()
    gpus = int(resources.get("GPU", 0))
    count = workers or gpus or max(1, int(resources.get("CPU", 1)))
    actor = ray.remote(num_gpus=1 if gpus else 0, num_cpus=1)(Worker)

    def start() -> Any:
        # Workers without a GPU may all share one machine's memory.
        return actor.remote(model, dtype, device, options, 1 if gpus else count)

    lost = (
        ray.exceptions.RayActorError,
        ray.exceptions.WorkerCrashedError,
        ray.exceptions.OutOfMemoryError,
    )
    waiting = iter(jobs)
    busy: dict[Any, tuple[Any, Job, int]] = {}
    try:
        for job in itertools.islice(waiting, count):
            worker = start()
            busy[worker.replay.remote(job)] = (worker, job, 0)
        while busy:
            [ready], _ = ray.wait(list(busy), num_returns=1)
            worker, job, losses = busy.pop(ready)
            try:
                outcome = ray.get(ready)
            except ray.exceptions.RayTaskError as error:
                cause = error.cause
                raise cause if isinstance(cause, EvenhandError) else error from None
            except lost:
                if losses + 1 >= MOST_LOSSES:
                    raise EvenhandError(
                        f"{job.experiment_id} lost its worker {MOST_LOSSES} times, out of memory "
                        "perhaps: use --max-tokens, or fewer workers a machine"
                    ) from None
                worker = start()
                busy[worker.replay.remote(job)] = (worker, job, losses + 1)
                continue
            following = next(waiting, None)
            if following is not None:
                busy[worker.replay.remote(following)] = (worker, following, 0)
            yield outcome
    finally:
        for worker, _, _ in busy.values():
            ray.kill(worker)


class Worker:
    """Holds the model on one machine of the cluster."""

    def __init__(
        self, model: str, dtype: str | None, device: str | None, options: Options, sharers: int
    ) -> None:
        """Note what to load; arguments as for :func:`replay_on_ray`."""
        self._source = model, dtype, device
        self._options = options
        self._sharers = sharers
        self._replayer: Replayer | None = None

    def replay(self, job: Job) -> Outcome:
        """Replay one generation, in the way that fits this machine.

        The first call loads the model: an error then has its own words, and is not taken for a
        worker that died.
        """
        from evenhand.attribution._replayer import Replayer
        from evenhand.models._local import load_local

        if self._replayer is None:
            runtime, window = load_local(*self._source)
            self._replayer = Replayer(runtime, window, self._options, sharers=self._sharers)
        return self._replayer.replay(job)


def _connected(address: str) -> Any:
    try:
        import ray
    except ModuleNotFoundError:
        raise UsageError("--ray needs the package ray: run: pip install 'evenhand[ray]'") from None
    if not ray.is_initialized():
        # A cluster that starts here would report its use to Ray's makers unless told otherwise.
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        try:
            ray.init(address=address, log_to_driver=False, include_dashboard=False)
        except (ConnectionError, ValueError) as error:
            raise UsageError(f"no Ray cluster at {address!r}: {error}") from None
    return ray
