"""Numbers as people read them: no bare 0% or 100% that is not one, dashes for what is missing."""

from __future__ import annotations

import pytest

from evenhand.report import _numbers as numbers


@pytest.mark.parametrize(
    ("share", "digits", "text"),
    [
        (0.884, 0, "88%"),
        (0.884, 1, "88.4%"),
        (0.0, 0, "0%"),
        (1.0, 0, "100%"),
        (0.999999999999, 0, "100%"),
        (0.999, 0, ">99%"),
        (0.001, 0, "<1%"),
        (0.9999, 1, ">99.9%"),
        (None, 0, "–"),
        (float("nan"), 0, "–"),
    ],
)
def test_percent(share: float | None, digits: int, text: str) -> None:
    assert numbers.percent(share, digits) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [
        (0.592, "59 points"),
        (0.01, "1 point"),
        (0.0, "0 points"),
        (-0.001, "0 points"),
        (-0.386, "−39 points"),
        (None, "–"),
    ],
)
def test_points(share: float | None, text: str) -> None:
    assert numbers.points(share) == text


@pytest.mark.parametrize(
    ("value", "sign", "text"),
    [
        (-0.386, False, "−38.6"),
        (-0.386, True, "−38.6"),
        (0.386, True, "+38.6"),
        (0.0, True, "+0.0"),
    ],
)
def test_a_minus_is_a_minus_and_not_a_hyphen(value: float, sign: bool, text: str) -> None:
    assert numbers.decimal(value, scale=100, sign=sign) == text


@pytest.mark.parametrize(
    ("p", "text"),
    [(0.0001, "p < 0.001"), (0.0123, "p = 0.012"), (0.5, "p = 0.50"), (1.0, "p = 1.00")],
)
def test_probability(p: float, text: str) -> None:
    assert numbers.probability(p) == text


@pytest.mark.parametrize(
    ("mean", "sd", "text"),
    [
        (0.8834, 0.021, "88.3\u00a0±\u00a02.1"),
        (0.8834, None, "88.3"),
        (None, None, "–"),
        (-0.00001, None, "0.0"),
    ],
)
def test_mean_and_sd(mean: float | None, sd: float | None, text: str) -> None:
    assert numbers.mean_sd(mean, sd) == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0.42, "0.4 s"), (59.2, "59 s"), (125, "2 min 5 s"), (11_520, "3 h 12 min"), (None, "–")],
)
def test_duration(seconds: float | None, text: str) -> None:
    assert numbers.duration(seconds) == text
