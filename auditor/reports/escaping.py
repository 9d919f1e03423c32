"""Texts for a screen: control characters that a terminal or a log reader would obey are made visible."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from auditor.errors import disobeyed

#: C0 and DEL have visible symbols. C1, line separators and changes of the writing direction are written as escapes.
_VISIBLE = {code: chr(0x2400 + code) for code in range(0x20) if chr(code) not in "\t\n"}

_VISIBLE |= {0x7F: "\N{SYMBOL FOR DELETE}"}

_VISIBLE |= {
    code: chr(code).encode("unicode_escape").decode()
    for code in (*range(0x80, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), *range(0x2066, 0x206A))
}


#: Formats that are JSON: escapes in it change no text.
AS_ESCAPES = ("json", "sarif", "croissant")

#: CI systems set one of these variables.
OF_CI = ("CI", "GITHUB_ACTIONS", "TF_BUILD", "TEAMCITY_VERSION")

_NUMBER_SIGNS = re.compile(r"#(?=#\w*\[)")


def visible(text: str) -> str:
    r"""Write control characters as symbols or escapes: `␛` for ESC, `\x9b`, `\u202e`. Tabs and line ends stay."""
    return text.translate(_VISIBLE)


def harmless(text: str) -> str:
    """Write a text for a screen, so that neither the terminal nor the reader of a CI log (`::error::`) obeys it."""
    return disobeyed(visible(text))


def for_log(text: str, form: str) -> str:
    r"""Write data for standard output, so that the reader of a CI log does not obey it.

    JSON gets escapes (`\u0023`), which programs read as the same text. Other data change only if a CI system runs.
    """
    if form in AS_ESCAPES:
        return _NUMBER_SIGNS.sub(r"\\u0023", text)
    if form == "github":  # whose lines are commands
        return _NUMBER_SIGNS.sub("♯", text)
    return disobeyed(text) if any(name in os.environ for name in OF_CI) else text


class HarmlessConsole(Console):
    """A console on which control characters and commands in texts are not obeyed; its own styles still work."""

    def on_broken_pipe(self) -> None:
        """Raise `BrokenPipeError`, so that the caller decides what to do if a reader leaves early."""
        raise BrokenPipeError

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Yield segments with every remaining control character made visible."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else Segment(visible(segment.text), segment.style)

    def _render_buffer(self, buffer: Iterable[Segment]) -> str:
        """Return the text to write; on a standard stream, without commands: a wrapped line may begin with one."""
        text = super()._render_buffer(buffer)
        return disobeyed(text) if self.file in (sys.stdout, sys.stderr) else text
