"""The target of tables and sentences: a terminal, or a pipe or file whose lines have no limit, and what fits on it."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple, TextIO

from rich.cells import cell_len
from rich.text import Text

from auditor.model import Selection
from auditor.reports.escaping import HarmlessConsole, visible
from auditor.result import counted

#: The least width: narrower lines cannot be read.
_NARROWEST = 20

#: The lines of a command, unless its reader asks for all.
_LINES = 45


class Screen(HarmlessConsole):
    """A terminal, a pipe or a file that tables are drawn on.

    `edge` is the largest width of a line: the given one, that of COLUMNS, or the terminal's. It is None for a pipe or a
    file, which programs read line by line: no line is wrapped or cut. `most` is the largest number of lines, null
    for a file, and if the reader asks for all. Unless the reader asks for more, a screen `cuts_signatures` to a line.

    Text is never read as markup, emoji or numbers to color. A reader that leaves early (`| head`) is not an error.
    """

    def __init__(self, file: TextIO, *, color: bool = True, width: int | None = None, endless: bool = False) -> None:
        super().__init__(file=file, no_color=not color or None, width=width, highlight=False, emoji=False, markup=False)
        ends = not endless and (width is not None or os.environ.get("COLUMNS", "").isdigit() or self.is_terminal)
        self.edge = max(self.width, _NARROWEST) if ends else None
        self.most = None if endless else _LINES
        self.cuts_signatures = not endless

    def say(self, words: str | Text, *, style: str = "", bullet: str = "", indent: int = 0) -> None:
        """Print a text, wrapped between words; later lines are indented to its first word."""
        text = Text(words, style) if isinstance(words, str) else words
        for number, line in enumerate(self._wrapped(text, indent + len(bullet))):
            lead = " " * indent + (bullet if number == 0 else " " * len(bullet))
            self.print(Text.assemble((lead, "yellow" if bullet else ""), line), soft_wrap=True)

    def drawn(self, draw: Callable[..., object], *arguments: Any, **more: Any) -> list[str]:
        """Return the lines that a function prints on this screen."""
        with self.capture() as taken:
            draw(*arguments, **more)
        return taken.get().split("\n")[:-1]

    def lines(self, words: str, indent: int = 0) -> list[str]:
        """Wrap a text between words, so that it fits after an indent."""
        return [line.plain for line in self._wrapped(Text(words), indent)]

    def _wrapped(self, words: Text, indent: int) -> list[Text]:
        if self.edge is None:
            return [words]
        wrapped = [*words.wrap(self, max(self.edge - indent, 1), overflow="fold")] or [Text()]
        for line in wrapped:
            line.rstrip()
        return wrapped


def packed(words: str, width: int | None, after: str) -> list[str]:
    """Break a text without spaces after the characters `after`, with as many pieces per line as fit."""
    lines = [""]
    for piece in re.findall(f"[^{re.escape(after)}]*[{re.escape(after)}]+|[^{re.escape(after)}]+", words):
        if width is not None and lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]


class Part(NamedTuple):
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
