"""How a run talks: quietly or not, in colour or not, and where its narration goes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No narration, only data.", rich_help_panel="Manners")]
NoColor = Annotated[bool, typer.Option("--no-color", help="No colours; so does NO_COLOR.", rich_help_panel="Manners")]
Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel="Manners")]


@dataclass
class Manners:
    """How this run talks."""

    quiet: bool = False
    color: bool = True
    debug: bool = False

    def set(self, *, quiet: bool, no_color: bool, debug: bool) -> None:
        """Take what options say; given before the command or after it, once is enough."""
        self.quiet, self.color, self.debug = self.quiet or quiet, self.color and not no_color, self.debug or debug


MANNERS = Manners()


def narrator() -> Console:
    """Give the console for narration, on stderr."""
    from auditor.reports.harmless import HarmlessConsole

    plain: Any = {"highlight": False, "emoji": False, "markup": False}
    return HarmlessConsole(stderr=True, quiet=MANNERS.quiet, no_color=not MANNERS.color or None, **plain)


def narrate(message: str) -> None:
    """Tell the user something that is not data."""
    if MANNERS.quiet:
        return
    from auditor.reports.harmless import harmless

    narrator().print(harmless(message), style="dim", soft_wrap=True)
