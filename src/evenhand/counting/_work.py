"""Batches of records as a workload of the run engine."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from evenhand.counting._prompt import make_nonce, record_ids, render_batch, render_forced
from evenhand.counting._question import Question
from evenhand.counting._records import Places, Records
from evenhand.counting._reply import BatchReply, read_reply
from evenhand.design import Experiment
from evenhand.models import Generation
from evenhand.outcomes import AnswerOutcome, Judgement
from evenhand.pools import Instance
from evenhand.prompts import Message, Prompt, messages_sha256
from evenhand.running import AttemptRecord, Snapshot

Enough = Callable[[int, BatchReply], str | None]

TASK = "records"
MAY_DIFFER = frozenset({"max_attempts"})
"""Settings that change no label that a folder holds."""
MOST_CHOICES = 500
"""Label choices in all that a schema may hold: OpenAI took 500, later 1,000, and Gemini fewer of
long words; a schema that is too large ends in a refused call."""
_OUTCOMES: dict[str, AnswerOutcome] = {
    "labelled": "correct",
    "unresolved": "parsing_issue",
    "refused": "parsing_issue",
    "too long": "overlong",
}
"""How a batch's reply stands in the run store: ``correct`` means that it labels a record."""
_NAMES = {
    "correct": "labelled",
    "parsing_issue": "unreadable",
    "overlong": "cut off",
    "invalid_input": "too long for the model",
}


class BatchWork:
    """A workload of one experiment a batch: ``set_seed`` is the batch's number.

    Args:
        question: What is asked.
        records: All records.
        places: Those to ask about, in the order of asking.
        batch: Records a batch.
        purpose: One word, the ``setting``: ``count``, ``alone``, ``repeat``.
        output_budget: Output tokens allowed a batch.
        forced: Ask for one record each, by label probabilities.
        on_reply: Told the number of every finished batch and what it says; a sentence ends the
            run.
    """

    def __init__(
        self,
        question: Question,
        records: Records,
        places: Places,
        batch: int,
        purpose: str,
        output_budget: int,
        *,
        forced: bool = False,
        on_reply: Enough | None = None,
    ) -> None:
        self.question = question
        self.records = records
        self.places = places
        self.batch = batch
        self.purpose = purpose
        self.forced = forced
        self._on_reply = on_reply
        self.experiments = tuple(
            Experiment(
                setting=purpose,
                task=TASK,
                pool="table",
                n=min(batch, len(places) - number * batch),
                p="1",
                majority_label="none",
                set_seed=number,
                pattern="random",
                order_seed=0,
                variant="standard",
                output_budget=output_budget,
            )
            for number in range(-(-len(places) // batch))
        )

    @property
    def outcome_names(self) -> dict[str, str]:
        """What a batch's outcome is called while it runs: there is no right answer to be met."""
        return _NAMES

    def listening(self, on_reply: Enough) -> BatchWork:
        """The same work with someone who is told of every finished batch."""
        self._on_reply = on_reply
        return self

    def members(self, number: int) -> Places:
        """The places of a batch's records, in the order of the prompt."""
        return self.places[number * self.batch : (number + 1) * self.batch]

    def labels(self, experiment: Experiment) -> tuple[str, str]:
        """The first two labels: all there are, where a choice is forced."""
        first, second, *_ = self.question.labels
        return first, second

    def first_stage(self, experiment: Experiment) -> None:
        """None: one call each."""

    def prompt(self, experiment: Experiment, instruction: str | None = None) -> Prompt:
        """The exact message."""
        texts = self._texts(experiment.set_seed)
        if self.forced:
            return render_forced(self.question, texts[0])
        return render_batch(self.question, self._ids(experiment.set_seed, texts), texts)

    def messages(
        self, experiment: Experiment, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The exact message, without spans."""
        return self.prompt(experiment).messages

    def _texts(self, number: int) -> list[str]:
        return [self.records.line(int(place)) for place in self.members(number)]

    def _ids(self, number: int, texts: Sequence[str]) -> tuple[str, ...]:
        key = f"{self.records.digest}/{self.purpose}/{number}"
        return record_ids(make_nonce(key, texts), len(texts))

    def instances(self, experiment: Experiment) -> tuple[Instance, ...]:
        """None are told: the ledger has them."""
        return ()

    def prompt_sha256(self, experiment: Experiment) -> str:
        """SHA-256 of the exact message."""
        return messages_sha256(self.prompt(experiment).messages)

    def characters(self, experiment: Experiment) -> int:
        """Length of the prompt in characters."""
        return len(self.prompt(experiment).messages[-1].content)

    def shared_characters(self, one: Experiment, other: Experiment) -> int:
        """Length of what every prompt begins with."""
        if self.forced:
            return self.prompt(one).spans[0][0]
        return len(render_batch(self.question, ("",), ("",)).messages[0].content.split("{")[0])

    def snapshot(self) -> Snapshot:
        """The question, and the ready-made prompts."""
        definition = {"ask": self.question.ask, "labels": list(self.question.labels)}
        return Snapshot(
            kind="batches",
            tasks={TASK: json.dumps(definition, ensure_ascii=False, sort_keys=True)},
            pools={
                TASK: (
                    "table",
                    {"source": self.records.source, "records_sha256": self.records.digest},
                )
            },
            prompts=((e.id, self.prompt(e).messages, ()) for e in self.experiments),
            may_differ=MAY_DIFFER,
        )

    def schema(self, experiment: Experiment) -> dict[str, Any]:
        """Every id of the batch with one of the labels, and nothing else.

        Where that would be more words than servers take, the labels are left to the prompt: a
        reply is checked all the same.
        """
        ids = self._ids(experiment.set_seed, self._texts(experiment.set_seed))
        value: dict[str, Any] = {"type": "string"}
        if len(ids) * len(self.question.labels) <= MOST_CHOICES:
            value["enum"] = list(self.question.labels)
        return {
            "type": "object",
            "properties": dict.fromkeys(ids, value),
            "required": list(ids),
            "additionalProperties": False,
        }

    def judge(self, experiment: Experiment, generation: Generation) -> Judgement:
        """Whether the reply labels at least one record."""
        forced = None if generation.forced is None else generation.forced.label
        reply = self.read(experiment.set_seed, generation.text, generation.finish_reason, forced)
        outcome = _OUTCOMES[reply.outcome]
        reason = next((reason for reason in reply.reasons if reason), None)
        return Judgement(outcome, reason=reason)

    def enough(self, experiment: Experiment, record: AttemptRecord) -> str | None:
        """Pass a finished batch on."""
        if self._on_reply is None:
            return None
        forced = None if record.forced is None else record.forced.label
        reply = self.read(experiment.set_seed, record.text, record.finish_reason, forced)
        return self._on_reply(experiment.set_seed, reply)

    def read(
        self,
        number: int,
        text: str | None,
        finish_reason: str | None,
        forced: str | None,
    ) -> BatchReply:
        """What a stored reply says about the records of a batch.

        Args:
            number: The batch.
            text: None when the prompt did not fit.
            finish_reason: Of the reply.
            forced: The label of a forced choice.
        """
        count = len(self.members(number))
        if text is None:
            return BatchReply(
                (None,) * count, ("the prompt does not fit the model's window",) * count,
                outcome="too long",
            )  # fmt: skip
        if self.forced:
            if forced is None:
                return BatchReply((None,), ("both labels are exactly as likely",),
                                  outcome="unresolved")  # fmt: skip
            return BatchReply((forced,), (None,))
        ids = self._ids(number, self._texts(number))
        return read_reply(text, ids, self.question.labels, finish_reason)
