"""The instances of one task that a plan uses, dealt into any experiment's order.

Planning tens of thousands of experiments must not sort a pool, shuffle a set or escape a text more
often than needed. So instances become small integers here: every ranking is made once per label
and set seed, every shuffle once per order seed, and every text is escaped once.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from evenhand._rank import first_ranked, rank_part
from evenhand.design import Experiment, arrange, split_count
from evenhand.errors import UsageError
from evenhand.pools import Instance, Pool
from evenhand.prompts import Message, Role, fold, render
from evenhand.tasks import Task

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Places = npt.NDArray[np.int64]

_SEED_CACHE = 64
_PLACEHOLDER = Instance(id="0", text="x", label="")
PLANNED_INSTRUCTION = "{instruction}"
"""Stands for the generated instruction in the planned hash of the ``self`` variant."""


@dataclass(frozen=True, slots=True)
class _Head:
    """What precedes the instances in a prompt, as text and as JSON-escaped bytes."""

    role: Role
    text: str
    escaped: bytes


class Deck:
    """One task with the part of its pool that the experiments use.

    Args:
        task: The task.
        pool: Its pool.
        experiments: The experiments of this task.

    Raises:
        UsageError: If the pool belongs to another task, is not the one the experiments name, or
            is too small.
    """

    def __init__(self, task: Task, pool: Pool, experiments: Sequence[Experiment]) -> None:
        if pool.task != task.name:
            raise UsageError(f"the pool {pool.name} is of task {pool.task}, not of {task.name}")
        self.task = task
        self.pool = pool
        self.instances: list[Instance] = []
        """The instances used, each once."""
        self._rankings = self._deal(experiments)
        self._identities = [rank_part(i.label) + rank_part(i.id) for i in self.instances]
        self._texts = [fold(instance.text) for instance in self.instances]
        self._escaped = [_escape(text) for text in self._texts]
        self._lengths = [len(text) for text in self._texts]
        most = max((experiment.n for experiment in experiments), default=0)
        headers = [f"Instance {k}: " for k in range(1, most + 1)]
        self._header_lengths = [len(header) for header in headers]
        self._headers = [f"\n{header}" if k else header for k, header in enumerate(headers)]
        self._escaped_headers = [_escape(header) for header in self._headers]
        self._lines = lru_cache(maxsize=None)(self._lines_of)
        self._shuffle = lru_cache(maxsize=_SEED_CACHE)(self._shuffle_by)
        self._head = lru_cache(maxsize=None)(self._head_of)

    def _deal(self, experiments: Iterable[Experiment]) -> dict[tuple[str, int], Places]:
        """Rank each label for each set seed, as far down as any experiment reaches."""
        import numpy as np

        needs: dict[tuple[str, int], tuple[int, Experiment]] = {}
        for experiment in experiments:
            if experiment.pool != self.pool.name:
                raise UsageError(
                    f"experiment {experiment.id} draws from pool {experiment.pool}, "
                    f"but the pool given for {self.task.name} is {self.pool.name}"
                )
            minority = self.task.other(experiment.majority_label)
            counts = split_count(experiment.n, experiment.p)
            for label, count in zip((experiment.majority_label, minority), counts, strict=True):
                key = (label, experiment.set_seed)
                if key not in needs or needs[key][0] < count:
                    needs[key] = (count, experiment)
        by_label = {
            label: [instance for instance in self.pool.instances if instance.label == label]
            for label in self.task.labels
        }
        last = {
            label: [rank_part(instance.id) for instance in instances]
            for label, instances in by_label.items()
        }
        places: dict[str, int] = {}
        rankings: dict[tuple[str, int], Places] = {}
        for (label, seed), (count, experiment) in needs.items():
            known = by_label[label]
            if len(known) < count:
                raise UsageError(
                    f"pool {self.pool.name} has {len(known)} instances of {label!r} and "
                    f"n = {experiment.n}, p = {experiment.p} needs {count}: "
                    "use a smaller n or a larger pool"
                )
            purpose = ("select", seed, self.task.name, label)
            ranking = [known[at] for at in first_ranked(count, *purpose, last=last[label])]
            for instance in ranking:
                if instance.id not in places:
                    places[instance.id] = len(self.instances)
                    self.instances.append(instance)
            rankings[label, seed] = np.array([places[instance.id] for instance in ranking])
        return rankings

    def order(self, experiment: Experiment) -> list[int]:
        """The places, in :attr:`instances`, of an experiment's instances in reading order.

        The same as ``arrange`` of ``select``, which the tests hold it to.
        """
        import numpy as np

        minority = self.task.other(experiment.majority_label)
        major_count, minor_count = split_count(experiment.n, experiment.p)
        major = self._rankings[experiment.majority_label, experiment.set_seed][:major_count]
        minor = self._rankings[minority, experiment.set_seed][:minor_count]
        if experiment.order_seed is not None:
            ranks = self._shuffle(experiment.order_seed)
            if experiment.pattern == "random":
                shuffled: list[int] = _by_rank(np.concatenate([major, minor]), ranks).tolist()
                return shuffled
            major, minor = _by_rank(major, ranks), _by_rank(minor, ranks)
        return arrange(major.tolist(), minor.tolist(), experiment.pattern)

    def arranged(self, experiment: Experiment) -> list[Instance]:
        """The instances of an experiment in reading order."""
        return [self.instances[at] for at in self.order(experiment)]

    def sha256(self, experiment: Experiment) -> str:
        """``messages_sha256`` of the rendered prompt, without rendering it.

        For the ``self`` variant :data:`PLANNED_INSTRUCTION` stands for the instruction.
        """
        head = self._planned_head(experiment)
        order = self.order(experiment)
        lines = [b""] * (2 * len(order))
        lines[::2] = self._escaped_headers[: len(order)]
        lines[1::2] = map(self._escaped.__getitem__, order)
        digest = hashlib.sha256(head.escaped)
        digest.update(b"".join(lines))
        digest.update(b'"]]')
        return digest.hexdigest()

    def messages(
        self, experiment: Experiment, instruction: str | None = None
    ) -> tuple[Message, ...]:
        """The messages of the rendered prompt, many times faster than rendering it.

        Args:
            experiment: Whose.
            instruction: What stage one wrote; for the ``self`` variant only.
        """
        head = self._head_of(experiment.base_variant, experiment.swapped, instruction)
        order = self.order(experiment)
        lines = [""] * (2 * len(order))
        lines[::2] = self._headers[: len(order)]
        lines[1::2] = map(self._texts.__getitem__, order)
        return (Message(head.role, head.text + "".join(lines)),)

    def characters(self, experiment: Experiment) -> int:
        """Length of the rendered prompt in characters."""
        return len(self._planned_head(experiment).text) + self._lines(
            experiment.n, experiment.p, experiment.majority_label, experiment.set_seed
        )

    def _lines_of(self, n: int, p: str, majority_label: str, set_seed: int) -> int:
        """Characters of all instance lines of a set, whatever their order."""
        counts = split_count(n, p)
        labels = (majority_label, self.task.other(majority_label))
        texts: int = sum(
            self._lengths[at]
            for label, count in zip(labels, counts, strict=True)
            for at in self._rankings[label, set_seed][:count].tolist()
        )
        return texts + sum(self._header_lengths[:n]) + n - 1

    def shared_characters(self, one: Experiment, other: Experiment) -> int:
        """Length of the common beginning of two prompts, counted in whole instance lines.

        None is known for ``self``, whose prompts begin with what the model writes.
        """
        if one.variant != other.variant or one.base_variant == "self":
            return 0
        shared = len(self._planned_head(one).text)
        for k, (at, there) in enumerate(zip(self.order(one), self.order(other), strict=False)):
            if at != there:
                break
            shared += self._header_lengths[k] + self._lengths[at] + 1
        return shared

    def _shuffle_by(self, order_seed: int) -> Places:
        """For every instance used, its rank under an order seed: the keys that `arrange` uses."""
        import numpy as np

        count = len(self.instances)
        ranks = np.empty(count, dtype=np.int64)
        ranking = first_ranked(count, "order", order_seed, "instance", last=self._identities)
        ranks[ranking] = np.arange(count)
        return ranks

    def _planned_head(self, experiment: Experiment) -> _Head:
        instruction = PLANNED_INSTRUCTION if experiment.base_variant == "self" else None
        return self._head(experiment.base_variant, experiment.swapped, instruction)

    def _head_of(self, variant: str, swapped: bool, instruction: str | None) -> _Head:
        """What `render` puts before the first instance, whatever that is."""
        prompt = render(
            self.task, [_PLACEHOLDER], variant, swapped=swapped, instruction=instruction
        )
        (message,) = prompt.messages
        text = message.content.removesuffix(f"Instance 1: {_PLACEHOLDER.text}")
        opening = b'[["' + message.role.encode() + b'","'
        return _Head(message.role, text, opening + _escape(text))


def _by_rank(places: Places, ranks: Places) -> Places:
    """Places sorted by their ranks, all of which differ."""
    return places[ranks[places].argsort()]


def _escape(text: str) -> bytes:
    """A text as it stands inside a JSON string, in UTF-8."""
    return json.dumps(text, ensure_ascii=False)[1:-1].encode("utf-8", "surrogatepass")
