"""A Result on a terminal: its sentence, tables that fit the width, then notes and signatures, on one screen."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from operator import itemgetter

from auditor.reports.terminal import findings, tables
from auditor.reports.terminal.parts import Part, fixed, put, said, versions
from auditor.reports.terminal.screen import Screen as Screen
from auditor.reports.terminal.screen import packed
from auditor.result import Result, counted
from auditor.result.sentences import Role, with_role

#: Which parts get their lines first; sentences that must be known come before the main table.
_KNOWN, _MAIN, _FOUND, _SAID, _FURTHER, _ASIDE = range(1, 7)

#: The same for sentences, by role; the others are results.
_RANKS: Mapping[Role, int] = {
    "amount": _KNOWN, "next": _KNOWN, "caveat": _KNOWN, "warning": _KNOWN, "note": _ASIDE, "skipped": _ASIDE,
}  # fmt: skip

#: Signatures are shown before other parts, unless there are more.
_SIGNATURES = 2


def show(result: Result, screen: Screen, *, quiet: bool = False) -> None:
    """Draw the lead and the tables of a result, a hint to its figures, then its notes, versions and signatures.

    Findings with examples have a separate layout, without the tables and bullets that would repeat them. A `quiet`
    screen has no hints and no notes. If not all fits on the screen, what must be known stays.
    """
    put([*_parts(result, screen, quiet=quiet)], screen)


def _parts(result: Result, screen: Screen, *, quiet: bool) -> Iterator[Part]:
    laid_out = findings.have_layout(result)
    tells = [table.tells_findings for table in result.tables]
    lead = [each for each in result.lead if not (laid_out and with_role(each, "answer").finding)]
    for number, sentence in enumerate(lead[:1] if any(tells) else lead):
        rank, style = (_RANKS.get(with_role(sentence, "answer").role, _FOUND), "") if number else (0, "bold")
        yield said(sentence, screen, rank, "sentence", style=style)
    if lead:
        yield said("", screen)
    first = tells.index(True) if any(tells) else len(tells)
    for number, table in enumerate((*tables.explained(result.tables), None)):
        if number == first and laid_out:
            yield from findings.parts(result, screen, _FOUND, quiet=quiet)
        if table and not table.tells_findings:
            yield Part(partial(tables.drawn, table, screen), _FURTHER + number / 100 if number else _MAIN, "table")
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
