"""The application: global options, the commands in their order, and the one place that catches errors."""

from __future__ import annotations

import datetime
import errno
import io
import os
import sys
import tempfile
import traceback
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from auditor import __version__
from auditor.cli.commands import (
    agree,
    bounds,
    card,
    check,
    compare,
    consensus,
    correlate,
    datasets,
    demo,
    diff,
    diversity,
    duplicates,
    export,
    fetch,
    identical,
    ingest,
    keyness,
    log,
    metrics,
    note,
    outliers,
    perplexity,
    probe,
    profile,
    references,
    report,
    reproduce,
    score,
    sql,
    store,
    tag,
    tasks,
    templates,
    verify,
)
from auditor.cli.options import mannered
from auditor.cli.verbosity import MANNERS, STDERR, STDOUT, Debug, NoColor, Quiet, mute
from auditor.errors import AuditorError

BUG = 70

INTERRUPTED = 130

#: What the system calls a disk without room, a file that may not grow, a quota that is used up.
FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)

app = typer.Typer(
    name="auditor",
    help="What is inside an image-description dataset: exact, signed, versioned numbers on a SQL store.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

COMMANDS = (
    demo,
    fetch,
    ingest,
    export,
    tasks,
    datasets,
    log,
    tag,
    note,
    diff,
    verify,
    check,
    profile,
    identical,
    duplicates,
    bounds,
    score,
    correlate,
    agree,
    consensus,
    references,
    compare,
    templates,
    outliers,
    probe,
    perplexity,
    keyness,
    diversity,
    report,
    card,
    reproduce,
    sql,
    metrics,
)

for module in COMMANDS:
    app.command(module.__name__.rpartition(".")[2])(mannered(module.command))

app.add_typer(store.app, name="store")


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"auditor {__version__}")
        raise typer.Exit


@app.callback()
def common(
    quiet: Quiet = False,
    no_color: NoColor = False,
    debug: Debug = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Set how this run talks, for options given before the command."""
    MANNERS.set(quiet=quiet, no_color=no_color, debug=debug)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code."""
    _hold_streams()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    try:
        code = app(arguments, standalone_mode=False)
        if code == INTERRUPTED:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt
        _end(code)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        hint = f"; try `{context.command_path} --help`" if context else ""
        if not error.format_message():  # no command was named: the help says all
            _end(error.exit_code)
        _end(_fail(f"error: {error.format_message()}{hint}", error.exit_code))
    except AuditorError as error:
        _end(_fail(f"error: {error}", error.exit_code))
    except (KeyboardInterrupt, typer.Abort):
        _end(_fail("interrupted; the store is whole", INTERRUPTED))
    except BrokenPipeError:
        mute(STDOUT)
        _end(0)
    except OSError as error:
        if error.errno not in FULL:
            _end(_bug(error))
        mute(STDOUT)
        _end(_fail(f"error: no room left on the disk, or for standard output: {error}; make some, then repeat", 3))
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001  whatever is left, a panic of Polars too, is a bug and no finding
        _end(_bug(error))


def _end(code: int | str | None) -> NoReturn:
    """End the process, which must not wait for a statement that nothing stops."""
    bounded = sys.modules.get("auditor.store.bounded")
    if bounded is not None and bounded.is_running():
        os._exit(code if isinstance(code, int) else 0)
    sys.exit(code)


def _hold_streams() -> None:
    """Lead closed streams nowhere: else the first file that is opened, the store, would be taken for one of them."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _bug(error: BaseException) -> int:
    try:
        where = str(_log(error))
    except OSError:
        where = "repeat with --debug"
    return _fail(f"error: this is a bug in auditor ({error}); details: {where}", BUG)


def _fail(message: str, code: int) -> int:
    try:
        if MANNERS.debug:
            traceback.print_exc()
        print(_one_line(message), file=sys.stderr, flush=True)  # noqa: T201  the one line that always reaches the user
    except OSError:  # the exit code says it still
        mute(STDERR)
    return code


def _one_line(message: str) -> str:
    """Show what is no sign of a text as an escape: a file's name or content may hold anything."""
    line = " ".join(message.split("\n"))
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in line)


def _log(error: BaseException) -> Path:
    stamp = datetime.datetime.now(tz=datetime.UTC).strftime("%Y%m%dT%H%M%S")
    path = Path(tempfile.gettempdir()) / f"auditor-{stamp}-{os.getpid()}.log"
    details = "".join(traceback.format_exception(error))
    path.write_text(f"auditor {__version__}\n{sys.argv}\n{details}", encoding="utf-8")
    return path
