"""``count``: label every record on its own or in small batches, and add up in code."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from evenhand.counting._ahead import ahead
from evenhand.counting._assemble import AGAIN_WORDS, Again, Setup
from evenhand.counting._conclude import conclude
from evenhand.counting._counter import Counter
from evenhand.counting._folder import check_folder
from evenhand.counting._forecast import Announce
from evenhand.counting._gold import Gold, gold_column, read_gold
from evenhand.counting._named import named
from evenhand.counting._plan import choose_batch
from evenhand.counting._question import make_question
from evenhand.counting._records import Records, open_records
from evenhand.counting._result import Count
from evenhand.counting._rounds import in_a_loop
from evenhand.errors import UsageError
from evenhand.models import AnswerMode, Model, open_model
from evenhand.prompts import fold
from evenhand.running import RunOptions

MAX_ATTEMPTS = 2


def count(
    records: object,
    *,
    ask: str,
    labels: Sequence[str],
    model: str | Model,
    text: str | None = None,
    id: str | None = None,  # noqa: A002 - the word of --id
    out: Path | str | None = None,
    batch: int | None = None,
    until_sure: float | None = None,
    gold: Gold = None,
    repeat: int = 1,
    repeat_share: float = 0.1,
    again: Again | None = None,
    seed: int = 0,
    budget: int | None = None,
    answer: AnswerMode = "generate",
    options: RunOptions | None = None,
    models: Path | str | None = None,
    answer_key: Mapping[str, str] | None = None,
    announce: Announce | None = None,
) -> Count:
    """Which label do most records have, how sure is it, and which records were not settled?

    Records are labelled in small batches, in random order, on the run engine; replies are joined
    by ids that stand in no record. What got no label is asked again alone. Nothing is defaulted.

    Args:
        records: A file, a list of texts (None is an empty one), or a Polars or pandas frame.
        ask: The question that each record is asked.
        labels: Two or more.
        model: A model or its name.
        text: The column of the texts, for files and frames.
        id: A column of your own ids, for the ledger.
        out: Folder for the run, the ledger and the certificate; the same one goes on where it
            stopped. By default one under ``runs/`` that is named by records, question and model.
        batch: Records a batch; see :func:`choose_batch` for the rule when None.
        until_sure: Stop once the majority among all records is certain to this degree, such as
            0.999; None reads everything.
        gold: Hand-checked labels of a random sample: a column, a file with ``row`` and ``label``,
            a mapping of row number (from 1) to label, or a list (or a frame's column) as long as
            the records, with None for those that were not checked.
        repeat: 2 labels a random share of the records a second time.
        repeat_share: That share, 0 to 1.
        again: ``unresolved`` asks, once the rest is done, the records that stayed unresolved once
            more, each on its own, and nothing else; ``unlabelled`` those refused or too long as
            well. The same folder can be given it as often as wanted.
        seed: Of the random order.
        budget: Output tokens allowed a batch; 4,000 and 40 a record when None.
        answer: ``generate``: the model writes; ``forced``: the probabilities of two labels decide,
            one record a call.
        options: How to run: attempts, money, concurrency. Nothing is forecast and nobody is asked
            about the cost here: ``max_cost_usd`` is what limits it.
        models: A model catalog file laid over the built-in one.
        answer_key: Text to label, for simulated readers; with ``gold`` for all records, not
            needed.
        announce: Told what the count will take before anything is asked; an error raised there
            stops it.

    Returns:
        The count, with its ledger and certificate written.

    Raises:
        UsageError: For a wrong question, file, column, row or option, or a folder of another
            count.
        EvenhandError: Whatever ends a run.
    """
    options = with_answer(options or RunOptions(max_attempts=MAX_ATTEMPTS), answer)
    _check(until_sure, repeat, repeat_share, budget, again)
    question = make_question(ask, labels)
    column = gold_column(gold)
    rows = open_records(
        records, text=text, id_column=id, columns=() if column is None else (column,)
    )
    checked = read_gold(gold, rows, question)
    forced = options.answer_mode == "forced"
    if forced and len(question.labels) != 2:
        raise UsageError(
            f"a forced choice compares two labels, and there are {len(question.labels)}: "
            "use generate, the other answer (--answer)"
        )
    setup = Setup(
        question, rows, choose_batch(rows, batch, forced=forced), seed, forced, budget,
        repeat_share if repeat == 2 else 0.0,
    )  # fmt: skip
    opened = _open(model, rows, checked, models, answer_key)
    folder = Path(out) if out is not None else _default_folder(setup, opened.name)
    check_folder(setup, opened, options, folder)
    if announce is not None and len(setup.usable):
        announce(ahead(setup, opened, options, folder, until_sure, again))
    counter = Counter(setup, opened, folder, options, until_sure, checked, again)
    in_a_loop(counter.run)
    path = records if isinstance(records, str | Path) else None
    return conclude(counter, path, text, id)


def with_answer(options: RunOptions, answer: AnswerMode) -> RunOptions:
    """The options of a run with this answer mode.

    Raises:
        UsageError: If the options say another mode, one that is not the default.
    """
    if options.answer_mode not in ("generate", answer):
        raise UsageError(
            f"options say answer mode {options.answer_mode}, and answer is {answer}: "
            f"say answer={options.answer_mode!r}"
        )
    return replace(options, answer_mode=answer)


def _check(
    until_sure: float | None,
    repeat: int,
    repeat_share: float,
    budget: int | None,
    again: str | None,
) -> None:
    if again is not None and again not in AGAIN_WORDS:
        raise UsageError(f"{named('again')} is {again!r}: say {' or '.join(AGAIN_WORDS)}")
    if until_sure is not None and not 0.5 <= until_sure < 1:
        raise UsageError(
            f"{named('until_sure')} is {until_sure}: give a degree between 0.5 and 1, say 0.999"
        )
    if budget is not None and budget < 1:
        raise UsageError(f"{named('budget')} is {budget}: a reply needs at least one token")
    if repeat not in (1, 2):
        raise UsageError(
            f"{named('repeat')} is {repeat}: 1 labels once, 2 labels a share of the records twice"
        )
    if not 0 < repeat_share <= 1:
        raise UsageError(
            f"{named('repeat_share')} is {repeat_share}: give a share above 0, up to 1"
        )


def _open(
    model: str | Model,
    rows: Records,
    gold: Mapping[int, str],
    catalog: Path | str | None,
    answer_key: Mapping[str, str] | None,
) -> Model:
    if not isinstance(model, str):
        return model
    key = answer_key
    if key is None and model.startswith("reader/"):
        key = {fold(rows.text(place)): label for place, label in gold.items()}
    return open_model(model, answer_key=key, catalog=catalog)


def _default_folder(setup: Setup, model: str) -> Path:
    words = [setup.records.digest, setup.question.ask, *setup.question.labels, model]
    words += [str(setup.batch), str(setup.seed), str(setup.forced), str(setup.budget)]
    return Path("runs") / f"count-{hashlib.sha256(chr(0).join(words).encode()).hexdigest()[:12]}"
