"""What to do after a count."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path

from evenhand.counting._named import named
from evenhand.counting._verdict import Evidence, doubts

_REMEDIES = {
    "pending": "the same command goes on where it stopped",
    "level": "a tie is the answer as far as the labels are right; hand labels of a random sample, "
    f"{named('gold')}, say how far that is",
    "error": f"more hand labels of a random sample, {named('gold')}, make the interval narrower; a "
    "better model has fewer errors",
    "unsteady": f"a smaller {named('batch')} or a better model labels more steadily; use another "
    "folder for it (out, --out)",
    "position": f"a smaller {named('batch')}, in another folder (out, --out)",
}


def next_step(evidence: Evidence, statuses: Mapping[str, int], askable: int, ledger: Path) -> str:
    """What follows from a verdict, in one line.

    Args:
        evidence: What the verdict rests on.
        statuses: Records of each status.
        askable: Records that were asked, have no label and were neither refused nor too long.
        ledger: The count's ledger.
    """
    _, found = doubts(evidence)
    if not found:
        unknown = (
            f"hand labels of a random sample, 50 records or more, given as {named('gold')}, would "
            "say how often the labels are wrong; "
            if evidence.correction is None
            else ""
        )
        path = shlex.quote(str(ledger))
        return (
            f"{unknown}each record's label stands in the ledger; to check that again: evenhand "
            f"count --verify {path}"
        )
    kind = found[0][0]
    if kind in ("no label", "unlabelled"):
        return _about_unlabelled(statuses, askable)
    return _REMEDIES[kind]


def _about_unlabelled(statuses: Mapping[str, int], askable: int) -> str:
    again = f"in the same folder, {named('again')}"
    if askable:
        others = statuses["refused"] + statuses["too long"]
        more = " (unlabelled: the refused and the too long as well)" if others else ""
        return f"{again} unresolved, asks only the records that stayed unresolved once more{more}"
    if statuses["too long"] and not statuses["refused"]:
        return (
            f"a larger {named('budget')} for replies that were cut off, or a model with a larger "
            "window, in another folder (out, --out)"
        )
    if statuses["refused"] or statuses["too long"]:
        return f"{again} unlabelled, asks those once more; or ask a model that refuses fewer"
    return "fill in the texts of the records that have none, or take those records out"
