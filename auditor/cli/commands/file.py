"""`auditor FILE`: what is wrong with the captions of a file, on the terminal and as a page. No store is left behind."""

from __future__ import annotations

import inspect
import os
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Annotated, Any

import typer

from auditor.called import call
from auditor.cli import options as o
from auditor.cli.reader import READER
from auditor.cli.verbosity import VERBOSITY, narrate

#: Metrics that SQL computes alone: a first look should not wait for kernels to compile.
FIRST_METRICS = ("bleu-1", "bleu-4", "rouge-1", "cider-d")

#: The options of `ingest` on how a file is read, and those of `findings` on known problems.
_READING = (
    "file_format", "options", "image_col", "caption_col", "column_names", "split_col", "slot_col", "encoding",
    "language",
)  # fmt: skip
_KNOWN = ("fail_on", "known", "write_baseline")


def command(
    file: Annotated[str, typer.Argument(metavar="FILE", help="File, folder, pattern or address of captions.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="The page; default: FILE.audit.html.")] = None,
    as_json: o.Json = False,
    **given: Any,
) -> None:
    """Audit a file of captions.

    Prints the findings, and writes the whole audit to FILE.audit.html. The file is read as `auditor ingest` reads it,
    and with its options. Its captions are in a temporary store, which is deleted. Records that cannot be read are
    findings. `--json` is always `--brief`: at most 20 kB, with the command for the rest.

    Example: auditor captions.csv --fail-on error
    """
    from auditor import reports
    from auditor.cli.derived import options_of
    from auditor.cli.file_arguments import refuse_link, refuse_targets
    from auditor.config import Declared, checks
    from auditor.places import is_place, named_apart
    from auditor.result import counted
    from auditor.steps import Steps
    from auditor.studies import report
    from auditor.studies.findings import in_store
    from auditor.studies.ingest import apart

    known = {each.name: each.accepted(given.get(each.name)) for each in options_of(in_store) if each.name in _KNOWN}
    page = output or page_of(file)
    if output is None:
        refuse_link(page)
    place = file if is_place(file) else f"./{file}"
    refuse_targets("report", {"output": page, "file": place})
    places = named_apart({"file": place}, ["file"])
    reading = {name: given[name] for name in _READING if given.get(name)}
    READER.files, READER.read = places, bool(reading)
    names = ("Reading", "Problems", *report.steps_of())
    with (
        o.progressing() as progress,
        apart(places, READER.kept, narrate, steps := Steps(progress, names, 1), reading=reading) as store,
    ):
        steps.begin()
        result = in_store(store, *places, config=(own := Declared({}, checks())), progress=steps, **known)
        shown = result if as_json else replace(result, frame=result.frame.clear())
        VERBOSITY.brief, READER.whole = as_json, READER.text(call("findings", *places, as_json=True))
        o.deliver(shown, None, as_json=as_json, output=None)  # -o is the page here
        if result.frame.height:
            rows = counted(result.frame.height, "caption", "captions")
            narrate(f"`{call('findings', *places, output='findings.csv')}` writes the {rows} behind them to a file")
        settings = report.ReportSettings(metrics=FIRST_METRICS)
        document = report.report(store, *places, settings=settings, config=own, progress=steps)
    o.deliver_document(document, reports.document_format("html", None), page)
    if result.holds is False:
        raise typer.Exit(o.FINDING)


def _with_options() -> None:
    """Add the options of `ingest` and `findings` that the command passes on."""
    from auditor.cli.derived import options_of
    from auditor.studies.findings import in_store
    from auditor.studies.ingest import ingest

    own = [each for each in inspect.signature(command, eval_str=True).parameters.values() if each.name != "given"]
    added = [each.shown() for each in options_of(ingest) if each.name in _READING]
    added += [each.shown() for each in options_of(in_store) if each.name in _KNOWN]
    shown = [each.replace(kind=inspect.Parameter.KEYWORD_ONLY) for each in (*own, *added)]
    vars(command)["__signature__"] = inspect.Signature(shown)
    command.__annotations__ |= {each.name: each.annotation for each in shown}


def page_of(file: str) -> Path:
    """Return where the page of a file goes: next to it if that folder can be written, else in the working folder."""
    path = Path(file)
    if path.is_file() and os.access(path.parent, os.W_OK):
        return path.with_name(f"{path.name}.audit.html")
    name = PurePosixPath(file.rstrip("/")).name.partition("?")[0].replace("*", "-").strip("-")
    return Path(f"{name or 'captions'}.audit.html")


_with_options()
