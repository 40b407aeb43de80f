"""Speed and accuracy of the coverage measures on generated traces.

    python benchmarks/coverage.py            accuracy in every style, and speed on a sample
    python benchmarks/coverage.py --all      speed on all 270 traces, the plain way too (an hour)

Every trace names a known set of ids in one style, among texts that hold numbers of their own and
between tallies, dates, money, arithmetic and enumerated steps. The plain way is one regular
expression an id under the rule of ``mentioned_ids``.
"""

from __future__ import annotations

import argparse
import math
import random
import re
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from evenhand.analysis import find_mentions, mentioned_ids
from evenhand.analysis._coverage import named_ids, ranged_ids

N = 2_000
LABELS = ("positive", "negative")
TEXTS = (
    "the crew mends a fence in 3 days",
    "a tired sequel",
    "we paid $45 for two seats",
    "warm and full of wit",
    "shot back in 1987 on 16 mm film",
    "lasts 90 minutes and feels like 200",
    "an odd little gem",
    "its 2nd act drags",
    "the #1 hit of that summer",
    "see problem 7 of the manual",
)
NOISE = (
    "So far 50 positive, 50 negative.",
    "98 * 3400 = 333200, and 26-5 = 21.",
    "That makes 12 + 13 = 25 of them.",
    "Dated 2024-05-12, at 10:30, for $45 or 25%.",
    "There are 2000 instances, and if tied the answer is -1.",
    "Total now 200 positive and 200 negative, about 1,000 each in the end.",
    "I have used maybe 300 words so far, 3.5 times what I wanted.",
    "Step 1 is to read, step 2 is to count.",
)


@dataclass(frozen=True, slots=True)
class Specimen:
    """A trace with what it names: ids one by one, and ids by ranges."""

    text: str
    named: frozenset[int]
    ranged: frozenset[int]


Line = Callable[[int, str, str], str]
ONE_A_LINE: dict[str, Line] = {
    "Instance 12: … -> label": lambda at, text, label: f'Instance {at}: "{text}" -> {label}.',
    "12: label": lambda at, text, label: f"{at}: {label}",
    "12. … → label": lambda at, text, label: f"{at}. {text} → {label}",
    "- **12**: label": lambda at, text, label: f"- **{at}**: {label} ({text})",
    "12 -> label": lambda at, text, label: f"{at} -> {label}",
    "| 12 | … | label |": lambda at, text, label: f"| {at} | {text} | {label} |",
    "12 label": lambda at, text, label: f"{at} {label}",
    "(12) …: label": lambda at, text, label: f"({at}) {text}: {label}",
    "instance 12 in prose": lambda at, text, label: (
        f"Looking at instance {at}, it says {text}, so I take it to be {label}."
    ),
    "#12 in prose": lambda at, text, label: f"Next is #{at} ({text}), clearly {label}.",
}


def specimen(style: str, seed: int, size: int = 300, n: int = N) -> Specimen:
    """A trace in one style: some ids anywhere and, in every other trace, a prefix."""
    draw = random.Random(f"{style}/{seed}")
    prefix = range(1, size * 2 // 3 + 1) if seed % 2 else range(0)
    ids = sorted({*prefix, *draw.sample(range(1, n + 1), size // 3)})
    if style in ONE_A_LINE:
        line = ONE_A_LINE[style]
        lines = [line(at, draw.choice(TEXTS), draw.choice(LABELS)) for at in ids]
        return Specimen(_with_noise(lines, draw), frozenset(ids), frozenset())
    return _grouped(style, ids, draw)


GROUPED = (
    "instances 12, 13 and 14",
    "12 pos, 13 neg, … in one line",
    "instances 12-19, ends apart",
)
STYLES = (*ONE_A_LINE, *GROUPED)


def _grouped(style: str, ids: Sequence[int], draw: random.Random) -> Specimen:
    lines: list[str] = []
    named: set[int] = set()
    ranged: set[int] = set()
    for start in range(0, len(ids) - 6, 6):
        some = ids[start : start + 6]
        if style == GROUPED[0]:
            listed = f"{', '.join(map(str, some[:-1]))} and {some[-1]}"
            lines.append(f"Instances {listed} are {draw.choice(LABELS)}.")
            named.update(some)
        elif style == GROUPED[1]:
            run = range(some[0], min(some[0] + 6, N + 1))
            lines.append("I see " + ", ".join(f"{at} {draw.choice(LABELS)[:3]}" for at in run))
            lines[-1] = lines[-1].replace("I see ", "I see: ") + "."
            named.update(run)
        else:
            lines.append(f"Instances {some[0]}-{some[-1]} are mostly {draw.choice(LABELS)}.")
            ranged.update(range(some[0], some[-1] + 1))
    return Specimen(_with_noise(lines, draw), frozenset(named), frozenset(ranged))


def _with_noise(lines: Sequence[str], draw: random.Random) -> str:
    mixed = ["The plan:", "1. Read the list.", "2. Count both labels.", "3. Answer."]
    for at, line in enumerate(lines):
        mixed.append(line)
        if at % 10 == 9:
            mixed.append(draw.choice(NOISE))
    return "\n".join(mixed)


@dataclass(frozen=True, slots=True)
class Score:
    """Precision and recall of both measures in one style."""

    style: str
    precision: float
    recall: float
    strict_precision: float
    strict_recall: float
    ranges_right: bool


def score(style: str, seeds: Sequence[int]) -> Score:
    """Compare what both measures find with what the traces name."""
    loose, strict, right = [0, 0, 0], [0, 0, 0], True
    for seed in seeds:
        made = specimen(style, seed)
        mentions = find_mentions(made.text, N)
        for counts, found in (
            (loose, mentioned_ids(made.text, N)),
            (strict, named_ids(mentions)),
        ):
            counts[0] += len(found & made.named)
            counts[1] += len(found)
            counts[2] += len(made.named)
        right = right and ranged_ids(mentions) == made.ranged
    return Score(style, *_shares(loose), *_shares(strict), right)


def _shares(counts: Sequence[int]) -> tuple[float, float]:
    hits, found, named = counts
    return (hits / found if found else math.nan), (hits / named if named else math.nan)


def large_trace(seed: int, characters: int = 80_000) -> str:
    """A trace of 80 KB at n = 2,000 that mixes the styles."""
    parts: list[str] = []
    size = 0
    while size < characters:
        style = STYLES[(seed + len(parts)) % len(STYLES)]
        parts.append(specimen(style, seed * 1_000 + len(parts)).text)
        size += len(parts[-1]) + 1
    return "\n".join(parts)[:characters]


def one_pattern_an_id(n: int) -> list[re.Pattern[str]]:
    """The plain way: the rule of ``mentioned_ids`` for a single id, id after id."""
    return [
        re.compile(
            r"(?<!\w)(?<![0-9][.,])(?<![^\w)][-−])(?<!\A[-−])(?<![\s(=*/+$]\.)"
            rf"(?:{'|'.join(dict.fromkeys([f'{at:,}', str(at)]))})(?!\w)(?![.,][0-9])"
        )
        for at in range(1, n + 1)
    ]


def digits_first(n: int) -> list[re.Pattern[str]]:
    """The plain way made faster: digits first, then looks back, so that a search can skip."""
    patterns = []
    for at in range(1, n + 1):
        forms = [
            rf"{form}(?<!\w{form})(?<![0-9][.,]{form})(?<![^\w)][-−]{form})(?<!\A[-−]{form})"
            rf"(?<![\s(=*/+$]\.{form})(?!\w)(?![.,][0-9])"
            for form in dict.fromkeys([f"{at:,}", str(at)])
        ]
        patterns.append(re.compile("|".join(forms)))
    return patterns


def main() -> None:
    """Print accuracy by style, then speed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--all", action="store_true", help="the plain way on all 270 traces")
    everything = parser.parse_args().all
    write = sys.stdout.write
    write("| style | precision | recall | strict precision | strict recall | ranges |\n")
    write("|---|---:|---:|---:|---:|---|\n")
    for style in STYLES:
        one = score(style, range(20))
        write(
            f"| `{style}` | {one.precision:.3f} | {one.recall:.3f} | {one.strict_precision:.3f} | "
            f"{one.strict_recall:.3f} | {'right' if one.ranges_right else 'wrong'} |\n"
        )
    traces = [large_trace(seed) for seed in range(270)]
    started = time.process_time()
    found = [mentioned_ids(trace, N) for trace in traces]
    fast = time.process_time() - started
    started = time.process_time()
    for trace in traces:
        find_mentions(trace, N)
    strict = time.process_time() - started
    write(f"\n270 traces of {len(traces[0]):,} characters at n = {N:,}, seconds of one core\n")
    write(f"mentioned_ids           {fast:8.2f}\n")
    write(f"find_mentions           {strict:8.2f}\n")
    sample = range(270) if everything else range(3)
    for words, make in (
        ("one pattern an id", one_pattern_an_id),
        ("with digits first", digits_first),
    ):
        patterns = make(N)
        started = time.process_time()
        plain = [
            {at for at, pattern in enumerate(patterns, 1) if pattern.search(traces[which])}
            for which in sample
        ]
        slow = (time.process_time() - started) / len(sample) * 270
        same = all(plain[at] == found[which] for at, which in enumerate(sample))
        write(f"{words:20}    {slow:8.2f}  {slow / fast:,.0f} times as long, ")
        write(f"results {'equal' if same else 'differ'} ({len(sample)} traces measured)\n")
    write(f"4,000 traces         {fast / 270 * 4_000:8.1f} s mentioned, ")
    write(f"{strict / 270 * 4_000:.1f} s strict, on one core\n")


if __name__ == "__main__":
    main()
