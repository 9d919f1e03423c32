"""Texts that a screen only shows: signs that a terminal, or a machine that reads a log, would obey are made visible."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

#: C0 has pictures, DEL too; C1, line separators and turns of the writing direction are written as escapes.
_VISIBLE = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}

_VISIBLE |= {0x7F: "\N{SYMBOL FOR DELETE}"}

_VISIBLE |= {
    code: chr(code).encode("unicode_escape").decode()
    for code in (*range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}

#: Code hosts take a line of a log that begins so for a command; any word may begin one where a text is wrapped.
_COMMAND = re.compile(r"(?<!\S)::")


def visible(text: str) -> str:
    r"""Write control characters as pictures or escapes: `␛` for ESC, `\x9b`, `\u202e`. Tabs and line ends stay."""
    return text.translate(_VISIBLE)


def harmless(text: str) -> str:
    """Write a text for a screen: nothing in it is obeyed, neither by the terminal nor, as `::error::`, by a log."""
    return _COMMAND.sub("\N{PROPORTION}", visible(text))


class HarmlessConsole(Console):
    """A screen that obeys nothing that stands in what it shows; styles are still its own."""

    def on_broken_pipe(self) -> None:
        """Let the caller decide what a reader means that leaves early."""
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Make every control character visible that has come so far."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)
