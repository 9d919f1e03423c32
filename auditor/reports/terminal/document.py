"""A report on a terminal: the answer and one line per finding, datasets at a glance, then the other sections."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from rich.columns import Columns
from rich.panel import Panel
from rich.text import Text

from auditor.findings import tally
from auditor.reports.escaping import visible
from auditor.reports.terminal import tables
from auditor.reports.terminal.findings import line
from auditor.reports.terminal.findings import show as show_finding
from auditor.reports.terminal.parts import Part, fixed, put, said, versions
from auditor.reports.terminal.screen import Screen
from auditor.result import Finding, answering
from auditor.result.document import Document, Section
from auditor.result.portraits import Portrait

_LEVELS = "▁▂▃▄▅▆▇█"

#: Columns of a panel, and the bars of its distribution of lengths.
_PANEL, _BARS = 38, 32


def show(document: Document, screen: Screen) -> None:
    """Print a report: what it answers, what was found, each dataset, and as many sections as fit."""
    put([*_parts(document, screen)], screen)


def _parts(document: Document, screen: Screen) -> Iterator[Part]:
    summary, *sections = document.sections
    yield said(document.title, screen, style="bold")
    if document.made_at:
        yield said(f"made {document.made_at}", screen)
    by_name = {table.name: table for table in reversed(summary.tables)}
    found = [finding for section in sections for finding in section.findings if finding.severity != "info"]
    for number, sentence in enumerate(document.answer):
        words = sentence.replace("`", "")
        yield said(words, screen, min(number, 1), "sentence", style="" if number else "bold green")
    parts = [_placed(summary, screen), _found(found or document.cards, summary, screen)]
    # Of a single dataset, readers ask first what is wrong; of several, which of them differ.
    for part in parts if len(document.portraits) > 1 else reversed(parts):
        yield from part
    panels = Columns([_panel(portrait) for portrait in document.portraits])
    yield Part(lambda _: ["", *screen.drawn(screen.print, panels)], 4, "panel")
    if unchecked := by_name.get("unchecked"):
        yield Part(partial(tables.drawn, unchecked, screen), 5, "table")
    for section in sections:
        if not section.absent:
            yield fixed(screen, 5, "section", _section, section, document, screen)
    yield from versions(document.selections, screen)
    yield said("-o FILE.html writes the report as a page, with figures and examples", screen)


def _placed(summary: Section, screen: Screen) -> Iterator[Part]:
    """Yield the datasets placed by homogeneity."""
    for table in answering(summary.tables):
        yield said("", screen)
        yield Part(partial(tables.drawn, table, screen), 2, "table")


def _found(found: Sequence[Finding], summary: Section, screen: Screen) -> Iterator[Part]:
    """Yield how many findings there are, and each on one line."""
    yield said(tally(found) or summary.absent or "", screen, style="bold")
    for table in summary.tables:
        if table.name == "dimensions":
            yield Part(partial(tables.drawn, table, screen), 2, "table")
    for finding in found:
        yield fixed(screen, 3, "finding", line, finding, screen)


def _panel(portrait: Portrait) -> Panel:
    """Draw a dataset at a glance."""
    of_image = portrait.captions / max(portrait.images, 1)
    facts = [
        f"{portrait.images:,} images, {portrait.captions:,} captions",
        f"{of_image:.1f} captions per image",
        f"{portrait.captions - portrait.distinct:,} repeat another of their image",
        f"{portrait.length:.1f} words per caption",
    ]
    facts += [f"homogeneity {portrait.homogeneity:.3f} ({portrait.metric})"] if portrait.homogeneity is not None else []
    counts = dict(portrait.lengths)
    top = max(counts.values(), default=1)
    bars = "".join(_LEVELS[counts.get(length, 0) * (len(_LEVELS) - 1) // top] for length in range(1, _BARS + 1))
    lines = Text("\n").join(
        [*(Text(visible(fact)) for fact in facts), Text(bars, "cyan"), Text(f"1 to {_BARS} words", "dim")]
    )
    return Panel(lines, title=Text(visible(portrait.label), "bold"), width=_PANEL, title_align="left")


def _section(section: Section, document: Document, screen: Screen) -> None:
    """Print a section without the sentences and the tables that the summary has shown."""
    before = {table.name for table in document.sections[0].tables if not table.sample}
    before |= {table.name for table in answering(document.sections[0].tables)}
    screen.print()
    screen.say(visible(section.title), style="bold cyan")
    screen.print()
    for sentence in (words for words in section.words if words not in document.answer):
        screen.say(visible(sentence), bullet="• ")
    for finding in section.findings:
        if finding.severity != "info":
            show_finding(finding, screen)
    for table in section.tables:
        if table.name not in before:
            tables.show(table, screen)
    for note in section.notes:
        screen.say(visible(note), bullet="• ", style="dim")
    for command in section.commands:
        screen.say(visible(command), indent=2, style="dim")
