"""The order of calls: prompts that begin alike stand next to each other."""

from __future__ import annotations

from collections.abc import Iterable

from evenhand.design import Experiment


def order_for_prefix_sharing(experiments: Iterable[Experiment]) -> tuple[Experiment, ...]:
    """Reorder calls so that prefix caches of providers and servers are hit.

    Prompts of one task and variant begin with the same instructions. Of one set seed, those whose
    leading block is of the same label share it, because sets are nested: ``majority-first`` and
    ``majority-edges`` of one majority label, ``majority-last`` and ``majority-middle`` of the
    other. They are put together, the longest leading block first. Same-order repeats are equal
    throughout and follow each other. What shares nothing keeps its order.

    Args:
        experiments: In the plan's order.

    Returns:
        The same experiments, each once.
    """
    listed = list(experiments)
    labels: dict[str, set[str]] = {}
    for experiment in listed:
        labels.setdefault(experiment.task, set()).add(experiment.majority_label)
    groups: dict[tuple[object, ...], int] = {}
    kinds: dict[tuple[str, str], int] = {}
    for at, experiment in enumerate(listed):
        kinds.setdefault((experiment.task, experiment.variant), at)
        groups.setdefault(_group(experiment, labels[experiment.task]), at)

    def key(experiment: Experiment) -> tuple[object, ...]:
        return (
            kinds[experiment.task, experiment.variant],
            groups[_group(experiment, labels[experiment.task])],
            -_leading(experiment),
            experiment.n,
            experiment.p,
            experiment.majority_label,
            experiment.pattern,
            experiment.output_budget,
            experiment.setting,
            experiment.repeat,
        )

    return tuple(sorted(listed, key=key))


def _group(experiment: Experiment, labels: set[str]) -> tuple[object, ...]:
    """Experiments whose prompts can share leading instances: set, and label of the first block."""
    e = experiment
    shared = (e.task, e.pool, e.variant, e.set_seed, e.order_seed)
    match e.pattern:
        case "majority-first" | "majority-edges":
            return (*shared, "block", e.majority_label)
        case "majority-last" | "majority-middle":
            # A plan with one majority label has no mirrored set to share a block with.
            other = min(labels - {e.majority_label}, default=None)
            return (*shared, "block", other)
        case _:
            return (*shared, e.pattern, e.majority_label, e.n, e.p)


def _leading(experiment: Experiment) -> int:
    """Instances in the leading block of one label; 0 where labels alternate or are shuffled."""
    if experiment.pattern in ("random", "soft-majority-edges", "soft-majority-middle"):
        return 0
    # Rounded: only the order of calls hangs on it, and tables made elsewhere may round p.
    majority = round(experiment.n * float(experiment.p))
    minority = experiment.n - majority
    match experiment.pattern:
        case "majority-first":
            return majority
        case "majority-last":
            return minority
        case "majority-edges":
            return (majority + 1) // 2
        case _:
            return (minority + 1) // 2
