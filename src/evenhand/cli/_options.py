"""Option values that need reading: lists of words and of whole numbers, pool sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from evenhand.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from evenhand.pools import PerLabel, TableSource

MOST_NUMBERS = 100_000
"""Of one axis; a longer range is a slip of the keyboard."""


def split_words(text: str) -> list[str]:
    """``a, b,c`` as a list.

    Raises:
        UsageError: If a part is empty.
    """
    parts = [part.strip() for part in text.split(",")]
    if not all(parts):
        raise UsageError(f"{text!r} has an empty part: separate values by single commas")
    return parts


def split_integers(text: str) -> list[int]:
    """``0,1,5-7`` as ``[0, 1, 5, 6, 7]``; underscores may group digits.

    Raises:
        UsageError: If a part is neither a whole number from 0 nor a range of them, or the ranges
            hold more than :data:`MOST_NUMBERS`.
    """
    numbers: list[int] = []
    for part in split_words(text):
        first, dash, last = part.partition("-")
        try:
            low = int(first)
            high = int(last) if dash else low
        except ValueError:
            raise UsageError(
                f"{_short(part)} is not a whole number from 0, or a range such as 0-11"
                + ("" if part == text else f", in {_short(text)}")
            ) from None
        if high < low:
            raise UsageError(f"the range {part!r} runs backwards: write {high}-{low}")
        if len(numbers) + high - low >= MOST_NUMBERS:
            raise UsageError(f"{_short(text)} is more than {MOST_NUMBERS:,} numbers: choose fewer")
        numbers.extend(range(low, high + 1))
    return numbers


def _short(text: str) -> str:
    return repr(text if len(text) <= 80 else text[:79] + "…")


def parse_per_label(text: str | None) -> PerLabel:
    """The value of ``--per-label``.

    Raises:
        UsageError: If it is neither a number from 1 nor ``all``.
    """
    if text is None:
        return None
    if text == "all":
        return "all"
    if not (text.isascii() and text.isdecimal()) or int(text) < 1:
        raise UsageError(f"--per-label {text!r}: give a number of instances, or all")
    return int(text)


def table_source(
    pool: Path | None, text: str | None, label: str | None, id_: str | None
) -> TableSource | None:
    """The values of ``--pool`` and of the options that name its columns.

    Raises:
        UsageError: If a column is named and no table given.
    """
    from evenhand.pools import TableSource

    columns = {"text_column": text, "label_column": label, "id_column": id_}
    given = {name: column for name, column in columns.items() if column is not None}
    if pool is not None:
        return TableSource(pool, **given)
    for name in given:
        option = f"--{name.replace('_', '-')}"
        raise UsageError(f"{option} names a column of --pool, and no --pool is given")
    return None


def split_pairs(text: str) -> dict[str, str]:
    """``messages=prompt,setting==hub`` as ``{"messages": "prompt", "setting": "=hub"}``.

    Raises:
        UsageError: If a part is not ``field=column``, or a field stands twice.
    """
    pairs: dict[str, str] = {}
    for part in split_words(text):
        field, sign, column = part.partition("=")
        if not (field and sign and column):
            raise UsageError(f"{part!r} is not field=column, in {text!r}")
        if field in pairs:
            raise UsageError(f"the field {field!r} stands twice in {text!r}")
        pairs[field] = column
    return pairs
