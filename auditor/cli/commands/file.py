"""`auditor FILE`: what is wrong with the captions of a file, on the terminal and as a page. No store is left behind."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer

from auditor.cli import options as o
from auditor.cli.verbosity import narrate

#: Metrics that SQL computes alone: a first look should not wait for kernels to compile.
FIRST_METRICS = ("bleu-1", "bleu-4", "rouge-1", "cider-d")


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File, folder, pattern or address of captions.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page; default: FILE.audit.html.")] = None,
    fail_on: Annotated[
        str | None, typer.Option("--fail-on", help="Exit with 1 on this severity or worse: error, warning, notice.")
    ] = None,
) -> None:
    """Audit a file of captions.

    Prints the findings, and writes the whole audit to FILE.audit.html. The file is read as `auditor ingest` reads it.
    Its captions are in a temporary store, which is deleted.

    Example: auditor captions.csv --fail-on error
    """
    from auditor import reports
    from auditor.cli.file_arguments import is_place, named_apart, refuse_link, refuse_targets
    from auditor.result import counted
    from auditor.studies import report
    from auditor.studies.findings import findings, refuse_severity
    from auditor.studies.ingest import apart

    refuse_severity(fail_on)
    page = output or page_of(file)
    if output is None:
        refuse_link(page)
    place = file if is_place(file) else f"./{file}"
    refuse_targets("report", {"output": page, "file": place})
    places = named_apart({"file": place}, ["file"])
    with o.progressing() as progress, apart(places, narrate, progress) as store:
        result = findings(store, *places, fail_on=fail_on, config={}, progress=progress)
        o.deliver(replace(result, frame=result.frame.clear()), None, as_json=False, output=None)  # -o is the page here
        if result.frame.height:
            rows = counted(result.frame.height, "caption", "captions")
            narrate(f"`auditor findings {shlex.quote(file)} -o FILE.csv` writes the {rows} behind them to a file")
        settings = report.ReportSettings(metrics=FIRST_METRICS)
        document = report.report(store, *places, settings=settings, config={}, progress=progress)
    o.deliver_document(document, reports.document_format("html", None), page)
    if result.holds is False:
        raise typer.Exit(o.FINDING)


def page_of(file: str) -> Path:
    """Return where the page of a file goes: next to the file, else in the working folder."""
    path = Path(file)
    if path.is_file():
        return path.with_name(f"{path.name}.audit.html")
    name = PurePosixPath(file.rstrip("/")).name.partition("?")[0].replace("*", "-").strip("-")
    return Path(f"{name or 'captions'}.audit.html")
