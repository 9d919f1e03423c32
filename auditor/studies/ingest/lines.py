"""Where in its files is each caption? They are read again, and must be those that the version was read from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain
from pathlib import Path

import polars as pl

from auditor.called import call
from auditor.errors import SourceError, UsageError
from auditor.files import printable
from auditor.model import Selection, Source, Version
from auditor.sources import find_format, read
from auditor.sources.reading import files
from auditor.sources.reading.declared import named_files
from auditor.sources.reading.encoding import as_utf8
from auditor.store.connection import Store
from auditor.store.versions import content
from auditor.studies.ingest.naming import wanted


def lines_of(
    store: Store, selection: Selection, places: Mapping[str, str], declared: Mapping[str, Source]
) -> pl.DataFrame:
    """Return the file and the line of each caption of a version: image, slot, text, file, line.

    `places` has the files of datasets that are not declared. A record of a file without lines has none. Equal captions
    of an image are in the order of their slots. Raises `SourceError` for files that have changed since the ingest.
    """
    paths, read_again = _read_again(selection.version, places, declared)
    accepted = read_again.filter(pl.col("reason").is_null(), pl.col("left_out").is_null())
    rows = accepted.select(
        "image", "text", nth=pl.int_range(pl.len()).over("image", "text"),
        file=pl.col("source").str.split("/").list.first().replace(paths),
        line=pl.when(unit="line").then("line"),
    )  # fmt: skip
    return _stored(store, selection).join(rows, on=["image", "text", "nth"], how="left").drop("nth")


def records_of(store: Store, selection: Selection, file: Path, declared: Mapping[str, Source]) -> pl.DataFrame:
    """Return the captions of each record of the file of a version, in their order: record (from 0), slot, image, text.

    A record without an accepted caption has a row without a slot. Raises `SourceError` as `lines_of` does.
    """
    name = selection.version.dataset
    _, read_again = _read_again(selection.version, {name: str(file)}, declared)
    is_kept = pl.col("reason").is_null() & pl.col("left_out").is_null()
    rows = read_again.select(
        pl.when(is_kept).then("image"), pl.when(is_kept).then("text"),
        record=pl.col("line").rle_id(), nth=pl.int_range(pl.len()).over("image", "text"),
    )  # fmt: skip
    stored = _stored(store, selection)
    return rows.join(stored, on=["image", "text", "nth"], how="left", maintain_order="left").drop("nth")


def _stored(store: Store, selection: Selection) -> pl.DataFrame:
    stored = content(store, replace(selection, split=None)).select("image", "slot", "text").sort("image", "slot")
    return stored.with_columns(nth=pl.int_range(pl.len()).over("image", "text"))


def _read_again(
    version: Version, places: Mapping[str, str], declared: Mapping[str, Source]
) -> tuple[dict[str, str], pl.DataFrame]:
    """Read the files of a version again. Return their paths by name, and the records."""
    name = version.dataset
    if name not in places and name not in declared:
        raise UsageError(f"{name}: its files are not declared in datasets.toml; name the file instead of the dataset")
    (source,) = wanted([name], files=[Path(places[name])] if name in places else (), declarations=declared)
    named = named_files(source)
    beside = find_format(version.format).beside
    named += [path for part in source.parts for path in beside(part) if path not in named]
    if files.sha256(named) != version.source_sha256:
        why = f"its sha256 is not that of {version.label}, so lines are unknown"
        raise SourceError(f"{named[0]}: {why}; run `{call('ingest', name)}`")
    lossy = (path.name.encode(errors="surrogatepass").decode(errors="replace") for path in reversed(named))
    paths = dict(zip(lossy, map(printable, reversed(named)), strict=True))  # rows hold other names in this form
    columns = ("source", "unit", "line", "image", "text", "reason", "left_out")
    with as_utf8(source) as there:
        batches = chain.from_iterable(read(part, version.format) for part in there.parts)
        return paths, pl.concat(batch.select(columns) for batch in batches)
