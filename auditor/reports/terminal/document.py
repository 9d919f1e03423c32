"""A report on a terminal: the answer and one line per finding, datasets at a glance, then the other sections."""

from __future__ import annotations

from collections.abc import Iterator

from rich.columns import Columns
from rich.panel import Panel
from rich.text import Text

from auditor.findings import tally
from auditor.reports.escaping import visible
from auditor.reports.terminal import show_finding, show_line, tables
from auditor.reports.terminal.screen import Part, Screen, fixed, put, said, versions
from auditor.result import answering
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
    found = [finding for section in sections for finding in section.findings if finding.severity != "info"]
    for number, sentence in enumerate(document.answer):
        words = sentence.replace("`", "")
        yield said(words, screen, min(number, 1), "sentence", style="" if number else "bold green")
    placed = [part for table in answering(summary.tables) for part in (said("", screen), tables.part(table, screen, 2))]
    wrong = [said(tally(found or document.cards) or summary.absent or "", screen, style="bold")]
    wrong += [tables.part(table, screen, 2) for table in summary.tables if table.name == "dimensions"]
    wrong += [fixed(screen, 2, "finding", show_line, finding, screen) for finding in found or document.cards]
    # Of a single dataset, readers ask first what is wrong; of several, which of them differ.
    yield from (*placed, *wrong) if len(document.portraits) > 1 else (*wrong, *placed)
    panels = Columns([_panel(portrait) for portrait in document.portraits])
    yield Part(lambda _: ["", *screen.drawn(screen.print, panels)], 4, "panel")
    yield from (tables.part(table, screen, 5) for table in summary.tables if table.name == "unchecked")
    for section in sections:
        if not section.absent:
            yield fixed(screen, 5, "section", _section, section, document, screen)
    yield from versions(document.selections, screen)
    yield said("-o FILE.html writes the report as a page, with figures and examples", screen)


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
