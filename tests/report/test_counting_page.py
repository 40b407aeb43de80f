"""Contract: the pages of a count and of an audit say the verdict first, show what was not settled,
and a hostile label, id or reason is only text in them."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.counting.scripted import Scripted

from evenhand.audit import audit
from evenhand.counting import Count, count
from evenhand.report import audit_page, count_page, render_page
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
