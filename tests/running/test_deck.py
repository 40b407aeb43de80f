"""Contract: the fast way to deal and hash a prompt gives exactly what `select`, `arrange`, `render`
and `messages_sha256` give."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from evenhand.design import PATTERNS, Experiment, arrange, select
from evenhand.errors import UsageError
from evenhand.pools import Instance, Pool
from evenhand.prompts import messages_sha256, render
from evenhand.running._deck import PLANNED_INSTRUCTION, Deck
from evenhand.tasks import load_task

TASK = load_task("ner")
ODD_TEXTS = (
    'say "hi"',
    "back\\slash",
    "tab\there",
    "two\nlines",
    "\u2028",
    "naïve 漢字 🎈",
    "\x01",
)


def pool(count: int = 60) -> Pool:
    """Texts that JSON escapes in every way it knows."""
    return Pool(
        "ner",
        "own",
        tuple(
            Instance(f"{label}:{at}", f"{ODD_TEXTS[at % len(ODD_TEXTS)]} {label} {at}", label)
            for at in range(count)
            for label in TASK.labels
        ),
    )


def experiment(pattern: str, order_seed: int | None, **more: object) -> Experiment:
    """An experiment of the pool above."""
    fields: dict[str, object] = {
        "setting": "t",
        "task": "ner",
        "pool": "own",
        "n": 40,
        "p": "0.55",
        "majority_label": "PER",
        "set_seed": 1,
        "variant": "standard",
        "output_budget": 100,
        **more,
    }
    return Experiment(pattern=pattern, order_seed=order_seed, **fields)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=60)
@given(
    pattern=st.sampled_from(PATTERNS),
    order_seed=st.none() | st.integers(0, 5),
    n=st.sampled_from([20, 40, 60, 100]),
    p=st.sampled_from(["0.55", "0.6"]),
    label=st.sampled_from(TASK.labels),
    set_seed=st.integers(0, 3),
    variant=st.sampled_from(["standard", "hint", "strategy-swapped", "self", "self-swapped"]),
)
def test_it_deals_and_hashes_what_the_slow_way_does(
    pattern: str,
    order_seed: int | None,
    n: int,
    p: str,
    label: str,
    set_seed: int,
    variant: str,
) -> None:
    if pattern == "random" and order_seed is None:
        order_seed = 0
    e = experiment(
        pattern, order_seed, n=n, p=p, majority_label=label, set_seed=set_seed, variant=variant
    )
    whole = pool()
    drawn = select(whole, n=n, p=p, majority_label=label, set_seed=set_seed)
    expected = arrange(drawn.majority, drawn.minority, pattern, order_seed)
    deck = Deck(TASK, whole, [e, experiment("majority-last", 3, n=100, set_seed=2)])
    assert deck.arranged(e) == expected
    instruction = PLANNED_INSTRUCTION if e.base_variant == "self" else None
    prompt = render(TASK, expected, e.base_variant, swapped=e.swapped, instruction=instruction)
    assert deck.messages(e, instruction) == prompt.messages
    assert deck.sha256(e) == messages_sha256(prompt.messages)
    assert deck.characters(e) == len(prompt.messages[0].content)
    # The instances used are pool enough: a run folder keeps no more.
    again = Deck(TASK, Pool("ner", "own", tuple(deck.instances)), [e])
    assert again.arranged(e) == expected


def test_shared_beginnings_are_counted_to_the_line() -> None:
    first, edges = experiment("majority-first", None), experiment("majority-edges", None)
    deck = Deck(TASK, pool(), [first, edges])
    texts = [render(TASK, deck.arranged(e), "standard").messages[0].content for e in (first, edges)]
    length = next(at for at, (a, b) in enumerate(zip(*texts, strict=False)) if a != b)
    common = texts[0][:length]
    assert deck.shared_characters(first, edges) == common.rfind("\n") + 1
    assert common.count("\nInstance ") == 12  # 11 of 22 positives, and the header of the 12th


def test_pools_that_do_not_fit_the_plan_are_refused() -> None:
    e = experiment("majority-first", None, n=200)
    with pytest.raises(UsageError, match="pool own has 60 instances of 'PER' and n = 200"):
        Deck(TASK, pool(), [e])
    with pytest.raises(UsageError, match="draws from pool own, but the pool given"):
        Deck(TASK, Pool("ner", "other", pool().instances), [e])
    with pytest.raises(UsageError, match="is of task math, not of ner"):
        Deck(TASK, Pool("math", "own", ()), [e])
