"""Contract: a stored generation becomes the token ids that the model read, up to the label, and
every instance's tokens; what cannot be placed is refused with a reason."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from evenhand.attribution import NotReplayableError, Stored, prepare
from evenhand.prompts import Message

CONTENT = "Task\n\nInstance 1: the one\nInstance 2: two"
STORED = Stored(
    messages=(Message("user", CONTENT),),
    spans=((18, 25), (38, 41)),
    labels=("neg", "pos"),
    selected="pos",
    forced=True,
)


def text_of(tokenizer: Any, ids: tuple[int, ...]) -> str:
    return str(tokenizer.decode(list(ids), clean_up_tokenization_spaces=False))


def test_a_forced_choice_is_scored_where_it_was_made(tokenizer: Any) -> None:
    found = prepare(tokenizer, STORED)
    assert text_of(tokenizer, found.replay.prefix).endswith('<|im_start|>assistant\n{"answer": "')
    assert [text_of(tokenizer, label) for label in found.replay.labels] == ["neg", "pos"]


def test_instances_are_found_within_the_rendered_chat(tokenizer: Any) -> None:
    found = prepare(tokenizer, STORED)
    ids = found.replay.prefix
    words = [text_of(tokenizer, ids[lo:hi]) for lo, hi in found.instances.ranges]
    # "Ġthe" is one token: the header's space comes with the first word.
    assert words == [" the one", "two"]
    assert found.instances.straddling == 0


def test_the_first_label_comes_first_whichever_was_selected(tokenizer: Any) -> None:
    found = prepare(tokenizer, replace(STORED, selected="neg"))
    assert found.replay == prepare(tokenizer, STORED).replay


def test_a_written_reply_is_replayed_up_to_its_label(tokenizer: Any) -> None:
    text = 'Think: pos?\n<think>x</think>{"answer": "pos"}'
    found = prepare(tokenizer, replace(STORED, forced=False, text=text))
    expected = '<|im_start|>assistant\nThink: pos?\n<think>x</think>{"answer": "'
    assert text_of(tokenizer, found.replay.prefix).endswith(expected)
    assert [text_of(tokenizer, label) for label in found.replay.labels] == ["neg", "pos"]


def test_labels_that_begin_alike_share_those_tokens(tokenizer: Any) -> None:
    stored = replace(STORED, labels=("posa", "posb"), selected="posa")
    found = prepare(tokenizer, stored)
    assert text_of(tokenizer, found.replay.prefix).endswith('"answer": "pos')
    assert [text_of(tokenizer, label) for label in found.replay.labels] == ["a", "b"]


def test_separate_reasoning_goes_where_the_template_puts_it(tokenizer: Any) -> None:
    stored = replace(STORED, forced=False, text='{"answer": "pos"}', reasoning="I counted.")
    prefix = text_of(tokenizer, prepare(tokenizer, stored).replay.prefix)
    assert prefix.endswith('<|im_start|>assistant\n<think>I counted.</think>\n{"answer": "')


def test_reasoning_without_a_place_is_refused(tokenizer: Any) -> None:
    import copy

    plain = copy.deepcopy(tokenizer)
    plain.chat_template = (
        "{% for message in messages %}{{ message['content'] }}\n{% endfor %}"
        "{% if add_generation_prompt %}> {% endif %}"
    )
    stored = replace(STORED, forced=False, text='{"answer": "pos"}', reasoning="I counted.")
    with pytest.raises(NotReplayableError, match="no place for it"):
        prepare(plain, stored)


def test_a_label_that_the_reply_does_not_spell_is_refused(tokenizer: Any) -> None:
    with pytest.raises(NotReplayableError, match="does not spell"):
        prepare(tokenizer, replace(STORED, forced=False, text='{"answer": "neg"}'))


def test_the_template_writes_the_only_start_of_text(tokenizer: Any) -> None:
    import copy

    starting = copy.deepcopy(tokenizer)
    starting.chat_template = "<|endoftext|>" + tokenizer.chat_template
    ids = prepare(starting, STORED).replay.prefix
    start = starting.convert_tokens_to_ids("<|endoftext|>")
    assert ids.count(start) == 1
    assert ids[0] == start
