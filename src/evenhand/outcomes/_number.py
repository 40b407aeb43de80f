"""Reading a number out of a reply, and judging it against an exact one (C.1)."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

from evenhand.outcomes._finish import was_cut, was_filtered
from evenhand.outcomes._json import last_answer
from evenhand.outcomes._judge import AnswerOutcome, Judgement, unanswered
from evenhand.outcomes._visible import visible_parts

_DIGITS = r"(?:[0-9]{1,3}(?:,[0-9]{3})+|[0-9]+)"
_NUMBER = re.compile(
    rf"(?P<sign>[-+]?)[$€£¥]?(?P<sign2>[-+]?)(?P<whole>{_DIGITS})(?P<part>\.[0-9]+)?\.?%?"
)
_ENDS_IN_NUMBER = re.compile(r"(?P<before>.*?[\s:=#])?(?P<last>[^\s:=#]+)", re.DOTALL)
# What, between two numbers, makes one thing of them: a range, a choice, a sum that is not done,
# digits in groups.
_JOINED = re.compile(
    r"[0-9]$|[0-9.%]\s*(?:[-+*/×÷^~±‐‑‒–—−]|\b(?:to|or|and|through|until|by|times|plus|minus|over)\b)$"
)
_BOXED = re.compile(r"\\boxed\{([^{}]*)\}")
_WRAPPERS = "*_`\"'“”‘’()[]\\ \t"
_FENCE = re.compile(r"(?:`{3,}|~{3,})\w*")
_LOOK_ALIKES = str.maketrans({"−": "-", "－": "-", "，": ",", "．": ".", "＄": "$", "％": "%"})
_LONGEST = 400


def parse_number(text: str) -> Decimal | None:
    """The number that ``text`` is, or that it ends in; None if there is no one such number.

    Thousands commas, a currency sign before, a percent sign or full stop after, and emphasis or
    quotation marks around it are allowed, and decimal digits of every script (full-width ones
    too). A superscript is no digit; a range, a choice, a fraction and a sum left undone are no
    number; words after the number are not passed over.
    """
    line = _plain_digits(text[-_LONGEST:]).strip()
    line = _BOXED.sub(r"\1", line).rstrip(".!" + _WRAPPERS)
    if line.endswith("$") and line.count("$") > 1:
        line = line[:-1]
    found = _ENDS_IN_NUMBER.fullmatch(line)
    if found is None:
        return None
    number = _NUMBER.fullmatch(found["last"].strip(_WRAPPERS))
    if number is None or (number["sign"] and number["sign2"]):
        return None
    before = (found["before"] or "").replace("*", "").rstrip().rstrip(_WRAPPERS)
    if _JOINED.search(before):
        return None
    value = Decimal(number["whole"].replace(",", "") + (number["part"] or ""))
    return -value if "-" in (number["sign"], number["sign2"]) else value


def judge_number(
    text: str,
    exact: int,
    *,
    finish_reason: str | None = "stop",
    output_tokens: int | None = None,
    output_budget: int | None = None,
) -> Judgement:
    """Judge a reply that should be a number: correct only if it is exactly that number (C.1).

    The last JSON object with an ``answer`` key counts, outside closed reasoning tags; if there is
    none, the last line does, and is marked lenient. A reply cut at a token limit is overlong.

    Args:
        text: The visible reply.
        exact: The right number.
        finish_reason: How the reply ended, in the provider's word.
        output_tokens: Tokens billed for the output, reasoning included, if known.
        output_budget: Tokens that were allowed.

    Returns:
        The outcome; ``predicted`` is the number as a plain decimal. There is no tie.
    """
    value, lenient = None, False
    if not (was_cut(finish_reason) or was_filtered(finish_reason)):
        value, lenient = _answered(text)
    if value is None:
        return unanswered(
            text,
            "no JSON answer that is a number, and no number at the end",
            finish_reason=finish_reason,
            output_tokens=output_tokens,
            output_budget=output_budget,
        )
    outcome: AnswerOutcome = "correct" if value == exact else "mistake"
    return Judgement(outcome, _written(value), lenient=lenient)


def _answered(text: str) -> tuple[Decimal | None, bool]:
    parts = visible_parts(text)
    for part in reversed(parts):
        answer = last_answer(part)
        if answer is None:
            continue
        value = answer.value
        if isinstance(value, str):
            return parse_number(value), False
        if isinstance(value, bool) or not isinstance(value, int | float):
            return None, False
        number = Decimal(str(value))
        return (number if number.is_finite() else None), False
    for part in reversed(parts):
        for line in reversed(part.splitlines()):
            if line.strip() and not _FENCE.fullmatch(line.strip()):
                return parse_number(line), True
    return None, False


def _plain_digits(text: str) -> str:
    """``text`` with the decimal digits of every script, and full-width signs, as ASCII.

    Compatibility folding would do more than that: it makes 5² a 52.
    """
    if text.isascii():
        return text
    plain = (
        str(unicodedata.decimal(character)) if character.isdecimal() else character
        for character in text
    )
    return "".join(plain).translate(_LOOK_ALIKES)


def _written(value: Decimal) -> str:
    return f"{value.normalize():f}" if abs(value) < Decimal(10) ** 30 else str(value)
