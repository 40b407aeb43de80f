"""``audit``: does my answer depend on row order? No gold labels needed."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path

from evenhand._write_whole import write_text_whole
from evenhand.audit._answers import answer_shares, number_spread
from evenhand.audit._orders import Order, distinct_orders, is_pattern, is_random, make_orders
from evenhand.audit._result import Audit, OrderAnswer, Verdict
from evenhand.audit._statistics import flip_rate_of_orders, order_test, unseen_share
from evenhand.audit._work import IMPOSSIBLE, TIE, OrderWork
from evenhand.counting import (
    Announce,
    Forecast,
    Records,
    forecast,
    if_needed,
    in_a_loop,
    make_question,
    open_records,
    read_label,
    run_folders,
    spending,
    together,
    with_spending,
)
from evenhand.errors import UsageError
from evenhand.models import Model, open_model
from evenhand.prompts import fold
from evenhand.running import RunOptions, RunStore, run_async

ORDERS = 12
LOOK = 4
ERROR_RATE = 0.05
TOLERANCE = 0.3
OUTPUT_BUDGET = 20_000
EXPECTED_OUTPUT = 2_000
ROUNDS = ("orders-*", "again-*")
"""The run folders of an audit."""
_ANSWERS = """
    SELECT e.order_seed, o.outcome, a.predicted, a.margin, a.reason, a.error
    FROM outcomes AS o JOIN experiments AS e ON e.id = o.experiment_id
    JOIN attempts AS a ON a.experiment_id = e.id AND a.attempt = o.attempt AND a.stage = 2
"""


def audit(
    records: object,
    *,
    ask: str,
    labels: Sequence[str] = (),
    model: str | Model,
    text: str | None = None,
    out: Path | str | None = None,
    orders: int = ORDERS,
    label_column: str | None = None,
    error_rate: float = ERROR_RATE,
    tolerance: float = TOLERANCE,
    seed: int = 0,
    output_budget: int = OUTPUT_BUDGET,
    options: RunOptions | None = None,
    catalog: Path | str | None = None,
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
        label_column: A column of gold or predicted labels; the six structured patterns are then
            asked too, right after the order as given and its reverse.
        error_rate: See above.
        tolerance: The answer is called stable when all orders agree, and the random ones are so
            many that other answers can come from at most this share of all orders (95%).
        seed: Of the random orders.
        output_budget: Output tokens allowed a call.
        options: How to run: answer mode, attempts, money.
        catalog: A model catalog file laid over the built-in one.
        answer_key: Text to label, for simulated readers; with a ``label_column``, not needed.
        announce: Told what the audit may take before anything is asked; an error raised there
            stops it.

    Raises:
        UsageError: For a wrong question, file, column or option, or a folder of another audit.
        EvenhandError: Whatever ends a run.
    """
    options = options or RunOptions()
    if not (0 < error_rate < 1 and 0 < tolerance < 1):
        raise UsageError("error rate and tolerance are shares between 0 and 1")
    if output_budget < 1:
        raise UsageError(f"--budget {output_budget}: a reply needs at least one token")
    if labels:
        question = make_question(ask, labels)
        ask, words = question.ask, question.labels
    else:
        ask, words = " ".join(ask.split()), ()
        if not ask:
            raise UsageError("the question is empty: say with --ask what is asked")
    if options.answer_mode == "forced" and len(words) != 2:
        raise UsageError("a forced choice compares exactly two labels: use --answer generate")
    rows = open_records(records, text=text, columns=() if label_column is None else (label_column,))
    gold = _labels(rows, label_column, words)
    usable = [int(place) for place in rows.usable()]
    texts = {place: rows.line(place) for place in usable}
    planned = make_orders(usable, orders, seed, rows.digest, gold, texts)
    if isinstance(model, str):
        key = answer_key
        if key is None and model.startswith("reader/") and gold:
            key = {fold(rows.text(place)): label for place, label in gold.items()}
        model = open_model(model, answer_key=key, catalog=catalog)
    settings = [str(seed), options.answer_mode, str(output_budget), label_column or ""]
    folder = (
        Path(out)
        if out is not None
        else _default_folder(rows, [ask, *words, model.name, *settings])
    )
    auditor = _Auditor(
        ask, words, rows, planned, model, folder, options, output_budget, error_rate, tolerance,
        len(rows) - len(usable), distinct_orders(usable, texts),
    )  # fmt: skip
    if announce is not None:
        announce(auditor.forecast())
    in_a_loop(auditor.run)
    found = auditor.result()
    write_text_whole(
        folder / "audit.json", json.dumps(found.as_json(), ensure_ascii=False, indent=2) + "\n"
    )
    return found


def _labels(rows: Records, column: str | None, words: Sequence[str]) -> dict[int, str] | None:
    if column is None:
        return None
    found = {}
    for place, word in rows.extra.get(column, {}).items():
        label = read_label(word, words) if words else word
        if label is None:
            raise UsageError(
                f"{rows.source}, column {column!r}: row {place + 1} is {word!r}, which is none of "
                f"{', '.join(words)}: correct it, or name no label column"
            )
        found[place] = label
    return found


def _default_folder(rows: Records, words: Sequence[str]) -> Path:
    whole = chr(0).join([rows.digest, *words])
    return Path("runs") / f"audit-{hashlib.sha256(whole.encode()).hexdigest()[:12]}"


class _Auditor:
    """Asks look by look and puts the result together."""

    def __init__(
        self,
        ask: str,
        labels: tuple[str, ...],
        records: Records,
        orders: tuple[Order, ...],
        model: Model,
        out: Path,
        options: RunOptions,
        output_budget: int,
        error_rate: float,
        tolerance: float,
        left_out: int,
        there_are: int | None,
    ) -> None:
        self.ask, self.labels, self.records, self.orders = ask, labels, records, orders
        self.model, self.out, self.options, self.budget = model, out, options, output_budget
        self.error_rate, self.tolerance, self.left_out = error_rate, tolerance, left_out
        self.there_are = there_are
        self.planned_looks = len(self._looks())
        self.looks = self.pending = 0
        self.asked = self.repeated = 0
        self.message: str | None = None
        self.p_value: float | None = None
        self.found: dict[tuple[int, int], tuple[str | None, float | None, str | None]] = {}

    def forecast(self) -> Forecast:
        """Every order once; at worst, every order a second time."""
        tokens = min(EXPECTED_OUTPUT, self.budget)
        rounds = []
        for repeat in (0, 1):
            begun = [
                look for look in self._looks() if (self._folder(*look, repeat) / "run.db").is_file()
            ]
            # Looks are taken one after the other: what has not begun is one run of orders.
            rest = (begun[-1][1] if begun else 0, len(self.orders))
            for look in (*begun, rest):
                work, folder = self._work(*look, repeat), self._folder(*look, repeat)
                found = forecast(work, self.model, self.options, tokens, folder)
                rounds.append(if_needed(found) if repeat else found)
        return together(rounds)

    def _looks(self) -> list[tuple[int, int]]:
        """The orders that each look adds, from one number up to another."""
        last = len(self.orders)
        return [(start, min(start + LOOK, last)) for start in range(0, last, LOOK)]

    def _folder(self, start: int, end: int, repeat: int) -> Path:
        return self.out / f"{'again' if repeat else 'orders'}-{start + 1}-{end}"

    def _work(self, start: int, end: int, repeat: int) -> OrderWork:
        listed = list(enumerate(self.orders))[start:end]
        return OrderWork(self.ask, self.labels, self.records, listed, repeat, self.budget)

    async def run(self) -> None:
        """Look by look, until the verdict is clear; the model is closed at the end."""
        try:
            for look, (start, end) in enumerate(self._looks(), start=1):
                await self._round(start, end, 0)
                self.asked = end
                if not self.pending and len(set(self._firsts().values())) > 1:
                    await self._round(self.repeated, end, 1)
                    self.repeated = end
                if self.pending:
                    return
                self.looks = look
                if self._clear():
                    return
        finally:
            await self.model.aclose()

    async def _round(self, start: int, end: int, repeat: int) -> None:
        if start >= end or self.pending:
            return
        folder = self._folder(start, end, repeat)
        others = [each for each in self._folders() if each != folder]
        work = self._work(start, end, repeat)
        options = with_spending(self.options, others)
        summary = await run_async(work, self.model, folder, options)
        self.pending += summary.pending
        self.message = self.message or summary.message
        with RunStore(folder) as store:
            for number, outcome, predicted, margin, reason, error in store.rows(_ANSWERS):
                answer = TIE if outcome == "tie" else predicted
                self.found[number, repeat] = answer, margin, error or reason

    def _folders(self) -> list[Path]:
        return run_folders(self.out, ROUNDS)

    def _firsts(self) -> dict[int, str]:
        return {n: a for (n, repeat), (a, *_) in self.found.items() if a and not repeat}

    def _unread(self, firsts: Mapping[int, str]) -> int:
        return len(self._replied()) - len(firsts)

    def _impossible(self) -> int:
        return sum(
            (reason or "").startswith(IMPOSSIBLE)
            for (_, repeat), (answer, _, reason) in self.found.items()
            if not repeat and answer is None
        )

    def _code(self, answer: str) -> float:
        if not self.labels:
            return float(answer)
        return float([*self.labels, TIE].index(answer))

    def _pairs(self) -> list[tuple[float, float]]:
        firsts = self._firsts()
        return [
            (self._code(firsts[number]), self._code(answer))
            for (number, repeat), (answer, *_) in self.found.items()
            if repeat and answer and number in firsts
        ]

    def _clear(self) -> bool:
        """Whether this look settles it."""
        firsts = self._firsts()
        if len(set(firsts.values())) > 1:
            self.p_value = order_test(self._pairs(), numbers=not self.labels)
            return self.p_value <= self.error_rate / self.planned_looks
        return len(firsts) == self.asked and self._unseen(firsts) <= self.tolerance

    def _unseen(self, firsts: Collection[int]) -> float:
        """The largest share of orders with another answer that these, all alike, leave likely."""
        if len(firsts) == self.there_are:
            return 0.0
        return unseen_share(sum(is_random(self.orders[number]) for number in firsts))

    def _replied(self) -> list[int]:
        """Numbers of the orders that have a reply, whatever it says."""
        return [number for number, repeat in self.found if not repeat]

    # ------------------------------------------------------------------ the result

    def result(self) -> Audit:
        """The verdict and what it rests on."""
        firsts = self._firsts()
        codes = [self._code(answer) for answer in firsts.values()]
        pairs = self._pairs()
        verdict, words = self._verdict(firsts)
        spent = spending(self._folders())
        every = len(self._replied()) == self.there_are
        return Audit(
            verdict=verdict,
            sentence=words,
            p_value=self.p_value,
            error_rate=self.error_rate,
            looks=self.looks,
            planned_looks=self.planned_looks,
            answers=tuple(self._answer(number) for number in range(self.asked)),
            shares=answer_shares(
                [
                    firsts.get(number)
                    for number in self._replied()
                    if every or not is_pattern(self.orders[number].name)
                ],
                exact=every,
            ),
            flips=flip_rate_of_orders(
                codes,
                pairs,
                drawn=sum(is_random(self.orders[number]) for number in firsts),
                exact=len(firsts) == self.there_are,
            ),
            every_order=every,
            spread=None if self.labels or not codes else number_spread(codes, pairs),
            records=len(self.orders[0].places),
            left_out=self.left_out,
            unread=self._unread(firsts),
            impossible=self._impossible(),
            pending=self.pending,
            calls=spent.calls,
            input_tokens=spent.input_tokens,
            output_tokens=spent.output_tokens,
            cost_usd=spent.cost_usd,
            unsettled=spent.unsettled,
            unsettled_usd=spent.unsettled_usd,
            model=self.model.name,
            ask=self.ask,
            labels=self.labels,
            answer_mode=self.options.answer_mode,
            out=self.out,
            message=self.message,
        )

    def _answer(self, number: int) -> OrderAnswer:
        first, margin, reason = self.found.get((number, 0), (None, None, "no answer yet"))
        second = self.found.get((number, 1), (None, None, None))[0]
        again = (number, 1) in self.found
        order = self.orders[number]
        return OrderAnswer(
            order.name, first, second, again, margin, None if first else reason, order.also
        )

    def _verdict(self, firsts: Mapping[int, str]) -> tuple[Verdict, str]:
        if self.pending:
            calls = "1 call" if self.pending == 1 else f"{self.pending} calls"
            return "undecided", f"Undecided: {calls} got no answer yet."
        unread = self._unread(firsts)
        if not firsts:
            why = next((reason for *_, reason in self.found.values() if reason), "unknown")
            return "undecided", (
                f"Undecided: no answer of {self.asked} orders could be read ({why})."
            )
        common, most = Counter(firsts.values()).most_common(1)[0]
        if len(set(firsts.values())) == 1:
            share = self._unseen(firsts)
            if unread:
                return "undecided", (
                    f"Undecided: {len(firsts)} orders answered {common}, and {unread} gave no "
                    "answer that can be read."
                )
            if share > self.tolerance:
                return "undecided", (
                    f"Undecided: all {len(firsts)} orders answered {common}, but so few random "
                    f"ones leave room for another answer from up to {share:.0%} of orders: ask "
                    "for more orders."
                )
            if not share:
                return "stable", (
                    f"Stable: all {len(firsts)} orders that there are answered {common}. Stable "
                    "does not mean right."
                )
            return "stable", (
                f"Stable: all {len(firsts)} orders answered {common}; at most {share:.0%} of all "
                "orders can give another answer (95%). Stable does not mean right."
            )
        p = self.p_value if self.p_value is not None else 1.0
        differ = f"{most} of {self.asked} orders answered {common}, the others did not"
        if unread:
            differ = (
                f"{most} of {self.asked} orders answered {common}, {len(firsts) - most} did not, "
                f"and {unread} gave no answer that can be read"
            )
        if not self.labels:
            numbers = sorted(firsts.values(), key=float)
            differ = f"{len(firsts)} orders gave numbers from {numbers[0]} to {numbers[-1]}"
            if unread:
                differ += f", {unread} gave no answer that can be read"
        if p <= self.error_rate / self.planned_looks:
            return "order-sensitive", (
                f"Order-sensitive: {differ}, and an order asked twice repeats itself more than "
                f"chance (p = {p:.2g})."
            )
        return "undecided", (
            f"Undecided: {differ}, but answers also change when one order is asked twice, or too "
            f"few differ (p = {p:.2g})."
        )
