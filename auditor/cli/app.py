"""The application: global options, the list of commands, and the only code that catches errors."""

from __future__ import annotations

import atexit
import ctypes
import errno
import functools
import gc
import importlib
import io
import itertools
import os
import signal
import sys
import tempfile
import traceback
import warnings
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from auditor import __version__
from auditor.cli.commands.help import command as answers
from auditor.cli.questions import misused, refuse_former, refuse_unknown
from auditor.cli.reader import READER
from auditor.cli.verbosity import STDERR, STDOUT, VERBOSITY, Debug, Full, NoColor, Quiet, Verbose, mute
from auditor.errors import AuditorError, disobeyed, redacted
from auditor.studies import GROUPS, STUDIES

BUG = 70

INTERRUPTED = 130

#: The signal that ends this process.
_stopped: list[int] = []

#: System errors for a full disk, a file at its size limit, and a used-up quota.
FULL = (errno.ENOSPC, errno.EFBIG, errno.EDQUOT)

#: A setting of glibc (malloc.h): the free bytes that a heap keeps at its end.
_TRIM_THRESHOLD = -1

#: The least virtual memory in bytes: with less, libraries end the process without an error.
_LEAST_ROOM = 2_000_000 << 10

#: What the system, Python and Polars report at a limit of memory, threads or open files.
SCARCE = ("Too many open files", "Cannot allocate memory", "can't start new thread", "can't spawn worker thread")

#: The commands that are not studies: the function of each, its group and its line of help.
OTHERS = {
    "demo": ("demo:command", "Reports", "Audit three bundled sample datasets."),
    "sql": ("sql:command", "Data", "Run a read-only SQL query."),
}

#: The function of each of these, and of a file that is named where a command is expected.
PLACES = {"FILE": "file:command", **{name: place for name, (place, *_) in OTHERS.items()}}

#: The commands to begin with, which `auditor --help` lists.
FIRST = ("findings", "score", "compare", "duplicates", "diff", "export", "choices", "report", "ingest", "sql")

#: Key of a context: whether its help lists every command.
_EVERY = "auditor.every"


class Commands(TyperGroup):
    """The commands, each made when it is called: `--help` lists them and imports none."""

    def parse_args(self, ctx: Any, args: list[str]) -> Any:
        """Note whether the help lists every command, before it is shown."""
        leading = [*itertools.takewhile(lambda word: word[:1] == "-", args)]
        ctx.meta[_EVERY] = self.name == "store" or "--all" in leading
        if self.name != "store" and "--json" in leading and {"--help", "-h"} & {*leading}:
            typer.echo(_described())
            raise typer.Exit
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Show the help: the commands to begin with, then options; or with `--all` every command in its group."""
        if ctx.meta[_EVERY]:
            super().format_help(ctx, formatter)
            return
        formatter = ctx.make_formatter()  # printed here, as typer does: the given one stays empty
        self.format_usage(ctx, formatter)
        self.format_help_text(ctx, formatter)
        with formatter.section("Commands to begin with"):
            formatter.write_dl([("FILE", FILE), *((name, LISTED[name][1]) for name in FIRST)])
        with formatter.section("Options"):
            formatter.write_dl([*filter(None, (option.get_help_record(ctx) for option in self.get_params(ctx)))])
        typer.echo(formatter.getvalue().rstrip("\n"))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Make the called command from its study; a file is audited. Raises `UsageError` for a removed command."""
        if args[:1] == ["help"] and self.name != "store" and " ".join(args[1:]) in {*LISTED, "store"}:
            args = [*args[1:], "--help"]
        name = args[0] if args else ""
        if self.name != "store" and name not in self.commands and _is_file(name):
            return name, made("FILE"), args
        called = f"store {name}" if self.name == "store" else name
        refuse_former(called, args[1:])
        if called in LISTED:
            self.commands[name] = made(called)
        elif name and not name.startswith("-") and name not in self.commands:
            own = "store " * (self.name == "store")
            refuse_unknown(called, args[1:], [key for key in LISTED if key.startswith(own)])
        return super().resolve_command(ctx, args)


_SETTINGS = {"help_option_names": ["-h", "--help"]}

app = typer.Typer(
    name="auditor",
    cls=Commands,
    help="Audit image-caption datasets: find what is wrong with captions, repair them, compare datasets,"
    " score captioners. `auditor help WORD` finds the command for a question, `auditor --help --all` lists all.",
    subcommand_metavar="FILE | COMMAND [ARGS]...",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings=_SETTINGS,
)


@functools.cache
def made(name: str) -> Any:
    """Make a command: once, since a page names most of them several times."""
    from rich.markup import escape

    from auditor.cli.derived import help_of

    function, own = _function(name), typer.Typer(pretty_exceptions_enable=False, add_completion=False)
    own.command(name.rpartition(" ")[2], help=escape(help_of(function)), context_settings=_SETTINGS)(function)
    return typer.main.get_command(own)


def _is_file(name: str) -> bool:
    """Return whether a word is a file or an address where a command is expected."""
    from auditor.places import is_place

    return not name.startswith("-") and (is_place(name) or Path(name).is_file())


def _function(name: str) -> Callable[..., None]:
    from auditor.cli import options

    if name in PLACES:
        module, _, function = PLACES[name].partition(":")
        return options.with_verbosity(
            getattr(importlib.import_module(f"auditor.cli.commands.{module}"), function), name
        )
    from auditor.cli import derived

    return derived.command(name, STUDIES[name])


def _described() -> str:
    """Describe every command as JSON."""
    from auditor.cli.described import described

    every = {"FILE": ("Reports", FILE), **LISTED}
    return described({name: (*of, _function(name)) for name, of in every.items()}, f"auditor {__version__}")


#: Each command with the group that lists it, and its line of help.
LISTED = {
    **{name: (study.group, study.line) for name, study in STUDIES.items()},
    **{name: (group, line) for name, (_, group, line) in OTHERS.items()},
}

#: The line of help for a file that is named where a command is expected.
FILE = "Audit a file of captions: list its problems, write a page."

#: The line of help for the group of commands about the store.
STORE = "Manage the store: size, integrity, tags, cache."

_store = typer.Typer(cls=Commands, help=STORE, no_args_is_help=True)

for group in GROUPS:
    for name, (of, line) in LISTED.items():
        if of == group:
            into, _, called = name.rpartition(" ")
            (_store if into else app).command(called, help=line, rich_help_panel=None if into else group)(lambda: None)

app.add_typer(_store, name="store", rich_help_panel="Data")
app.command("help", rich_help_panel="Reports", context_settings=_SETTINGS)(answers)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"auditor {__version__}")
        raise typer.Exit


@app.callback()
def common(
    quiet: Quiet = False,
    verbose: Verbose = False,
    full: Full = False,
    no_color: NoColor = False,
    debug: Debug = False,
    every: Annotated[
        bool, typer.Option("--all", help="With --help: list every command; --help --json describes them.")
    ] = False,
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Set the verbosity of this run, for options given before the command."""
    del every  # the help has read it
    VERBOSITY.set(quiet=quiet, verbose=verbose, full=full, no_color=no_color, debug=debug)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Without arguments, the process is for this command alone. It does not look for garbage among its imports, nor take
    everything down at the end: that takes a tenth of a second each.
    """
    if arguments is not None:
        _run(arguments)
    gc.disable()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # its threads spin while they wait, also without work
    _return_memory()
    with suppress(ImportError):  # not on Windows
        import resource

        room = resource.getrlimit(resource.RLIMIT_AS)[0]
        if room != resource.RLIM_INFINITY and room < _LEAST_ROOM:
            what = f"the limit of virtual memory (ulimit -v) is {room >> 10:,} KiB"
            sys.exit(_fail(f"error: {what}, and libraries crash below {_LEAST_ROOM >> 10:,}; raise it", 3))
    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows lacks one, and nohup ignores it
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)
    try:
        _run(None)
    except SystemExit as end:
        with suppress(OSError, ValueError):  # Python reports a stream that cannot be written
            atexit._run_exitfuncs()
            for stream in (sys.stdout, sys.stderr):
                if stream is not None:
                    stream.flush()
            if not isinstance(end.code, str):
                os._exit(end.code or 0)
        raise


def _stop(number: int, _: object) -> NoReturn:
    """End as after an error: temporary folders are removed, workers are ended, and the store is closed."""
    _stopped.append(number)
    raise SystemExit(128 + number)


def _return_memory() -> None:
    """Let allocators return freed memory to the system: by default, both Polars' and glibc's keep it.

    Polars keeps it for five milliseconds: without them, a fifth of the time goes into asking for the same pages again.
    """
    os.environ.setdefault("_RJEM_MALLOC_CONF", "dirty_decay_ms:5,muzzy_decay_ms:0")  # read when Polars is imported
    with suppress(AttributeError, OSError, TypeError):  # another system
        ctypes.CDLL(None).mallopt(_TRIM_THRESHOLD, 8 << 20)


def _run(arguments: list[str] | None) -> NoReturn:
    READER.stand({})
    _keep_streams_open()
    warnings.showwarning = _show_warning
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that lacks a character still gets the rest
    try:
        code = app(arguments, standalone_mode=False)
        if code == INTERRUPTED:  # what typer makes of Ctrl-C
            raise KeyboardInterrupt
        _end(code)
    except typer.TyperException as error:
        if not error.format_message():  # no command was named, and the help is shown already
            _end(error.exit_code)
        _end(_fail(f"error: {misused(error, sys.argv[1:] if arguments is None else arguments)}", error.exit_code))
    except AuditorError as error:
        _end(_fail(f"error: {READER.text(str(error))}", error.exit_code, getattr(error, "__notes__", ())))
    except (KeyboardInterrupt, typer.Abort):
        # A library that is stopped may say so as if it were by Ctrl-C.
        _end(128 + _stopped[0] if _stopped else _fail("interrupted; the store is intact", INTERRUPTED))
    except OSError as error:
        if error.errno not in FULL:
            _end(_bug(error))
        mute(STDOUT)
        _end(_fail(f"error: the disk, or that of standard output, is full: {error}; free space, then repeat", 3))
    except SystemExit:
        raise
    except BaseException as error:  # noqa: BLE001  any other exception, also a panic of Polars, is a bug and not a finding
        _end(_bug(error))


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    """Show a warning in one line, except while a shell completes a word."""
    if "_AUDITOR_COMPLETE" not in os.environ:
        with suppress(OSError):
            print(_one_line(f"warning: {message}"), file=sys.stderr, flush=True)  # noqa: T201


def _end(code: int | str | None) -> NoReturn:
    """End the process without waiting for a statement that cannot be stopped."""
    engine = sys.modules.get("auditor.store.engine")
    if engine is not None and engine.is_running():
        os._exit(code if isinstance(code, int) else 0)
    sys.exit(code)


def _keep_streams_open() -> None:
    """Point closed streams to the null device: else the first file to be opened, the store, would become one."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


def _bug(error: BaseException) -> int:
    if isinstance(error, FileNotFoundError) and error.filename is None:  # the system's error for such a folder
        return _fail("error: the working folder does not exist any more; change to another, then repeat", 2)
    if isinstance(error, MemoryError) or any(words in str(error) for words in SCARCE):
        what = "the system allows no more memory, threads or open files"
        return _fail(f"error: {what} ({error}); raise its limits or stop other programs, then repeat", 3)
    try:
        where = str(_log(error))
    except OSError:
        where = "repeat with --debug"
    return _fail(f"error: this is a bug in auditor ({error}); details: {where}", BUG)


def _fail(message: str, code: int, more: Iterable[str] = ()) -> int:
    try:
        if VERBOSITY.debug:
            sys.stderr.write(disobeyed(redacted(traceback.format_exc())))
        for line in (message, *more):
            print(_one_line(line), file=sys.stderr, flush=True)  # noqa: T201  the line that always reaches the user
    except OSError:  # the exit code still reports the failure
        mute(STDERR)
    return code


def _one_line(message: str) -> str:
    """Escape characters that cannot be printed, and hide passwords: file names and contents may hold anything."""
    line = disobeyed(" ".join(redacted(message).split("\n")))
    return "".join(
        character if character.isprintable() else character.encode("unicode_escape").decode() for character in line
    )


def _log(error: BaseException) -> Path:
    """Write the details to a private file with a random name. They hold the arguments, without passwords."""
    details = "".join(traceback.format_exception(error))
    descriptor, path = tempfile.mkstemp(prefix="auditor-", suffix=".log")
    with open(descriptor, "w", encoding="utf-8", errors="replace") as file:  # noqa: PTH123  a descriptor has no path
        file.write(redacted(f"auditor {__version__}\n{sys.argv}\n{details}"))
    return Path(path)
