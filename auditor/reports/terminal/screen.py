"""The target of tables and sentences: a terminal with its width, or a pipe or file without a line limit."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from typing import Any, TextIO

from rich.cells import cell_len
from rich.text import Text

from auditor.reports.escaping import HarmlessConsole

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
        ends = not endless and (width is not None or named_width() or self.is_terminal)
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


def named_width() -> bool:
    """Return whether COLUMNS sets a width."""
    return os.environ.get("COLUMNS", "").isdigit()


def packed(words: str, width: int | None, after: str) -> list[str]:
    """Break a text without spaces after the characters `after`, with as many pieces per line as fit."""
    lines = [""]
    for piece in re.findall(f"[^{re.escape(after)}]*[{re.escape(after)}]+|[^{re.escape(after)}]+", words):
        if width is not None and lines[-1] and cell_len(lines[-1] + piece.rstrip()) > width:
            lines.append("")
        lines[-1] += piece
    return [line.rstrip() for line in lines]
