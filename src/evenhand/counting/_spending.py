"""What the run folders of one answer have cost together."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from evenhand.running import RunOptions, RunStore


def cost_words(usd: float | None) -> str:
    """Dollars as people read them: unknown, nothing, or an amount."""
    if usd is None:
        return "unknown"
    if not usd:
        return "nothing"
    return f"${usd:,.2f}" if usd >= 1 else f"${usd:.4f}"


def lost_calls(unsettled: int, unsettled_usd: float) -> list[str]:
    """A line about calls of unknown cost, where there are any."""
    if not unsettled:
        return []
    calls = "1 call was" if unsettled == 1 else f"{unsettled:,} calls were"
    return [f"{calls} lost, cut or stated no usage: up to {cost_words(unsettled_usd)} more"]


@dataclass(frozen=True, slots=True)
class Spending:
    """Calls, tokens and money of run folders.

    Attributes:
        calls: Calls that came back.
        input_tokens: Billed, as far as the server said.
        output_tokens: Likewise.
        priced_usd: Dollars of the calls whose cost is known.
        unpriced: Calls that came back and whose cost is unknown.
        unsettled: Calls begun at a known price whose cost is not known: lost to a kill, cut on
            the way back, or answered without usage.
        unsettled_usd: What those cost at worst, together.
    """

    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    priced_usd: float = 0.0
    unpriced: int = 0
    unsettled: int = 0
    unsettled_usd: float = 0.0

    @property
    def cost_usd(self) -> float | None:
        """Dollars; None when the cost of a call that came back is unknown."""
        return None if self.unpriced else self.priced_usd

    @property
    def counted_usd(self) -> float:
        """What counts towards a limit: calls of unknown cost at their worst case."""
        return self.priced_usd + self.unsettled_usd


def run_folders(out: Path, names: Iterable[str]) -> list[Path]:
    """The run folders in ``out`` whose names match one of these patterns."""
    return sorted(found.parent for name in names for found in out.glob(f"{name}/run.db"))


def spending(folders: Iterable[Path]) -> Spending:
    """What these run folders have cost."""
    whole = Spending()
    for folder in folders:
        with RunStore(folder) as store:
            found = store.totals()
        whole = Spending(
            whole.calls + found.calls,
            whole.input_tokens + found.input_tokens,
            whole.output_tokens + found.output_tokens,
            whole.priced_usd + found.cost_usd,
            whole.unpriced + found.unpriced,
            whole.unsettled + found.unsettled,
            whole.unsettled_usd + found.unsettled_usd,
        )
    return whole


def with_spending(options: RunOptions, folders: Iterable[Path]) -> RunOptions:
    """The options of a run whose limit is that of these folders too."""
    if options.max_cost_usd is None:
        return options
    return replace(options, spent_before_usd=spending(folders).counted_usd)
