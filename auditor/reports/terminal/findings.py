"""What was found, for a person at a prompt: how bad, what it is, what follows, and captions that show it."""

from __future__ import annotations

from collections.abc import Mapping

from rich.text import Text

from auditor.findings import KINDS
from auditor.findings.severity import tally
from auditor.reports import cells
from auditor.reports.harmless import harmless
from auditor.reports.terminal.screen import Screen
from auditor.result import Finding, Result, counted

_STYLES = {"error": "bold red", "warning": "bold yellow", "notice": "bold cyan", "info": "dim"}

#: A quoted caption is cut beyond so many signs: rows have it whole.
_QUOTED = 240


def have_layout(result: Result) -> bool:
    """Say whether the findings of a result stand by themselves: where they have examples, or tables that tell them."""
    return any(one.examples for one in result.findings) or any(table.tells_findings for table in result.tables)


def show(result: Result, screen: Screen, *, quiet: bool = False) -> None:
    """Print how many there are of each severity, then each; those that only answer a question as bullets, last."""
    matter = [one for one in result.findings if one.severity != "info"]
    screen.say(tally(matter) or "nothing was found that is worth a word", style="bold")
    screen.print()
    for one in matter:
        _show(one, screen)
    for one in result.findings:
        if one.severity == "info":
            screen.say(harmless(one.sentence), bullet="• ")
    if not quiet and any(one.examples for one in matter) and result.frame.height:
        what = "captions" if "text" in result.frame.columns else "rows"
        screen.say(f"-o FILE.csv has all {what}: {counted(result.frame.height, 'row', 'rows')}", style="dim")


def _show(one: Finding, screen: Screen) -> None:
    screen.print(Text.assemble((one.severity, _STYLES[one.severity]), "  ", (one.kind, "bold")), soft_wrap=True)
    screen.say(harmless(one.sentence), indent=2)
    if consequence := KINDS[one.kind].consequence:
        screen.say(consequence, indent=2, style="dim")
    for example in one.examples:
        _quote(example, screen)
    screen.print()


def _quote(example: Mapping[str, str | int | None], screen: Screen) -> None:
    """Quote a caption with its place and why it is here, then the one that it is beside; once, where both say it."""
    text, other = example.get("text"), example.get("other_text")
    places = [cells.place(example, "")] + ([cells.place(example, "other_")] if other is not None else [])
    why = f": {example['why']}" if example.get("why") else ""
    said = [(text, " and ".join(places) + why)] if text == other else [(text, places[0] + why), (other, places[-1])]
    for words, place in said:
        if words is not None:
            quoted = str(words) if len(str(words)) <= _QUOTED else f"{str(words)[:_QUOTED].rstrip()}…"
            screen.say(harmless(f"“{quoted}”"), indent=4)
        if words is not None or place == places[0] + why:
            screen.say(harmless(place), indent=6 if words is not None else 4, style="dim")
