"""One file, no network, and no script but the page's own, whatever a text says."""

from __future__ import annotations

import json
import re

import pytest

from evenhand.report import Cell, Column, Facts, Lead, Page, Prose, Section, Table, render_page
from evenhand.report._render import script_json

HOSTILE = "</script><script>alert(1)</script><img src=x onerror=alert(1)> & \u2028 \ud800"


def _page(text: str) -> Page:
    table = Table(text, (Column(text, text),), ((Cell(text, text),),), note=text)
    section = Section(text, "hostile", text, (Prose(text), table, Facts(text, ((text, text),))))
    return Page(text, Lead(text, text, "unclear", text, (text,)), (section,), (text,))


def test_no_text_becomes_markup() -> None:
    html = render_page(_page(HOSTILE.replace("\ud800", "")))
    assert "<script>alert" not in html
    assert "<img" not in html
    assert html.count("&lt;script&gt;alert(1)") >= 10


def test_the_policy_names_every_script_and_forbids_requests() -> None:
    html = render_page(_page("plain"))
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', html)
    assert policy is not None
    text = policy[1].replace("&#39;", "'")
    assert "default-src 'none'" in text
    assert "connect-src 'none'" in text
    assert "unsafe-eval" not in text
    assert re.search(r"script-src ('sha256-[\w+/=]+' ?)+;", text)
    assert "https://" not in html
    assert "http://" not in html.replace("http://www.w3.org/", "")


def test_json_cannot_close_its_script_element_and_reads_back() -> None:
    text = script_json({"text": HOSTILE})
    assert "<" not in text
    assert json.loads(text) == {"text": HOSTILE}


def test_anchors_are_checked_and_unique() -> None:
    with pytest.raises(ValueError, match="lower case"):
        Section("Title", "No Good", "")
    twice = Section("Title", "same", "")
    with pytest.raises(ValueError, match="same"):
        Page("t", Lead("", "", "none", ""), (twice, twice))


def test_rows_must_fit_their_columns() -> None:
    with pytest.raises(ValueError, match="rows of"):
        Table("t", (Column("a"),), ((Cell("1"), Cell("2")),))
