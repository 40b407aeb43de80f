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


def test_a_forced_label_is_written_as_json_writes_it(tokenizer: Any) -> None:
    stored = replace(STORED, labels=('a"b', "no"), selected="no")
    found = prepare(tokenizer, stored)
    assert [text_of(tokenizer, label) for label in found.replay.labels] == ['a\\"b', "no"]


def test_a_label_that_begins_the_other_ends_with_what_follows(tokenizer: Any) -> None:
    # "pos" is one token of "positive", and '"}' the token that ends either.
    stored = replace(STORED, labels=("pos", "positive"), selected="pos")
    found = prepare(tokenizer, stored)
    assert text_of(tokenizer, found.replay.prefix).endswith('{"answer": "pos')
    assert [text_of(tokenizer, one) for one in found.replay.labels] == ['"}', 'itive"}']
    bare = prepare(tokenizer, replace(stored, forced=False, text="pos"))
    # A reply that ends with the label says nothing of what would have followed.
    assert [text_of(tokenizer, one) for one in bare.replay.labels] == ["", "itive"]


def test_a_message_within_an_earlier_one_is_found_in_its_own_place(tokenizer: Any) -> None:
    system = Message("system", f"As before:\n{CONTENT}")
    found = prepare(tokenizer, replace(STORED, messages=(system, *STORED.messages)))
    ids = found.replay.prefix
    texts = [text_of(tokenizer, ids[:hi]) for _, hi in found.instances.ranges]
    assert all("<|im_start|>user" in text for text in texts)
    assert texts[-1].endswith("Instance 2: two")


def test_records_whose_place_is_unknown_are_refused(tokenizer: Any) -> None:
    with pytest.raises(NotReplayableError, match="where its records stand"):
        prepare(tokenizer, replace(STORED, spans=()))


def test_a_record_that_the_tokenizer_cannot_read_is_refused_by_itself(tokenizer: Any) -> None:
    class Lossy:
        """A tokenizer without offsets whose decoder drops what it was given."""

        is_fast = False

        def __getattr__(self, name: str) -> Any:
            return getattr(tokenizer, name)

        def __call__(self, text: str, **options: Any) -> Any:
            return tokenizer(text, **options)

        def decode(self, ids: list[int], **options: Any) -> str:
            return str(tokenizer.decode(ids, **options)).replace("the", "")

    lossy: Any = Lossy()
    with pytest.raises(NotReplayableError, match="do not spell"):
        prepare(lossy, STORED)


def test_a_template_that_refuses_a_reply_refuses_the_replay(tokenizer: Any) -> None:
    import copy

    silent = copy.deepcopy(tokenizer)
    silent.chat_template = (
        "{% for message in messages %}{% if message['role'] == 'assistant' %}"
        "{{ raise_exception('no replies') }}{% endif %}{{ message['content'] }}{% endfor %}"
    )
    stored = replace(STORED, forced=False, text='{"answer": "pos"}', reasoning="I counted.")
    with pytest.raises(NotReplayableError, match="no replies"):
        prepare(silent, stored)
