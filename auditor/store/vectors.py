"""Vectors of images and texts: written as versions of a dataset of kind vectors, and read as matrices."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator
from dataclasses import replace

import polars as pl

from auditor.arrays import NDArray, np
from auditor.errors import SourceError
from auditor.model import Progress, Selection, Source, Version, silent
from auditor.store import ingestion, versions
from auditor.store.connection import Store
from auditor.store.ingestion import ANY, Terms, check_kind, check_terms, check_version
from auditor.store.workspace import Workspace

#: The BCP 47 code for content without a language.
_NO_LANGUAGE = "zxx"

#: Rows that are hashed at once.
_AT_ONCE = 8_192

Floats = NDArray["np.float32"]


def write(
    store: Store,
    source: Source,
    frames: Iterator[pl.DataFrame],
    source_sha256: str,
    note: str | None = None,
    terms: Terms = ANY,
    progress: Progress = silent,
) -> ingestion.Ingest:
    """Ingest the vectors of one dataset in one transaction; equal vectors of equal images add no version.

    `frames` has the columns of `sources.vectors.records.SCHEMA`. `left_out` of what is given counts the records that
    repeat a vector. Raises `SourceError`, with the store unchanged, where the content does not meet the terms.
    """
    with store.transaction():
        previous = next(iter(versions.log(store, source.dataset)), None)
        check_kind(source, previous)
        workspace = Workspace(store, dataset=source.dataset)
        read = _stage(workspace, source, frames, progress)
        workspace.bind("accepted_vector")
        rejected = workspace.rows("refused_vector")
        check_terms(source, read, rejected, terms)
        content = _content(
            _in_turn(workspace, "staged_vector semi join accepted_vector using (position)", "position", read)
        )
        check_version(source, content, terms)
        is_new = previous is None or previous.version != content["version"]
        seq = (previous.seq if previous else 0) + is_new
        workspace = workspace.given(seq=seq)
        added = removed = 0
        ingestion.describe(store, source, _NO_LANGUAGE)
        if previous is None or is_new:
            facts = {"seq": seq, "source_sha256": source_sha256, "note": note, **content}
            version = ingestion.log(store, source, facts)
            removed = ingestion.close(store, "vector", workspace, "vector_closed", ("image", "text"))
            added = workspace.insert("vector", "vector_opened")
        else:
            version = replace(previous, kind=source.kind)
        ingestion.keep_rejected(store, version, rejected, is_new=is_new)
    kept = version.images + version.captions
    return ingestion.Ingest(
        version, is_new, read=read, left_out=read - rejected.height - kept, normalized=0, added=added, removed=removed,
        rejected=rejected, listed_missing=0, unlisted=0, single_images=0, single_names=(),
    )  # fmt: skip


def content_hash(store: Store, version: Version) -> tuple[str, int, int]:
    """Hash what a version of vectors holds now: (version, images, texts)."""
    workspace = _workspace(store, version)
    rows = workspace.query("select count(*) as rows from vector_as_of").item()
    content = _content(_in_turn(workspace, "vector_as_of", "rowid", rows))
    return str(content["version"]), int(content["images"]), int(content["captions"])


def of_images(store: Store, version: Version) -> tuple[pl.Series, Floats]:
    """Return the images of a version, sorted, and their vectors: a row each, in the same order."""
    held = _workspace(store, version).query(
        "select image, vector from vector_as_of where image is not null order by image"
    )
    return held["image"], matrix(held["vector"])


def matrix(vectors: pl.Series) -> Floats:
    """Return lists of equal length as the rows of a matrix."""
    if vectors.is_empty():
        return np.empty((0, 0), np.float32)
    return vectors.explode().to_numpy().reshape(len(vectors), -1)


def coverage(store: Store, version: Version, captions: Selection) -> pl.DataFrame:
    """Return which images of a selection have a vector, and which vectors are of none of its images.

    Columns: image, has_captions, has_vector.
    """
    of = versions.params_of(captions)
    return store.rows("vector_coverage", **of, vectors=version.dataset, vectors_seq=version.seq)


def length(store: Store, version: Version) -> int:
    """Return how many numbers a vector of a version has."""
    found = store.query(
        "select len(vector) as length from vector"
        " where dataset = $dataset and from_seq <= $seq and (to_seq is null or to_seq > $seq) limit 1",
        {"dataset": version.dataset, "seq": version.seq},
    )
    return int(found["length"].sum())


def _workspace(store: Store, version: Version) -> Workspace:
    workspace = Workspace(store, vectors=version.dataset, vectors_seq=version.seq)
    workspace.bind("vector_as_of")
    return workspace


def _stage(workspace: Workspace, source: Source, frames: Iterator[pl.DataFrame], progress: Progress) -> int:
    read = 0
    for frame in frames:
        workspace.append_rows("staged_vector", frame.with_row_index("position", offset=read + 1))
        read += frame.height
        progress(f"{source.dataset}: reading vectors", read, max(source.images or 0, read))
    if not read:
        raise SourceError(f"{source.dataset}: no vector in its files")
    return read


def _in_turn(workspace: Workspace, rows: str, key: str, last: int) -> Iterator[pl.DataFrame]:
    """Yield the vectors of a relation, a bounded number at once; `key` numbers its rows up to `last`."""
    for first in range(0, last + 1, _AT_ONCE):
        yield workspace.query(
            f"select image, text, vector from {rows} where {key} >= {first} and {key} < {first + _AT_ONCE}"
        )


def _each(vectors: pl.Series) -> Iterable[Floats]:
    """Return vectors one by one; in a damaged store they may be of several lengths, or null."""
    if vectors.null_count() == 0 and vectors.list.len().n_unique() == 1:
        return matrix(vectors)
    return (np.array(vector if vector is not None else [], np.float32) for vector in vectors.to_list())


def _content(frames: Iterator[pl.DataFrame]) -> dict[str, str | int]:
    """Hash vectors, each by itself, then all in order of image and text, so that the order of rows does not matter.

    -0 counts as 0, as in the engine: the sign of a zero does not make vectors different.
    """
    hashed = []
    for frame in frames:
        digests = [hashlib.sha256((row + np.float32(0)).astype("<f4").data).digest() for row in _each(frame["vector"])]
        # copied: a column of what the engine gave holds on to all of it
        copied = {name: pl.Series(frame[name].to_list(), dtype=pl.String) for name in ("image", "text")}
        hashed.append(pl.DataFrame({**copied, "digest": pl.Series(digests, dtype=pl.Binary)}))
    every = pl.concat(hashed).sort("image", "text", nulls_last=True)
    name = pl.coalesce("image", "text")
    kind = pl.when(pl.col("image").is_null()).then(pl.lit("t")).otherwise(pl.lit("i"))
    names = every.select(pl.format("{}{}:{}", kind, name.str.len_bytes(), name)).to_series()
    whole = hashlib.sha256(b"vectors" + names.str.join("").item().encode() + b"".join(every["digest"]))
    images = every["image"].count()
    return {"version": whole.hexdigest(), "images": images, "captions": every.height - images}
