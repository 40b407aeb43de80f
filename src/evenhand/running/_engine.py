"""The run engine: from a workload and a model to a run folder in which every outcome is kept."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from evenhand.design import Experiment
from evenhand.errors import EvenhandError
from evenhand.models import Model
from evenhand.running._attempt import Attempter
from evenhand.running._call import Caller
from evenhand.running._connect import refuse_foreign
from evenhand.running._control import Control, Stopped
from evenhand.running._gate import ADAPTIVE_CEILING, ADAPTIVE_START, Gate
from evenhand.running._identity import run_settings
from evenhand.running._interrupt import ending_on_interrupt
from evenhand.running._judging import NamesOutcomes, StopsEarly
from evenhand.running._lock import locked
from evenhand.running._money import Purse, check_limit, price_of
from evenhand.running._open import check_plan, open_run
from evenhand.running._options import RunOptions, RunSummary
from evenhand.running._ordering import order_for_prefix_sharing
from evenhand.running._progress import Progress, Tally, progress_on_stderr
from evenhand.running._reasoning_budgets import reasoning_budgets
from evenhand.running._records import AttemptRecord
from evenhand.running._store import DATABASE_NAME, RunStore
from evenhand.running._workload import Work

FLUSH_INTERVAL_S = 1.0
"""A power cut, unlike the end of the process, loses the replies of this long."""


def run(
    workload: Work, model: Model, out: Path | str, options: RunOptions | None = None
) -> RunSummary:
    """Run a workload, or go on with it, and close the model.

    Everything that finishes is in ``out/run.db`` before the next call of the same experiment
    begins. A run that was killed goes on where it was; no finished call is made again.

    Args:
        workload: A :class:`Workload`, or a table of ready prompts.
        model: Whom to ask. Its connections are closed at the end.
        out: The run folder; made if it is not there.
        options: How to run; the defaults are the paper's.

    Returns:
        What the folder holds, and why the run ended early if it did.

    Raises:
        UsageError: If the folder was begun with something else or is in use, or options clash.
        AccessRefusedError: If the server refuses key, credit, permission or model name.
        ParameterRefusedError: If the server refuses a parameter.
    """

    async def whole() -> RunSummary:
        try:
            return await run_async(workload, model, out, options)
        finally:
            await model.aclose()

    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(whole())
    return _in_a_thread(lambda: asyncio.run(whole()))


async def run_async(
    workload: Work, model: Model, out: Path | str, options: RunOptions | None = None
) -> RunSummary:
    """The same as :func:`run` inside an event loop; the model stays open."""
    options = options or RunOptions()
    folder = Path(out)
    started = time.monotonic()
    check_limit(options.max_cost_usd, price_of(model), model.name)
    # Whatever can be refused before the folder is touched is refused here.
    refuse_foreign(folder / DATABASE_NAME)
    check_plan(workload, folder, options.rerun)
    budgets = reasoning_budgets(model, options.answer_mode, workload)
    planned = {e.id: workload.prompt_sha256(e) for e in workload.experiments}
    with locked(folder), RunStore(folder, write=True) as store:
        open_run(store, workload, planned, run_settings(model, options), rerun=options.rerun)
        if budgets:
            store.note_reasoning_budgets(budgets)
        engine = _Engine(workload, planned, model, store, options)
        await engine.run()
        return engine.summary(time.monotonic() - started)


class _Engine:
    def __init__(
        self,
        work: Work,
        planned: dict[str, str],
        model: Model,
        store: RunStore,
        options: RunOptions,
    ) -> None:
        self._asked = work
        self._store = store
        self._options = options
        self._control = Control()
        ceiling = options.concurrency or ADAPTIVE_CEILING
        if model.max_concurrency is not None:
            ceiling = min(ceiling, model.max_concurrency)
        self._ceiling = ceiling
        self._gate = Gate(
            self._control,
            ceiling=ceiling,
            start=options.concurrency or ADAPTIVE_START,
            backoff_s=options.backoff_s,
            give_up_after_s=options.give_up_after_s,
        )
        totals = store.totals()
        price = price_of(model)
        before = options.spent_before_usd
        names = work.outcome_names if isinstance(work, NamesOutcomes) else None
        self._tally = Tally(totals, options.max_cost_usd, spent_before_usd=before, names=names)
        self._purse = Purse(
            self._control,
            options.max_cost_usd,
            before + totals.cost_usd + totals.unsettled_usd,
            begin=store.begin_call,
            forget=store.forget_call,
        )
        self._attempter = Attempter(
            work=work,
            planned=planned,
            caller=Caller(
                model, control=self._control, gate=self._gate, purse=self._purse, price=price
            ),
            store=store,
            options=options,
            save=self._save,
            fault=self._fault,
            locks={},
        )
        self._made = store.attempts_made()
        self._todo = order_for_prefix_sharing(e for e in store.pending() if e.id in planned)
        self._progress: Progress

    async def run(self) -> None:
        """Run all pending experiments.

        Raises:
            EvenhandError: What ended the run, once the calls in flight are stored.
        """
        with progress_on_stderr(wanted=self._options.progress, tally=self._tally) as progress:
            self._progress = progress
            todo = iter(self._todo)
            workers = [
                asyncio.create_task(self._work(todo))
                for _ in range(min(self._ceiling, len(self._todo)))
            ]
            with ending_on_interrupt(
                self._control, cancel=lambda: _cancel(workers), say=progress.say
            ):
                flusher = asyncio.create_task(self._flush())
                try:
                    await _all_home(workers, self._control)
                finally:
                    _cancel([*workers, flusher])
            progress.show(self._tally)
        if self._control.failure is not None:
            raise self._control.failure
        self._store.flush()

    async def _flush(self) -> None:
        """Bring what was stored to the disk, once a second and off the event loop."""
        while not self._control.ending:
            await asyncio.sleep(FLUSH_INTERVAL_S)
            try:
                await asyncio.to_thread(self._store.flush)
            except EvenhandError as error:
                self._control.fail(error)

    async def _work(self, todo: Iterator[Experiment]) -> None:
        for experiment in todo:
            try:
                await self._experiment(experiment)
            except Stopped:
                return
            if self._control.ending:
                return

    async def _experiment(self, experiment: Experiment) -> None:
        first = self._made.get(experiment.id, 0) + 1
        # Where attempts were lowered below those made, one more decides.
        for number in range(first, max(first, self._options.max_attempts) + 1):
            record = await self._attempter.attempt(experiment, number)
            if self._decides(record):
                self._ask_whether_enough(experiment, record)
                return
            if self._control.ending:
                raise Stopped

    def _ask_whether_enough(self, experiment: Experiment, record: AttemptRecord) -> None:
        if isinstance(self._asked, StopsEarly):
            verdict = self._asked.enough(experiment, record)
            if verdict is not None:
                self._control.end("decided", verdict)

    def _decides(self, record: AttemptRecord) -> bool:
        """The first valid output is kept; a prompt that does not fit will not fit next time."""
        if record.outcome == "instruction":
            return False
        last = record.attempt >= self._options.max_attempts
        return record.valid or record.outcome == "invalid_input" or last

    def _save(self, record: AttemptRecord) -> None:
        decides = self._decides(record)
        self._store.save(record, decides=decides)
        self._tally.add(record, decides=decides)
        self._tally.pause_s = self._gate.paused_s
        self._tally.counted_usd = self._purse.spent
        self._progress.show(self._tally)

    def _fault(self, experiment: Experiment, error: Exception, retry_after: float | None) -> None:
        self._store.fault(experiment.id, error, retry_after)
        self._tally.faults += 1
        self._tally.pause_s = self._gate.paused_s
        self._tally.counted_usd = self._purse.spent
        self._progress.show(self._tally)

    def summary(self, wall_s: float) -> RunSummary:
        """What the folder holds now."""
        totals = self._store.totals()
        return RunSummary(
            experiments=totals.experiments,
            done=totals.done,
            pending=totals.pending,
            outcomes=totals.outcomes,
            calls=totals.calls,
            input_tokens=totals.input_tokens,
            output_tokens=totals.output_tokens,
            cost_usd=None if totals.unpriced else totals.cost_usd,
            faults=self._tally.faults,
            wall_s=wall_s,
            unsettled=totals.unsettled,
            unsettled_usd=totals.unsettled_usd,
            stop=self._control.stop,
            message=self._control.message,
        )


async def _all_home(workers: list[asyncio.Task[None]], control: Control) -> None:
    """Wait for all workers; the first error ends the run, and the others finish their call."""
    waiting: Iterable[asyncio.Task[None]] = workers
    while waiting:
        home, waiting = await asyncio.wait(waiting, return_when=asyncio.FIRST_EXCEPTION)
        for worker in home:
            error = None if worker.cancelled() else worker.exception()
            if isinstance(error, Exception):
                control.fail(error)
            elif error is not None:
                raise error


def _cancel(workers: Iterable[asyncio.Task[None]]) -> None:
    for worker in workers:
        worker.cancel()


def _in_a_thread(work: Callable[[], RunSummary]) -> RunSummary:
    """For callers inside an event loop, such as notebooks: a loop of its own on a thread."""
    with ThreadPoolExecutor(max_workers=1) as pool:
        return pool.submit(work).result()
