"""One attempt of one experiment: one call, or two for the ``self`` variant, and its outcome."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from evenhand.design import Experiment
from evenhand.errors import EvenhandError
from evenhand.models import AnswerMode, Generation, GenerationSettings
from evenhand.outcomes import Judgement, judge, judge_forced
from evenhand.prompts import Message, messages_sha256
from evenhand.running._call import Caller, FaultLog, Reply
from evenhand.running._judging import JudgesReplies, WantsSchema
from evenhand.running._options import RunOptions
from evenhand.running._records import (
    ANSWERING_STAGE,
    INSTRUCTION_STAGE,
    AttemptOutcome,
    AttemptRecord,
)
from evenhand.running._store import RunStore
from evenhand.running._workload import Work, messages_of

Save = Callable[[AttemptRecord], None]
Fault = Callable[[Experiment, Exception, float | None], None]


@dataclass(frozen=True, slots=True)
class Attempter:
    """Makes attempts; everything that finishes goes to ``save`` before anything else begins.

    Attributes:
        work: What to ask.
        planned: Experiment id to planned hash.
        caller: Whom to ask.
        store: Where instructions of earlier runs are found.
        options: How to ask.
        save: Stores one finished call.
        fault: Told of every failed call that is tried again.
        locks: One lock a cached instruction, so that it is asked for once.
    """

    work: Work
    planned: Mapping[str, str]
    caller: Caller
    store: RunStore
    options: RunOptions
    save: Save
    fault: Fault
    locks: dict[tuple[str, int, str, int], asyncio.Lock]

    async def attempt(self, experiment: Experiment, number: int) -> AttemptRecord:
        """Make one attempt.

        Returns:
            The record of its last call, stored: the answering one, or a first stage that gave
            no instruction.

        Raises:
            Stopped: If the run ends first.
            ModelError: If the server refuses the key, the model or a parameter.
        """
        instruction = None
        first = self.work.first_stage(experiment)
        if first is not None:
            found = await self._instruction(experiment, number, first)
            if isinstance(found, AttemptRecord):
                return found
            instruction = found
        messages = messages_of(self.work, experiment, instruction)
        sha = messages_sha256(messages)
        if first is None and sha != self.planned[experiment.id]:
            raise EvenhandError(f"{experiment.id}: the prompt is not the one that was planned")
        mode = self.options.answer_mode
        reply = await self.caller.call(
            messages, self._settings(experiment, mode), self._log(experiment)
        )
        record = _record(
            experiment,
            number,
            ANSWERING_STAGE,
            sha,
            reply,
            lambda generation: self._judge(experiment, generation),
            instruction,
        )
        self.save(record)
        return record

    async def _instruction(
        self, experiment: Experiment, number: int, messages: tuple[Message, ...]
    ) -> str | AttemptRecord:
        """The instruction to use, or the record of the call that failed to give one."""
        if not self.options.cache_instruction:
            return await self._own_instruction(experiment, number, messages)
        key = (experiment.task, experiment.n, experiment.variant, experiment.output_budget)
        async with self.locks.setdefault(key, asyncio.Lock()):
            cached = self.store.any_instruction(*key)
            if cached is not None:
                return cached
            return await self._own_instruction(experiment, number, messages)

    async def _own_instruction(
        self, experiment: Experiment, number: int, messages: tuple[Message, ...]
    ) -> str | AttemptRecord:
        stored = self.store.instruction(experiment.id, number)
        if stored is not None:
            return stored
        reply = await self.caller.call(
            messages, self._settings(experiment, "generate"), self._log(experiment)
        )
        record = _record(
            experiment,
            number,
            INSTRUCTION_STAGE,
            messages_sha256(messages),
            reply,
            lambda generation: self._judge_instruction(experiment, generation),
            None,
        )
        self.save(record)
        return record if record.text is None or record.outcome != "instruction" else record.text

    def _judge(
        self, experiment: Experiment, generation: Generation
    ) -> tuple[AttemptOutcome, Judgement]:
        if isinstance(self.work, JudgesReplies):
            judgement = self.work.judge(experiment, generation)
        elif self.options.answer_mode == "forced":
            if generation.forced is None:
                raise EvenhandError(
                    f"{experiment.id}: the model gave no forced choice: use --answer generate"
                )
            judgement = judge_forced(generation.forced.label, experiment.majority_label)
        else:
            judgement = judge(
                generation.text,
                self.work.labels(experiment),
                experiment.majority_label,
                finish_reason=generation.finish_reason,
                output_tokens=generation.usage.output_tokens,
                output_budget=experiment.output_budget,
            )
        return judgement.outcome, judgement

    def _judge_instruction(
        self, experiment: Experiment, generation: Generation
    ) -> tuple[AttemptOutcome, Judgement]:
        """An instruction may say anything, but it must be there and be whole."""
        empty = judge(
            "",
            self.work.labels(experiment),
            experiment.majority_label,
            finish_reason=generation.finish_reason,
            output_tokens=generation.usage.output_tokens,
            output_budget=experiment.output_budget,
        )
        if empty.outcome == "overlong" or not generation.text.strip():
            return empty.outcome, empty
        return "instruction", empty

    def _settings(self, experiment: Experiment, mode: AnswerMode) -> GenerationSettings:
        return GenerationSettings(
            output_budget=experiment.output_budget,
            temperature=self.options.temperature,
            answer_mode=mode,
            labels=self.work.labels(experiment) if mode == "forced" else None,
            seed=experiment.repeat,
            json_schema=self._schema(experiment) if mode == "generate" else None,
        )

    def _schema(self, experiment: Experiment) -> Mapping[str, Any] | None:
        return self.work.schema(experiment) if isinstance(self.work, WantsSchema) else None

    def _log(self, experiment: Experiment) -> FaultLog:
        def log(error: Exception, retry_after: float | None) -> None:
            self.fault(experiment, error, retry_after)

        return log


def _record(
    experiment: Experiment,
    number: int,
    stage: int,
    sha: str,
    reply: Reply,
    judge_reply: Callable[[Generation], tuple[AttemptOutcome, Judgement]],
    instruction: str | None,
) -> AttemptRecord:
    counted = None if reply.count is None else reply.count.tokens
    exactly = None if reply.count is None else reply.count.exact
    generation = reply.generation
    if generation is None:
        return AttemptRecord(
            experiment_id=experiment.id,
            attempt=number,
            stage=stage,
            outcome="invalid_input",
            prompt_sha256=sha,
            counted_tokens=counted,
            counted_exactly=exactly,
            cost_usd=reply.cost_usd,
            instruction=instruction,
            error=reply.overflow,
        )
    outcome, judgement = judge_reply(generation)
    return AttemptRecord(
        experiment_id=experiment.id,
        attempt=number,
        stage=stage,
        outcome=outcome,
        prompt_sha256=sha,
        predicted=judgement.predicted,
        lenient=judgement.lenient,
        reason=None if outcome == "instruction" else judgement.reason,
        text=generation.text,
        reasoning=generation.reasoning,
        reasoning_source=generation.reasoning_source,
        finish_reason=generation.finish_reason,
        forced=generation.forced,
        counted_tokens=counted,
        counted_exactly=exactly,
        usage=generation.usage,
        cost_usd=reply.cost_usd,
        latency_s=generation.latency_s,
        upstream=generation.upstream,
        parameters=generation.parameters,
        instruction=instruction,
        settles=reply.settles,
    )
