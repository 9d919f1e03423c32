"""How a run talks: quietly or not, in color or not, and where its narration goes."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from auditor.model import Progress

#: Seconds between two lines of progress, where there is no terminal to draw on.
PAUSE = 60.0

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No narration, only data.", rich_help_panel="Verbosity")]

NoColor = Annotated[bool, typer.Option("--no-color", help="No colors; so does NO_COLOR.", rich_help_panel="Verbosity")]

Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel="Verbosity")]


@dataclass
class Verbosity:
    """How this run talks."""

    quiet: bool = False
    color: bool = True
    debug: bool = False

    def set(self, *, quiet: bool, no_color: bool, debug: bool) -> None:
        """Take what options say; given before the command or after it, once is enough."""
        self.quiet, self.color, self.debug = self.quiet or quiet, self.color and not no_color, self.debug or debug


VERBOSITY = Verbosity()

#: Streams, by the number that the system knows them by.
STDOUT, STDERR = 1, 2

#: The console of the progress bar that stands on the screen now.
_drawing: list[Console] = []


def narrator() -> Console:
    """Return the console for narration, on stderr: the one that draws the current progress bar, which makes room."""
    from auditor.reports.escaping import HarmlessConsole

    if _drawing:
        return _drawing[-1]
    plain: Any = {"highlight": False, "emoji": False, "markup": False}
    return HarmlessConsole(stderr=True, quiet=VERBOSITY.quiet, no_color=not VERBOSITY.color or None, **plain)


def narrate(message: str) -> None:
    """Tell the user something that is not data."""
    if VERBOSITY.quiet:
        return
    from auditor.errors import redacted
    from auditor.reports.escaping import harmless

    try:
        console = narrator()
        console.print(harmless(redacted(message)), style="dim", soft_wrap=not console.is_terminal)
    except OSError:  # nobody listens any more, which is no reason to stop
        mute(STDERR)


def confirmed(question: str) -> bool:
    """Ask on a terminal; elsewhere nobody is there to answer, and the answer is no."""
    if not sys.stdin or not sys.stdin.isatty():
        return False
    from auditor.reports.escaping import harmless

    return typer.confirm(harmless(question), err=True)


def mute(stream: int) -> None:
    """Lead a stream nowhere from now on: it is full, or its reader has left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


@contextmanager
def progressing() -> Iterator[Progress]:
    """Say on stderr how far a command is: as a bar that vanishes on a terminal, as a line now and then elsewhere."""
    console = narrator()
    if VERBOSITY.quiet:
        from auditor.model import silent

        yield silent
    elif console.is_terminal:
        from auditor.cli.bar import drawn

        _drawing.append(console)
        try:
            with drawn(console) as report:
                yield report
        finally:
            _drawing.remove(console)
    else:
        with _lines() as report:
            yield report


@contextmanager
def _lines() -> Iterator[Progress]:
    """Say on a pipe or in a log every `PAUSE` seconds what is being done, however long one step of it takes."""
    began = time.monotonic()
    at: list[tuple[str, int, int]] = []
    since: dict[int, tuple[float, int]] = {}  # when the step of so many parts began, and how many were done then
    over = threading.Event()

    def report(what: str, done: int, total: int) -> None:
        if total not in since or done < since[total][1]:
            since.clear()
            since[total] = time.monotonic(), done
        at[:] = [(what, done, total)]

    def left(done: int, total: int) -> str:
        start, before = since.get(total, (began, 0))
        if not before < done < total:
            return ""
        return f", {(time.monotonic() - start) * (total - done) / (done - before):,.0f} s left"

    def tell() -> None:
        while not over.wait(PAUSE):
            for what, done, total in at or [("at work", 0, 1)]:
                narrate(f"{what}: {done:,} of {total:,}, after {time.monotonic() - began:,.0f} s{left(done, total)}")

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield report
    finally:
        over.set()
        teller.join()
