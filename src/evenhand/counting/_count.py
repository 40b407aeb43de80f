"""``count``: label every record on its own or in small batches, and add up in code."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from evenhand._write_whole import write_text_whole
from evenhand.counting._agreement import SelfAgreement, self_agreement
from evenhand.counting._alpha import StoppingRule
from evenhand.counting._assemble import (
    BATCHES,
    REPEAT,
    Prefix,
    Setup,
    alone_folder,
    alone_work,
    read_alone,
    read_batches,
)
from evenhand.counting._certificate import write_certificate
from evenhand.counting._correction import Correction, codes, correct
from evenhand.counting._forecast import Announce, forecast
from evenhand.counting._gold import Gold, gold_column, read_gold
from evenhand.counting._interval import count_interval
from evenhand.counting._ledger import ledger_frame, write_ledger
from evenhand.counting._plan import choose_batch
from evenhand.counting._position import check_position
from evenhand.counting._question import make_question
from evenhand.counting._records import Records, open_records
from evenhand.counting._result import Count, LabelCount
from evenhand.counting._rounds import in_a_loop, replies, run_round
from evenhand.counting._tally import STATUSES, Tally
from evenhand.counting._verdict import Evidence, decide, margin_words, sentence
from evenhand.counting._work import BatchWork
from evenhand.errors import UsageError
from evenhand.models import Model, open_model
from evenhand.prompts import fold
from evenhand.running import RunOptions, RunStore, RunSummary, price_of

MAX_ATTEMPTS = 2
OUTPUT_A_RECORD = 12
"""Output tokens that an id with its label is expected to take; a model that thinks takes more."""


def count(
    records: object,
    *,
    ask: str,
    labels: Sequence[str],
    model: str | Model,
    text: str | None = None,
    id_column: str | None = None,
    out: Path | str | None = None,
    batch: int | None = None,
    until_sure: float | None = None,
    gold: Gold = None,
    repeat: int = 1,
    repeat_share: float = 0.1,
    seed: int = 0,
    output_budget: int | None = None,
    options: RunOptions | None = None,
    catalog: Path | str | None = None,
    answer_key: Mapping[str, str] | None = None,
    announce: Announce | None = None,
) -> Count:
    """Which label do most records have, how sure is it, and which records were not settled?

    Records are labelled in small batches, in random order, on the run engine; replies are joined
    by ids that stand in no record. What got no label is asked again alone. Nothing is defaulted.

    Args:
        records: A file, a list of texts, or a Polars or pandas frame.
        ask: The question that each record is asked.
        labels: Two or more.
        model: A model or its name.
        text: The column of the texts, for files and frames.
        id_column: A column of your own ids, for the ledger.
        out: Folder for the run, the ledger and the certificate; the same one goes on where it
            stopped. By default one under ``runs/`` that is named by records, question and model.
        batch: Records a batch; see :func:`choose_batch` for the rule when None.
        until_sure: Stop once the majority among all records is certain to this degree, such as
            0.999; None reads everything.
        gold: Hand-checked labels of a random sample: a column, a file with ``row`` and ``label``,
            or a mapping of row number to label.
        repeat: 2 labels a random share of the records a second time.
        repeat_share: That share, 0 to 1.
        seed: Of the random order.
        output_budget: Output tokens allowed a batch; 4,000 and 40 a record when None.
        options: How to run: answer mode, attempts, money, concurrency.
        catalog: A model catalog file laid over the built-in one.
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
    options = options or RunOptions(max_attempts=MAX_ATTEMPTS)
    _check(until_sure, repeat, repeat_share)
    question = make_question(ask, labels)
    column = gold_column(gold)
    rows = open_records(
        records, text=text, id_column=id_column, columns=() if column is None else (column,)
    )
    checked = read_gold(gold, rows, question)
    forced = options.answer_mode == "forced"
    if forced and len(question.labels) != 2:
        raise UsageError(
            f"a forced choice compares two labels, and there are {len(question.labels)}: "
            "use --answer generate"
        )
    setup = Setup(
        question, rows, choose_batch(rows, batch, forced=forced), seed, forced, output_budget,
        repeat_share if repeat == 2 else 0.0,
    )  # fmt: skip
    opened = _open(model, rows, checked, catalog, answer_key)
    folder = Path(out) if out is not None else _default_folder(setup, opened.name)
    if announce is not None and len(setup.usable):
        expected = OUTPUT_A_RECORD * setup.batch
        announce(forecast(setup.batches(), opened, options, expected))
    counter = _Counter(setup, opened, folder, options, until_sure, checked)
    in_a_loop(counter.run)
    return counter.result(records if isinstance(records, str | Path) else None, text, id_column)


def _check(until_sure: float | None, repeat: int, repeat_share: float) -> None:
    if until_sure is not None and not 0.5 <= until_sure < 1:
        raise UsageError(f"--until-sure {until_sure}: give a degree between 0.5 and 1, say 0.999")
    if repeat not in (1, 2):
        raise UsageError(f"--repeat {repeat}: 1 labels once, 2 labels a share of the records twice")
    if not 0 < repeat_share <= 1:
        raise UsageError(f"--repeat-share {repeat_share}: give a share above 0, up to 1")


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


class _Counter:
    """Runs the rounds of one count and puts the result together."""

    def __init__(
        self,
        setup: Setup,
        model: Model,
        out: Path,
        options: RunOptions,
        until_sure: float | None,
        gold: Mapping[int, str],
    ) -> None:
        self.setup = setup
        self.model = model
        self.out = out
        self.options = options
        self.until_sure = until_sure
        self.gold = gold
        self.labels = setup.question.labels
        self.summaries: list[tuple[BatchWork, Path, RunSummary | None]] = []
        self.pending = 0
        self.message: str | None = None
        usable = len(setup.usable)
        self.rule: StoppingRule | None = None
        if until_sure is not None and usable:
            self.rule = StoppingRule(
                len(self.labels), usable, 1 - until_sure, len(setup.records) - usable
            )
        self.tally: Tally
        self.pairs: list[tuple[int, int]] = []

    async def run(self) -> None:
        """All rounds; the model is closed at the end."""
        try:
            await self._rounds()
        finally:
            await self.model.aclose()

    async def _rounds(self) -> None:
        work = self.setup.batches() if len(self.setup.usable) else None
        if work is not None:
            await self._first(work)
        self.tally = read_batches(self.setup, work, self.out)
        if self.pending:
            return
        alone = alone_work(self.setup, self.tally)
        if alone is not None:
            folder = alone_folder(self.out, alone)
            await self._round(alone, folder)
            read_alone(self.tally, alone, folder)
        labelled = np.flatnonzero(self.tally.labels >= 0).astype(np.int64)
        again = self.setup.again(labelled) if self.setup.repeat_share else None
        if again is not None and not self.pending:
            await self._round(again, self.out / REPEAT)
            self._compare(again)

    async def _first(self, work: BatchWork) -> None:
        folder = self.out / BATCHES
        if self.rule is None:
            await self._round(work, folder)
            return
        rule, prefix = self.rule, Prefix(self.rule, self.labels)
        for stored in replies(folder, work):
            prefix.take(stored.number, stored.reply)

        def hear(number: int, reply: object) -> str | None:
            prefix.take(number, reply)  # type: ignore[arg-type]
            return None if rule.winner is None else f"sure after {rule.called_after:,} records"

        if rule.winner is None:
            await self._round(work.listening(hear), folder)
        else:
            self.summaries.append((work, folder, None))

    async def _round(self, work: BatchWork, folder: Path) -> None:
        spent = sum(_spent(path) for _, path, _ in self.summaries)
        summary = await run_round(work, self.model, folder, self.options, spent)
        self.summaries.append((work, folder, summary))
        if summary.stop != "decided":
            self.pending += summary.pending
            self.message = self.message or summary.message

    def _compare(self, again: BatchWork) -> None:
        number = {label: code for code, label in enumerate(self.labels)}
        for stored in replies(self.out / REPEAT, again):
            for place, label in zip(
                again.members(stored.number).tolist(), stored.reply.labels, strict=True
            ):
                if label is not None and self.tally.labels[place] >= 0:
                    self.pairs.append((int(self.tally.labels[place]), number[label]))

    # ------------------------------------------------------------------ the result

    def result(self, path: str | Path | None, text: str | None, id_column: str | None) -> Count:
        """The verdict, with ledger and certificate written."""
        records, tally = self.setup.records, self.tally
        n = len(records)
        statuses: dict[str, int] = {name: tally.with_status(name) for name in STATUSES}
        unread = statuses["unread"]
        unlabelled = n - unread - statuses["labelled"]
        listed = self._label_counts(n, unlabelled, statuses["labelled"], unread)
        correction = self._correction(listed, n)
        agreement: SelfAgreement | None = self_agreement(self.pairs)
        position = check_position(tally, self.labels) if self.setup.batch > 1 else None
        called = self.rule.winner if self.rule is not None else None
        majority, reasons = decide(
            Evidence(
                listed, unlabelled, unread, self.pending,
                None if called is None else self.labels[called], correction, agreement, position,
            )
        )  # fmt: skip
        margin, break_even = margin_words(listed, unread)
        totals = [_totals(folder) for _, folder, _ in self.summaries]
        calls = sum(each[0] for each in totals)
        tokens = sum(each[1] for each in totals)
        unknown = any(each[3] is None for each in totals)
        one_shot = self._one_shot(tokens)
        frame = ledger_frame(
            records, self.setup.question, tally,
            tuple(str(folder.relative_to(self.out)) for _, folder, _ in self.summaries),
            tuple({e.set_seed: e.id for e in work.experiments} for work, _, _ in self.summaries),
        )  # fmt: skip
        ledger, ledger_sha = write_ledger(frame, self.out)
        certificate = write_certificate(
            self.out, self.setup, self.model.name, statuses,
            {each.label: each.count for each in listed}, ledger_sha,
            path=path, text=text, id_column=id_column,
        )  # fmt: skip
        found = Count(
            verdict="undecided" if majority is None else "decided",
            majority=majority,
            reasons=reasons,
            sentence=sentence(majority, reasons, listed, unread, self.until_sure),
            margin=margin,
            break_even=break_even,
            labels=tuple(listed),
            records=n,
            statuses=statuses,
            pending=self.pending,
            read=n - unread,
            sure_after=None if self.rule is None else self.rule.called_after,
            until_sure=self.until_sure,
            correction=correction,
            agreement=agreement,
            position=position,
            batch=self.setup.batch,
            calls=calls,
            input_tokens=tokens,
            output_tokens=sum(each[2] for each in totals),
            cost_usd=None if unknown else sum(each[3] or 0.0 for each in totals),
            one_shot_input_tokens=one_shot,
            one_shot_cost_usd=_input_cost(one_shot, self.model),
            certificate=certificate,
            ledger=ledger,
            out=self.out,
            model=self.model.name,
            ask=self.setup.question.ask,
            answer_mode=self.options.answer_mode,
            message=self.message,
        )
        write_text_whole(
            self.out / "count.json",
            json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n",
        )
        return found

    def _label_counts(
        self, n: int, unlabelled: int, labelled: int, unread: int
    ) -> list[LabelCount]:
        found = []
        for label, hits in zip(self.labels, self.tally.counts(len(self.labels)), strict=True):
            low, high = count_interval(hits, labelled, n, unlabelled)
            share = hits / labelled if labelled else 0.0
            found.append(LabelCount(label, hits, share, low, high))
        return found

    def _correction(self, listed: Sequence[LabelCount], n: int) -> Correction | None:
        pairs = [
            (self.labels[self.tally.labels[place]], label)
            for place, label in self.gold.items()
            if self.tally.labels[place] >= 0
        ]
        if not pairs:
            return None
        return correct(
            codes([given for given, _ in pairs], self.labels),
            codes([gold for _, gold in pairs], self.labels),
            [(each.share, each.low / n, each.high / n) for each in listed],
            self.labels,
            n,
        )

    def _one_shot(self, tokens: int) -> int | None:
        """Tokens of one prompt with every record, at the measured tokens a character."""
        characters = 0
        for work, folder, _ in self.summaries:
            asked = _asked(folder)
            characters += sum(asked.get(e.id, 0) * work.characters(e) for e in work.experiments)
        if not tokens or not characters:
            return None
        n = len(self.setup.records)
        headers = sum(len(f"Instance {k}: \n") for k in range(1, n + 1))
        whole = int(self.setup.records.sizes().sum()) + headers
        return round((whole + _ONE_SHOT_HEAD) * tokens / characters)


_ONE_SHOT_HEAD = 500


def _input_cost(tokens: int | None, model: Model) -> float | None:
    price = price_of(model)
    if tokens is None or price is None or price.input is None:
        return None
    return tokens * price.input / 1_000_000


def _asked(folder: Path) -> dict[str, int]:
    """Experiment id to calls that came back."""
    with RunStore(folder) as store:
        rows = store.rows(
            "SELECT experiment_id, count(*) FROM attempts WHERE text IS NOT NULL GROUP BY 1"
        )
    return {str(row[0]): int(row[1]) for row in rows}


def _totals(folder: Path) -> tuple[int, int, int, float | None]:
    """Calls, input tokens, output tokens, dollars (None when unknown) of a run folder."""
    with RunStore(folder) as store:
        totals = store.totals()
    cost = None if totals.unpriced else totals.cost_usd
    return totals.calls, totals.input_tokens, totals.output_tokens, cost


def _spent(folder: Path) -> float:
    return _totals(folder)[3] or 0.0
