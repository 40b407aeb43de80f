"""Contract: nobody is asked about a cost that is unknown or within the limit; above it, a run
without a terminal is refused with the way on."""

from __future__ import annotations

import io

import pytest

from evenhand.cli._forecast import confirm_cost
from evenhand.errors import UsageError


@pytest.mark.parametrize(("cost", "limit"), [(None, 5.0), (5.0, 5.0), (99.0, None), (0.0, 0.0)])
def test_within_the_limit_nobody_is_asked(cost: float | None, limit: float | None) -> None:
    confirm_cost("this", cost, limit)


def test_above_the_limit_without_a_terminal_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("y\n"))
    with pytest.raises(UsageError, match=r"^this is expected to cost \$5\.01, more than \$5\.00: "):
        confirm_cost("this", 5.01, 5.0)
