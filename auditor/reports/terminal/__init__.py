"""A Result on a terminal: its sentence, its tables and findings, then notes and signatures, on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from operator import itemgetter

from rich.text import Text

from auditor.findings import tally, told
from auditor.findings.wording import kind_for
from auditor.reports import cells
from auditor.reports.escaping import visible
from auditor.reports.terminal import tables
from auditor.reports.terminal.screen import Part, fixed, packed, put, said, versions
from auditor.reports.terminal.screen import Screen as Screen
from auditor.result import SEVERITIES, Finding, Result, counted
from auditor.result.sentences import Role, with_role

SEVERITY_STYLES = {"error": "bold red", "warning": "bold yellow", "notice": "bold cyan", "info": "dim"}

#: So many characters are quoted on either side of what was found; the rows have all of a caption.
_NEAR = 80

#: Which parts get their lines first; sentences that must be known come before the main table.
_KNOWN, _MAIN, _FOUND, _SAID, _FURTHER, _ASIDE = range(1, 7)

#: The same for sentences, by role; answers are known if they are in the lead.
_RANKS: Mapping[Role, int] = {
    **dict.fromkeys(("amount", "next", "caveat", "warning"), _KNOWN),
    **dict.fromkeys(("why", "agreement", "homogeneity", "significance", "lengths"), _FOUND),
    **dict.fromkeys(("note", "skipped"), _ASIDE),
}

_SQL = "sql"

#: Signatures are shown before other parts, unless there are more.
_SIGNATURES = 2


def show(result: Result, screen: Screen, *, quiet: bool = False) -> None:
    """Draw the lead and the tables of a result, a hint to its figures, then its notes, versions and signatures.

    Findings with examples have a separate layout, without the tables and bullets that would repeat them. A `quiet`
    screen has no hints and no notes. If not all fits on the screen, what must be known stays. Of a statement in SQL,
    all rows are shown, and nothing is explained.
    """
    if result.command == _SQL:
        screen.most = None
    put([*_parts(result, screen, quiet=quiet)], screen)


def _parts(result: Result, screen: Screen, *, quiet: bool) -> Iterator[Part]:
    tells = [table.tells_findings for table in result.tables]
    laid_out = any(tells) or any(finding.examples for finding in result.findings)
    for number, sentence in enumerate(result.lead[:1] if any(tells) else result.lead):
        rank, style = (_RANKS.get(with_role(sentence, "answer").role, _KNOWN), "") if number else (0, "bold")
        yield said(sentence, screen, rank, "sentence", style=style)
    if result.lead:
        yield said("", screen)
    explained = result.tables if result.command == _SQL else tables.explained(result.tables)
    first = tells.index(True) if any(tells) else len(tells)
    for number, table in enumerate((*explained, None)):
        if number == first and laid_out:
            yield from _findings(result, screen, _MAIN, quiet=quiet)
        if table and not table.tells_findings:
            yield tables.part(table, screen, _FURTHER + number / 100 if number else _MAIN)
    if result.figures and not quiet:
        figures = counted(len(result.figures), "figure", "figures")
        yield said(f"-o FILE.svg, .pdf, .png or .html draws {figures}", screen, _ASIDE)
    notes = () if quiet else result.notes if laid_out else result.remarks
    ranks = [_RANKS.get(with_role(note, "answer").role, _SAID) for note in notes]
    for rank, note in sorted(zip(ranks, notes, strict=True), key=itemgetter(0)):
        yield said(note, screen, rank, "note", style="", bullet="• ")
    yield from versions(result.selections, screen)
    rank = _KNOWN if len(result.signatures) <= _SIGNATURES else _ASIDE
    yield from (fixed(screen, rank, "signature", _sign, signature, screen) for signature in result.signatures.values())


def _sign(signature: str, screen: Screen) -> None:
    """Print a signature, cut to a line unless it is wanted whole."""
    lines = packed(signature, screen.edge, after="|")
    if len(lines) > 1 and screen.cuts_signatures:
        lines = [packed(signature, (screen.edge or 0) - 1, after="|")[0] + "…"]
    for line in lines:
        screen.say(line, style="dim")


def _findings(result: Result, screen: Screen, rank: float, *, quiet: bool = False) -> Iterator[Part]:
    """Yield the number of findings per severity, then each; those of severity info last, as bullets."""
    matter = [finding for finding in told(result.findings) if finding.severity != "info"]
    matter.sort(key=lambda finding: SEVERITIES.index(finding.severity))
    if not (result.lead and any(table.tells_findings for table in result.tables)):  # else the lead has the numbers
        yield said(f"{tally(matter) or 'No problems found.'}\n", screen, style="bold")
    for finding in matter:
        yield Part(partial(_finding, finding, screen), rank, "finding")
    for finding in result.findings:
        if finding.severity == "info":
            yield said(finding.sentence, screen, rank + 1, "finding", style="", bullet="• ")
    if not quiet and any(finding.examples for finding in matter) and result.frame.height:
        what = "listed captions" if "text" in result.frame.columns else "rows"
        rows = counted(result.frame.height, "row", "rows")
        yield said(f"To write all {what} to a file, add -o FILE.csv ({rows})", screen, rank + 1)


def _finding(finding: Finding, screen: Screen, most: int | None) -> list[str]:
    """Return a finding with all of its examples, with one or with none if these are too many, or else as a line."""
    for examples in (len(finding.examples), 1, 0):
        lines = screen.drawn(show_finding, finding, screen, examples)
        if most is None or len(lines) <= most:
            return lines
    return screen.drawn(show_line, finding, screen)


def show_finding(finding: Finding, screen: Screen, examples: int | None = None) -> None:
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


def show_line(finding: Finding, screen: Screen) -> None:
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
