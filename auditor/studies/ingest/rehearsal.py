"""What would an ingest store? The same, into a store in memory that nobody keeps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace

import polars as pl

from auditor.config.lock import Lock
from auditor.model import Progress, Source
from auditor.result import Result, Table
from auditor.sources import columns_of
from auditor.sources.reading.declared import with_standard_input
from auditor.sources.reading.encoding import as_utf8
from auditor.store import versions
from auditor.store.connection import MEMORY, Store
from auditor.studies.ingest.sources import ingest_sources

_SHOWN = 5


def rehearsed(
    sources: Sequence[Source], progress: Progress, *, max_rejected: float, skip_missing: bool, lock: Lock | None
) -> Result:
    """Ingest sources into memory, and say what that gave: counts, formats, columns, the first captions."""
    with Store.open(MEMORY, write=True) as apart, ExitStack() as at_work:
        sources = [at_work.enter_context(with_standard_input(source)) for source in sources]
        made = ingest_sources(
            apart, sources, None, progress, max_rejected=max_rejected, skip_missing=skip_missing, lock=lock
        )
        formats = {one.version.dataset: one.version.format for one in made.selections}
        firsts = {
            one.label: versions.content(apart, one).select("image", "slot", "split", "text").sort("image", "slot")
            for one in made.selections
        }
        columns = [
            f"{source.dataset}: read by columns {', '.join(f'{thing} = {column}' for thing, column in found.items())}"
            for source in sources
            if (found := _columns(source, formats.get(source.dataset)))
        ]
    rows = made.frame.with_columns(pl.col("dataset").replace_strict(formats).alias("format"), status=pl.lit("dry run"))
    counts = Table("would be stored", rows.drop("seq", "version", "added", "removed"), name="ingested")
    shown = [
        Table(f"the first captions of {label}", first.head(_SHOWN), name=f"first/{label}")
        for label, first in firsts.items()
        if first.height
    ]
    refused = [table for table in made.tables if table.name == "refused"]
    notes = ("dry run: no store was opened", *columns, *made.notes)
    return replace(made, frame=rows, selections=(), tables=(counts, *shown, *refused), notes=notes)


def _columns(source: Source, file_format: str | None) -> Mapping[str, str]:
    if file_format is None:
        return {}
    with as_utf8(source) as there:
        return columns_of(there.parts[0], file_format)
