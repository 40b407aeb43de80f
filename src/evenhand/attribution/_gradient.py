"""The contrastive score of two label strings, and each token's part in it (F.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from evenhand.attribution._layers import Memory, chunked_layers, decoder_of
from evenhand.attribution._layout import Layout
from evenhand.errors import EvenhandError, UsageError

if TYPE_CHECKING:
    import torch

CPU_CHUNK, GPU_CHUNK = 1024, 4096
"""Tokens read together."""
CHECKPOINTED = Memory()


@dataclass(frozen=True, slots=True)
class Replay:
    """Token ids of one replay.

    Attributes:
        prefix: Everything before the tokens in which the two labels differ, at least one token.
        labels: For each label, in the task's order, its tokens after the prefix. One may be
            empty, where one label's tokens begin the other's.
    """

    prefix: tuple[int, ...]
    labels: tuple[tuple[int, ...], tuple[int, ...]]

    def __post_init__(self) -> None:
        if not self.prefix or not any(self.labels) or self.labels[0] == self.labels[1]:
            raise ValueError("a replay needs a prefix and two labels whose tokens differ")

    @property
    def tokens(self) -> int:
        """Of the prefix and both labels."""
        return len(self.prefix) + sum(map(len, self.labels))


@dataclass(frozen=True, slots=True)
class Contrast:
    """What one replay gave.

    Attributes:
        score: S = log P(second label) - log P(first label), natural logarithm; each label's is
            the sum over its tokens.
        log_probabilities: Of the first and the second label.
        contributions: For every token of the prefix, the inner product of its input embedding and
            S's gradient there, signed, float32, on the CPU; shape (prefix tokens,).
    """

    score: float
    log_probabilities: tuple[float, float]
    contributions: torch.Tensor


def contrast(
    model: Any,
    replay: Replay,
    *,
    memory: Memory = CHECKPOINTED,
    packed: bool = True,
    chunk: int | None = None,
) -> Contrast:
    """Score the two labels after a prefix, and attribute the score to the prefix's tokens.

    The embeddings are those that the first layer receives, after any scaling. Memory grows
    linearly with the number of tokens.

    Args:
        model: A Transformers causal language model in evaluation mode; its parameters must be
            frozen (:func:`freeze`).
        replay: What to score.
        memory: What is kept for the way back.
        packed: Both labels in one pass; else one pass each.
        chunk: Tokens read together; None chooses by device.

    Returns:
        Score and contributions.

    Raises:
        UsageError: If the model is built in a way that is not supported.
        EvenhandError: If score or gradient is not finite.
    """
    import torch

    if any(parameter.requires_grad for parameter in model.parameters()):
        raise UsageError("attribution needs frozen parameters: call freeze(model) first")
    device = next(model.parameters()).device
    known = decoder_of(model).embed_tokens.num_embeddings
    beyond = max(max(ids, default=0) for ids in (replay.prefix, *replay.labels))
    if beyond >= known:
        raise UsageError(
            f"the tokenizer gave the token {beyond:,}, and this model knows {known:,}: they do not "
            "belong together"
        )
    size = chunk or (CPU_CHUNK if device.type == "cpu" else GPU_CHUNK)
    whole = len(replay.prefix)
    if packed:
        scores, contributions = _pass(
            model, replay.prefix, replay.labels, (-1.0, 1.0), memory, size
        )
    else:
        scores, contributions = [0.0, 0.0], torch.zeros(whole)
        for number, sign in enumerate((-1.0, 1.0)):
            if replay.labels[number]:
                [scores[number]], part = _pass(
                    model, replay.prefix, (replay.labels[number],), (sign,), memory, size
                )
                contributions = contributions + part
    score = scores[1] - scores[0]
    if not (torch.isfinite(contributions).all() and abs(score) < float("inf")):
        raise EvenhandError(
            "the score or its gradient is not a finite number: use --dtype float32 or bfloat16 "
            "and another --out, or see whether the weights are whole"
        )
    return Contrast(score, (scores[0], scores[1]), contributions)


def freeze(model: Any) -> None:
    """Put a model into evaluation mode, stop gradients to its parameters, and quicken its maps."""
    from evenhand.models._local import quicken

    model.eval()
    for parameter in model.parameters():
        parameter.requires_grad_(False)
    quicken(model)


def _pass(
    model: Any,
    prefix: Sequence[int],
    labels: Sequence[Sequence[int]],
    signs: Sequence[float],
    memory: Memory,
    chunk: int,
) -> tuple[list[float], torch.Tensor]:
    """One forward and backward: each label's log-probability, and the signed sum's gradient."""
    import torch

    fed = [label[:-1] for label in labels]
    layout = Layout(len(prefix), tuple(map(len, fed)), chunk)
    device = next(model.parameters()).device
    ids = [*prefix, *(token for tail in fed for token in tail)]
    with torch.enable_grad(), chunked_layers(model, layout, memory) as captured:
        logits = model(
            input_ids=torch.tensor([ids], device=device),
            position_ids=torch.tensor([layout.positions()], device=device),
            use_cache=False,
        ).logits[0]
        log_p = torch.log_softmax(logits.float(), dim=-1)
        found = []
        row = 1
        for label, tail in zip(labels, fed, strict=True):
            rows = [0, *range(row, row + len(tail))][: len(label)]
            found.append(log_p[rows, list(label)].sum() if label else log_p.new_zeros(()))
            row += len(tail)
        total = sum(sign * one for sign, one in zip(signs, found, strict=True))
        assert isinstance(total, torch.Tensor)
        torch.autograd.backward([total])
    embeddings = captured.embeddings
    assert embeddings is not None
    assert embeddings.grad is not None
    products = (embeddings.detach().float() * embeddings.grad.float()).sum(dim=-1)
    return [float(one.detach()) for one in found], products[0, : len(prefix)].cpu()
