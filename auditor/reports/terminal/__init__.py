"""A Result on a terminal: what was found, tables that know its width, notes and signatures below."""

from __future__ import annotations

from auditor.reports.harmless import harmless
from auditor.reports.terminal import findings, tables
from auditor.reports.terminal.screen import Screen as Screen
from auditor.reports.terminal.screen import packed
from auditor.result import Result, counted


def show(result: Result, screen: Screen, *, quiet: bool = False) -> None:
    """Draw the lead and every table of a result, say how to see its figures, then its notes, versions and signatures.

    Findings with examples have a layout of their own; tables that say the same are left out, and so are bullets. A
    `quiet` screen has no hints and no notes.
    """
    laid_out = findings.have_layout(result)
    for sentence in () if laid_out else result.lead:
        screen.say(harmless(sentence))
    if result.lead and not laid_out:
        screen.print()
    for table in result.tables:
        if not (laid_out and table.tells_findings):
            tables.show(table, screen)
    if laid_out:
        findings.show(result, screen, quiet=quiet)
    if result.figures and not quiet:
        screen.say(f"-o FILE.svg, .png or .html draws {counted(len(result.figures), 'figure', 'figures')}", style="dim")
    for note in () if quiet else result.notes if laid_out else result.remarks:
        screen.say(harmless(note), bullet="• ")
    for selection in result.selections:
        version = selection.version
        screen.say(f"{selection.label} = {version.label}, version {version.version[:12]}", style="dim")
    for signature in result.signatures.values():
        for line in packed(signature, screen.edge, after="|"):
            screen.say(line, style="dim")
