"""Where do the files of a dataset come from? Downloads what datasets.toml declares, and lists how to get the rest."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import polars as pl

from auditor import config as declarations
from auditor import parameters as p
from auditor.asking import question
from auditor.errors import SourceError, UsageError, redacted
from auditor.model import Progress, Source, silent
from auditor.remote import PATIENCE, Patience, address_of
from auditor.result import Result, Table
from auditor.sources import download as fetching
from auditor.steps import Steps

_ROWS = {
    **dict.fromkeys(("dataset", "path", "status"), pl.String()),
    "bytes": pl.Int64(),
    **dict.fromkeys(("sha256", "url", "note"), pl.String()),
}

Names = Annotated[str, p.Parameter("Datasets that datasets.toml declares.", metavar="NAME…", optional=True)]

Everything = Annotated[bool, p.Parameter("Every dataset that datasets.toml declares.", "all")]

Force = Annotated[bool, p.Parameter("Replace files that differ from what is declared.")]


@question
def fetch(
    *names: Names,
    everything: Everything = False,
    force: Force = False,
    min_rate: p.MinRate = PATIENCE.min_rate,
    deadline: p.Deadline = PATIENCE.deadline,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Download datasets and verify their checksums.

    If a connection breaks, the download starts again, three times at most. For datasets that you have to get yourself,
    it prints how. A download that is too slow (`--min-rate`) or takes too long (`--deadline`) fails. Passwords and
    tokens in URLs are not shown.

    How to read it: one row per file, with its location: downloaded, already there, or to be obtained by hand.
    Nothing is stored; `auditor ingest` imports the files.

    Limits: only datasets in datasets.toml, under the license named there. The files remain their owners' property.

    Raises `SourceError` for the first file that is not available. With --all, this error comes after the other files.
    Raises `UsageError` for a name that is not declared.

    Example: auditor fetch flickr8k coco-val2017
    """
    sources = declarations.wanted(names, everything=everything, config=config)
    patience = Patience(min_rate, deadline)
    result = fetch_sources(sources, force=force, everything=everything, patience=patience, progress=progress)
    wanting = result.frame.filter(status="failed" if everything else "obtain").select("dataset", "note").rows()
    if not wanting:
        return result
    dataset, note = wanting[0]
    more = f"; {len(wanting) - 1} more are listed" if len(wanting) > 1 else ""
    return dataclasses.replace(result, failure=SourceError(f"{dataset}: {note}{more}"))


def fetch_sources(
    sources: Sequence[Source],
    *,
    force: bool = False,
    everything: bool = False,
    patience: Patience = PATIENCE,
    progress: Progress = silent,
) -> Result:
    """Fetch the downloads of each source, in the given order.

    Column `status` is fetched, unchanged, or obtain for a file to be obtained by hand; with `everything`, also failed.
    Column `note` explains how to obtain a file, or why it failed.

    Raises `SourceError` for the first failure, except with `everything`; earlier files are kept. Raises `UsageError`,
    before anything is fetched, for a missing source without a URL and instructions in datasets.toml, and for a download
    that leads out of the folder of its datasets.toml.
    """
    for source in sources:
        for download in source.downloads:
            fetching.stay_inside(download)
    if not everything:
        for source in sources:
            if not source.downloads and source.obtain is None and _missing(source):
                raise UsageError(f"{source.dataset}: {_nowhere(source)}")
    steps = Steps(progress, [source.dataset for source in sources])
    rows = [row for source in steps.over(sources) for row in _fetch(source, force, everything, patience, steps)]
    frame = pl.DataFrame(rows, schema=_ROWS, orient="row")
    held = frame.filter(pl.col("note").is_null()).select("dataset", "path", "status", "bytes")
    tables = [
        Table("files", held, name="files"),
        Table("to be obtained by hand", frame.filter(status="obtain").select("dataset", "note"), name="by-hand"),
        Table("failed", frame.filter(status="failed").select("dataset", "note"), name="failed"),
    ]
    return Result(
        "fetch",
        frame,
        tables=tuple(table for table in tables if table.frame.height),
        notes=tuple(note for source in sources for note in _notes(source)),
    )


def _fetch(
    source: Source, force: bool, everything: bool, patience: Patience, progress: Progress
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for download in source.downloads:
        row = {"dataset": source.dataset, "path": str(download.path), "sha256": download.sha256}
        row["url"] = redacted(download.url)
        try:
            fetched = fetching.fetch(download, force=force, progress=progress, patience=patience)
        except SourceError as error:
            if not everything:
                raise
            rows.append(row | {"status": "failed", "note": str(error)})
        else:
            rows.append(row | {"path": str(fetched.path), "status": fetched.status, "bytes": fetched.size})
    missing = _missing(source)
    if missing and (source.obtain is not None or not source.downloads):
        missed = {"path": str(missing[0]), "status": "obtain", "note": source.obtain or _nowhere(source)}
        rows.append({"dataset": source.dataset, **missed})
    if not rows:
        rows = [
            {"dataset": source.dataset, "path": str(path), "status": "unchanged"}
            | {"bytes": path.stat().st_size if path.is_file() else None}
            for path in dict.fromkeys(filter(None, map(fetching.find, _needed(source))))
        ]
    return rows


def _notes(source: Source) -> list[str]:
    missing = _missing(source)
    if not source.downloads and not missing:
        return [f"{source.dataset}: already here, but not verified: datasets.toml has no URL and checksum for it"]
    fetched = {path for download in source.downloads for path in (download.path, download.path.with_suffix(""))}
    unknown = [str(path) for path in missing if path not in fetched]
    if source.downloads and unknown and source.obtain is None:
        return [f"{source.dataset}: datasets.toml has no URL for {', '.join(unknown)}; put it there by hand"]
    return []


def _needed(source: Source) -> list[Path]:
    """List the local files that an ingest reads: captions, split lists, and files in options."""
    parts = [path for part in source.parts for path in part.paths]
    named = [value for part in source.parts for value in part.options.values() if isinstance(value, Path)]
    every = dict.fromkeys([*parts, *source.splits.values(), *named])
    return [path for path in every if address_of(path) is None]


def _missing(source: Source) -> list[Path]:
    return [path for path in _needed(source) if fetching.find(path) is None and not any(path.parent.glob(path.name))]


def _nowhere(source: Source) -> str:
    where = ", ".join(map(str, _missing(source)))
    return f"datasets.toml has neither a URL nor instructions for it; put {where} there by hand, or add url and sha256"
