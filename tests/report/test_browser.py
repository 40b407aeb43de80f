"""The page in a real browser: charts drawn, silent console, no request, fits a phone, and nothing
that a model wrote runs. Skipped, saying so, where there is no Chromium."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import polars as pl
import pytest
from tests.report.browser import CHROMIUM, Browser, chromium
from tests.report.conftest import Simulate

from evenhand.pools import Instance
from evenhand.prompts import Message
from evenhand.report import build_page, write_page
from evenhand.report._explorer import Attempt, CloseUp

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="needs Debian's chromium on the path")

HOSTILE = "</script><script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>\ud800"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    with chromium(tmp_path_factory.mktemp("profile")) as tab:
        yield tab


@pytest.fixture(scope="module")
def page(simulate: Simulate, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three models, every kind of chart, and close-ups whose texts are hostile."""
    grid = {"tasks": ("sentiment", "ner"), "invalid": 0.1}
    budgets = (20_000, 100_000)
    sizes = {"n": (100, 200), "p": (0.9, 0.55), "seeds": (1,)}
    frame = pl.concat(
        [
            simulate("maker/alpha", **grid, variants=("standard", "hint"), budgets=budgets),
            simulate("maker/alpha", setting="counts", **grid, **sizes, budgets=budgets),
            simulate("<b>maker</b>/beta", **grid),
            simulate("local/gamma-with-a-name", **grid, forced=True),
            simulate("local/gamma-with-a-name", seeds=(0,), budgets=(48,), invalid=1.0),
        ]
    ).with_columns(run=pl.lit(0))

    def look_up(_: int, experiment_id: str) -> CloseUp:
        records = [Instance(str(at), f"{HOSTILE} {at}", "negative") for at in range(99)]
        lines = "\n".join(f"Instance {k}: {record.text}" for k, record in enumerate(records, 1))
        call = Attempt(1, 2, "correct", HOSTILE, HOSTILE, "stop", HOSTILE)
        return CloseUp(records, [Message("user", f"Task\n{lines}\n{experiment_id}")], [call])

    built = build_page(frame, look_up=look_up, compared=("maker/alpha", "<b>maker</b>/beta"))
    return write_page(built, tmp_path_factory.mktemp("page"))


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (380, False)])
def test_charts_are_drawn_without_a_word_or_a_request(
    browser: Browser, page: Path, width: int, dark: bool
) -> None:
    browser.open(page, width=width, dark=dark)
    drawn = browser.evaluate("[...document.querySelectorAll('.chart')].map(b => b.dataset.drawn)")
    assert len(drawn) >= 18
    assert all(int(marks or 0) > 10 for marks in drawn)
    assert browser.complaints() == []
    asked = [address for address in browser.requests() if not address.startswith("data:")]
    assert asked == [page.resolve().as_uri()]


@pytest.mark.parametrize("width", [380, 768, 1280])
def test_nothing_sticks_out_sideways(browser: Browser, page: Path, width: int) -> None:
    browser.open(page, width=width)
    assert browser.evaluate("document.documentElement.scrollWidth") <= width
    sticking_out = """[...document.querySelectorAll('main *, header *, nav *')]
        .filter(e => !e.closest('.scroll, svg, pre, .hidden'))
        .filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML)"""
    assert browser.evaluate(sticking_out) == []
    too_wide = """[...document.querySelectorAll('.chart')]
        .filter(e => e.scrollWidth > e.clientWidth + 1).map(e => [e.id, e.scrollWidth])"""
    assert browser.evaluate(too_wide) == []


_FILL = """[...document.querySelectorAll('.chart')]
    .map(e => [e.id, e.querySelector('svg').getBoundingClientRect().width / e.clientWidth])"""


def test_charts_fill_a_phone_also_when_the_window_shrank(browser: Browser, page: Path) -> None:
    browser.open(page, width=1280)
    browser.call("Emulation.setDeviceMetricsOverride",
                 width=380, height=900, deviceScaleFactor=1, mobile=False)  # fmt: skip
    every = "document.querySelectorAll('.chart')"
    browser.wait_for(f"[...{every}].every(e => e.dataset.width === String(e.clientWidth))")
    browser.wait_for(f"[...{every}].every(e => e.scrollWidth <= e.clientWidth + 1)")
    assert [name for name, fill in browser.evaluate(_FILL) if not 0.9 <= fill <= 1.0] == []


def test_titles_are_whole_and_say_where_there_is_more(browser: Browser, page: Path) -> None:
    browser.open(page, width=380)
    clipped = """[...document.querySelectorAll('.table > .title')]
        .filter(e => e.scrollWidth > e.clientWidth + 1 || e.closest('.scroll')).length"""
    assert browser.evaluate(clipped) == 0
    browser.wait_for("document.querySelectorAll('#models .table.wider').length >= 2")
    hint = "getComputedStyle(document.querySelector('.table.wider > .title'), '::after').content"
    assert "scroll sideways" in browser.evaluate(hint)


def test_no_option_is_divided_between_lines(browser: Browser, page: Path) -> None:
    browser.open(page, width=380)
    options = "[...document.querySelectorAll('.option')]"
    assert "--out" in browser.evaluate(f"{options}.map(e => e.textContent)")
    assert browser.evaluate(f"{options}.every(e => e.getClientRects().length <= 1)")


def test_a_tie_is_an_answer(browser: Browser, simulate: Simulate, tmp_path: Path) -> None:
    frame = simulate(seeds=(0,)).with_columns(
        run=pl.lit(0),
        outcome=pl.lit("tie"),
        predicted=pl.lit(None, pl.String),
        correct=pl.lit(False),
    )
    records = [Instance(str(at), f"text {at}", "negative") for at in range(100)]
    call = Attempt(1, 2, "tie", '{"answer": -1}', None, "stop", None)
    close_up = CloseUp(records, [Message("user", "Task")], [call])
    write_page(build_page(frame, look_up=lambda _, __: close_up), tmp_path)
    browser.open(tmp_path / "report.html", width=1280)
    browser.wait_for("document.getElementById('explorer').dataset.ready === 'true'")
    shown = browser.evaluate("document.querySelector('[data-view]').innerText")
    assert "Model’s answer\ntie (-1)" in shown
    assert "Attempt 1, output: said “tie” (counts as wrong)" in shown


def test_what_a_model_wrote_is_shown_and_does_not_run(browser: Browser, page: Path) -> None:
    browser.open(page, width=1280)
    browser.wait_for("document.getElementById('explorer').dataset.ready === 'true'")
    browser.evaluate("document.querySelectorAll('details').forEach(d => { d.open = true; })")
    assert browser.evaluate("window.hacked === undefined")
    assert browser.evaluate("document.querySelectorAll('main img, main b > *').length") == 0
    shown = browser.evaluate("document.querySelector('[data-view]').textContent")
    assert shown.count("</script><script>window.hacked = 1</script>") >= 101
    assert browser.complaints() == []


def test_a_script_that_got_past_escaping_would_still_not_run(
    browser: Browser, page: Path, tmp_path: Path
) -> None:
    text = page.read_text("utf-8").replace("<main", "<script>window.hacked = 3</script><main", 1)
    attacked = tmp_path / "attacked.html"
    attacked.write_text(text, "utf-8")
    browser.open(attacked, width=1280)
    assert browser.evaluate("window.hacked === undefined")
    assert any("Content Security Policy" in line for line in browser.complaints())


def test_the_prompt_is_put_together_again(browser: Browser, page: Path) -> None:
    browser.open(page, width=1280)
    browser.wait_for("document.getElementById('explorer').dataset.ready === 'true'")
    prompt = browser.evaluate("document.querySelector('[data-view] details pre').textContent")
    name = browser.evaluate("document.querySelector('[data-view] h3').textContent")
    assert prompt.startswith("Task\nInstance 1: </script>")
    assert prompt.endswith(f" 98\n{name}")
    assert prompt.count("\nInstance ") == 99


def test_filters_narrow_the_list(browser: Browser, page: Path) -> None:
    browser.open(page, width=1280)
    browser.wait_for("document.getElementById('explorer').dataset.ready === 'true'")
    browser.evaluate(
        """(() => { const s = document.querySelector('[data-filter=pattern]');
        s.value = 'majority-last'; s.dispatchEvent(new Event('change')); })()"""
    )
    listed: Sequence[str] = browser.evaluate(
        "[...document.querySelector('[data-list]').options].map(o => o.textContent)"
    )
    assert listed
    assert all("/majority-last/" in name for name in listed)


def test_tables_sort_by_keyboard(browser: Browser, page: Path) -> None:
    browser.open(page, width=1280)
    rows = "[...document.querySelectorAll('#gap .table:not(details *) tbody tr')]"
    column = f"{rows}.map(r => r.cells[2].dataset.value)"
    before = browser.evaluate(column)
    press = "document.querySelector('#gap .table:not(details *) th:nth-child(3) button')"
    browser.evaluate(f"{press}.click()")
    up = browser.evaluate(column)
    browser.evaluate(f"{press}.click()")
    down = browser.evaluate(column)
    assert up == sorted(before, key=float)
    assert down == up[::-1]
    assert browser.evaluate(f"{press}.closest('th').getAttribute('aria-sort')") == "descending"


def test_every_chart_and_control_has_a_name(browser: Browser, page: Path) -> None:
    browser.open(page, width=1280)
    nameless = """[...document.querySelectorAll('.chart, .scroll')]
        .filter(e => !(e.getAttribute('aria-label') || '').trim()).length"""
    assert browser.evaluate(nameless) == 0
    unlabelled = """[...document.querySelectorAll('select, input')]
        .filter(e => !e.closest('label') && !e.getAttribute('aria-label')).length"""
    assert browser.evaluate(unlabelled) == 0
    levels = browser.evaluate("[...document.querySelectorAll('h1, h2, h3')].map(h => h.tagName)")
    assert levels.count("H1") == 1


@pytest.mark.parametrize("dark", [False, True])
def test_text_stands_out_from_its_ground(browser: Browser, page: Path, dark: bool) -> None:
    """WCAG AA: 4.5 to 1 for all text colours of the page, light and dark."""
    browser.open(page, width=1280, dark=dark)
    ratio = """(() => {
      const light = (name) => {
        const hex = getComputedStyle(document.documentElement).getPropertyValue(name).trim();
        const full = hex.length === 4 ? hex.replace(/[^#]/g, '$&$&') : hex;
        const [r, g, b] = [1, 3, 5].map(at => parseInt(full.slice(at, at + 2), 16) / 255)
          .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
      };
      const paper = light('--paper');
      return ['--ink', '--muted', '--link', '--effect', '--none', '--unclear'].map(name => {
        const [high, low] = [light(name), paper].sort((a, b) => b - a);
        return (high + 0.05) / (low + 0.05);
      });
    })()"""
    assert min(browser.evaluate(ratio)) >= 4.5
