"""A reader as a model: counts by its rule, answers, and says what it read."""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from evenhand.errors import UsageError
from evenhand.models._protocol import (
    ForcedChoice,
    Generation,
    GenerationSettings,
    TokenCount,
    Usage,
)
from evenhand.models._reader._batch import answer_batch, batch_labels, batch_records
from evenhand.models._reader._prompt import (
    instance_texts,
    look_up,
    prompt_labels,
    single_text,
)
from evenhand.models._reader._rule import Rule, parse_rule
from evenhand.models._reader._trace import write_trace
from evenhand.models._spec import FREE, Price
from evenhand.prompts import Message, fold, messages_sha256

_CHARACTERS_PER_TOKEN = 4
_INSTRUCTION = (
    "Read every instance once, give it one of the two labels, keep a count of each label, and "
    'reply with a JSON object whose "answer" is the label with the higher count, or -1 when both '
    "counts are equal."
)


def open_reader(spec: str, answer_key: Mapping[str, str] | None = None) -> Reader:
    """Open a simulated reader.

    ``perfect`` counts everything; ``first-K``, ``last-K`` and ``every-K`` count the first K, the
    last K, and instances K, 2K, 3K, ...; ``noisy-Q`` reads everything and labels an instance
    right with probability Q, decided by a hash of its own name and the text, so that it makes
    the same errors in every order and cannot be order-sensitive; ``coin`` draws a label by a hash
    of the messages and the seed; ``label-LABEL`` always gives that label. Equal counts, none
    included, are answered with -1. Shown a batch of records with ids, a reader gives each that it
    reads a label instead of counting.

    Args:
        spec: Such as ``reader/first-200``; the prefix may be missing.
        answer_key: Instance text to label. Only ``label-LABEL`` does without.

    Returns:
        A :class:`~evenhand.models.Model`.

    Raises:
        UsageError: If the name has none of the known forms.
    """
    rule = parse_rule(spec)
    key = {fold(text): label for text, label in (answer_key or {}).items()}
    return Reader(rule, key, frozenset(key.values()))


@dataclass(frozen=True, slots=True)
class Reader:
    """A model that answers by rule. Token counts are estimates: four characters a token.

    It has no window and heeds no output budget: its traces are as long as what it reads. A forced
    choice has no trace; its margin is log((votes for the second label + 1) / (votes for the first
    + 1)), where every instance read is one vote, as is the label of ``coin`` and ``label-LABEL``.
    """

    rule: Rule
    answer_key: Mapping[str, str]
    known_labels: frozenset[str]

    @property
    def name(self) -> str:
        """``reader/`` and the rule."""
        return f"reader/{self.rule.spec}"

    @property
    def price(self) -> Price:
        """Nothing."""
        return FREE

    @property
    def context_window(self) -> int | None:
        """None: no limit."""
        return None

    @property
    def max_concurrency(self) -> int | None:
        """None: no limit."""
        return None

    async def generate(
        self, messages: Sequence[Message], settings: GenerationSettings
    ) -> Generation:
        """Answer by rule.

        Raises:
            UsageError: If a text is not in the answer key, the labels cannot be told, or the
                rule's label is not one of them.
        """
        started = time.perf_counter()
        if settings.answer_mode == "forced" and settings.labels is None:
            raise UsageError(f"{self.name}: a forced choice needs the two labels in the settings")
        records = batch_records(messages)
        if records and settings.answer_mode == "generate":
            offered = batch_labels(messages)
            said = answer_batch(self.rule, records, offered, self.answer_key, _number)
            return self._reply(messages, started, said)
        alone = single_text(messages) if settings.answer_mode == "forced" else None
        texts = instance_texts(messages) if alone is None else [fold(alone)]
        if not texts and settings.answer_mode == "generate":
            return self._reply(messages, started, _INSTRUCTION)
        labels, votes, judged = self._count(messages, texts, settings)
        first, second = (votes.count(label) for label in labels)
        chosen = None if first == second else labels[second > first]
        if settings.answer_mode == "forced":
            margin = math.log((second + 1) / (first + 1))
            choice = ForcedChoice(label=chosen, margin=margin, label_mass=1.0)
            return self._reply(messages, started, chosen or "", forced=choice)
        answer = json.dumps({"answer": -1 if chosen is None else chosen}, ensure_ascii=False)
        style = _number("style", self.rule.spec, messages_sha256(messages))
        trace = write_trace(judged, len(texts), style)
        return self._reply(messages, started, answer, reasoning=trace)

    def count_tokens(self, messages: Sequence[Message]) -> TokenCount:
        """Estimate: four characters a token."""
        return TokenCount(_tokens(*(message.content for message in messages)), exact=False)

    async def aclose(self) -> None:
        """Nothing to free."""

    def _count(
        self, messages: Sequence[Message], texts: Sequence[str], settings: GenerationSettings
    ) -> tuple[tuple[str, str], list[str], list[tuple[int, str]]]:
        """Labels, one vote for each thing counted, and the label given to each id read."""
        rule = self.rule
        if rule.kind == "label":
            return self._labels_around(messages, texts, settings), [rule.label], []
        truth = look_up(texts, self.answer_key)
        labels = settings.labels or prompt_labels(messages, self.known_labels, truth)
        if strange := sorted(set(truth) - set(labels)):
            raise UsageError(
                f"the answer key has the label {strange[0]!r} for an instance of a prompt whose "
                f"labels are {' and '.join(labels)}"
            )
        if rule.kind == "coin":
            toss = _number("coin", messages_sha256(messages), str(settings.seed)) % 2
            return labels, [labels[toss]], []
        judged = [(at, truth[at - 1]) for at in rule.reads(len(texts))]
        if rule.kind == "noisy":
            judged = [(at, self._noisy(label, texts[at - 1], labels)) for at, label in judged]
        return labels, [label for _, label in judged], judged

    def _labels_around(
        self, messages: Sequence[Message], texts: Sequence[str], settings: GenerationSettings
    ) -> tuple[str, str]:
        """The labels when one of them must be the rule's own."""
        label = self.rule.label
        labels = settings.labels
        if labels is None and self.known_labels:
            seen = look_up(texts, self.answer_key)
            labels = prompt_labels(messages, self.known_labels, seen)
        if labels is not None and label not in labels:
            raise UsageError(
                f"{self.name}: this task has no label {label!r}: use one of {', '.join(labels)}"
            )
        return labels or (label, "")

    def _noisy(self, label: str, text: str, labels: tuple[str, str]) -> str:
        draw = _number("noisy", self.rule.spec, text) / 2**64
        return label if draw < self.rule.accuracy else labels[label == labels[0]]

    def _reply(
        self,
        messages: Sequence[Message],
        started: float,
        text: str,
        *,
        reasoning: str | None = None,
        forced: ForcedChoice | None = None,
    ) -> Generation:
        thought = 0 if reasoning is None else _tokens(reasoning)
        return Generation(
            text=text,
            reasoning=reasoning,
            reasoning_source=None if reasoning is None else "reasoning",
            usage=Usage(
                input_tokens=self.count_tokens(messages).tokens,
                output_tokens=_tokens(text) + thought,
                reasoning_tokens=thought,
            ),
            forced=forced,
            parameters={
                "reader": self.rule.spec,
                "token_counts": f"estimated, {_CHARACTERS_PER_TOKEN} characters a token",
            },
            latency_s=time.perf_counter() - started,
        )


def _tokens(*texts: str) -> int:
    return -(-sum(map(len, texts)) // _CHARACTERS_PER_TOKEN)


def _number(*words: str) -> int:
    """A number below 2**64 that only the words decide, the same on every machine."""
    joined = "\x1f".join(words).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.sha256(joined).digest()[:8], "big")
