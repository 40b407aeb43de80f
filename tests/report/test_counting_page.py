"""Contract: the pages of a count and of an audit say the verdict first, show what was not settled,
and a hostile label, id or reason is only text in them."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tests.audit.test_audit import Answers
from tests.counting.scripted import Scripted
from tests.counting.test_money import Priced

from evenhand.audit import audit
from evenhand.counting import Count, count
from evenhand.models import TransientError
from evenhand.report import audit_page, count_page, render_page
from evenhand.report._page import Facts, Figure, Page, Panel, Prose, Table
from evenhand.running import RunOptions

QUIET = RunOptions(progress=False, max_attempts=1)


def by_word(text: str) -> str:
    return text.split()[0]


@pytest.fixture
def counted(tmp_path: Path) -> Count:
    texts = ["good"] * 6 + ["bad"] * 2 + ["<script>alert(1)</script>", " "]
    return count(
        texts, ask="Good or <b>bad</b>?", labels=["good", "bad"], model=Scripted(by_word),
        out=tmp_path, options=QUIET, repeat=2, repeat_share=0.5,
    )  # fmt: skip


def test_a_count(counted: Count) -> None:
    html = render_page(count_page(counted))
    assert "The majority is good (good 6, bad 2)." in html
    assert "the text is empty" in html
    assert "8 of 10 labelled once; 2 unresolved" in html
    assert "nothing (--gold)" in html
    assert "<b>bad</b>" not in html
    assert "<script>alert(1)" not in html


def test_an_undecided_count(tmp_path: Path) -> None:
    found = count(["good", "bad"], ask="?", labels=["good", "bad"], model=Scripted(by_word),
                  out=tmp_path, options=QUIET)  # fmt: skip
    page = count_page(found)
    assert page.lead.headline == "Undecided: good and bad are level at 1 each."
    assert page.lead.verdict == "unclear"


def test_an_audit(tmp_path: Path) -> None:
    texts = [f"good {k}" for k in range(20)] + [f"bad {k}" for k in range(12)]
    key = {text: by_word(text) for text in texts}
    found = audit(texts, ask="Good or bad?", labels=["good", "bad"], model="reader/first-9",
                  out=tmp_path, options=QUIET, answer_key=key)  # fmt: skip
    page = audit_page(found)
    assert page.lead.verdict == "effect"
    html = render_page(page)
    assert "as given" in html
    assert "0% of" in html


def blocks(page: Page, kind: type) -> list[object]:
    return [block for part in page.sections for block in part.blocks if isinstance(block, kind)]


def headings(page: Page, title: str) -> list[str]:
    (table,) = (t for t in blocks(page, Table) if isinstance(t, Table) and t.title == title)
    return [column.label for column in table.columns]


def fact(page: Page, name: str) -> str:
    listed = [each for each in blocks(page, Facts) if isinstance(each, Facts)]
    return dict(item for each in listed for item in each.items)[name]


def test_a_part_that_was_read_is_scaled_up_to_its_interval(tmp_path: Path) -> None:
    texts = [f"good {k}" for k in range(300)] + [f"bad {k}" for k in range(100)]
    found = count(texts, ask="?", labels=["good", "bad"], model=Scripted(by_word), out=tmp_path,
                  options=QUIET, until_sure=0.999, batch=10)  # fmt: skip
    (chart,) = blocks(count_page(found), Figure)
    assert isinstance(chart, Figure)
    data = chart.chart.to_dict()["datasets"].popitem()[1]
    assert sum(row["count"] for row in data) == pytest.approx(400, abs=1)
    assert all(row["low"] <= row["count"] <= row["high"] for row in data)
    assert "95% intervals" in chart.reading
    assert blurb(count_page(found)).startswith(f"{found.read} of 400 records were read, in random")
    whole = count(texts, ask="?", labels=["good", "bad"], model=Scripted(by_word), out=tmp_path,
                  options=QUIET, batch=10)  # fmt: skip
    (chart,) = blocks(count_page(whole), Figure)
    assert isinstance(chart, Figure)
    assert chart.reading == "Errors of the model are not in the chart."
    assert blurb(count_page(whole)).startswith("Every record was labelled on its own account")


def blurb(page: Page) -> str:
    """What the first section says."""
    return page.sections[0].blurb


def test_the_page_says_what_is_next(counted: Count) -> None:
    assert count_page(counted).lead.explanation[-1] == f"Next: {counted.next_step}"


def test_nothing_came_back_and_one_text_is_empty(tmp_path: Path) -> None:
    lost = dict.fromkeys(range(1, 9), TransientError("gone"))
    found = count(["good", "bad", " "], ask="?", labels=["good", "bad"], out=tmp_path,
                  model=Priced(by_word, lost=lost), budget=40,
                  options=RunOptions(progress=False, backoff_s=0.001, give_up_after_s=0.01),
                  )  # fmt: skip
    assert (found.statuses["labelled"], found.statuses["unread"], found.pending) == (0, 2, 1)
    assert "got no answer yet" in render_page(count_page(found))


def test_many_labels_and_long_ids_are_cut_in_the_page_only(tmp_path: Path) -> None:
    labels = [f"L{k}" for k in range(30)]
    frame = pl.DataFrame({"t": [*labels, " "], "id": [*labels, "long-" * 30]})
    found = count(frame, text="t", id="id", ask="?", labels=labels, out=tmp_path,
                  model=Scripted(str), options=QUIET)  # fmt: skip
    page = count_page(found)
    (chart,) = blocks(page, Figure)
    assert isinstance(chart, Figure)
    assert len(chart.chart.to_dict()["datasets"].popitem()[1]) == 12
    assert chart.numbers is not None
    assert len(chart.numbers.rows) == 30
    html = render_page(page)
    assert ("long-" * 30)[:39] + "…" in html


def test_lost_calls_are_on_the_page(tmp_path: Path) -> None:
    model = Priced(by_word, silent=frozenset({1}))
    found = count(["good a", "good b"], ask="?", labels=["good", "bad"], model=model, out=tmp_path,
                  options=QUIET, batch=1, budget=40)  # fmt: skip
    html = render_page(count_page(found))
    assert "1 call was lost, cut or stated no usage: up to $140.00 more." in html


def test_columns_without_a_value_are_left_out(tmp_path: Path) -> None:
    texts = [f"good {k}" for k in range(20)] + [f"bad {k}" for k in range(12)]
    key = {text: by_word(text) for text in texts}

    def page(name: str, **more: object) -> Page:
        given = {"labels": ["good", "bad"], "answer_key": key, "options": QUIET, **more}
        return audit_page(audit(texts, ask="?", out=tmp_path / name, **given))  # type: ignore[arg-type]

    assert headings(page("a", model="reader/perfect"), "Every order") == ["Order", "Answer"]
    assert headings(page("b", model="reader/perfect", answer="forced"), "Every order") == [
        "Order", "Answer", "Margin",
    ]  # fmt: skip
    assert headings(page("c", model="reader/first-9"), "Every order") == [
        "Order", "Answer", "Asked again",
    ]  # fmt: skip


def test_numbers_are_drawn_as_numbers(tmp_path: Path) -> None:
    texts = [f"good {k}" for k in range(20)] + [f"bad {k}" for k in range(12)]
    model = Answers(lambda listed, seed: sum(each.startswith("good") for each in listed[:16]))
    page = audit_page(audit(texts, ask="How many?", model=model, out=tmp_path, options=QUIET))
    (chart,) = blocks(page, Figure)
    assert isinstance(chart, Figure)
    assert chart.title == "The number that each order got"
    assert chart.alt.startswith("Dot chart of numbers: as given 16, reversed 4, random 1 ")


def test_what_was_not_measured_is_said_for_its_reason(tmp_path: Path) -> None:
    def page(name: str, said: object) -> Page:
        model = Answers(lambda texts, seed: said)
        texts = [f"good {k}" for k in range(9)]
        return audit_page(
            audit(texts, ask="?", labels=["good", "bad"], model=model, out=tmp_path / name,
                  options=QUIET)
        )  # fmt: skip

    mute, agreed = page("a", "!no idea"), page("b", "good")
    assert fact(mute, "Noise floor") == ("not measured: there is no answer that could be compared")
    assert fact(mute, "Flip rate") == "not measured: fewer than two orders have an answer"
    assert fact(agreed, "Noise floor") == (
        "not measured: all answers agreed, so nothing was asked twice"
    )


def test_an_audit_of_a_few_orders_draws_no_shares(tmp_path: Path) -> None:
    frame = pl.DataFrame(
        {"t": [f"good {k}" for k in range(20)] + [f"bad {k}" for k in range(12)],
         "kind": ["good"] * 20 + ["bad"] * 12}
    )  # fmt: skip
    page = audit_page(
        audit(frame, text="t", ask="?", labels=["good", "bad"], model="reader/first-9",
              gold="kind", out=tmp_path, options=QUIET)
    )  # fmt: skip
    assert blocks(page, Figure) == []
    (note,) = (each for each in blocks(page, Prose) if isinstance(each, Prose))
    assert note.text.startswith("With one order only, you would have got: not shown, as only 3 of")


def test_orders_without_an_answer_are_on_the_page(tmp_path: Path) -> None:
    turn = iter(range(100))
    model = Answers(lambda texts, seed: "!no idea" if next(turn) % 2 else "good")
    texts = [f"good {k}" for k in range(9)]
    page = audit_page(
        audit(texts, ask="?", labels=["good", "bad"], model=model, out=tmp_path, options=QUIET)
    )
    (chart,) = blocks(page, Figure)
    assert isinstance(chart, Figure)
    assert chart.alt == "Bar chart of answers: good 50%, no readable answer 50%."
    assert chart.reading.startswith("Shares are of 12 orders as given, reversed or random.")
    assert "the 6 orders with a readable answer agreed, and 6 had none" in fact(page, "Noise floor")


def test_impossible_counts_are_on_the_page(tmp_path: Path) -> None:
    texts = [f"good {k}" for k in range(9)]
    page = audit_page(
        audit(texts, ask="How many?", model=Answers(lambda listed, seed: 10), out=tmp_path,
              options=QUIET)
    )  # fmt: skip
    assert "none: impossible count: 10 of 9 records" in render_page(page)
    assert fact(page, "No readable answer").startswith("12 of 12 orders, 12 of them with an impos")


def test_all_orders_have_no_interval(tmp_path: Path) -> None:
    page = audit_page(
        audit(["a", "b", "c"], ask="?", labels=["good", "bad"], out=tmp_path, options=QUIET,
              model=Answers(lambda texts, seed: "good"))
    )  # fmt: skip
    (chart,) = blocks(page, Figure)
    assert isinstance(chart, Figure)
    assert chart.reading == "Shares are of all 6 orders that there are: they are exact."
    assert chart.numbers is not None
    assert [column.label for column in chart.numbers.columns] == ["Answer", "Orders", "Share"]
    assert fact(page, "Flip rate") == "0% of pairs of orders"


def test_the_page_of_an_audit_says_what_was_asked_and_what_is_next(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    rows = [f"good {k},good" for k in range(20)] + [f"bad <{k}>,bad" for k in range(12)]
    path.write_text("body,kind\n" + "\n".join(rows) + "\n")
    page = audit_page(
        audit(path, text="body", ask="?", labels=["good", "bad"], model="reader/first-9",
              gold="kind", seed=7, tolerance=0.4, out=tmp_path / "out", options=QUIET)
    )  # fmt: skip
    assert fact(page, "Labels") == "good, bad"
    assert fact(page, "Seed of the random orders") == "7"
    assert fact(page, "Stable means") == "other answers from at most 40% of orders"
    html = render_page(page)
    (panel,) = (
        each for each in blocks(page, Panel) if isinstance(each, Panel) and "pre" in each.html
    )
    assert panel.html.striptags().startswith(
        f"evenhand count {path} --text body --ask '?' --labels good,bad --model reader/first-9"
    )
    assert '<span class="option">--model</span>' in html
    assert "from the ledger" not in html
    assert "from the run folders of the audit alone" in html
    assert '<span class="key-majority"></span> the label with more records' in html
    whole = audit_page(
        audit(["a", "b"], ask="?", labels=["good", "bad"], out=tmp_path / "b", options=QUIET,
              model=Answers(lambda texts, seed: "good"))
    )  # fmt: skip
    assert "A strip shows twenty records" not in render_page(whole)


def test_the_interval_stands_beside_the_bar(tmp_path: Path) -> None:
    page = audit_page(
        audit([f"good {k}" for k in range(9)], ask="?", labels=["good", "bad"], out=tmp_path,
              model=Answers(lambda texts, seed: "good"), options=QUIET)
    )  # fmt: skip
    (chart,) = blocks(page, Figure)
    assert isinstance(chart, Figure)
    bar, *others = chart.chart.to_dict()["layer"]
    assert {each["mark"]["type"] for each in others} == {"rule", "tick"}
    # Half of the bar's height and half of the line's width do not meet.
    (offset,) = {each["mark"]["yOffset"] for each in others}
    assert offset - bar["mark"]["yOffset"] >= bar["mark"]["height"] / 2 + 10 / 2


def test_the_sign_of_a_margin_is_said(tmp_path: Path) -> None:
    texts = [f"good {k}" for k in range(9)] + ["bad"]
    found = audit(texts, ask="?", labels=["good", "bad"], model="reader/perfect", answer="forced",
                  gold=["good"] * 9 + ["bad"], out=tmp_path, options=QUIET)  # fmt: skip
    words = "argin above 0 is for bad, one below 0 for good"
    assert f"a m{words}" in str(found)
    assert f"A m{words}" in render_page(audit_page(found))
