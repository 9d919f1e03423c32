"""One screen: which parts of a result fit, and how many are left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from auditor.model import Selection
from auditor.reports.escaping import visible
from auditor.reports.terminal.screen import Screen
from auditor.result import counted


@dataclass(frozen=True)
class Part:
    """A part of a screen, such as a table or a note.

    `draw` returns its lines, or with a number at most so many, if it has such a form. Parts of a lower `rank` get their
    lines first. `word` names it where some are left out or shortened.
    """

    draw: Callable[[int | None], list[str]]
    rank: float = 0
    word: str = ""


def fixed(screen: Screen, rank: float, word: str, draw: Callable[..., object], *arguments: Any, **named: Any) -> Part:
    """Return what a function prints as a part with one form."""
    return Part(lambda _: screen.drawn(draw, *arguments, **named), rank, word)


def said(words: str, screen: Screen, rank: float = 0, word: str = "", *, style: str = "dim", bullet: str = "") -> Part:
    """Return a sentence as a part."""
    return fixed(screen, rank, word, screen.say, visible(words), style=style, bullet=bullet)


def versions(selections: Sequence[Selection], screen: Screen) -> Iterator[Part]:
    """Yield the version of each dataset."""
    for selection in selections:
        words = f"{selection.label} = {selection.version.label}, version {selection.version.version[:12]}"
        yield said(words, screen, 1, "version")


def put(parts: Sequence[Part], screen: Screen) -> None:
    """Print the parts that fit on the screen, in their order, then how many are left out or shortened."""
    taken = whole = [part.draw(None) for part in parts]
    if screen.most is not None and sum(map(len, whole)) > screen.most:
        taken = _fitting(parts, whole, screen.most - 1)
    screen.file.writelines(f"{line}\n" for lines in taken for line in lines)
    screen.file.flush()
    cut = (part.word for part, some, lines in zip(parts, taken, whole, strict=True) if some != lines)
    more = [counted(number, word, f"{word}s") for word, number in Counter(filter(None, cut)).items()]
    if more:
        screen.say(f"More with --full: {', '.join(more)}", style="dim")


def _fitting(parts: Sequence[Part], whole: Sequence[list[str]], room: int) -> list[list[str]]:
    """Return the lines that each part gets, none for those that do not fit.

    Of equal rank, each gets its shortest form, then each in turn its longest that fits.
    """
    taken = [list[str]() for _ in parts]
    ranked = sorted(range(len(parts)), key=lambda number: parts[number].rank)
    for _, group in groupby(ranked, key=lambda number: parts[number].rank):
        numbers = [*group]
        for turn, number in enumerate(numbers * 2):
            most = room + len(taken[number])
            wanted = most if turn >= len(numbers) else 0
            lines = whole[number] if len(whole[number]) <= wanted else parts[number].draw(wanted)
            if len(lines) <= most:
                taken[number], room = lines, most - len(lines)
    return taken
