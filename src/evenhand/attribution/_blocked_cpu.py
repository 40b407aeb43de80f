"""Attention on a CPU block by block, through the same matrix products as the linear maps.

Torch's fused kernel multiplies through MKL, which on AMD's processors reaches half of what oneDNN
does (see ``models/_local/_linear.py``). Here a block of queries meets all keys that it sees. The
query heads that share a key head are put together, so that each product is one large one and the
sum over the shared heads is part of it. A block holds about :data:`_SCORES` scores at once, however
many keys there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from evenhand.attribution._layout import Part

if TYPE_CHECKING:
    import torch

_SCORES = 1 << 20
"""Scores held at once: 4 MB, which the processor's caches hold."""
_FEWEST, _MOST = 16, 256
"""Queries of one head in a block, however many or few keys there are."""


def fits(query: torch.Tensor, keys: torch.Tensor) -> bool:
    """Whether this way can be used, and is the faster one."""
    import torch

    from evenhand.models._local import products_available

    return (
        products_available()
        and query.device.type == "cpu"
        and query.dtype == keys.dtype == torch.float32
    )


def forward(
    query: torch.Tensor, key: torch.Tensor, value: torch.Tensor, part: Part, scaling: float
) -> tuple[torch.Tensor, torch.Tensor]:
    """Attention of a chunk's queries to the keys of one part.

    Args:
        query: Shape (1, heads, queries, size), float32.
        key: Of the part, shape (1, key heads, keys, size).
        value: Likewise.
        part: Says which keys each query sees; every query sees one at least.
        scaling: Factor on the scores.

    Returns:
        The output, shaped as the queries, and the log-sum-exp, shape (1, heads, queries).
    """
    import torch

    from evenhand.models._local import product

    output = torch.empty_like(query)
    log_sum = query.new_empty(query.shape[:-1])
    for block in _blocks(query, key, part):
        rows = block.rows(query)
        seen_keys, seen_values = block.keys(key), block.keys(value)
        scores = product(rows * scaling, seen_keys)
        block.hide(scores)
        top = scores.amax(dim=1, keepdim=True)
        weights = scores.sub_(top).exp_()
        total = weights.sum(dim=1, keepdim=True)
        block.put(output, product(weights, seen_values.t()).div_(total))
        block.put(log_sum, top.add_(total.log_())[:, 0])
    return output, log_sum


def backward(
    grad: torch.Tensor,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    output: torch.Tensor,
    log_sum: torch.Tensor,
    part: Part,
    scaling: float,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Gradients of queries, keys and values.

    Args:
        grad: Of the output over all parts, shaped as the queries.
        query: As in :func:`forward`, like the two that follow.
        key: Of the part.
        value: Likewise.
        output: Over all parts.
        log_sum: Over all parts, shape (1, heads, queries).
        part: Says which keys each query sees.
        scaling: Factor on the scores.

    Returns:
        What the part adds to the queries' gradient, and the gradients of its keys and values,
        shaped as the keys.
    """
    import torch

    from evenhand.models._local import product

    d_query = torch.empty_like(query)
    # Size before keys: so the product's small operand is the one that it has to lay out anew.
    d_key, d_value = (one.new_zeros(one.mT.shape) for one in (key, value))
    inner = (grad * output).sum(dim=-1)
    for block in _blocks(query, key, part):
        rows, grads = block.rows(query) * scaling, block.rows(grad)
        seen_keys, seen_values = block.keys(key), block.keys(value)
        weights = product(rows, seen_keys)
        block.hide(weights)
        weights.sub_(block.rows(log_sum)[:, None]).exp_()
        d_value[0, block.head, :, : block.seen] += product(grads.t(), weights.t())
        slopes = product(grads, seen_values)
        slopes.sub_(block.rows(inner)[:, None]).mul_(weights)
        d_key[0, block.head, :, : block.seen] += product(rows.t(), slopes.t())
        block.put(d_query, product(slopes, seen_keys.t()).mul_(scaling))
    return d_query, d_key.mT, d_value.mT


@dataclass(frozen=True, slots=True)
class _Block:
    """Queries ``lo`` to ``hi`` of the heads that share key head ``head``, and the keys they see.

    ``hidden`` is true where a query does not see a key, of the last keys that it speaks of.
    """

    head: int
    groups: int
    lo: int
    hi: int
    seen: int
    hidden: torch.Tensor | None

    def rows(self, whole: torch.Tensor) -> torch.Tensor:
        """Of (1, heads, queries, …), this block's rows: shape (heads of the block · queries, …)."""
        return whole[0, self._heads(), self.lo : self.hi].flatten(0, 1)

    def put(self, whole: torch.Tensor, rows: torch.Tensor) -> None:
        """The other way round."""
        target = whole[0, self._heads(), self.lo : self.hi]
        target.copy_(rows.view(target.shape))

    def keys(self, whole: torch.Tensor) -> torch.Tensor:
        """Of (1, key heads, keys, size), those that the block sees: shape (keys, size)."""
        return whole[0, self.head, : self.seen]

    def hide(self, scores: torch.Tensor) -> None:
        """Put minus infinity where a query does not see a key."""
        if self.hidden is not None:
            by_head = scores.view(self.groups, self.hi - self.lo, self.seen)
            last = by_head[:, :, self.seen - self.hidden.shape[1] :]
            last.masked_fill_(self.hidden, float("-inf"))

    def _heads(self) -> slice:
        return slice(self.head * self.groups, (self.head + 1) * self.groups)


def _blocks(query: torch.Tensor, key: torch.Tensor, part: Part) -> Iterator[_Block]:
    import torch

    heads, queries, key_heads, keys = query.shape[1], query.shape[2], key.shape[1], key.shape[2]
    groups = heads // key_heads
    size = min(_MOST, max(_FEWEST, _SCORES // (groups * keys)))
    later = torch.ones(size, size, dtype=torch.bool).triu_(1)
    for lo in range(0, queries, size):
        hi = min(lo + size, queries)
        hidden = later[: hi - lo, : hi - lo] if part.causal else None
        if part.mask is not None:
            hidden = ~part.mask[lo:hi]
        for head in range(key_heads):
            yield _Block(head, groups, lo, hi, hi if part.causal else keys, hidden)
