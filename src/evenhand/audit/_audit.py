"""``audit``: does my answer depend on row order? No gold labels needed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from evenhand._write_whole import write_text_whole
from evenhand.audit._ahead import ahead
from evenhand.audit._auditor import Auditor, Setup
from evenhand.audit._conclude import conclude
from evenhand.audit._folder import check_folder
from evenhand.audit._labels import Gold, gold_words, read_labels
from evenhand.audit._next import Origin
from evenhand.audit._orders import distinct_orders, make_orders
from evenhand.audit._result import Audit
from evenhand.counting import (
    Announce,
    Records,
    in_a_loop,
    make_question,
    open_records,
    with_answer,
)
from evenhand.errors import UsageError
from evenhand.models import AnswerMode, Model, open_model
from evenhand.prompts import fold
from evenhand.running import RunOptions

ORDERS = 12
ERROR_RATE = 0.05
TOLERANCE = 0.3
OUTPUT_BUDGET = 20_000


def audit(
    records: object,
    *,
    ask: str,
    labels: Sequence[str] = (),
    model: str | Model,
    text: str | None = None,
    out: Path | str | None = None,
    orders: int = ORDERS,
    gold: Gold = None,
    error_rate: float = ERROR_RATE,
    tolerance: float = TOLERANCE,
    seed: int = 0,
    budget: int = OUTPUT_BUDGET,
    answer: AnswerMode = "generate",
    options: RunOptions | None = None,
    models: Path | str | None = None,
    answer_key: Mapping[str, str] | None = None,
    announce: Announce | None = None,
) -> Audit:
    """Put all records into one prompt, in several orders, and compare the answers.

    Orders are asked four at a time. While all answers agree nothing is asked twice. Once they
    differ, every order so far is asked again for the noise floor, and a permutation test asks
    whether orders differ more than repeats do, at ``error_rate`` divided by the number of looks,
    so that over all looks an order-blind model is called order-sensitive at most that often. The
    audit stops at the first look that is clear.

    Args:
        records: A file, a list of texts, or a Polars or pandas frame.
        ask: With labels, the question that each record is asked; without, a question about all
            records whose answer is a number ("How many mention delivery?").
        labels: Two or more, or none.
        model: A model or its name.
        text: The column of the texts, for files and frames.
        out: Run folder; the same one goes on. By default one under ``runs/``.
        orders: As given, reversed, and random ones, at most.
        gold: Gold or predicted labels, one for every record: a column, or a list of them. The six
            structured patterns are then asked too, right after the order as given and its reverse.
        error_rate: See above.
        tolerance: The answer is called stable when all orders agree, and the random ones are so
            many that other answers can come from at most this share of all orders (95%).
        seed: Of the random orders.
        budget: Output tokens allowed a call.
        answer: ``generate``: the model writes; ``forced``: the probabilities of two labels decide.
        options: How to run: attempts, concurrency, money.
        models: A model catalog file laid over the built-in one.
        answer_key: Text to label, for simulated readers; with ``gold``, not needed.
        announce: Told what the audit may take before anything is asked; an error raised there
            stops it.

    Raises:
        UsageError: For a wrong question, file, column or option, or a folder of another audit.
        EvenhandError: Whatever ends a run.
    """
    options = with_answer(options or RunOptions(), answer)
    if not (0 < error_rate < 1 and 0 < tolerance < 1):
        raise UsageError("error rate and tolerance are shares between 0 and 1")
    if budget < 1:
        raise UsageError(f"--budget {budget}: a reply needs at least one token")
    if labels:
        question = make_question(ask, labels)
        ask, words = question.ask, question.labels
    else:
        ask, words = " ".join(ask.split()), ()
        if not ask:
            raise UsageError("the question is empty: say with --ask what is asked")
    if options.answer_mode == "forced" and len(words) != 2:
        raise UsageError("a forced choice compares exactly two labels: use --answer generate")
    rows = open_records(records, text=text, columns=(gold,) if isinstance(gold, str) else ())
    known = read_labels(gold, rows, words)
    usable = [int(place) for place in rows.usable()]
    texts = {place: rows.line(place) for place in usable}
    planned = make_orders(usable, orders, seed, rows.digest, known, texts)
    origin = Origin(
        table=str(records) if isinstance(records, str | Path) else None,
        text=text,
        gold=gold if isinstance(gold, str) else None,
        model=model if isinstance(model, str) else model.name,
        models=None if models is None else str(models),
    )
    if isinstance(model, str):
        key = answer_key
        if key is None and model.startswith("reader/"):
            if known is None:
                raise UsageError(
                    f"{model} is a simulated reader, which knows no text: name a column with a "
                    "label for every record (--gold)"
                )
            key = {fold(rows.text(place)): label for place, label in known.items()}
        model = open_model(model, answer_key=key, catalog=models)
    settings = [str(seed), options.answer_mode, str(budget), gold_words(gold, known)]
    folder = (
        Path(out)
        if out is not None
        else _default_folder(rows, [ask, *words, model.name, *settings])
    )
    setup = Setup(
        ask=ask,
        labels=words,
        records=rows,
        left_out=len(rows) - len(usable),
        orders=planned,
        there_are=distinct_orders(usable, texts),
        model=model,
        out=folder,
        options=options,
        budget=budget,
        error_rate=error_rate,
        tolerance=tolerance,
        seed=seed,
    )
    check_folder(setup)
    if announce is not None:
        announce(ahead(setup))
    auditor = Auditor(setup)
    in_a_loop(auditor.run)
    found = conclude(auditor, origin)
    write_text_whole(
        folder / "audit.json", json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n"
    )
    return found


def _default_folder(rows: Records, words: Sequence[str]) -> Path:
    whole = chr(0).join([rows.digest, *words])
    return Path("runs") / f"audit-{hashlib.sha256(whole.encode()).hexdigest()[:12]}"
