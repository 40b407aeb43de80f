"""The solver: up to three attempts, the first valid output kept (3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.design import Experiment
from evenhand.errors import UsageError
from evenhand.inspecting._record import ATTEMPTS, Attempt, from_generations, judge_attempt
from evenhand.models import ContextOverflowError, GenerationSettings
from evenhand.models._inspect import InspectModel, to_inspect
from evenhand.prompts import messages_sha256
from evenhand.results import VALID_OUTCOMES
from evenhand.running import Workload

if TYPE_CHECKING:
    from inspect_ai.solver import Generate, Solver, TaskState


def attempts_solver(workload: Workload, max_attempts: int) -> Solver:
    """Ask each experiment until an output is valid, at most ``max_attempts`` times.

    ``invalid_input`` ends it at once. Every attempt is kept in the sample's metadata. Failures of
    the server are Inspect's to retry, by its own settings.

    Raises:
        UsageError: If ``max_attempts`` is below 1.
    """
    from inspect_ai.model import get_model
    from inspect_ai.solver import solver

    if max_attempts < 1:
        raise UsageError(f"max_attempts = {max_attempts}: use 1 or more")
    experiments = {experiment.id: experiment for experiment in workload.experiments}

    @solver(name="evenhand/attempts")
    def attempts() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            experiment = experiments[str(state.sample_id)]
            model = InspectModel(get_model(), str(state.model))
            made: list[Attempt] = []
            for _ in range(max_attempts):
                made.append(await _attempt(model, workload, experiment))
                labels = workload.labels(experiment)
                outcome, _judged = judge_attempt(made[-1], labels, experiment.majority_label)
                if outcome in VALID_OUTCOMES or outcome == "invalid_input":
                    break
            state.metadata[ATTEMPTS] = [attempt.stored() for attempt in made]
            _show(state, made[-1])
            return state

        return solve

    return attempts()


async def _attempt(model: InspectModel, workload: Workload, experiment: Experiment) -> Attempt:
    settings = GenerationSettings(output_budget=experiment.output_budget, seed=experiment.repeat)
    first, instruction, stages = workload.first_stage(experiment), None, []
    messages = first or workload.prompt(experiment).messages
    try:
        if first is not None:
            stages.append(await model.generate(first, settings))
            instruction = stages[0].text
            if not instruction.strip() or stages[0].finish_reason == "length":
                return from_generations(stages, prompt_sha256=messages_sha256(first))
            messages = workload.prompt(experiment, instruction).messages
        stages.append(await model.generate(messages, settings))
    except ContextOverflowError as error:
        return Attempt(
            text=None,
            prompt_sha256=messages_sha256(messages),
            instruction=instruction,
            error=str(error),
        )
    return from_generations(
        stages, prompt_sha256=messages_sha256(messages), instruction=instruction
    )


def _show(state: TaskState, attempt: Attempt) -> None:
    """Leave the deciding reply where Inspect's viewer looks for it."""
    from inspect_ai.model import ModelOutput

    from evenhand.prompts import Message

    text = attempt.text or ""
    state.messages.append(to_inspect(Message("assistant", text)))
    state.output = ModelOutput.from_content(model=str(state.model), content=text)
