"""Numbers as people read them. A missing number is a dash, never a zero."""

from __future__ import annotations

import math
from collections.abc import Sequence

MISSING = "–"
MINUS = "−"
PLUS_MINUS = "\u00a0±\u00a0"


def _absent(value: float | None) -> bool:
    return value is None or math.isnan(value)


def percent(share: float | None, digits: int = 0) -> str:
    """A share between 0 and 1 as ``88%``; never rounded to a bare 0% or 100% when it is neither.

    Examples: 0.884 is ``88%``, 0.999 is ``>99%``, 0.001 is ``<1%``, 1.0 is ``100%``.
    """
    if share is None or math.isnan(share):
        return MISSING
    share = round(share, 9)
    step = 10.0**-digits
    if 0 < share * 100 < step / 2:
        return f"<{step:.{digits}f}%"
    if 100 - step / 2 <= share * 100 < 100:
        return f">{100 - step:.{digits}f}%"
    return f"{share * 100:.{digits}f}%"


def points(share: float | None, digits: int = 0) -> str:
    """A difference of shares in percentage points: 0.592 is ``59 points``."""
    if share is None or math.isnan(share):
        return MISSING
    number = decimal(share, digits, scale=100)
    return f"{number} point" if number == "1" else f"{number} points"


def decimal(value: float | None, digits: int = 1, *, scale: float = 1.0, sign: bool = False) -> str:
    """A fixed number of decimals with a true minus sign; ``scale=100`` turns a share into percent.

    Examples: -0.386 with no digits and ``scale=100`` is ``−39``; with ``sign`` 0.386 is ``+0.4``.
    """
    if value is None or math.isnan(value):
        return MISSING
    scaled = round(value * scale, digits) + 0.0
    return f"{scaled:{'+' if sign else ''}.{digits}f}".replace("-", MINUS)


def mean_sd(mean: float | None, sd: float | None, digits: int = 1, scale: float = 100.0) -> str:
    """``88.3 ± 2.1``, or the mean alone where there is no standard deviation."""
    if _absent(mean):
        return MISSING
    first = decimal(mean, digits, scale=scale)
    return first if _absent(sd) else f"{first}{PLUS_MINUS}{decimal(sd, digits, scale=scale)}"


def interval(low: float | None, high: float | None) -> str:
    """An interval of shares as ``71% to 96%``."""
    if _absent(low) or _absent(high):
        return MISSING
    return f"{percent(low)} to {percent(high)}"


def probability(p: float | None) -> str:
    """A p-value as ``p = 0.012`` or ``p < 0.001``."""
    if p is None or math.isnan(p):
        return MISSING
    if p < 0.001:
        return "p < 0.001"
    return f"p = {p:.2g}" if p < 0.1 else f"p = {p:.2f}"


def count(value: float | None) -> str:
    """A whole number with thousands separated: ``2,000``."""
    return MISSING if value is None or math.isnan(value) else f"{round(value):,}"


def duration(seconds: float | None) -> str:
    """Seconds in the unit people would use: ``0.4 s``, ``2 min 5 s``, ``3 h 12 min``."""
    if seconds is None or math.isnan(seconds):
        return MISSING
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600} h {whole % 3600 // 60} min"


def plural(number: int, word: str, many: str | None = None) -> str:
    """``1 run``, ``2 runs``."""
    return f"{number:,} {word if number == 1 else many or word + 's'}"


def listed(words: Sequence[str], last: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
