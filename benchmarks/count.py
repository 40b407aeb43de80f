"""How often, and at what price, each way of asking finds the right majority.

n = 2,000 synthetic sentiment records, 55/45, in each of the seven order patterns. The one-shot
reader counts only the first 200 records; the per-record reader is wrong about 5% of the records.
One-shot shares come from 20 sets. The pipeline runs over the engine for two; its shares come from a
simulation of the same arithmetic over 1,000 sets a pattern, and the stopping rule's risk from
10,000 populations that hold ties and near-ties.

Run: python benchmarks/count.py [--quick]
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evenhand.counting import called, count, verify
from evenhand.design import PATTERNS, arrange, select, split_count
from evenhand.models import GenerationSettings, open_model
from evenhand.outcomes import parse_answer
from evenhand.pools import Instance, Pool, load_pool
from evenhand.prompts import fold, render
from evenhand.running import RunOptions
from evenhand.tasks import Task, load_task

N, P, MAJORITY = 2_000, "0.55", "positive"
ONE_SHOT, PER_RECORD = "reader/first-200", "reader/noisy-0.95"
VOTES = 5
RISK = 0.001
INPUT_PRICE, OUTPUT_PRICE = 0.5, 2.0
ASK = "Is the phrase positive or negative?"
CHUNK = 125


@dataclass(frozen=True, slots=True)
class Cost:
    """Of one answer, on average."""

    right: float
    calls: float
    input_tokens: float
    output_tokens: float

    @property
    def dollars(self) -> float:
        """At the stated price."""
        return (self.input_tokens * INPUT_PRICE + self.output_tokens * OUTPUT_PRICE) / 1e6


def main() -> int:
    """Print the figures; 1 if a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of the simulations")
    quick = parser.parse_args().quick
    sets, asked, simulated = (1, 2, 100) if quick else (2, 20, 1_000)
    task = load_task("sentiment")
    pool = load_pool(task, per_label=4_000)
    key = {fold(i.text): i.label for i in pool.instances}
    options = RunOptions(progress=False, max_attempts=2)
    print(f"n = {N:,}, {P} {MAJORITY}; one-shot {ONE_SHOT}, per record {PER_RECORD}")
    print(f"price: ${INPUT_PRICE} / ${OUTPUT_PRICE} a million input / output tokens\n")
    missed = 0
    header = f"{'pattern':22}{'way':16}{'right':>8}{'calls':>8}{'input':>10}{'output':>9}{'$':>9}"
    print(header)
    for pattern in PATTERNS:
        arranged = [arrangement(pool, pattern, seed) for seed in range(asked)]
        with tempfile.TemporaryDirectory() as folder:
            rows = {
                "one-shot": one_shot(task, arranged, key, orders=1),
                f"vote of {VOTES}": one_shot(task, arranged, key, orders=VOTES),
                "count": counted(arranged[:sets], key, Path(folder) / "a", options, None),
                "until sure": counted(arranged[:sets], key, Path(folder) / "b", options, 1 - RISK),
            }
        full, sure = simulate(simulated, seed=PATTERNS.index(pattern))
        rows["count"] = with_right(rows["count"], full)
        rows["until sure"] = with_right(rows["until sure"], sure)
        base = rows["one-shot"].input_tokens
        for way, cost in rows.items():
            print(
                f"{pattern:22}{way:16}{cost.right:8.1%}{cost.calls:8.1f}{cost.input_tokens:10,.0f}"
                f"{cost.output_tokens:9,.0f}{cost.dollars:9.4f}   {cost.input_tokens / base:.2f}x"
            )
        missed += rows["count"].right < 0.999
        missed += rows["count"].input_tokens > 1.4 * base
        missed += rows["until sure"].input_tokens >= rows["count"].input_tokens
    stopping(1_000 if quick else 10_000)
    print("targets:", "all met" if not missed else f"{missed} MISSED")
    return int(missed > 0)


def arrangement(pool: Pool, pattern: str, seed: int) -> list[Instance]:
    """One set in one order."""
    drawn = select(pool, n=N, p=P, majority_label=MAJORITY, set_seed=seed)
    order_seed = seed if pattern == "random" else None
    return list(arrange(drawn.majority, drawn.minority, pattern, order_seed=order_seed))


def one_shot(
    task: Task, sets: Sequence[list[Instance]], key: dict[str, str], *, orders: int
) -> Cost:
    """One prompt with all records; or a vote over the given order and random ones."""
    right, calls, spent_in, spent_out = 0, 0, 0, 0
    for number, arranged in enumerate(sets):
        said: Counter[str] = Counter()
        for turn in range(orders):
            rng = np.random.default_rng([number, turn])
            order = arranged if turn == 0 else [arranged[k] for k in rng.permutation(N)]
            reader = open_model(ONE_SHOT, answer_key=key)
            prompt = render(task, order)
            reply = asyncio.run(
                reader.generate(prompt.messages, GenerationSettings(labels=task.labels))
            )
            calls += 1
            spent_in += reply.usage.input_tokens or 0
            spent_out += reply.usage.output_tokens or 0
            label = parse_answer(reply.text, task.labels).label
            said[label or "tie"] += 1
        (first, most), *rest = said.most_common()
        right += first == MAJORITY and (not rest or rest[0][1] < most)
    k = len(sets)
    return Cost(right / k, calls / k, spent_in / k, spent_out / k)


def counted(
    sets: Sequence[list[Instance]],
    key: dict[str, str],
    out: Path,
    options: RunOptions,
    until_sure: float | None,
) -> Cost:
    """The pipeline over the engine, its ledger verified."""
    found = []
    for number, arranged in enumerate(sets):
        texts = [i.text for i in arranged]
        result = count(
            texts, ask=ASK, labels=[MAJORITY, "negative"], model=PER_RECORD, answer_key=key,
            out=out / str(number), options=options, until_sure=until_sure,
        )  # fmt: skip
        if number == 0:
            assert all(check.ok for check in verify(result.ledger, texts))
        found.append(result)
    k = len(found)
    return Cost(
        sum(each.majority == MAJORITY for each in found) / k,
        sum(each.calls for each in found) / k,
        sum(each.input_tokens for each in found) / k,
        sum(each.output_tokens for each in found) / k,
    )


def with_right(cost: Cost, right: float) -> Cost:
    """The same with the simulated share of right answers."""
    return Cost(right, cost.calls, cost.input_tokens, cost.output_tokens)


def simulate(sets: int, seed: int) -> tuple[float, float]:
    """Share of right majorities in full and until sure, with 5% wrong labels."""
    rng = np.random.default_rng(seed)
    full = sure = 0
    majority = split_count(N, P)[0]
    truth = np.repeat(np.asarray([0, 1], dtype=np.int16), [majority, N - majority])
    for start in range(0, sets, CHUNK):
        size = min(CHUNK, sets - start)
        wrong = rng.random((size, N)) < 0.05
        codes = rng.permuted(np.where(wrong, 1 - truth, truth).astype(np.int16), axis=1)
        full += int(((codes == 0).sum(axis=1) > N / 2).sum())
        sure += int((called(codes, 2, N, RISK)[0] == 0).sum())
    return full / sets, sure / sets


def stopping(populations: int) -> None:
    """Records read at 55/45, and wrong calls over ties and near-ties."""
    rng = np.random.default_rng(1)
    started = time.perf_counter()
    print(f"\nstopping rule, risk {RISK}:")
    cases = ((1_100, 900), (1_200, 800), (1_400, 600), (1_010, 990), (1_001, 999), (1_000, 1_000))
    each = populations // len(cases) + 1
    wrong_in_all = 0
    for counts in cases:
        shares, wrong = [], 0
        for start in range(0, each, CHUNK):
            size = min(CHUNK, each - start)
            one = np.repeat(np.asarray([0, 1], dtype=np.int16), counts)
            codes = rng.permuted(np.tile(one, (size, 1)), axis=1)
            winner, after = called(codes, 2, N, RISK)
            shares.append(after / N)
            wrong += int((winner == 1).sum())
            if counts[0] == counts[1]:
                wrong += int((winner == 0).sum())
        share = np.concatenate(shares)
        wrong_in_all += wrong
        print(
            f"  {counts[0]:,}/{counts[1]:,}: mean share read {share.mean():.3f}, 90th percentile "
            f"{np.quantile(share, 0.9):.3f}, wrong calls {wrong} of {each:,}"
        )
    print(
        f"  wrong in all: {wrong_in_all} of {each * len(cases):,} "
        f"({time.perf_counter() - started:.0f} s)"
    )


if __name__ == "__main__":
    sys.exit(main())
