"""Texts for a screen: control characters that a terminal or a log reader would obey are made visible."""

from __future__ import annotations

import re
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

#: C0 and DEL have visible symbols. C1, line separators and changes of the writing direction are written as escapes.
_VISIBLE = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}

_VISIBLE |= {0x7F: "\N{SYMBOL FOR DELETE}"}

_VISIBLE |= {
    code: chr(code).encode("unicode_escape").decode()
    for code in (*range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}

#: Code hosts read a line of a log that begins so as a command. In a wrapped text, any word may begin a line.
_COMMAND = re.compile(r"(?<!\S)::")


def visible(text: str) -> str:
    r"""Write control characters as symbols or escapes: `␛` for ESC, `\x9b`, `\u202e`. Tabs and line ends stay."""
    return text.translate(_VISIBLE)


def harmless(text: str) -> str:
    """Write a text for a screen, so that neither the terminal nor a log reader (`::error::`) obeys it."""
    return _COMMAND.sub("\N{PROPORTION}", visible(text))


class HarmlessConsole(Console):
    """A console that does not obey control characters in its texts; its own styles still work."""

    def on_broken_pipe(self) -> None:
        """Raise `BrokenPipeError`, so that the caller decides what to do if a reader leaves early."""
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield segments with every remaining control character made visible."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)
