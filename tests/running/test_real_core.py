"""The study's core grid renders from the five public sets: 270 experiments of 2,000 instances."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from evenhand.running import plan


def test_core_renders_from_the_real_pools(real_data: Path) -> None:
    workload = plan("core", data=real_data)
    assert len(workload.experiments) == 270
    assert Counter(experiment.task for experiment in workload.experiments) == dict.fromkeys(
        ("math", "ner", "occurrence", "sentiment", "wsd"), 54
    )
    for experiment in workload.experiments:
        prompt = workload.prompt(experiment)
        assert len(prompt.spans) == 2_000
        instances = workload.instances(experiment)
        majority = sum(i.label == experiment.majority_label for i in instances)
        assert majority == 1_100
        content = prompt.messages[-1].content
        assert content.splitlines()[-1].startswith("Instance 2000: ")
        start, end = prompt.spans[-1]
        assert content[start:end] == instances[-1].text
