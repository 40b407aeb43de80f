"""Time and memory of one attribution replay, against other ways and other libraries.

    python benchmarks/attribution.py                       # the table at 1,000 tokens
    python benchmarks/attribution.py --tokens 500,1000,2000 --ways ours,lean,plain,inseq,captum
    python benchmarks/attribution.py --curve               # memory at 1k, 2k, 4k, 8k and 32k tokens

Every measurement is a process of its own, ways interleaved, the same prompt and labels for all.
Printed are seconds (wall and CPU; the ratios to `ours` are of CPU seconds, which suffer less from
other work on the machine), peak memory, and peak memory above the loaded model. `plain` is eager
attention, gradients for all parameters, all logits; `lean` is frozen parameters, SDPA and the
answer's logits; `lean-checkpoint` adds Torch's checkpointing of every layer. `inseq` and `captum`
run where they are installed, and are said to be absent where they are not.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

MODEL = "smollm2-135m"
WAYS = ("ours", "ours-kept", "lean", "lean-checkpoint", "plain", "inseq", "captum")
LABELS = {1: (" good", " bad"), 3: (" good old times", " bad new days")}
WORDS = [
    "the",
    "a",
    "cold",
    "warm",
    "plate",
    "table",
    "came",
    "late",
    "early",
    "and",
    "was",
    "not",
    "very",
    "nice",
    "at",
    "noon",
    "on",
    "time",
]
CURVE = (1000, 2000, 4000, 8000)
LIMIT_S = 460

Result = tuple[float, list[float]]
"""The score, and each token's absolute contribution."""


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--tokens", default="1000")
    parser.add_argument("--ways", default="ours,lean,inseq,captum")
    parser.add_argument("--label-tokens", type=int, choices=(1, 3), default=1)
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--curve", action="store_true")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.one:
        way, tokens, label = arguments.one
        print(json.dumps(measure(way, int(tokens), int(label))))
        return
    if arguments.curve:
        for tokens in CURVE:
            report("ours", tokens, child("ours", tokens, 1), None)
        report("ours (tiny)", 32_000, child("synthetic", 32_000, 1), None)
        return
    ways = arguments.ways.split(",")
    for tokens in map(int, arguments.tokens.split(",")):
        runs = [
            (way, child(way, tokens, arguments.label_tokens))
            for _ in range(arguments.rounds)
            for way in ways
        ]
        best: dict[str, dict[str, Any]] = {}
        for way, found in runs:
            if way not in best or found.get("cpu", 0) < best[way].get("cpu", 0):
                best[way] = found
        for way in ways:
            report(way, tokens, best[way], best.get("ours"))


def child(way: str, tokens: int, label: int) -> dict[str, Any]:
    """Measure in a fresh process."""
    command = [sys.executable, __file__, "--one", way, str(tokens), str(label)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        return {"absent": f"stopped after {LIMIT_S} s"}
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        return {"absent": last}
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def report(way: str, tokens: int, found: dict[str, Any], ours: dict[str, Any] | None) -> None:
    """One line."""
    if "absent" in found:
        print(f"{tokens:>6,} {way:16} {found['absent']}", flush=True)
        return
    line = (
        f"{tokens:>6,} {way:16} wall {found['wall']:7.1f} s  CPU {found['cpu']:7.1f} s  "
        f"peak {found['peak'] / 1e9:5.2f} GB  above model {found['above'] / 1e9:5.2f} GB  "
        f"S {found['score']:+.4f}  sum {found['total']:.4f}"
    )
    if ours is not None and "cpu" in ours and way != "ours":
        line += (
            f"  ours: {found['cpu'] / ours['cpu']:.2f}x faster, {ours['peak'] / found['peak']:.2f} "
            f"of its memory, {ours['above'] / max(found['above'], 1):.2f} above model"
        )
    print(line, flush=True)


def measure(way: str, tokens: int, label_tokens: int) -> dict[str, Any]:
    """Time one way in this process, the model loaded and its weights touched before."""
    import torch

    torch.set_num_threads(int(os.environ.get("OMP_NUM_THREADS", "2")))
    model, tokenizer = synthetic() if way == "synthetic" else loaded()
    ids, labels = prompt(tokenizer, tokens, label_tokens)
    run = prepare_way(way, model, tokenizer, ids, labels)
    for parameter in model.parameters():
        float(parameter.sum())
    before = peak()
    started, spent = time.perf_counter(), time.process_time()
    score, contributions = run()
    return {
        "wall": time.perf_counter() - started,
        "cpu": time.process_time() - spent,
        "peak": peak(),
        "above": peak() - before,
        "score": score,
        "total": sum(contributions),
    }


def prompt(tokenizer: Any, tokens: int, label_tokens: int) -> tuple[tuple[int, ...], Any]:
    """Token ids of random words, one token each, and of both labels."""
    import random

    if tokenizer is None:
        return tuple(at % 500 for at in range(tokens)), ((1,), (2,))
    source = random.Random(0)
    text = "".join(f" {source.choice(WORDS)}" for _ in range(tokens))
    ids = tokenizer(text, add_special_tokens=False)["input_ids"]
    labels = tuple(
        tuple(tokenizer(label, add_special_tokens=False)["input_ids"])
        for label in LABELS[label_tokens]
    )
    if len(ids) != tokens or {len(label) for label in labels} != {label_tokens}:
        raise SystemExit("the benchmark's words are not one token each for this tokenizer")
    return tuple(ids), labels


def loaded() -> tuple[Any, Any]:
    """The embedded model as Transformers loads it: what `ours` makes faster is its own."""
    from transformers import AutoModelForCausalLM, AutoTokenizer

    from evenhand.models._local._runtime import embedded_folder, need_runtime

    need_runtime()
    folder = str(embedded_folder(MODEL))
    auto: Any = AutoModelForCausalLM
    model = auto.from_pretrained(folder, local_files_only=True, dtype="float32").eval()
    return model, AutoTokenizer.from_pretrained(folder, local_files_only=True)


def synthetic() -> tuple[Any, Any]:
    """A small random model without a limit of 8,192 tokens."""
    from transformers import AutoConfig, AutoModelForCausalLM

    auto: Any = AutoModelForCausalLM
    shape = {"hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 4}
    heads = {"num_attention_heads": 4, "num_key_value_heads": 2, "vocab_size": 512}
    config = AutoConfig.for_model("llama", **shape, **heads, max_position_embeddings=65_536)
    return auto.from_config(config).eval(), None


def prepare_way(
    way: str, model: Any, tokenizer: Any, ids: Sequence[int], labels: Any
) -> Callable[[], Result]:
    """Everything that is not measured, and what is."""
    if way in ("ours", "ours-kept", "synthetic"):
        return _ours(model, ids, labels, kept=way == "ours-kept")
    if way in ("plain", "lean", "lean-checkpoint"):
        return partial(_torch, way, model, ids, labels)
    if way == "inseq":
        return _inseq(model, tokenizer, ids, labels)
    if way == "captum":
        return _captum(model, ids, labels)
    raise SystemExit(f"unknown way {way}: use one of {', '.join(WAYS)}")


def _ours(model: Any, ids: Sequence[int], labels: Any, *, kept: bool) -> Callable[[], Result]:
    from evenhand.attribution import Memory, Replay, contrast, freeze

    freeze(model)
    replay = Replay(tuple(ids), labels)

    def run() -> Result:
        found = contrast(model, replay, memory=Memory(checkpoint=not kept))
        return found.score, found.contributions.abs().tolist()

    return run


def _torch(way: str, model: Any, ids: Sequence[int], labels: Any) -> Result:
    """Torch alone: one whole pass a label, or one in all where a label is one token."""
    import torch
    from torch.utils.checkpoint import checkpoint

    plain = way == "plain"
    model.config._attn_implementation = "eager" if plain else "sdpa"
    for parameter in model.parameters():
        parameter.requires_grad_(plain)
    if way == "lean-checkpoint":
        for layer in model.model.layers:
            layer.forward = partial(checkpoint, layer.forward, use_reentrant=False)
    together = len(labels[0]) == 1
    score, product = 0.0, torch.zeros(len(ids))
    for sign, fed in ((1, labels[0]),) if together else ((-1, labels[0]), (1, labels[1])):
        whole = torch.tensor([[*ids, *fed[:-1]]])
        inputs = model.model.embed_tokens(whole).detach().requires_grad_()
        keep = 0 if plain else len(fed)
        logits = model(inputs_embeds=inputs, use_cache=False, logits_to_keep=keep).logits
        log_p = logits[0, -len(fed) :].log_softmax(-1)
        if together:
            part = log_p[0, labels[1][0]] - log_p[0, labels[0][0]]
        else:
            part = sign * log_p[range(len(fed)), list(fed)].sum()
        part.backward()
        score += float(part.detach())
        product += (inputs.detach() * inputs.grad).sum(-1)[0, : len(ids)]
    return score, product.abs().tolist()


def _inseq(model: Any, tokenizer: Any, ids: Sequence[int], labels: Any) -> Callable[[], Result]:
    """inseq's Input x Gradient of the difference of logits, a step a label token."""
    import torch

    inseq = importlib.import_module("inseq")

    for parameter in model.parameters():
        parameter.requires_grad_(False)
    model.set_input_embeddings(model.get_input_embeddings())
    wrapped = inseq.load_model(model, "input_x_gradient", tokenizer=tokenizer)
    text, full = (
        tokenizer.decode(list(part), clean_up_tokenization_spaces=False)
        for part in (ids, (*ids, *labels[1]))
    )
    other = tokenizer.decode([*ids, *labels[0]], clean_up_tokenization_spaces=False)

    def run() -> Result:
        found = wrapped.attribute(
            text,
            full,
            attributed_fn="contrast_logits_diff",
            contrast_targets=other,
            step_scores=["contrast_logits_diff"],
            show_progress=False,
        )
        made = found.sequence_attributions[0]
        values = torch.nan_to_num(made.target_attributions).sum(-1).abs().flatten().tolist()
        return float(made.step_scores["contrast_logits_diff"].sum()), values

    return run


def _captum(model: Any, ids: Sequence[int], labels: Any) -> Callable[[], Result]:
    """captum's Input x Gradient of the contrast, a call a label token and side."""
    import torch

    attr = importlib.import_module("captum.attr")

    for parameter in model.parameters():
        parameter.requires_grad_(False)
    model.config._attn_implementation = "sdpa"
    scores: list[float] = []

    def score(inputs: torch.Tensor, wanted: Sequence[tuple[int, float]]) -> torch.Tensor:
        log_p = model(inputs_embeds=inputs, use_cache=False).logits[:, -1].log_softmax(-1)
        total = sum(sign * log_p[:, token] for token, sign in wanted)
        assert isinstance(total, torch.Tensor)
        scores.append(float(total.detach()))
        return total

    def run() -> Result:
        scores.clear()
        product = torch.zeros(len(ids))
        for step in range(max(map(len, labels))):
            calls = (
                [([*ids], [(labels[0][0], -1.0), (labels[1][0], 1.0)])]
                if step == 0
                else [
                    ([*ids, *label[:step]], [(label[step], sign)])
                    for label, sign in zip(labels, (-1.0, 1.0), strict=True)
                ]
            )
            for whole, wanted in calls:
                inputs = model.model.embed_tokens(torch.tensor([whole])).detach()
                inputs.requires_grad_()
                made = attr.InputXGradient(partial(score, wanted=wanted)).attribute(inputs)
                product += made.detach().sum(-1)[0, : len(ids)]
        return sum(scores), product.abs().tolist()

    return run


def peak() -> int:
    """Peak resident memory of this process in bytes."""
    scale = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * scale


if __name__ == "__main__":
    main()
