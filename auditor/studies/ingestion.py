"""What does a file hold, and what of it is kept? Reads a source into the store as a new version."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Progress, Result, Selection, Source, Table, silent
from auditor.sources import files, read, reader
from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.text import PROFILES

_SHOWN_REFUSALS = 10


def ingest(store: Store, sources: Sequence[Source], note: str | None = None, progress: Progress = silent) -> Result:
    """Ingest each source in a transaction of its own, in the order given.

    Raises `SourceError` for the first that cannot be read; those before it are kept.
    """
    done = [(source, _ingest(store, source, note, progress)) for source in sources]
    rows = [
        {
            "dataset": source.dataset,
            "status": "new" if made.is_new else "unchanged",
            "seq": made.version.seq,
            "version": made.version.version,
            "images": made.version.images,
            "captions": made.version.captions,
            "read": made.read,
            "rejected": made.rejected.height,
            "added": made.added,
            "removed": made.removed,
        }
        for source, made in done
    ]
    refused = pl.concat(
        [made.rejected.select(pl.lit(source.dataset).alias("dataset"), pl.all()) for source, made in done]
    )
    shown = pl.DataFrame(rows).with_columns(status=pl.format("{} v{}", "status", "seq")).drop("seq", "version", "read")
    tables = [Table("ingested", shown)]
    if refused.height:
        places = refused.select("dataset", pl.format("{}:{}", "source", "line").alias("where"), "reason", "raw")
        more = refused.height - _SHOWN_REFUSALS
        caption = f'{more} more: auditor sql "from rejected"' if more > 0 else None
        tables.append(Table("refused, and kept in table rejected", places.head(_SHOWN_REFUSALS), caption=caption))
    return Result(
        command="ingest",
        frame=pl.DataFrame(rows),
        selections=tuple(Selection(made.version) for _, made in done),
        tables=tuple(tables),
        notes=tuple(note for source, made in done for note in _surprises(source, made)),
    )


def _ingest(store: Store, source: Source, note: str | None, progress: Progress) -> ingestion.Ingest:
    reader(source.format)
    path = files.locate(source.path)
    return ingestion.write(
        store,
        source,
        read(path, source.format),
        {split: files.read_list(listed) for split, listed in source.splits.items()},
        PROFILES,
        files.sha256(path),
        note,
        progress,
    )


def _surprises(source: Source, made: ingestion.Ingest) -> list[str]:
    counts = (("images", source.images, made.version.images), ("captions", source.captions, made.version.captions))
    return [
        f"{source.dataset}: {found:,} {what}, {abs(found - declared):,} "
        f"{'more' if found > declared else 'fewer'} than the {declared:,} declared"
        for what, declared, found in counts
        if declared is not None and declared != found
    ]
