"""A forced choice compares P(label, then a closing quote), exactly, whatever the tokens.

Probabilities are written out by hand; the quote may be any token that starts with it, or may have
merged with the label's end; a label that begins the other gets no credit for it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch

from evenhand.models._local._chat import token_ids
from evenhand.models._local._forced import _quote_tokens, choose, question, string_log_probability

Token = Callable[[str], int]
Encode = Callable[[str], list[int]]


@pytest.fixture
def encode(tokenizer: Any) -> Encode:
    return lambda text: token_ids(tokenizer, text, ())


def rows(size: int, *tables: Mapping[int, float]) -> torch.Tensor:
    """Logits that give each token the stated probability; the rest goes to token 0."""
    probabilities = torch.zeros(len(tables), size, dtype=torch.float64)
    for at, table in enumerate(tables):
        for token, probability in table.items():
            probabilities[at, token] = probability
        probabilities[at, 0] = 1 - probabilities[at].sum()
    return probabilities.log()


def test_the_quote_is_every_token_that_starts_with_it(tokenizer: Any, token: Token) -> None:
    logits = rows(
        len(tokenizer),
        {token("n"): 0.5},
        {token("o"): 0.25},
        {token('"'): 0.25, token('"}'): 0.5, token('!"'): 0.125},
    )
    ids = [token("n"), token("o")]
    got = string_log_probability(tokenizer, token('"'), ids, logits)
    assert got == pytest.approx(math.log(0.5 * 0.25 * 0.75))


def test_quote_tokens_come_in_the_order_of_their_numbers(
    tokenizer: Any, token: Token, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the last bit of a margin would depend on the order a vocabulary happens to come in."""
    before, words = token('"'), list(tokenizer.get_vocab().items())
    for order in (words, words[::-1], sorted(words)):
        monkeypatch.setattr(type(tokenizer), "get_vocab", lambda _, order=order: dict(order))
        found = list(_quote_tokens(tokenizer, before))
        assert len(found) > 2
        assert found == sorted(found)


def test_a_quote_that_merged_with_the_label_counts(tokenizer: Any, token: Token) -> None:
    logits = rows(
        len(tokenizer), {token("a"): 0.5}, {token("!"): 0.5, token('!"'): 0.25}, {token('"'): 0.5}
    )
    got = string_log_probability(tokenizer, token('"'), [token("a"), token("!")], logits)
    assert got == pytest.approx(math.log(0.5 * (0.5 * 0.5 + 0.25)))


def test_a_label_that_begins_the_other_is_not_favoured(
    tokenizer: Any, encode: Encode, token: Token
) -> None:
    asked = question(encode, '{"answer": "', ("a", "ab"))
    assert asked.labels == ((token("a"),), (token("a"), token("b")))
    start = {token("a"): 1.0}
    after_a = {token("b"): 0.75, token('"'): 0.25}
    choice = choose(
        tokenizer,
        asked,
        ("a", "ab"),
        [
            rows(len(tokenizer), start, after_a),
            rows(len(tokenizer), start, after_a, {token('"'): 1.0}),
        ],
    )
    assert choice.label == "ab"
    assert choice.margin == pytest.approx(math.log(0.75 / 0.25))
    assert choice.label_mass == pytest.approx(1.0)


def test_margin_is_second_minus_first_and_mass_their_sum(
    tokenizer: Any, encode: Encode, token: Token
) -> None:
    asked = question(encode, '{"answer": "', ("x", "y"))
    start = {token("x"): 0.5, token("y"): 0.125}
    ends = [{token('"'): 0.5}, {token('"'): 1.0}]
    logits = [rows(len(tokenizer), start, end) for end in ends]
    choice = choose(tokenizer, asked, ("x", "y"), logits)
    assert choice.label == "x"
    assert choice.margin == pytest.approx(math.log(0.125 / 0.25))
    assert choice.label_mass == pytest.approx(0.375)


def test_equal_labels_are_a_tie(tokenizer: Any, encode: Encode, token: Token) -> None:
    asked = question(encode, '{"answer": "', ("x", "y"))
    same = rows(len(tokenizer), {token("x"): 0.25, token("y"): 0.25}, {token('"'): 0.5})
    choice = choose(tokenizer, asked, ("x", "y"), [same, same])
    assert (choice.label, choice.margin) == (None, 0.0)
    assert choice.label_mass == pytest.approx(0.25)


def test_labels_beyond_ascii_and_labels_with_a_quote(
    tokenizer: Any, encode: Encode, token: Token
) -> None:
    asked = question(encode, '{"answer": "', ("é", 'a"'))
    assert [len(ids) for ids in asked.labels] == [2, 3]  # two bytes; a, backslash, quote
    half = len(tokenizer)
    by_token = [{ids: 0.5} for ids in asked.labels[0]]
    logits = rows(half, *by_token, {token('"'): 0.5})
    got = string_log_probability(tokenizer, token('"'), asked.labels[0], logits)
    assert got == pytest.approx(3 * math.log(0.5))


def test_tokens_that_merge_across_the_boundary_belong_to_the_labels(
    encode: Encode, token: Token
) -> None:
    asked = question(encode, "say:t", ("he", "wo"))
    assert asked.context == tuple(token(piece) for piece in ("s", "a", "y", ":"))
    assert asked.labels == (
        (token("the"),),
        (token("t"), token("w"), token("o")),
    )
