"""Findings on a terminal: a line for each, and as much of its evidence as fits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

from rich.text import Text

from auditor.findings import tally, told
from auditor.findings.wording import kind_for
from auditor.reports import cells
from auditor.reports.escaping import visible
from auditor.reports.terminal import tables
from auditor.reports.terminal.parts import Part, said
from auditor.reports.terminal.screen import Screen
from auditor.result import Finding, Result, counted

SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow", "notice": "bold cyan", "info": "dim"}

#: So many characters are quoted on either side of what was found; the rows have all of a caption.
_NEAR = 80


def have_layout(result: Result) -> bool:
    """Return whether findings have a separate layout: they have examples, or tables with the same sentences."""
    return any(finding.examples for finding in result.findings) or any(table.tells_findings for table in result.tables)


def parts(result: Result, screen: Screen, rank: float, *, quiet: bool = False) -> Iterator[Part]:
    """Yield the number of findings per severity, then each; those of severity info last, as bullets."""
    matter = [finding for finding in told(result.findings) if finding.severity != "info"]
    if not (result.lead and any(table.tells_findings for table in result.tables)):  # else the lead has the numbers
        yield said(f"{tally(matter) or 'No problems found.'}\n", screen, style="bold")
    for finding in matter:
        yield Part(partial(_drawn, finding, screen), rank, "finding")
    for finding in result.findings:
        if finding.severity == "info":
            yield said(finding.sentence, screen, rank + 1, "finding", style="", bullet="• ")
    if not quiet and any(finding.examples for finding in matter) and result.frame.height:
        what = "listed captions" if "text" in result.frame.columns else "rows"
        rows = counted(result.frame.height, "row", "rows")
        yield said(f"To write all {what} to a file, add -o FILE.csv ({rows})", screen, rank + 1)


def _drawn(finding: Finding, screen: Screen, most: int | None) -> list[str]:
    """Return a finding with all of its examples, with one or with none if these are too many, or else as a line."""
    for examples in (len(finding.examples), 1, 0):
        lines = screen.drawn(show, finding, screen, examples)
        if most is None or len(lines) <= most:
            return lines
    return screen.drawn(line, finding, screen)


def show(finding: Finding, screen: Screen, examples: int | None = None) -> None:
    """Print a finding with its consequence, and its first examples or all."""
    screen.print(
        Text.assemble((finding.severity, SEVERITY_STYLES[finding.severity]), "  ", (finding.kind, "bold")),
        soft_wrap=True,
    )
    screen.say(visible(finding.sentence), indent=2)
    if consequence := kind_for(finding).consequence:
        screen.say(consequence, indent=2, style="dim")
    for example in finding.examples[:examples]:
        _quote(example, screen)
    screen.print()


def line(finding: Finding, screen: Screen) -> None:
    """Print a finding on one line: severity, dataset, title, main number."""
    about = finding.about.get("dataset")
    words = f"{f'{about}: ' if about else ''}{kind_for(finding).title}"
    written = Text.assemble(
        (f"{finding.severity:<8}", SEVERITY_STYLES[finding.severity]), " ", visible(words), "  ",
        (visible(finding.headline), "bold"),
    )  # fmt: skip
    if screen.edge is not None:
        written.truncate(screen.edge, overflow="ellipsis")
    screen.print(written, soft_wrap=True)


def _quote(example: Mapping[str, str | int | None], screen: Screen) -> None:
    """Quote a caption with its slot and the reason, then the one compared with it; equal captions only once.

    Of a long caption, what is around the hit is quoted. The hit is bold.
    """
    text, other = example.get("text"), example.get("other_text")
    slots = [cells.caption_place(example, "")] + ([cells.caption_place(example, "other_")] if other is not None else [])
    why = f": {example['why']}" if example.get("why") else ""
    quotes = [(text, " and ".join(slots) + why)] if text == other else [(text, slots[0] + why), (other, slots[-1])]
    for words, source in quotes:
        if words is not None:
            quoted = cells.cut(cells.hit(str(words), str(example.get("why") or "")), _NEAR)
            screen.say(tables.marked((("“", False), *quoted, ("”", False))), indent=4)
        if words is not None or source == slots[0] + why:
            screen.say(visible(source), indent=6 if words is not None else 4, style="dim")
