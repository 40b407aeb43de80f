"""A page as one HTML file that needs no network and runs no script but its own."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from markupsafe import Markup

from evenhand.report._page import Facts, Figure, Page, Panel, Prose, Table
from evenhand.report._pictograms import pictogram_sprite, pictogram_use

if TYPE_CHECKING:
    import jinja2

_ESCAPES = {
    "<": "\\u003c",
    ">": "\\u003e",
    "&": "\\u0026",
    "\u2028": "\\u2028",
    "\u2029": "\\u2029",
}


def script_json(value: object) -> Markup:
    """JSON that can stand inside a script element: no character of it can close the element.

    ``<``, ``>`` and ``&`` become ``\\u003c`` and so on, which JSON reads back as they were; lone
    surrogates stay escaped.
    """
    text = json.dumps(value, ensure_ascii=True, separators=(",", ":"), allow_nan=False)
    for plain, escaped in _ESCAPES.items():
        text = text.replace(plain, escaped)
    return Markup(text)


def render_page(page: Page) -> str:
    """The page as HTML.

    One Content-Security-Policy line forbids every request, and every script but those whose
    SHA-256 it names; so a text that slipped past escaping could still not run.
    """
    figures = page.figures()
    panels = [
        block
        for section in page.sections
        for block in section.blocks
        if isinstance(block, Panel) and block.script
    ]
    scripts = [
        _asset("page.js"),
        *(_asset(name) for name in dict.fromkeys(p.script for p in panels)),
    ]
    if figures:
        scripts.insert(0, vega_bundle())
    hashes = " ".join(f"'sha256-{_sha256(script)}'" for script in scripts)
    policy = (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data:; "
        "connect-src 'none'; base-uri 'none'; form-action 'none'"
    )
    specs = {f"chart-{at}": figure.chart.to_dict() for at, figure in enumerate(figures)}
    return (
        _environment()
        .get_template("page.html.j2")
        .render(
            page=page,
            policy=policy,
            css=Markup(_asset("page.css")),
            scripts=[Markup(script) for script in scripts],
            charts=script_json(specs),
            chart_ids={id(figure): f"chart-{at}" for at, figure in enumerate(figures)},
        )
    )


_OPTION = re.compile(r"(?<!\S)(--[a-z][a-z-]*)")
_EXPOSE = "window.vegaEmbed = vegaEmbed;"


@cache
def vega_bundle() -> str:
    """Vega, Vega-Lite and Vega-Embed as one script, as vl-convert ships them."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle(_EXPOSE)
    bundle = bundle.replace("</script", "<\\/script").replace("<!--", "\\x3c!--")
    return bundle.replace("\r\n", "\n").replace("\r", "\n")


def whole_options(text: str) -> Markup:
    """The text escaped, with command-line options that no line break divides (``- -out``)."""
    pieces = _OPTION.split(text)
    return Markup("").join(
        Markup('<span class="option">{}</span>').format(piece) if at % 2 else piece
        for at, piece in enumerate(pieces)
    )


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("evenhand.report", "templates"),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.globals["pictogram"] = lambda name: Markup(pictogram_use(name))
    environment.globals["sprite"] = Markup(pictogram_sprite())
    environment.globals["id_of"] = id
    environment.globals["whole_options"] = whole_options
    environment.globals["kind"] = lambda block: _KINDS[type(block)]
    return environment


_KINDS: dict[type, str] = {
    Prose: "prose",
    Figure: "figure",
    Table: "table",
    Facts: "facts",
    Panel: "panel",
}


def _asset(name: str) -> str:
    return (resources.files("evenhand.report") / "templates" / name).read_text("utf-8")


def _sha256(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
