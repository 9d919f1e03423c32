"""What does a file hold, and what of it is kept? Reads a source into the store as a new version."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Progress, Result, Selection, Source, Table, place, silent
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
        formats = {source.dataset: source.format for source in sources}
        shown = refused.head(_SHOWN_REFUSALS)
        places = [place(formats[dataset], file, line) for dataset, file, line, *_ in shown.iter_rows()]
        more = refused.height - shown.height
        tables.append(
            Table(
                "refused, and kept in table rejected",
                shown.select("dataset", pl.Series("where", places), "reason", "raw"),
                caption=f'{more:,} more: auditor sql "from rejected"' if more else None,
            )
        )
    return Result(
        command="ingest",
        frame=pl.DataFrame(rows),
        selections=tuple(Selection(made.version) for _, made in done),
        tables=tuple(tables),
        notes=tuple(surprise for source, made in done for surprise in _surprises(source, made, note)),
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


def _surprises(source: Source, made: ingestion.Ingest, note: str | None) -> list[str]:
    """Say where the captions are not what `datasets.toml` or the user lets one expect."""
    counts = (("images", source.images, made.version.images), ("captions", source.captions, made.version.captions))
    surprises = [
        f"{source.dataset}: {found:,} {what}, {abs(found - declared):,} "
        f"{'more' if found > declared else 'fewer'} than the {declared:,} declared"
        for what, declared, found in counts
        if declared is not None and declared != found
    ]
    if made.listed_missing:
        surprises.append(f"{source.dataset}: {made.listed_missing:,} images of the split lists have no caption")
    if source.splits and made.unlisted:
        surprises.append(f"{source.dataset}: {made.unlisted:,} images are in no split list")
    if note is not None and not made.is_new:
        surprises.append(f"{source.dataset}: unchanged, so that there is no new version to keep the note")
    return surprises
