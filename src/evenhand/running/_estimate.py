"""What a run will take, before a cent is spent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from evenhand.design import Experiment
from evenhand.models import Model
from evenhand.running._money import price_of
from evenhand.running._options import RunOptions
from evenhand.running._ordering import order_for_prefix_sharing
from evenhand.running._store import DATABASE_NAME, RunStore
from evenhand.running._workload import Work, messages_of

SAMPLE = 3
"""Prompts counted for each task, variant and n; the others are taken to be as dense."""
GUESSED_OUTPUT = 2_000
FORCED_OUTPUT = 1
GUESSED_INSTRUCTION = 400


@dataclass(frozen=True, slots=True)
class Estimate:
    """What the experiments still to be run will take.

    Attributes:
        experiments: Experiments to run.
        calls: Calls, one attempt each (two calls for ``self``).
        worst_calls: Calls when every experiment needs every attempt.
        input_tokens: Prompt tokens, one attempt each.
        counted_exactly: Whether the model's own tokenizer counted (a sample of) the prompts.
        shared_tokens: Of these, tokens that a prompt has in common with the one before it.
        too_long: Experiments whose prompt does not fit the window: ``invalid_input``, unpaid.
        expected_output_tokens: Output tokens, one attempt each, at ``output_basis`` a call.
        output_basis: Tokens a reply is expected to have, and where that comes from.
        worst_output_tokens: Output tokens when every attempt uses up its budget.
        expected_cost_usd: Dollars for the expected tokens, nothing cached; None when the price
            is unknown.
        worst_cost_usd: Dollars when every attempt is needed and uses up its budget.
        spent_usd: Dollars that the run folder has cost before; None when any part is unknown.
    """

    experiments: int
    calls: int
    worst_calls: int
    input_tokens: int
    counted_exactly: bool
    shared_tokens: int
    too_long: int
    expected_output_tokens: int
    output_basis: str
    worst_output_tokens: int
    expected_cost_usd: float | None
    worst_cost_usd: float | None
    spent_usd: float | None


def estimate(
    workload: Work,
    model: Model,
    options: RunOptions | None = None,
    *,
    out: Path | str | None = None,
) -> Estimate:
    """Count what a run will do. Nothing is called and nothing is written.

    Args:
        workload: What to run.
        model: Whom to ask; its tokenizer, window and price are looked at.
        options: How to run.
        out: The run folder; experiments that it already holds are left out, and its replies say
            how long a reply is expected to be.
    """
    options = options or RunOptions()
    done: set[str] = set()
    spent: float | None = 0.0
    expected, basis = _guess(options)
    if out is not None and (Path(out) / DATABASE_NAME).is_file():
        with RunStore(Path(out)) as store:
            pending = {experiment.id for experiment in store.pending()}
            done = {e.id for e in workload.experiments} - pending
            totals = store.totals()
            spent = None if totals.unpriced else totals.cost_usd
            if totals.calls and totals.output_tokens:
                expected = totals.output_tokens / totals.calls
                basis = f"{expected:,.0f} a call, the mean of {totals.calls:,} finished calls"
    todo = order_for_prefix_sharing(e for e in workload.experiments if e.id not in done)
    density = _Density(workload, model)
    sizes = [density.tokens(experiment) for experiment in todo]
    window = model.context_window
    fits = [
        (experiment, size)
        for experiment, size in zip(todo, sizes, strict=True)
        if window is None or size <= window
    ]
    stages = [2 if e.base_variant == "self" else 1 for e, _ in fits]
    calls, input_tokens = sum(stages), sum(size for _, size in fits)
    worst_output = options.max_attempts * sum(
        count * (FORCED_OUTPUT if options.answer_mode == "forced" else e.output_budget)
        for count, (e, _) in zip(stages, fits, strict=True)
    )
    expected_output = round(
        sum(
            count * min(expected, e.output_budget)
            for count, (e, _) in zip(stages, fits, strict=True)
        )
    )
    return Estimate(
        experiments=len(todo),
        calls=calls,
        worst_calls=calls * options.max_attempts,
        input_tokens=input_tokens,
        counted_exactly=density.exact,
        shared_tokens=_shared(workload, [e for e, _ in fits], density),
        too_long=len(todo) - len(fits),
        expected_output_tokens=expected_output,
        output_basis=basis,
        worst_output_tokens=worst_output,
        expected_cost_usd=_cost(model, input_tokens, expected_output),
        worst_cost_usd=_cost(model, input_tokens * options.max_attempts, worst_output),
        spent_usd=spent,
    )


def _guess(options: RunOptions) -> tuple[float, str]:
    if options.answer_mode == "forced":
        return FORCED_OUTPUT, "1 a call, a forced choice writes nothing"
    return GUESSED_OUTPUT, f"{GUESSED_OUTPUT:,} a call, a guess until calls have finished"


def _cost(model: Model, input_tokens: int, output_tokens: int) -> float | None:
    price = price_of(model)
    if price is None or price.input is None or price.output is None:
        return None
    return (input_tokens * price.input + output_tokens * price.output) / 1_000_000


class _Density:
    """Tokens a character, measured on a few prompts of each kind."""

    def __init__(self, work: Work, model: Model) -> None:
        self._work = work
        self._model = model
        self._measured: dict[tuple[str, str, int], list[tuple[int, int]]] = {}
        self.exact = True

    def tokens(self, experiment: Experiment) -> int:
        """Prompt tokens of one attempt of an experiment, both stages together."""
        kind = (experiment.task, experiment.variant, experiment.n)
        counts = self._measured.setdefault(kind, [])
        characters = self._work.characters(experiment)
        if len(counts) < SAMPLE:
            count = self._count(experiment)
            counts.append((count, characters))
            return count
        return round(characters * self.a_character(experiment))

    def a_character(self, experiment: Experiment) -> float:
        """Tokens a character of prompts of this kind, once one was counted."""
        counts = self._measured[experiment.task, experiment.variant, experiment.n]
        return sum(count for count, _ in counts) / sum(size for _, size in counts)

    def _count(self, experiment: Experiment) -> int:
        first = self._work.first_stage(experiment)
        instruction = None if first is None else ""
        count = self._model.count_tokens(messages_of(self._work, experiment, instruction))
        self.exact = self.exact and count.exact and first is None
        if first is None:
            return count.tokens
        return count.tokens + self._model.count_tokens(first).tokens + GUESSED_INSTRUCTION


def _shared(work: Work, ordered: Sequence[Experiment], density: _Density) -> int:
    return round(
        sum(
            work.shared_characters(one, other) * density.a_character(other)
            for one, other in pairwise(ordered)
            if (one.task, one.variant) == (other.task, other.variant)
        )
    )
