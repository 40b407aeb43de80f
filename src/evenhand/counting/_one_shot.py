"""What one prompt with every record would take, from the model's own count of tokens."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evenhand.counting._assemble import Setup
from evenhand.counting._prompt import render_batch
from evenhand.counting._work import BatchWork
from evenhand.models import Model
from evenhand.prompts import Message
from evenhand.running import RunStore

SAMPLE_RECORDS, SAMPLE_CHARACTERS = 200, 200_000
"""Records in random order that are counted; the others are taken to be as dense."""
SAMPLE_CALLS = 20
"""Prompts whose billed tokens say how far the model's own count is off."""
_BILLED = """
    SELECT experiment_id, input_tokens FROM attempts
    WHERE input_tokens IS NOT NULL AND stage = 2 LIMIT ?
"""


def one_shot_tokens(
    setup: Setup, model: Model, rounds: Sequence[tuple[BatchWork, Path]]
) -> int | None:
    """Input tokens of one prompt with all records; None where no call told its tokens.

    What every call takes beside its records (the instructions, a chat template) is counted once:
    tokens a character of the calls that were made would count it with every call.

    Args:
        setup: What was asked.
        model: Whose tokens.
        rounds: The rounds that were run, with their folders.
    """
    off = _billed_for_one_counted(model, rounds)
    if off is None:
        return None
    head = render_batch(setup.question, ("",), ("",)).messages[-1].content
    listed: list[str] = []
    characters = 0
    for place in setup.ordered()[:SAMPLE_RECORDS].tolist():
        text = setup.records.line(int(place))
        listed.append(f"Instance {len(listed) + 1}: {text}")
        characters += len(text.encode("utf-8", "surrogatepass"))
        if characters > SAMPLE_CHARACTERS:
            break
    if not listed:
        return None
    alone = model.count_tokens((Message("user", head),)).tokens
    counted = model.count_tokens((Message("user", "\n".join([head, *listed])),))
    # What a tokenizer counts needs no correction, and a forced choice bills its labels too.
    off = 1.0 if counted.exact else off
    usable = setup.usable
    bytes_ = int(setup.records.sizes()[usable].sum())
    times = bytes_ / characters if characters else 1.0
    return round(off * (alone + (counted.tokens - alone) * times))


def _billed_for_one_counted(model: Model, rounds: Sequence[tuple[BatchWork, Path]]) -> float | None:
    billed = counted = 0
    for work, folder in rounds:
        known = {experiment.id: experiment for experiment in work.experiments}
        with RunStore(folder) as store:
            for id_, tokens in store.rows(_BILLED, (SAMPLE_CALLS,)):
                if str(id_) in known:
                    billed += int(tokens)
                    counted += model.count_tokens(work.messages(known[str(id_)])).tokens
    return billed / counted if billed and counted else None
