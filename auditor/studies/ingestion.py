"""What does a file hold, and what of it is kept? Reads sources into the store as new versions."""

from __future__ import annotations

import dataclasses
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain
from pathlib import Path

import polars as pl

from auditor.errors import SourceError, UsageError
from auditor.model import Progress, Result, Selection, Source, Table, place, silent
from auditor.sources import check, files, guess, read
from auditor.store import ingestion
from auditor.store.connection import Store
from auditor.text import PROFILES

#: The largest share of a source's records that may be refused, unless the user says otherwise.
MAX_REJECTED = 0.01

_SHOWN_REFUSALS = 10


def ingest(
    store: Store,
    sources: Sequence[Source],
    note: str | None = None,
    progress: Progress = silent,
    *,
    max_rejected: float = MAX_REJECTED,
    skip_missing: bool = False,
) -> Result:
    """Ingest each source in a transaction of its own, in the order given.

    `max_rejected` is the share of a source's records that may be refused. With `skip_missing`, sources whose files are
    not there are named in a note instead. Raises `SourceError` for the first that cannot be read; those before it are
    kept.
    """
    if not 0 <= max_rejected <= 1:
        raise UsageError(f"--max-rejected is a share between 0 and 1, not {max_rejected:g}")
    terms = ingestion.Terms(max_rejected)
    there = [source for source in sources if not (skip_missing and _is_missing(source))]
    if not there:
        raise SourceError("none of these datasets is in the data folder: get one with `auditor fetch NAME`")
    done = [_ingest(store, source, note, terms, progress) for source in there]
    rows = pl.DataFrame([_row(source, made) for source, made, _ in done])
    shown = rows.with_columns(status=pl.format("{} v{}", "status", "seq")).drop("seq", "version")
    absent = [source.dataset for source in sources if source not in there]
    notes = [f"not in the data folder, left out: {', '.join(absent)}; see `auditor fetch`"] if absent else []
    for source, made, guessed in done:
        notes += [f'{source.dataset}: taken as format "{source.format}"'] if guessed else []
        notes += _surprises(source, made, note)
    return Result(
        command="ingest",
        frame=rows,
        selections=tuple(Selection(made.version) for _, made, _ in done),
        tables=(Table("ingested", shown), *_refusals([(source.dataset, made.rejected) for source, made, _ in done])),
        notes=tuple(notes),
    )


def _row(source: Source, made: ingestion.Ingest) -> dict[str, object]:
    return {
        "dataset": source.dataset,
        "status": "new" if made.is_new else "unchanged",
        "seq": made.version.seq,
        "version": made.version.version,
        "images": made.version.images,
        "captions": made.version.captions,
        "read": made.read,
        "normalised": made.normalised,
        "rejected": made.rejected.height,
        "added": made.added,
        "removed": made.removed,
    }


def _refusals(found: Sequence[tuple[str, pl.DataFrame]]) -> tuple[Table, ...]:
    refused = pl.concat(rejected.select(pl.lit(dataset).alias("dataset"), pl.all()) for dataset, rejected in found)
    if refused.is_empty():
        return ()
    shown = refused.head(_SHOWN_REFUSALS)
    places = [place(*where) for where in shown.select("source", "unit", "line").iter_rows()]
    more = refused.height - shown.height
    return (
        Table(
            "refused, and kept in table rejected",
            shown.select("dataset", pl.Series("where", places), "reason", "raw"),
            caption=f'{more:,} more: auditor sql "from rejected"' if more else None,
        ),
    )


def _ingest(
    store: Store, source: Source, note: str | None, terms: ingestion.Terms, progress: Progress
) -> tuple[Source, ingestion.Ingest, bool]:
    """Ingest one source. Gives it with its format, what was done, and whether the format was guessed."""
    with _standard_input(source) as there:
        guessed = not there.format
        found = dataclasses.replace(there, format=guess(there.parts[0])) if guessed else there
        for part in found.parts:
            check(part, found.format)
        paths = [path for part in found.parts for path in files.expand(part)]
        made = ingestion.write(
            store,
            found,
            chain.from_iterable(read(part, found.format) for part in found.parts),
            {split: _listed(path, found.split_suffix) for split, path in found.splits.items()},
            PROFILES,
            files.sha256(paths),
            note,
            terms,
            progress,
        )
    return found, made, guessed


def _listed(path: Path, suffix: str) -> list[str]:
    return [image + suffix for image in files.read_list(path)]


@contextmanager
def _standard_input(source: Source) -> Iterator[Source]:
    """Let `-` stand for a file that holds standard input."""
    if not any(files.STDIN in part.paths for part in source.parts):
        yield source
        return
    with tempfile.TemporaryDirectory(prefix="auditor-") as folder:
        saved = files.save_stdin(Path(folder))
        parts = tuple(
            dataclasses.replace(part, paths=tuple(saved if path == files.STDIN else path for path in part.paths))
            for part in source.parts
        )
        yield dataclasses.replace(source, parts=parts)


def _is_missing(source: Source) -> bool:
    try:
        for part in source.parts:
            files.expand(part)
    except SourceError:
        return True
    return False


def _surprises(source: Source, made: ingestion.Ingest, note: str | None) -> list[str]:
    """Say where the captions are not what `datasets.toml` or the user lets one expect."""
    counts = (("images", source.images, made.version.images), ("captions", source.captions, made.version.captions))
    surprises = [
        f"{source.dataset}: {found:,} {what}, {abs(found - declared):,} "
        f"{'more' if found > declared else 'fewer'} than the {declared:,} declared"
        for what, declared, found in counts
        if declared is not None and declared != found
    ]
    if made.lonely_images and source.kind == "captions":
        some = ", ".join(made.lonely) + (", …" if made.lonely_images > len(made.lonely) else "")
        count = f"{made.lonely_images:,} images have" if made.lonely_images > 1 else "1 image has"
        surprises.append(
            f"{source.dataset}: {count} one caption only, which has no reference and gets no score: {some}"
        )
    if made.listed_missing:
        surprises.append(f"{source.dataset}: {made.listed_missing:,} images of the split lists have no caption")
    if source.splits and made.unlisted:
        surprises.append(f"{source.dataset}: {made.unlisted:,} images are in no split list")
    if note is not None and not made.is_new:
        surprises.append(f"{source.dataset}: unchanged, so that there is no new version to keep the note")
    return surprises
