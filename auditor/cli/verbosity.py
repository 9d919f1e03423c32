"""The verbosity of a run: quiet or not, in color or not, and the stream of its messages."""

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

from auditor.cli.reader import READER

if TYPE_CHECKING:
    from rich.console import Console

    from auditor.model import Progress

#: Seconds between two lines of progress if stderr is not a terminal.
PAUSE = 60.0

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print data only.", rich_help_panel="Verbosity")]

Verbose = Annotated[
    bool,
    typer.Option("--verbose", "-v", help="Add whole signatures, and how to cite: BibTeX.", rich_help_panel="Verbosity"),
]

Full = Annotated[bool, typer.Option("--full", help="Print all, also beyond a screen.", rich_help_panel="Verbosity")]

NoColor = Annotated[
    bool, typer.Option("--no-color", help="Print without colors, as NO_COLOR does.", rich_help_panel="Verbosity")
]

Brief = Annotated[bool, typer.Option("--brief", help="Cut JSON to 20 kB, for a program.", rich_help_panel="Output")]

Debug = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.", rich_help_panel="Verbosity")]


@dataclass
class Verbosity:
    """The verbosity of this run."""

    quiet: bool = False
    verbose: bool = False
    full: bool = False
    color: bool = True
    debug: bool = False
    brief: bool = False

    def set(self, *, no_color: bool, brief: bool = False, **given: bool) -> None:
        """Add options, which may be given before or after the command; `brief` belongs to the command."""
        self.color, self.brief = self.color and not no_color, brief
        for name, value in given.items():
            setattr(self, name, getattr(self, name) or value)


VERBOSITY = Verbosity()

#: File descriptors of the standard streams.
STDOUT, STDERR = 1, 2

#: The console of the current progress bar.
_drawing: list[Console] = []


def narrator() -> Console:
    """Return the console for messages, on stderr: that of the current progress bar, if there is one."""
    from auditor.reports.escaping import HarmlessConsole

    if _drawing:
        return _drawing[-1]
    plain: Any = {"highlight": False, "emoji": False, "markup": False}
    return HarmlessConsole(stderr=True, quiet=VERBOSITY.quiet, no_color=not VERBOSITY.color or None, **plain)


def narrate(message: str) -> None:
    """Print a message that is not data."""
    if VERBOSITY.quiet:
        return
    from auditor.errors import redacted
    from auditor.reports.escaping import harmless

    try:
        console = narrator()
        console.print(harmless(redacted(READER.text(message))), style="dim", soft_wrap=not console.is_terminal)
    except OSError:  # the reader has left, and the work goes on
        mute(STDERR)


def confirmed(question: str) -> bool:
    """Ask the user on a terminal; elsewhere return false."""
    if not sys.stdin or not sys.stdin.isatty():
        return False
    from auditor.reports.escaping import harmless

    return typer.confirm(harmless(question), err=True)


def mute(stream: int) -> None:
    """Point a stream to the null device from now on: it is full, or its reader has left."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream)


@contextmanager
def progressing() -> Iterator[Progress]:
    """Report progress on stderr: as a bar on a terminal, elsewhere as a line now and then."""
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
    """Write a line of progress every `PAUSE` seconds, however long one step takes."""
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

    def write() -> None:
        while not over.wait(PAUSE):
            for what, done, total in at or [("working", 0, 1)]:
                narrate(f"{what}: {done:,} of {total:,}, after {time.monotonic() - began:,.0f} s{left(done, total)}")

    writer = threading.Thread(target=write, daemon=True)
    writer.start()
    try:
        yield report
    finally:
        over.set()
        writer.join()
