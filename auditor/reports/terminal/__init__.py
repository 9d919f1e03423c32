"""A Result on a terminal: findings, tables that fit its width, then notes and signatures."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from auditor.findings import tally, told
from auditor.findings.wording import kind_for
from auditor.reports import cells
from auditor.reports.escaping import visible
from auditor.reports.terminal import tables
from auditor.reports.terminal.screen import Screen as Screen
from auditor.reports.terminal.screen import packed
from auditor.result import Finding, Result, counted
from auditor.result.sentences import with_role

SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow", "notice": "bold cyan", "info": "dim"}

#: So many characters are quoted on either side of what was found; the rows have all of a caption.
_NEAR = 80


def show(result: Result, screen: Screen, *, quiet: bool = False) -> None:
    """Draw the lead and every table of a result, a hint to its figures, then its notes, versions and signatures.

    Findings with examples have a separate layout, without the tables and bullets that would repeat them. A `quiet`
    screen has no hints and no notes.
    """
    laid_out = have_layout(result)
    lead = [sentence for sentence in result.lead if not (laid_out and with_role(sentence, "answer").finding)]
    if any(table.tells_findings for table in result.tables):
        lead = []
    for number, sentence in enumerate(lead):
        screen.say(visible(sentence), style="" if number else "bold")
    if lead:
        screen.print()
    first = next((number for number, table in enumerate(result.tables) if table.tells_findings), len(result.tables))
    for table in result.tables[:first]:
        tables.show(table, screen)
    if laid_out:
        show_findings(result, screen, quiet=quiet)
    for table in result.tables[first:]:
        if not table.tells_findings:
            tables.show(table, screen)
    if result.figures and not quiet:
        figures = counted(len(result.figures), "figure", "figures")
        screen.say(f"-o FILE.svg, .pdf, .png or .html draws {figures}", style="dim")
    for note in () if quiet else result.notes if laid_out else result.remarks:
        screen.say(visible(note), bullet="• ")
    for selection in result.selections:
        version = selection.version
        screen.say(f"{selection.label} = {version.label}, version {version.version[:12]}", style="dim")
    for signature in result.signatures.values():
        for line in packed(signature, screen.edge, after="|"):
            screen.say(line, style="dim")


def have_layout(result: Result) -> bool:
    """Return whether findings have a separate layout: they have examples, or tables with the same sentences."""
    return any(finding.examples for finding in result.findings) or any(table.tells_findings for table in result.tables)


def show_findings(result: Result, screen: Screen, *, quiet: bool = False) -> None:
    """Print the number of findings per severity, then each; those of severity info last, as bullets."""
    matter = [finding for finding in told(result.findings) if finding.severity != "info"]
    known = any(with_role(note, "note").role == "known" for note in result.notes)
    screen.say(tally(matter) or f"No {'new ' if known else ''}problems found.", style="bold")
    screen.print()
    for finding in matter:
        show_finding(finding, screen)
    for finding in result.findings:
        if finding.severity == "info":
            screen.say(visible(finding.sentence), bullet="• ")
    if not quiet and any(finding.examples for finding in matter) and result.frame.height:
        what = "listed captions" if "text" in result.frame.columns else "rows"
        screen.say(
            f"To write all {what} to a file, add -o FILE.csv ({counted(result.frame.height, 'row', 'rows')})",
            style="dim",
        )


def show_finding(finding: Finding, screen: Screen) -> None:
    """Print a finding with its consequence and its examples."""
    screen.print(
        Text.assemble((finding.severity, SEVERITY_STYLES[finding.severity]), "  ", (finding.kind, "bold")),
        soft_wrap=True,
    )
    screen.say(visible(finding.sentence), indent=2)
    if consequence := kind_for(finding).consequence:
        screen.say(consequence, indent=2, style="dim")
    for example in finding.examples:
        _quote(example, screen)
    screen.print()


def _quote(example: Mapping[str, str | int | None], screen: Screen) -> None:
    """Quote a caption with its slot and the reason, then the one compared with it; equal captions only once."""
    text, other = example.get("text"), example.get("other_text")
    slots = [cells.caption_place(example, "")] + ([cells.caption_place(example, "other_")] if other is not None else [])
    why = f": {example['why']}" if example.get("why") else ""
    quotes = [(text, " and ".join(slots) + why)] if text == other else [(text, slots[0] + why), (other, slots[-1])]
    for words, source in quotes:
        if words is not None:
            quoted = "".join(part for part, _ in cells.cut(cells.hit(str(words), str(example.get("why") or "")), _NEAR))
            screen.say(visible(f"“{quoted}”"), indent=4)
        if words is not None or source == slots[0] + why:
            screen.say(visible(source), indent=6 if words is not None else 4, style="dim")
