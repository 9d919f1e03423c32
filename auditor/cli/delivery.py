"""How a Result reaches the user: to stdout or to a file, in the format asked for."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NoReturn

from auditor.cli.verbosity import VERBOSITY, narrate

if TYPE_CHECKING:
    from auditor.files.rows import Batches
    from auditor.result import Result
    from auditor.result.document import Document


def refuse_formats(command: str, arguments: Mapping[str, object]) -> None:
    """Refuse a picture of what has no figures, and a format of verdicts that are none, before anything is counted."""
    from auditor.studies import named

    study = named(command)
    document, draws, judges = (study.document, study.draws, study.verdicts) if study else (False, False, False)
    output, name = arguments.get("output"), arguments.get("format_name")
    data = arguments.get("as_json") or name not in (None, "table") or document
    if data and output is None and sys.stdout is None:  # closed before this process began
        from auditor.errors import UsageError

        raise UsageError("standard output is closed; name a file with -o FILE")
    if arguments.get("as_json") or not (isinstance(output, Path) or isinstance(name, str)):
        return
    from auditor import reports

    if document:
        asked, target = name if isinstance(name, str) else None, output if isinstance(output, Path) else None
        reports.document_format(asked, target, card=study is not None and study.card and reports.is_card(asked, target))
        return

    asked = name if isinstance(name, str) and name in reports.FORMATS else None
    chosen = asked or reports.chosen_format(None, output if isinstance(output, Path) else None)
    if (chosen in reports.PICTURES and not draws) or (chosen in reports.VERDICTS and not judges):
        _refuse(command, chosen)


def _refuse(command: str, chosen: str) -> NoReturn:
    from auditor.errors import UsageError
    from auditor.reports import PICTURES
    from auditor.studies import known

    drawn = chosen in PICTURES
    those = ", ".join(name for name, study in known().items() if (study.draws if drawn else study.verdicts))
    lacks, come = ("figure to draw", "figures") if drawn else ("verdict to show", "verdicts")
    raise UsageError(f"{command} has no {lacks} as {chosen}; {come} come from: {those}")


def deliver(result: Result, format_name: str | None, as_json: bool, output: Path | None) -> None:
    """Write a Result to stdout or to a file, in the format asked for. Notes go to stderr where data is on stdout.

    Raises `UsageError` for a file that cannot be written.
    """
    from auditor import reports
    from auditor.reports.notebook import write, written

    chosen = reports.chosen_format("json" if as_json else format_name, output)
    if chosen in reports.PICTURES and not result.figures:
        _refuse(result.command, chosen)
    if output is None:
        _print(result, chosen)
    else:
        with written(output) as file:
            write(result, chosen, file)
    if chosen != "table":
        for note in (*result.lead, *result.remarks):
            narrate(note)
    _warn(reports.formulas(result.frame) if chosen == "csv" else 0)
    if output is not None:
        narrate(f"written: {output}")


def deliver_rows(
    command: str, give: Callable[[Callable[[Batches], None]], None], chosen: str, output: Path | None
) -> None:
    """Write rows to stdout or to a file as they come, in one of the formats of `reports.rows`.

    `give` is called with what takes them. Raises `UsageError` for a file that cannot be written.
    """
    if output is not None:
        from auditor.reports.notebook import written
        from auditor.result import counted

        rows = 0

        def noted(batches: Batches) -> Batches:
            nonlocal rows
            for batch in batches:
                rows += batch.height
                yield batch

        with written(output) as file:
            give(lambda batches: _put_rows(command, noted(batches), chosen, file))
        narrate(f"written: {output}, {counted(rows, 'row', 'rows')}")
    else:
        sys.stdout.flush()
        give(lambda batches: _put_rows(command, batches, chosen, sys.stdout.buffer))
        sys.stdout.buffer.flush()


def _put_rows(command: str, batches: Batches, chosen: str, file: BinaryIO) -> None:
    from auditor import reports
    from auditor.files import rows as row_files
    from auditor.reports import rows

    if chosen == "parquet":
        row_files.parquet(batches, file)
        return
    formulas = 0

    def counted() -> Batches:
        nonlocal formulas
        for batch in batches:
            formulas += reports.formulas(batch) if chosen == "csv" else 0
            yield batch

    for text in rows.TEXTS[chosen](command, counted()):
        _put(text, file)
    _warn(formulas)


def _warn(formulas: int) -> None:
    if formulas:
        narrate(
            f"{formulas:,} texts begin with =, +, - or @, which a spreadsheet program takes for formulas: import "
            "their columns as text"
        )


def deliver_document(document: Document, chosen: str, output: Path | None) -> None:
    """Write a report to stdout or to a file. Raises `UsageError` for a file that cannot be written."""
    from auditor import reports

    text = reports.document_text(document, chosen)
    if output is None:
        sys.stdout.flush()
        _put(text, sys.stdout.buffer)
        sys.stdout.buffer.flush()
        return
    from auditor.reports.notebook import written

    with written(output) as file:
        _put(text, file)
    narrate(f"written: {output}")


def _print(result: Result, chosen: str) -> None:
    from auditor import reports
    from auditor.reports import terminal

    if chosen == "table":
        terminal.show(result, terminal.Screen(sys.stdout, color=VERBOSITY.color), quiet=VERBOSITY.quiet)
    else:
        # Data is UTF-8, whatever the terminal speaks.
        sys.stdout.flush()
        _put(reports.TEXT_FORMATS[chosen](result), sys.stdout.buffer)
        sys.stdout.buffer.flush()


def _put(text: str, file: BinaryIO) -> None:
    """Write data: every byte of it to a file or a pipe, control characters made visible on a terminal."""
    if file.isatty():
        from auditor.reports.harmless import visible

        text = visible(text)
    file.write(text.encode())
