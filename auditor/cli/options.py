"""Options that commands share, and how a command opens the store and delivers its Result.

Kept light: rooms are imported inside functions, so that `auditor --help` answers at once.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

if TYPE_CHECKING:
    from rich.console import Console

    from auditor.model import Option, Progress, Result
    from auditor.store.connection import Store
#: What the engine can number: seeds, with the draws that follow them, and captions of an image.
_SEEDS = 2**62
_CAPTIONS = 2**31 - 2


def _numbered(seed: int) -> int:
    """Refuse a seed that the engine cannot hold, before anything is counted for it."""
    if abs(seed) > _SEEDS:
        from auditor.errors import UsageError

        raise UsageError(f"--seed {seed}: expected a whole number from -2^62 to 2^62")
    return seed


def _drawable(references: int | None) -> int | None:
    """Refuse more references than an image can have."""
    if references is not None and references > _CAPTIONS:
        from auditor.errors import UsageError

        raise UsageError(f"--references {references}: no image has so many captions; {_CAPTIONS:,} is the most")
    return references


Refs = Annotated[
    list[str],
    typer.Argument(metavar="REF…", help="Dataset, with version and split where wanted: flickr8k, flickr8k@v2:test."),
]
StorePath = Annotated[
    Path, typer.Option("--store", envvar="AUDITOR_STORE", help="The store, a DuckDB file.", rich_help_panel="Store")
]
Wait = Annotated[
    float,
    typer.Option("--wait", help="Seconds to wait for a store that another process uses.", rich_help_panel="Store"),
]
Metrics = Annotated[
    list[str] | None,
    typer.Option("--metric", "-m", help="Metric, with parameters: cider-d:sigma=4. Repeat for more; default: all."),
]
TextProfile = Annotated[
    str, typer.Option("--profile", help="Text profile, how captions become tokens: bare, ptb, spacy or whitespace.")
]
Split = Annotated[str | None, typer.Option("--split", help="Split of every REF that names none.")]
References = Annotated[
    int | None,
    typer.Option(
        "--references",
        min=1,
        help="References of each caption, drawn by the seed; default: all there are.",
        callback=_drawable,
    ),
]
Draws = Annotated[
    int,
    typer.Option("--draws", min=1, help="Draw everything that is drawn so often, by the seed and those after it."),
]
Others = Annotated[
    list[str] | None,
    typer.Option("--others", help="Dataset that inter draws from; repeat for more; default: the other REFs."),
]
Corpus = Annotated[
    str | None,
    typer.Option("--corpus", help="Corpus whose sentences and words stand in; default: brown."),
]
Seed = Annotated[int, typer.Option("--seed", help="Seed of every random draw.", callback=_numbered)]


def _known(name: str | None) -> str | None:
    """Refuse a format that nobody knows, before anything is counted for it."""
    if name is not None:
        from auditor import reports

        reports.chosen_format(name, Path("any file"))
    return name


def _writable(output: Path | None) -> Path | None:
    """Refuse a file that cannot be, before anything is counted for it."""
    if output is not None and (output.is_dir() or not output.parent.is_dir()):
        from auditor.errors import UsageError

        why = "it is a folder" if output.is_dir() else f"there is no folder {output.parent}"
        raise UsageError(f"{output}: cannot be written: {why}")
    return output


Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="table, json, csv, md, latex, html, svg, png or parquet.",
        rich_help_panel="Output",
        callback=_known,
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Same as --format json.", rich_help_panel="Output")]
Output = Annotated[
    Path | None,
    typer.Option(
        "--output",
        "-o",
        help="Write to a file; its ending chooses the format.",
        rich_help_panel="Output",
        callback=_writable,
    ),
]

DEFAULT_STORE = Path("audit.duckdb")

#: The commands whose results have figures.
DRAWS = ("bounds", "correlate", "compare", "probe", "perplexity", "diversity")

#: Exit code of a command that was asked a question and found something.
FINDING = 1

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


def mannered(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that every command has."""

    @functools.wraps(command)
    def run(*, quiet: bool, no_color: bool, debug: bool, **arguments: object) -> None:
        MANNERS.set(quiet=quiet, no_color=no_color, debug=debug)
        _refuse_pictures(command.__module__.rpartition(".")[2], arguments)
        command(**arguments)

    common = {"quiet": Quiet, "no_color": NoColor, "debug": Debug}
    own = inspect.signature(command, eval_str=True)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=option)
        for name, option in common.items()
    ]
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **common}
    return run


def _refuse_pictures(command: str, arguments: Mapping[str, object]) -> None:
    """Refuse a picture of what has no figures, before anything is counted for it."""
    output, name = arguments.get("output"), arguments.get("format_name")
    if command in DRAWS or arguments.get("as_json") or not (isinstance(output, Path) or isinstance(name, str)):
        return
    from auditor import reports

    known = name if isinstance(name, str) and name in reports.FORMATS else None
    chosen = known or reports.chosen_format(None, output if isinstance(output, Path) else None)
    if chosen in reports.PICTURES:
        _no_figures(command, chosen)


def _no_figures(command: str, chosen: str) -> NoReturn:
    from auditor.errors import UsageError

    raise UsageError(f"{command} has no figure to draw as {chosen}; figures come from: {', '.join(DRAWS)}")


def settings(pairs: Sequence[str], named: Mapping[str, Option | None]) -> dict[str, Option]:
    """Read KEY=VALUE pairs as a format's settings, and add those that have an option of their own.

    A key that ends in `_file` is a path; `true` and `false` are what they say; a repeated key has several values.
    Raises `UsageError` for what is no pair.
    """
    from auditor.errors import UsageError

    read: dict[str, Option] = {}
    for pair in pairs:
        key, equals, value = pair.partition("=")
        if not equals:
            raise UsageError(f"--option {pair}: expected KEY=VALUE")
        given: Option = {"true": True, "false": False}.get(value.lower(), value)
        given = Path(value) if key.endswith("_file") else given
        before = read.get(key, ())
        read[key] = (*(before if isinstance(before, tuple) else (str(before),)), value) if key in read else given
    return read | {key: value for key, value in named.items() if value is not None}


def narrator() -> Console:
    """Give the console for narration, on stderr."""
    from rich.console import Console

    no_color = not MANNERS.color or None
    return Console(stderr=True, quiet=MANNERS.quiet, no_color=no_color, highlight=False, emoji=False, markup=False)


def narrate(message: str) -> None:
    """Tell the user something that is not data."""
    narrator().print(message, style="dim", soft_wrap=True)


@contextmanager
def opened(path: Path, *, write: bool = False, wait: float = 10.0) -> Iterator[Store]:
    """Open the store for the length of a command."""
    from auditor.store.connection import Store

    with Store.open(path, write=write, wait=wait, narrate=narrate) as store:
        yield store


@contextmanager
def progressing() -> Iterator[Progress]:
    """Draw a progress bar on stderr, where that is a terminal; it vanishes when the work is done."""
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), TimeElapsedColumn())
    console = narrator()
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as drawn:
        task = drawn.add_task("", total=None)

        def report(what: str, done: int, total: int) -> None:
            drawn.update(task, description=what, completed=done, total=total)

        yield report


def deliver(result: Result, format_name: str | None, as_json: bool, output: Path | None) -> None:
    """Write a Result to stdout or to a file, in the format asked for. Notes go to stderr where data is on stdout.

    Raises `UsageError` for a file that cannot be written.
    """
    from auditor import reports
    from auditor.errors import UsageError

    chosen = reports.chosen_format("json" if as_json else format_name, output)
    if chosen in reports.PICTURES and not result.figures:
        _no_figures(result.command, chosen)
    if output is None:
        _print(result, chosen)
    else:
        try:
            _write(result, chosen, output)
        except OSError as error:
            raise UsageError(f"{output}: cannot be written: {error.strerror or error}") from error
    if chosen != "table":
        for note in result.notes:
            narrate(note)
    if output is not None:
        narrate(f"written: {output}")


def _print(result: Result, chosen: str) -> None:
    from auditor import reports
    from auditor.reports import terminal

    if chosen == "table":
        terminal.show(result, terminal.Screen(sys.stdout, color=MANNERS.color))
    else:
        # Data is UTF-8, whatever the terminal speaks.
        sys.stdout.flush()
        sys.stdout.buffer.write(reports.TEXT_FORMATS[chosen](result).encode())
        sys.stdout.buffer.flush()


def _write(result: Result, chosen: str, output: Path) -> None:
    from polars.exceptions import ComputeError

    from auditor import reports
    from auditor.reports import terminal

    if chosen == "parquet":
        with output.open("wb") as file:
            try:
                result.frame.write_parquet(file)
            except ComputeError as error:  # what Polars makes of a disk that is full
                raise OSError(str(error)) from error
        return
    if chosen == "png":
        from auditor.reports import drawing

        output.write_bytes(drawing.png(result))
        return
    with output.open("w", encoding="utf-8", newline="") as file:
        if chosen == "table":
            terminal.show(result, terminal.Screen(file, color=False))
        else:
            file.write(reports.TEXT_FORMATS[chosen](result))
