"""Rechecking a ledger, its certificate and the count against the run folders."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

from evenhand.counting._agreement import SelfAgreement
from evenhand.counting._assemble import (
    BATCHES,
    ROUNDS,
    Prefix,
    Setup,
    alone_folder,
    alone_work,
    first_tally,
    read_again,
    read_batches,
    read_round,
    stopping_rule,
)
from evenhand.counting._check import Check, rows_words
from evenhand.counting._correction import Corrected, Correction
from evenhand.counting._ledger import ledger_frame
from evenhand.counting._position import check_position
from evenhand.counting._question import make_question
from evenhand.counting._records import Records
from evenhand.counting._rounds import replies
from evenhand.counting._spending import run_folders, spending
from evenhand.counting._tally import STATUSES, Tally
from evenhand.counting._verdict import Evidence, decide, label_counts, margin_words, sentence
from evenhand.counting._work import TASK, BatchWork
from evenhand.errors import UsageError
from evenhand.running import RunStore

Rounds = list[tuple[BatchWork, Path]]


def check_run(
    certificate: Mapping[str, Any], frame: pl.DataFrame, rows: Records | None, out: Path
) -> list[Check]:
    """Every check that the run folders allow.

    Args:
        certificate: As read.
        frame: The ledger.
        rows: The records; None where they are not there.
        out: The count's folder.
    """
    asked_any = bool(frame["reply"].is_not_null().any())
    if asked_any and not (out / BATCHES / "run.db").is_file():
        return [
            Check(
                None,
                f"the raw replies: {out / BATCHES} is not there; put the run folders beside the "
                "ledger again",
            )
        ]
    checks = [_certificate(certificate, frame, out)] if asked_any else []
    if rows is None:
        return checks
    if checks and not checks[0].ok:
        return [*checks, Check(None, "the raw replies: put the certificate right first")]
    setup = Setup(
        make_question(certificate["ask"], certificate["labels"]), rows, certificate["batch"],
        certificate["seed"], certificate["forced"], certificate["output_budget"], 0.0,
    )  # fmt: skip
    tally, rounds = _read(setup, out) if asked_any else (first_tally(setup), [])
    checks.append(_replies(setup, tally, rounds, frame, out))
    if (out / "count.json").is_file():
        checks.append(_count(setup, tally, certificate, out))
    return checks


def _certificate(certificate: Mapping[str, Any], frame: pl.DataFrame, out: Path) -> Check:
    """What the certificate says was asked, of whom and how, against the run folder."""
    with RunStore(out / BATCHES) as store:
        settings = store.settings()
        asked = json.loads(store.tasks()[TASK])
        digest = store.pools()[TASK][1].get("records_sha256")
        planned = store.all_experiments()
    largest = max(experiment.n for experiment in planned)
    budgets = {experiment.output_budget for experiment in planned}
    usable = frame.filter(pl.col("status").ne("unresolved") | pl.col("reply").is_not_null()).height
    stated = certificate["output_budget"]
    agrees = {
        "model": settings["model"] == certificate["model"],
        "ask": asked["ask"] == certificate["ask"],
        "labels": asked["labels"] == certificate["labels"],
        "forced": (settings["answer_mode"] == "forced") == certificate["forced"],
        "batch": largest == min(certificate["batch"], usable),
        "output_budget": stated is None or budgets == {stated},
        "records_sha256": digest == certificate["records_sha256"],
    }
    wrong = [name for name, agree in agrees.items() if not agree]
    return Check(not wrong, f"the certificate says what the run folder says{_but(wrong)}")


def _read(setup: Setup, out: Path) -> tuple[Tally, Rounds]:
    """The tally, made again from the raw replies."""
    rounds: Rounds = [(setup.batches(), out / BATCHES)]
    tally = read_batches(setup, rounds[0][0], out)
    alone = alone_work(setup, tally)
    if alone is not None and alone_folder(out, alone).is_dir():
        rounds.append((alone, alone_folder(out, alone)))
        read_round(tally, rounds)
    read_again(setup, tally, rounds, out)
    return tally, rounds


def _replies(setup: Setup, tally: Tally, rounds: Rounds, frame: pl.DataFrame, out: Path) -> Check:
    """Every row against the raw replies, but for the id, which no reply holds."""
    again = ledger_frame(setup.records, setup.question, tally, rounds, out)
    equal = [pl.col(name).eq_missing(again[name]) for name in again.columns if name != "id"]
    same = frame.select(pl.all_horizontal(equal)).to_series()
    other = [row + 1 for row in (~same).arg_true().to_list()]
    held = frame.height - len(other)
    return Check(
        not other,
        f"rows made again from the raw replies: {held:,} of {frame.height:,}{rows_words(other)}",
    )


def _count(setup: Setup, tally: Tally, certificate: Mapping[str, Any], out: Path) -> Check:
    """``count.json``, its verdict decided again.

    What hand-checked records and second labels said is taken as stated there: the hand labels are
    not in the folder.
    """
    path = out / "count.json"
    try:
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        wrong = _differing(found, setup, tally, certificate, out)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise UsageError(f"{path} is damaged: {error}") from error
    return Check(not wrong, f"count.json says what the rows come to{_but(wrong)}")


def _differing(
    found: dict[str, Any],
    setup: Setup,
    tally: Tally,
    certificate: Mapping[str, Any],
    out: Path,
) -> list[str]:
    labels = setup.question.labels
    statuses: dict[str, int] = {name: tally.with_status(name) for name in STATUSES}
    unread = statuses["unread"]
    unlabelled = len(setup.records) - unread - statuses["labelled"]
    listed = label_counts(tally, labels, unlabelled)
    correction = _correction(found["correction"])
    agreement = None if found["agreement"] is None else SelfAgreement(**found["agreement"])
    position = check_position(tally, labels) if setup.batch > 1 else None
    rule = stopping_rule(setup, found["until_sure"])
    if rule is not None:
        prefix = Prefix(rule, labels)
        for stored in replies(out / BATCHES, setup.batches()):
            prefix.take(stored.number, stored.reply)
    called = None if rule is None or rule.winner is None else labels[rule.winner]
    majority, reasons = decide(
        Evidence(
            listed, unlabelled, unread, found["pending"], called, correction, agreement, position
        )
    )
    margin, break_even = margin_words(listed, unread, majority, unlabelled)
    spent = spending(run_folders(out, ROUNDS))
    true = {
        "verdict": "undecided" if majority is None else "decided",
        "majority": majority,
        "reasons": list(reasons),
        "sentence": sentence(majority, reasons, listed, unread, found["until_sure"], correction),
        "margin": margin,
        "break_even": break_even,
        "labels": [asdict(each) for each in listed],
        "records": len(setup.records),
        "statuses": statuses,
        "unlabelled": tally.commonest_reasons(),
        "read": len(setup.records) - unread,
        "sure_after": None if rule is None else rule.called_after,
        "position": None if position is None else asdict(position),
        "batch": setup.batch,
        "calls": spent.calls,
        "input_tokens": spent.input_tokens,
        "output_tokens": spent.output_tokens,
        "cost_usd": spent.cost_usd,
        "certificate": certificate["sentence"],
        "model": certificate["model"],
        "ask": certificate["ask"],
        "answer_mode": "forced" if setup.forced else "generate",
    }
    return [name for name, value in true.items() if found.get(name) != value]


def _correction(stated: dict[str, Any] | None) -> Correction | None:
    if stated is None:
        return None
    each = tuple(Corrected(**label) for label in stated["labels"])
    return Correction(stated["checked"], stated["agree"], each)


def _but(names: list[str]) -> str:
    return f", but for {', '.join(names)}" if names else ""
