"""Options that commands share, opening the store, and writing the result.

Kept light: rooms are imported inside functions, so that `auditor --help` answers at once.
"""

from __future__ import annotations

import functools
import gc
import inspect
import os
import shlex
import sys
import tempfile
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO, NoReturn

import typer

from auditor.cli.completions import written_formats
from auditor.cli.file_arguments import own_tables, refuse_targets
from auditor.cli.reader import DEFAULT_STORE, READER
from auditor.cli.verbosity import STDOUT, VERBOSITY, Brief, Debug, Full, NoColor, Quiet, Verbose, mute
from auditor.cli.verbosity import narrate as narrate  # noqa: PLC0414
from auditor.cli.verbosity import progressing as progressing  # noqa: PLC0414
from auditor.files import sweep

if TYPE_CHECKING:
    from auditor.asked import Face
    from auditor.files.rows import Batches
    from auditor.reports.terminal import Screen
    from auditor.result import Result
    from auditor.result.document import Document
    from auditor.store.connection import Store


def _seconds(parameter: typer.CallbackParam, value: float | None) -> float | None:
    """Return a number of seconds; refuse one that is infinite or not positive."""
    from auditor.asked import Asked
    from auditor.parameters import Parameter

    if value is not None:
        Asked((str(parameter.name),), float, 0, Parameter("", least=0)).accepted(value)
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
    """Set the memory of the engine, also for child processes. Raises `UsageError` for a text that is not a size."""
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
        help="Memory of the engine, such as 2GB; the process needs up to 0.9 GB more; default: 480MiB.",
        rich_help_panel="Store",
        callback=_bounded,
    ),
]

Timeout = Annotated[
    float | None, typer.Option("--timeout", help="Seconds after which a statement is stopped.", callback=_seconds)
]

_OUTPUT: Any = {"rich_help_panel": "Output"}


def _known(name: str | None) -> str | None:
    """Refuse an unknown format before any work."""
    if name is not None:
        from auditor import reports

        reports.chosen_format(name, Path("any file"))
    return name


Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        help="table, json, csv, md, latex, html, svg, pdf, png or parquet.",
        callback=_known,
        autocompletion=written_formats,
        **_OUTPUT,
    ),
]


def formats(face: Face) -> Any:
    """Return option --format of a study."""
    if face.document:
        words = "table, html, md, latex, json; or card, croissant."
        return Annotated[str | None, typer.Option("--format", help=words, **_OUTPUT)]
    if not face.located:
        return Format
    words = f"table, json, csv, md, latex, html, parquet; {'junit, ' if face.verdicts else ''}github or sarif."
    return Annotated[str | None, typer.Option("--format", help=words, callback=_known, **_OUTPUT)]


ExitCode = Annotated[bool, typer.Option("--exit-code", help="Exit with 1 if it is worse; at other depths, if changed.")]

Json = Annotated[bool, typer.Option("--json", help="Same as --format json.", **_OUTPUT)]

Output = Annotated[
    Path | None, typer.Option("--output", "-o", help="Write to a file; its ending chooses the format.", **_OUTPUT)
]

Picture = Annotated[str | None, typer.Option("--figure", help="Figure to draw; default: all, a file each.", **_OUTPUT)]

#: Exit code of a command that found a change or a failed check.
FINDING = 1


@contextmanager
def _until_reader_leaves() -> Iterator[None]:
    """End the writing if the reader of a pipe leaves early. Typer would exit with 1, which means a finding."""
    try:
        yield
    except BrokenPipeError:
        mute(STDOUT)


def with_verbosity(command: Callable[..., None], name: str, outputs: Sequence[str] = ()) -> Callable[..., None]:
    """Return a command with the options that every command has, and with a check of its output before it begins.

    `outputs` are the options with further files that it writes.
    """

    @functools.wraps(command)
    def run(**arguments: Any) -> None:
        if not gc.isenabled():  # most imports are done
            gc.freeze()
            gc.enable()
        VERBOSITY.set(**{name: arguments.pop(name) for name in common})
        READER.stand(arguments)
        form = arguments.get("format_name") or str(arguments.get("output")).lower()[-5:].strip(".")
        if VERBOSITY.brief and not arguments.get("as_json") and form != "json":
            from auditor.errors import UsageError

            raise UsageError("--brief cuts JSON: add --json, or --format json to a report")
        refuse_formats(name, arguments)
        refuse_targets(name, arguments, outputs)
        with suppress(OSError):  # no folder for temporary files
            sweep(Path(tempfile.gettempdir()))
        with _until_reader_leaves():
            command(**arguments)
        for table in own_tables(name, arguments, outputs):
            import polars as pl

            from auditor import reports

            with suppress(OSError, pl.exceptions.PolarsError), table.open("rb") as file:  # its name may be no UTF-8
                _warn(reports.formulas(pl.scan_csv(file, glob=False, infer_schema=False)))

    own = inspect.signature(command, eval_str=True)
    common = {"quiet": Quiet, "verbose": Verbose, "full": Full, "no_color": NoColor, "debug": Debug}
    common |= {"brief": Brief} if own.parameters.keys() & {"as_json", "format_name"} else {}
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
    from auditor.errors import StoreError
    from auditor.store.connection import Store

    if path == DEFAULT_STORE and path.is_symlink():
        raise StoreError(f"{path}: a link to {path.resolve()}, which may be anyone's; name that store with --store")
    with Store.open(path, write=write, wait=wait, files=files, migrate=migrate, narrate=narrate) as store:
        yield store


def refuse_formats(command: str, arguments: Mapping[str, object]) -> None:
    """Refuse image formats for a command without figures, and formats of verdicts for one without, before any work."""
    from auditor.asked import Face, face_of
    from auditor.errors import UsageError
    from auditor.studies import STUDIES

    face = face_of(STUDIES[command].load()) if command in STUDIES else Face()
    output, name = arguments.get("output"), arguments.get("format_name")
    data = arguments.get("as_json") or name not in (None, "table") or face.document
    if data and output is None and sys.stdout is None:  # closed before this process began
        raise UsageError("standard output is closed; write to a file with -o FILE")
    is_default = arguments.get("as_json") or not (isinstance(output, Path) or isinstance(name, str))
    if is_default and arguments.get("figure") is None:
        return
    from auditor import reports

    wanted, target = name if isinstance(name, str) else None, output if isinstance(output, Path) else None
    if face.document:
        reports.document_format(wanted, target, card=reports.is_card(wanted, target))
        return
    chosen = wanted if wanted in reports.FORMATS else reports.chosen_format(None, target)
    if (wants := _WANTS.get(chosen)) and not getattr(face, wants):
        _refuse(command, chosen)
    if chosen in reports.PICTURES and face.undrawn:
        face.undrawn(arguments)
    if chosen in reports.PICTURES:
        import auditor.reports.figures.drawing  # noqa: F401  # without matplotlib it raises, before any work
    if arguments.get("figure") is not None and (arguments.get("as_json") or chosen not in reports.PICTURES):
        raise UsageError("--figure needs a file for the figure: -o FILE.svg, .pdf or .png")


#: What a study needs for a format.
_WANTS = {"svg": "draws", "pdf": "draws", "png": "draws", "junit": "verdicts", "github": "located", "sarif": "located"}


def _refuse(command: str, chosen: str) -> NoReturn:
    from auditor.asked import face_of
    from auditor.errors import UsageError
    from auditor.studies import STUDIES

    wants = _WANTS[chosen]
    able = [name for name, study in STUDIES.items() if getattr(face_of(study.load()), wants)]
    if wants == "draws" and command in able:
        raise UsageError(f"{command}: these data give no figures to write as {chosen}; run it without -o to see why")
    kind = {"draws": "figures", "verdicts": "verdicts", "located": "lines of files"}[wants]
    raise UsageError(f"{command} has no {kind} to write as {chosen}; commands with {kind}: {', '.join(able)}")


def _screen() -> Screen:
    """Return standard output as a screen, which is not cut if the user wants all."""
    from auditor.reports.terminal import Screen

    screen = Screen(sys.stdout, color=VERBOSITY.color)
    screen.most = None if VERBOSITY.full else screen.most
    screen.cuts_signatures = not (VERBOSITY.full or VERBOSITY.verbose)
    return screen


@_until_reader_leaves()
def deliver(
    result: Result, format_name: str | None, as_json: bool, output: Path | None, figure: str | None = None
) -> None:
    """Write a Result to stdout or to a file, in the chosen format. Notes go to stderr if data is on stdout.

    Raises `UsageError` for a file that cannot be written, several figures on stdout, and an unknown `figure`.
    """
    from auditor import reports

    result = READER.shown(result)
    chosen = reports.chosen_format("json" if as_json else format_name, output)
    if chosen in reports.PICTURES and not result.figures:
        _refuse(result.command, chosen)
    names, files = () if figure is None else (figure,), [*filter(None, [output])]
    if output is not None and not VERBOSITY.brief:
        from auditor.reports import notebook

        files = notebook.save(result, output, chosen, *names)
    elif chosen == "table":
        from auditor.reports import terminal

        terminal.show(result, _screen(), quiet=VERBOSITY.quiet)
    else:
        from auditor.reports import notebook

        drawn = notebook.svgs(result, *names) if chosen in reports.PICTURES else {}
        text = _brief(result) if VERBOSITY.brief else ""
        text = text or (notebook.only(drawn) if drawn else reports.TEXT_FORMATS[chosen](result))
        with _target(output) as file:
            _put(text, file, chosen)
    if chosen != "table":
        for note in (*result.lead, *result.remarks):
            narrate(note)
    _warn(reports.formulas(result.frame) if chosen == "csv" else 0)
    if VERBOSITY.verbose:
        from auditor.scoring.citations import citation

        narrate("\n".join(citation(result)))
    if output is not None:
        narrate(f"written: {', '.join(map(str, files))}")


def deliver_rows(
    command: str, give: Callable[[Callable[[Batches], None]], None], chosen: str, output: Path | None
) -> None:
    """Write rows to stdout or to a file as they come, in one of the formats of `reports.rows`.

    `give` is called with the function that writes them. Raises `UsageError` for a file that cannot be written.
    """
    from auditor import reports
    from auditor.files.rows import parquet
    from auditor.reports.rows import TEXTS
    from auditor.result import Result, counted

    rows = formulas = 0

    def noted(batches: Batches) -> Batches:
        nonlocal rows, formulas
        for batch in batches:
            rows += batch.height
            formulas += reports.formulas(batch) if chosen == "csv" else 0
            yield batch

    def put(batches: Batches) -> None:
        if VERBOSITY.brief:
            first = Result(command, next(every := noted(batches)))
            deque(every, maxlen=0)  # counts the rows
            _put(_brief(first, rows), file, chosen)
        elif chosen == "parquet":
            parquet(noted(batches), file)
        else:
            for text in TEXTS[chosen](command, noted(batches)):
                _put(text, file, chosen)
            _warn(formulas)

    with _target(output) as file:
        give(put)
    if output is not None:
        narrate(f"written: {output}, {counted(rows, 'row', 'rows')}")


def _brief(result: Result | Document, rows: int | None = None) -> str:
    from auditor.errors import redacted
    from auditor.reports.brief import brief

    whole = shlex.join(["auditor", *(word for word in sys.argv[1:] if word != "--brief")])
    return brief(result, redacted(READER.whole or whole), rows)


def _warn(formulas: int) -> None:
    if formulas:
        narrate(
            f"{formulas:,} texts begin with =, +, - or @, which spreadsheet programs read as formulas; import their "
            "columns as text"
        )


@_until_reader_leaves()
def deliver_document(document: Document, chosen: str, output: Path | None) -> None:
    """Write a report to stdout or to a file. Raises `UsageError` for a file that cannot be written."""
    from auditor import reports
    from auditor.dataset_card import DatasetCard

    if not isinstance(document, DatasetCard):  # a card is published: its readers have other stores
        document = READER.shown(document)
    if output is None and chosen == "table":
        from auditor.reports.terminal.document import show

        show(document, _screen())
        return
    is_brief = VERBOSITY.brief and chosen == "json"  # beside brief findings, the page of a file is whole
    with _target(output) as file:
        _put(_brief(document) if is_brief else reports.document_text(document, chosen), file, chosen)
    if output is not None:
        narrate(f"written: {output}")


@contextmanager
def _target(output: Path | None) -> Iterator[BinaryIO]:
    """Open standard output, or a draft that replaces a file when it is complete."""
    if output is not None:
        from auditor.files import written

        with written(output) as file:
            yield file
        return
    sys.stdout.flush()
    yield sys.stdout.buffer
    sys.stdout.buffer.flush()


def _put(text: str, file: BinaryIO, chosen: str) -> None:
    """Write data in UTF-8: unchanged to a file; on standard output, without what a terminal or a CI log would obey."""
    from auditor.reports.escaping import AS_ESCAPES, for_log, visible

    text = visible(text) if file.isatty() else text
    shown = for_log(text, chosen) if file is sys.stdout.buffer else text
    if shown != text and chosen not in AS_ESCAPES:
        narrate("text that a CI log would obey as a command was changed; -o FILE writes it unchanged")
    file.write(shown.encode(errors="backslashreplace"))  # a file name may be no UTF-8
