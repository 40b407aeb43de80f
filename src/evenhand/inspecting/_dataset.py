"""A workload as an Inspect dataset: one sample an experiment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from evenhand.design import Experiment
from evenhand.models._inspect import to_inspect
from evenhand.prompts import messages_sha256
from evenhand.running import Workload

if TYPE_CHECKING:
    from inspect_ai.dataset import Dataset, Sample


def dataset(workload: Workload, name: str) -> Dataset:
    """One sample an experiment: its exact messages, the majority label as the target.

    The id is the experiment's; metadata holds its coordinates, the labels in the task's order and
    where its instances came from. A ``self`` experiment shows stage one's messages; the solver
    renders stage two.
    """
    from inspect_ai.dataset import MemoryDataset

    pools = workload.snapshot().pools
    return MemoryDataset(
        [
            _sample(workload, experiment, pools[experiment.task][1])
            for experiment in workload.experiments
        ],
        name=name,
    )


def _sample(workload: Workload, experiment: Experiment, provenance: Mapping[str, str]) -> Sample:
    from inspect_ai.dataset import Sample

    messages = workload.first_stage(experiment) or workload.prompt(experiment).messages
    metadata: dict[str, Any] = {
        **experiment.coordinates(),
        "labels": list(workload.labels(experiment)),
        "pool_source": provenance.get("source"),
        "pool_filter": provenance.get("filter"),
        "prompt_sha256": messages_sha256(messages),
    }
    return Sample(
        input=[to_inspect(message) for message in messages],
        target=experiment.majority_label,
        id=experiment.id,
        metadata=metadata,
    )
