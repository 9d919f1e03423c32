"""Options that commands share, and how a command opens the store.

Kept light: rooms are imported inside functions, so that `auditor --help` answers at once.
"""

from __future__ import annotations

import functools
import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from auditor.cli.delivery import deliver as deliver  # noqa: PLC0414
from auditor.cli.delivery import deliver_document as deliver_document  # noqa: PLC0414
from auditor.cli.delivery import deliver_rows as deliver_rows  # noqa: PLC0414
from auditor.cli.delivery import refuse_formats
from auditor.cli.offers import written_formats
from auditor.cli.targets import refuse_targets
from auditor.cli.verbosity import STDOUT, VERBOSITY, Debug, NoColor, Quiet, mute
from auditor.cli.verbosity import narrate as narrate  # noqa: PLC0414
from auditor.cli.verbosity import progressing as progressing  # noqa: PLC0414

if TYPE_CHECKING:
    from auditor.store.connection import Store


def _seconds(parameter: typer.CallbackParam, value: float | None) -> float | None:
    """Refuse a length of time that never ends, or is none."""
    from auditor.parameters import seconds

    seconds(str(parameter.name))(value)
    return value


StorePath = Annotated[
    Path, typer.Option("--store", envvar="AUDITOR_STORE", help="The store, a DuckDB file.", rich_help_panel="Store")
]

Wait = Annotated[
    float,
    typer.Option(
        "--wait",
        help="Seconds to wait for a store that another process uses.",
        rich_help_panel="Store",
        callback=_seconds,
    ),
]


def _bounded(memory: str | None) -> str | None:
    """Let the engine, here and in processes that work for this one, use so much memory. Refuses what is no size."""
    if memory is not None:
        from auditor.store.file import memory as checked

        os.environ["AUDITOR_MEMORY"] = memory
        checked()
    return memory


Memory = Annotated[
    str | None,
    typer.Option(
        "--memory",
        envvar="AUDITOR_MEMORY",
        help="Memory of the engine, as in 2GB; a process needs some 0.3 GB beside it; default: 640MiB.",
        rich_help_panel="Store",
        callback=_bounded,
    ),
]

Timeout = Annotated[
    float | None, typer.Option("--timeout", help="Seconds after which a statement is stopped.", callback=_seconds)
]


def _known(name: str | None) -> str | None:
    """Refuse a format that nobody knows, before anything is counted for it."""
    if name is not None:
        from auditor import reports

        reports.chosen_format(name, Path("any file"))
    return name


Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="table, json, csv, md, latex, html, svg, png or parquet.",
        rich_help_panel="Output",
        callback=_known,
        autocompletion=written_formats,
    ),
]

DocumentFormat = Annotated[
    str | None, typer.Option("--format", help="html, md, latex or json.", rich_help_panel="Output")
]

CardFormat = Annotated[
    str | None,
    typer.Option("--format", help="html, md, latex, json; or card, croissant, badge.", rich_help_panel="Output"),
]

ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit with 1 where anything changed.")]

VerdictFormat = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="table, json, csv, md, latex, html, parquet; junit or github.",
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
    ),
]

DEFAULT_STORE = Path("audit.duckdb")

#: Exit code of a command that was asked a question and found something.
FINDING = 1


def with_verbosity(command: Callable[..., None], name: str) -> Callable[..., None]:
    """Give a command the options that every command has, and refuse what it cannot write before it begins."""

    @functools.wraps(command)
    def run(*, quiet: bool, no_color: bool, debug: bool, **arguments: object) -> None:
        VERBOSITY.set(quiet=quiet, no_color=no_color, debug=debug)
        refuse_formats(name, arguments)
        refuse_targets(name, arguments)
        try:
            command(**arguments)
        except BrokenPipeError:  # a reader that leaves early; Typer would exit with 1, which means a finding
            mute(STDOUT)
            raise typer.Exit from None

    common = {"quiet": Quiet, "no_color": NoColor, "debug": Debug}
    own = inspect.signature(command, eval_str=True)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=False, annotation=option)
        for name, option in common.items()
    ]
    run.__signature__ = own.replace(parameters=[*own.parameters.values(), *added])  # type: ignore[attr-defined]
    run.__annotations__ = {**command.__annotations__, **common}
    return run


@contextmanager
def opened(
    path: Path, *, write: bool = False, wait: float = 10.0, files: Path | None = None, migrate: bool = True
) -> Iterator[Store]:
    """Open the store for the length of a command; its statements may read the files of one folder, or none."""
    from auditor.store.connection import Store

    with Store.open(path, write=write, wait=wait, files=files, migrate=migrate, narrate=narrate) as store:
        yield store
