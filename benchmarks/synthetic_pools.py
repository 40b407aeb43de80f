"""Measure the synthetic pools: lengths, what gives a label away, carriers, time.

    python -m benchmarks.synthetic_pools
    python -m benchmarks.synthetic_pools --data ../shared/data

With ``--data`` the same is measured on the public sets in that folder. Both are measured on 2,000
instances of each label; the bag of words is trained on half of them and tested on the other. The
word "the" is left out of Occurrence's, because counting it is the task.
"""

from __future__ import annotations

import argparse
import re
import statistics
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.design import ranked
from evenhand.pools import Instance, Pool, load_pool
from evenhand.pools._synthetic import carrier_count, synthetic_pool
from evenhand.tasks import TASKS, load_task

N = 4_000
TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class Measures:
    """What is measured on one sample of equally many instances of both labels.

    Attributes:
        length: Mean number of characters, and by label.
        bag_of_words: Accuracy of a logistic regression on word counts, on the half of the
            sample that it was not fitted to.
        word: The word whose presence tells the labels apart best, and with what accuracy.
        words: Distinct words in the sample.
    """

    length: float
    length_by_label: dict[str, float]
    bag_of_words: float
    word: tuple[str, float]
    words: int


def sample(pool: Pool, n: int = N) -> list[Instance]:
    """``n`` instances, half of each label, in an order that mixes the labels."""
    first, second = (ranked(pool, label, 0)[: n // 2] for label in load_task(pool.task).labels)
    return [instance for pair in zip(first, second, strict=True) for instance in pair]


def measure(instances: Sequence[Instance], without: frozenset[str] = frozenset()) -> Measures:
    """Measure a sample; ``without`` names the words that the bag leaves out."""
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.linear_model import LogisticRegression

    def tokens(text: str) -> list[str]:
        return [token for token in TOKEN.findall(text.lower()) if token not in without]

    labels = [instance.label for instance in instances]
    texts = [instance.text for instance in instances]
    half = len(texts) // 2
    bag = CountVectorizer(tokenizer=tokens, token_pattern=None, lowercase=False)
    model = LogisticRegression(max_iter=1_000).fit(bag.fit_transform(texts[:half]), labels[:half])
    right = float(model.score(bag.transform(texts[half:]), labels[half:]))
    lengths = {
        label: statistics.fmean(len(i.text) for i in instances if i.label == label)
        for label in sorted(set(labels))
    }
    return Measures(
        length=statistics.fmean(map(len, texts)),
        length_by_label=lengths,
        bag_of_words=right,
        word=best_word(instances, without),
        words=len({token for text in texts for token in tokens(text)}),
    )


def best_word(
    instances: Sequence[Instance], without: frozenset[str] = frozenset()
) -> tuple[str, float]:
    """The word whose presence alone separates the labels best, and its accuracy."""
    labels = sorted({instance.label for instance in instances})
    present = {
        label: Counter(
            token
            for instance in instances
            if instance.label == label
            for token in set(TOKEN.findall(instance.text.lower())) - without
        )
        for label in labels
    }
    sizes = Counter(instance.label for instance in instances)
    first, second = labels

    def accuracy(word: str) -> float:
        here, there = present[first][word], present[second][word]
        right = here + sizes[second] - there
        return max(right, len(instances) - right) / len(instances)

    best = max(sorted(present[first] | present[second]), key=accuracy)
    return best, accuracy(best)


def main() -> None:
    """Print one line a task and source."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path, help="folder with the public sets")
    data = parser.parse_args().data
    print("task        source      chars      by label    bag  words  best word")
    for task in TASKS:
        started = time.process_time()
        pools = [synthetic_pool(task)]
        seconds = time.process_time() - started
        if data is not None:
            pools.append(load_pool(load_task(task), data=data))
        for pool in pools:
            without = frozenset({"the"}) if task == "occurrence" else frozenset[str]()
            found = measure(sample(pool), without)
            by_label = "/".join(f"{length:.1f}" for length in found.length_by_label.values())
            word, accuracy = found.word
            print(
                f"{task:<11} {pool.name:<10} {found.length:6.1f} {by_label:>13} "
                f"{found.bag_of_words:6.3f} {found.words:6d}  {word} {accuracy:.3f}"
            )
        carriers = ", ".join(f"{k}: {v}" for k, v in carrier_count(task).items())
        print(f"{'':<11} carriers {carriers}; {seconds:.2f} s of CPU for {2 * 20_000:,} instances")


if __name__ == "__main__":
    main()
