"""What of a plan has no outcome yet, in numbers and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from evenhand.running import RunStore


@dataclass(frozen=True, slots=True)
class Waiting:
    """A run with experiments that are pending.

    Attributes:
        run: The run folder.
        pending: Experiments without an outcome.
        experiments: Experiments of the plan, those with an outcome included.
        command: The command that goes on with it.
    """

    run: Path
    pending: int
    experiments: int
    command: str = "evenhand run"

    def told(self, name: str | None = None) -> str:
        """One sentence: how many, of which run, and how to go on.

        Args:
            name: What to call the run; its path by default.
        """
        one = self.pending == 1
        return (
            f"{name or self.run}: {self.pending:,} of {self.experiments:,} experiments "
            f"{'is' if one else 'are'} pending and left out; the same {self.command} command "
            f"goes on with {'it' if one else 'them'}"
        )


def waiting(paths: Sequence[Path]) -> tuple[Waiting, ...]:
    """The runs among ``paths`` that have pending experiments, each once.

    Args:
        paths: Run folders, or Parquet files of results, which hold no plan.

    Raises:
        UsageError: If there is no run at a path.
    """
    found = []
    for path in dict.fromkeys(paths):
        if path.suffix == ".parquet":
            continue
        with RunStore(path) as store:
            totals = store.totals()
        if totals.pending:
            found.append(Waiting(path, totals.pending, totals.experiments))
    return tuple(found)
