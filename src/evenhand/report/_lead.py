"""The top of the page: one model's finding, large, with its numbers."""

from __future__ import annotations

from collections.abc import Sequence

from evenhand.report._conditions import MODE_WORDS
from evenhand.report._finding import READER, Finding, Side, explanation, headline, verdict_text
from evenhand.report._numbers import decimal, interval, listed, percent, plural
from evenhand.report._page import Lead, Measure
from evenhand.report._pictograms import PLACES


def lead(
    found: Sequence[Finding],
    condition: str,
    together: Sequence[str] = (),
    margins: Sequence[Measure] = (),
) -> Lead:
    """The finding of the leading model, in words, with its two numbers.

    Args:
        found: One finding a model.
        condition: What was run, in a few words.
        together: Sentences that must stand beside the leading model's numbers.
        margins: The numbers to show where its answers cannot tell.
    """
    chosen = leading(found)
    models = [one for one in found if not one.model.startswith(READER)] or list(found)
    several = len(found) > 1
    lines = [*explanation(chosen), *together]
    if len(models) > 1:
        lines.append(_others(models))
    scale = [one for one in found if one not in models]
    if scale:
        lines.append(f"For scale, simulated readers: {' '.join(map(_scale, scale))}")
    who = f"{len(models)} models" if len(models) > 1 else plain_name(chosen, found)
    return Lead(
        kicker=f"evenhand · {who} · {condition}",
        headline=headline(chosen, plain_name(chosen, found) if several else None),
        verdict=chosen.verdict,
        verdict_text=verdict_text(chosen),
        explanation=tuple(lines),
        measures=_measures(chosen, margins),
    )


def leading(found: Sequence[Finding]) -> Finding:
    """The model that the headline speaks of: that of the first run named.

    Simulated readers lead only where there is nothing else.
    """
    return next((one for one in found if not one.model.startswith(READER)), found[0])


def plain_name(chosen: Finding, found: Sequence[Finding]) -> str:
    """The model's name without how it answered, where that tells nothing apart."""
    for words in MODE_WORDS.values():
        plain = chosen.model.removesuffix(f" ({words})")
        twins = sum(one.model.startswith(f"{plain} (") for one in found)
        if plain != chosen.model and twins == 1:
            return plain
    return chosen.model


def _measures(chosen: Finding, margins: Sequence[Measure]) -> tuple[Measure, ...]:
    if chosen.verdict == "one-label":
        return tuple(margins) or tuple(
            Measure(
                "",
                f"of the valid answers name “{one.label}”",
                percent(one.named),
                f"it was right in {percent(one.right)} · bias "
                f"{decimal(one.bias, 0, scale=100, sign=True)} points · "
                f"{plural(one.runs, 'valid run')}"
                + (f" on {one.task}" if len(chosen.leanings) > 1 else ""),
            )
            for one in chosen.leanings
        )
    if chosen.best is None or chosen.worst is None:
        return ()
    if chosen.alike:
        # Every order is the best and the worst: one number, of all runs.
        return (_measure(chosen.overall or chosen.best, "", "in every order"),)
    return tuple(_measure(side, side.pattern, PLACES[side.pattern]) for side in
                 (chosen.best, chosen.worst))  # fmt: skip


def _measure(side: Side, pattern: str, place: str) -> Measure:
    detail = f"95% interval {interval(side.low, side.high)} · {plural(side.runs, 'run')}"
    return Measure(pattern, place, percent(side.accuracy), detail)


def _others(models: Sequence[Finding]) -> str:
    counts = [
        (sum(one.verdict == verdict for one in models), words)
        for verdict, words in (
            ("effect", "show an order effect"),
            ("none", "show none"),
            ("unclear", "are not decided"),
            ("one-label", "name one label whatever the order"),
        )
    ]
    said = listed([f"{number} {words}" for number, words in counts if number])
    return f"Of {len(models)} models {said} (p-values adjusted for their number)."


def _scale(reader: Finding) -> str:
    sentence = headline(reader, reader.model)
    _, _, short = sentence.partition(" records, ")
    return short or sentence
