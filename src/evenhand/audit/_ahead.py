"""What an audit will still take: all of it, or, in a folder that was begun, what is left."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol, runtime_checkable

from evenhand.audit._auditor import Auditor, Round, Setup
from evenhand.counting import Forecast, forecast, if_needed, spending, together
from evenhand.models import Model, ModelSpec

SHORT_OUTPUT = 50
"""Output tokens of one label as JSON (about ten), with room for a fence or a sentence around it."""
THINKING_OUTPUT = 2_000
"""Output tokens of a reply whose model thinks first, or may."""
_NEVER_THINK = ("reader/", "local/")


@runtime_checkable
class _Listed(Protocol):
    """A model with an entry in the catalog."""

    @property
    def spec(self) -> ModelSpec: ...


def ahead(setup: Setup) -> Forecast:
    """What is still to be asked: every order once; at worst, every order a second time.

    What the folder holds is read, and the audit followed through it, so that a finished one takes
    nothing, and one that stopped takes what it stopped before.
    """
    output, basis = expected_output(setup)
    auditor = Auditor(setup)
    left: list[Forecast] = []

    def take(each: Round) -> Forecast:
        found = forecast(each.work(), setup.model, setup.options, output, each.folder)
        return replace(found, output_basis=basis)

    last = len(setup.orders)
    for each in auditor.rounds():
        if each.finished:
            auditor.take(each)
            continue
        left.append(take(each))
        first = auditor.asked if each.repeat else each.end
        if first < last:
            rest = take(setup.round(first, last, repeat=0))
            # Where answers differ already, the next look may end it.
            left.append(if_needed(rest) if each.repeat else rest)
        again = each.end if each.repeat else auditor.repeated
        if again < last:
            left.append(if_needed(take(setup.round(again, last, repeat=1))))
        break
    return together(left)


def expected_output(setup: Setup) -> tuple[float, str]:
    """Output tokens that a reply is expected to have, and what that rests on."""
    if setup.options.answer_mode == "forced":
        return 0, "a forced choice writes nothing"
    spent = spending(setup.folders())
    if spent.calls and spent.output_tokens:
        mean = spent.output_tokens / spent.calls
        calls = "the call" if spent.calls == 1 else f"{spent.calls:,} calls"
        return min(mean, setup.budget), f"{mean:,.0f} a call, the mean of {calls} before"
    if never_thinks(setup.model):
        words, tokens = "one short answer", SHORT_OUTPUT
    else:
        words, tokens = "as the model may think first", THINKING_OUTPUT
    tokens = min(tokens, setup.budget)
    return tokens, f"{tokens:,} a call, {words}"


def never_thinks(model: Model) -> bool:
    """Whether a model is known to answer at once: the catalog says so, or it runs in process."""
    if isinstance(model, _Listed):
        return model.spec.reasoning_place == "none"
    return model.name.startswith(_NEVER_THINK)
