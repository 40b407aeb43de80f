"""What a page is made of: sections of blocks. Adding a section needs no template.

A room that has something to show builds a :class:`Section` and hands it to
:func:`evenhand.report.write_page`; it brings its own anchor, and the table of contents, the
numbering and the navigation follow. Every text here is plain text: the template escapes it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from markupsafe import Markup

if TYPE_CHECKING:
    import altair as alt

_ANCHOR = re.compile(r"[a-z][a-z0-9-]*")


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: what is shown, what it sorts by, and a pictogram to stand before it.

    Attributes:
        text: Plain text.
        value: Sort key; None sorts last.
        pattern: An order pattern whose pictogram goes in front of the text.
    """

    text: str
    value: float | str | None = None
    pattern: str | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """A table's column: heading, a short explanation (a tooltip), and how cells align."""

    label: str
    hint: str = ""
    align: Literal["left", "right"] = "left"


@dataclass(frozen=True, slots=True)
class Table:
    """A table; ``note`` explains marks and definitions under it."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        widths = {len(row) for row in self.rows} - {len(self.columns)}
        if widths:
            raise ValueError(
                f"table {self.title!r}: rows of {sorted(widths)} cells under "
                f"{len(self.columns)} columns"
            )


@dataclass(frozen=True, slots=True)
class Figure:
    """A chart with what a reader needs around it.

    Attributes:
        title: What the chart shows, in a few words.
        chart: The Altair chart; give single views ``width="container"``.
        alt: What a person who cannot see it should be told, with the main numbers.
        reading: One or two sentences on how to read it and what the lines mean.
        numbers: The same numbers as a table, behind a disclosure.
        panel_width: For faceted charts: the least width of a panel in pixels; the page chooses
            how many fit beside each other. 0 for single views.
    """

    title: str
    chart: alt.TopLevelMixin
    alt: str
    reading: str = ""
    numbers: Table | None = None
    panel_width: int = 0


@dataclass(frozen=True, slots=True)
class Prose:
    """A paragraph; ``note`` is set smaller, ``warning`` stands out."""

    text: str
    tone: Literal["normal", "note", "warning"] = "normal"


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values, such as the facts of a run."""

    title: str
    items: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class Panel:
    """Ready HTML with a script's data beside it. Only for markup that this package wrote.

    Attributes:
        html: Trusted markup.
        data_id: Id of the data block, or empty.
        data: Base64 of gzip-compressed JSON; the script inflates it in the page.
        script: Name of a script in ``report/templates``, or empty.
    """

    html: Markup
    data_id: str = ""
    data: str = ""
    script: str = ""


Block = Prose | Figure | Table | Facts | Panel


@dataclass(frozen=True, slots=True)
class Section:
    """A part of the page.

    Attributes:
        title: Its heading.
        anchor: Its address in the page: lower case, digits and hyphens.
        blurb: One or two sentences on what it answers, in plain words.
        blocks: Its contents, in order.
    """

    title: str
    anchor: str
    blurb: str
    blocks: tuple[Block, ...] = ()

    def __post_init__(self) -> None:
        if not _ANCHOR.fullmatch(self.anchor):
            raise ValueError(
                f"section anchor {self.anchor!r}: use lower case, digits and hyphens only"
            )


@dataclass(frozen=True, slots=True)
class Measure:
    """One of the large numbers under the headline; ``pattern`` is empty where it is of none."""

    pattern: str
    place: str
    value: str
    detail: str


@dataclass(frozen=True, slots=True)
class Lead:
    """The top of the page.

    Attributes:
        kicker: Small line over the headline.
        headline: The finding, in one sentence.
        verdict: ``effect``, ``none``, ``unclear`` or ``one-label``.
        verdict_text: The verdict in words.
        explanation: The numbers behind it.
        measures: The best and the worst order, when both were measured.
    """

    kicker: str
    headline: str
    verdict: Literal["effect", "none", "unclear", "one-label"]
    verdict_text: str
    explanation: tuple[str, ...] = ()
    measures: tuple[Measure, ...] = ()


@dataclass(frozen=True, slots=True)
class Page:
    """A whole page. Anchors are unique."""

    title: str
    lead: Lead
    sections: tuple[Section, ...]
    footer: tuple[str, ...] = field(default=())

    def __post_init__(self) -> None:
        anchors = [section.anchor for section in self.sections]
        twice = sorted({anchor for anchor in anchors if anchors.count(anchor) > 1})
        if twice:
            raise ValueError(f"two sections share the anchor {', '.join(twice)}")

    def figures(self) -> Sequence[Figure]:
        """Every figure, in page order."""
        return [
            block
            for section in self.sections
            for block in section.blocks
            if isinstance(block, Figure)
        ]
