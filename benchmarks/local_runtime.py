"""How fast the embedded model loads, reads and chooses here, and whether its weights are right.

    evenhand models fetch smollm2-135m
    python benchmarks/local_runtime.py                # load, prefill, forced choice, reuse
    python benchmarks/local_runtime.py --reference    # and logits against Transformers' own reader,
                                                      # which needs: pip install accelerate

Every time is the best of several: other work on the machine only ever adds to it.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

NAME = "smollm2-135m"
PROMPT_TOKENS = 2_100
LABELS = ("negative", "positive")


def best(times: int, work: Callable[[], object]) -> float:
    """Seconds of the fastest of several runs."""
    taken = []
    for _ in range(times):
        started = time.perf_counter()
        work()
        taken.append(time.perf_counter() - started)
    return min(taken)


def loading() -> None:
    """Seconds from the GGUF file, and from the float32 copy that is made of it once."""
    from evenhand.models._local import open_local, weights_path
    from evenhand.models._local._gguf import convert

    started = time.perf_counter()
    import torch
    import transformers

    imported = time.perf_counter() - started
    print(f"torch {torch.__version__} ({torch.get_num_threads()} threads), ", end="")
    print(f"transformers {transformers.__version__}: imports {imported:.1f} s")
    with tempfile.TemporaryDirectory() as folder:
        copied = best(1, lambda: convert(weights_path(NAME), "", Path(folder) / "copy"))
    opened = best(3, lambda: open_local(f"local/{NAME}"))
    loaded = best(3, lambda: open_local(f"local/{NAME}")._ready())
    print(f"float32 copy of the GGUF file, once: {copied:.1f} s")
    print(f"open (tokenizer): {opened:.2f} s; open and load the copy: {loaded:.2f} s")


def reading() -> None:
    """Prefill speed by chunk length, and the cost of the two labels behind it."""
    import torch

    from evenhand.models._local import open_local
    from evenhand.models._local._reader import Reader

    runtime, _ = open_local(f"local/{NAME}?device=cpu")._ready()
    source = torch.Generator().manual_seed(0)
    ids = torch.randint(100, 49_000, (PROMPT_TOKENS,), generator=source).tolist()
    go = threading.Event()
    with torch.inference_mode():
        for chunk in (128, 256, 512, 1024, PROMPT_TOKENS):
            reader = Reader(runtime, chunk)

            def read(reader: Reader = reader) -> None:
                reader.forget()
                reader.read(ids, go)

            took = best(4, read)
            print(f"chunks of {chunk}: {took:.2f} s, {PROMPT_TOKENS / took:.0f} tokens/s")
        reader = Reader(runtime)

        def choose() -> None:
            reader.forget()
            reader.continuations(ids, [[5], [6]], go)

        print(f"prompt and two labels: {best(4, choose):.2f} s")
        again = best(4, lambda: reader.continuations(ids, [[5], [6]], go))
        print(f"the same prompt again: {again:.2f} s")


async def order_of_calls() -> None:
    """What remembering the last prompt saves on one instance set in seven patterns."""
    from evenhand.design import PATTERNS, arrange, select
    from evenhand.models import GenerationSettings, open_model
    from evenhand.pools import load_pool
    from evenhand.prompts import render
    from evenhand.tasks import load_task

    task = load_task("sentiment")
    pool = load_pool(task)
    prompts = []
    for majority in task.labels:
        chosen = select(pool, n=100, p="0.55", majority_label=majority, set_seed=0)
        prompts += [
            render(task, arrange(chosen.majority, chosen.minority, pattern, 0)).messages
            for pattern in PATTERNS
        ]
    settings = GenerationSettings(answer_mode="forced", labels=task.labels)
    orders = {
        "plan": prompts,
        "prefix": sorted(prompts, key=lambda messages: messages[-1].content),
    }
    margins: dict[str, dict[str, float]] = {}
    for name, ordered in orders.items():
        model = open_model(f"local/{NAME}")
        got = [await model.generate(messages, settings) for messages in ordered]
        await model.aclose()
        tokens = sum(one.usage.input_tokens or 0 for one in got)
        reused = sum(one.usage.cached_input_tokens or 0 for one in got)
        seconds = statistics.mean(one.latency_s for one in got[1:])
        print(
            f"calls in {name} order: {seconds:.2f} s a call, "
            f"{reused / tokens:.0%} of {tokens} tokens reused"
        )
        margins[name] = {
            messages[-1].content: one.forced.margin
            for messages, one in zip(ordered, got, strict=True)
            if one.forced is not None
        }
    same = margins["plan"] == margins["prefix"]
    print(f"margins of both orders are {'equal, bit for bit' if same else 'DIFFERENT'}")


def reference() -> None:
    """The largest difference between our logits and those of Transformers' own GGUF reader."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from evenhand.models._local import open_local, weights_path

    path = weights_path(NAME)
    runtime, _ = open_local(f"local/{NAME}?device=cpu")._ready()
    text = "Instance 1: a warm, funny film of 2019\nInstance 2: it's dull  and naïve\n" * 12
    ours = runtime.tokenizer(text, add_special_tokens=False)["input_ids"]
    started = time.perf_counter()
    theirs: Any = AutoModelForCausalLM.from_pretrained(
        path.parent, gguf_file=path.name, local_files_only=True, dtype=torch.float32
    )
    print(f"Transformers' own reader: {time.perf_counter() - started:.1f} s")
    ids = torch.tensor([ours])
    with torch.inference_mode():
        expected = theirs.eval()(input_ids=ids).logits
        model: Any = runtime.model
        got = model(input_ids=ids).logits
        for part in model.modules():
            part.__dict__.pop("forward", None)
        plain = model(input_ids=ids).logits
    print(
        f"{len(ours)} tokens: largest difference of a logit {(expected - got).abs().max():.2g}, ",
        end="",
    )
    print(f"with Torch's own products {(expected - plain).abs().max():.2g}")
    their_tokenizer: Any = AutoTokenizer.from_pretrained(path.parent, gguf_file=path.name)
    split = their_tokenizer(text, add_special_tokens=False)["input_ids"]
    print(f"Transformers' own tokenizer splits alike: {split == ours} (ours: every digit alone)")


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--reference", action="store_true")
    options = parser.parse_args()
    loading()
    reading()
    asyncio.run(order_of_calls())
    if options.reference:
        reference()


if __name__ == "__main__":
    main()
