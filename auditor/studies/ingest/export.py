"""How does a version reach another store? Writes bundles, and says what a bundle tells of itself."""

from __future__ import annotations

import datetime
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version as installed
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Selection
from auditor.result import Result, Table
from auditor.sources import bundle
from auditor.sources.bundle import ANNOTATIONS, CAPTIONS, FORMAT, MANIFEST
from auditor.sources.reading.files import sha256
from auditor.store import bundles, versions
from auditor.store.connection import Store

Folder = Annotated[Path, p.Parameter("Folder to make.", "output", "o")]

Force = Annotated[bool, p.Parameter("Replace a bundle that is there.")]


def export(
    store: Store,
    ref: p.Ref,
    folder: Folder,
    *,
    force: Force = False,
) -> Result:
    """Write a version as a bundle: Parquet files, hashed by a manifest.

    Equal content gives equal bytes. With `force`, a bundle that is there gives way.

    How to read it: one row a file of the bundle, with its rows and its sha256. The manifest in the folder names the
    version, which `auditor ingest` checks when it reads the bundle elsewhere.

    Limits: captions and what is beside them (ratings, votes, phrases); no scores, which are counted again from
    these.

    Raises `UsageError` for a folder that exists, or cannot be written.

    Example: auditor export flickr8k@camera-ready -o bundle, then auditor ingest flickr8k --from bundle elsewhere
    """
    selection = versions.resolve(store, ref)
    contents = bundles.read_out(store, selection)
    frames = {CAPTIONS: contents.captions}
    if contents.annotations.height:
        frames[ANNOTATIONS] = contents.annotations
    try:
        _check_free(folder, force)
        with _replacing(folder) as draft:
            for name, frame in frames.items():
                frame.rechunk().write_parquet(draft / name, compression="zstd", row_group_size=bundle.ROWS_AT_ONCE)
            rows = pl.DataFrame([_row(selection, draft / name, frame.height) for name, frame in frames.items()])
            manifest = _manifest(selection, contents, rows)
            (draft / MANIFEST).write_text(manifest, encoding="utf-8", newline="\n")
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written: {error.strerror or error}") from error
    shown = rows.drop("version", "split").with_columns(pl.col("sha256").str.head(12))
    notes = (
        f"version {contents.version[:12]} with {contents.images:,} images and {contents.captions.height:,} captions; "
        f"`auditor ingest {selection.version.dataset} --from {folder}` reads it into another store",
    )
    return Result("export", rows, (selection,), tables=(Table(f"{ref} → {folder}", shown, name="bundle"),), notes=notes)


def _row(selection: Selection, path: Path, rows: int) -> dict[str, object]:
    return {
        "dataset": selection.version.dataset,
        "version": selection.version.version,
        "split": selection.split,
        "file": path.name,
        "rows": rows,
        "bytes": path.stat().st_size,
        "sha256": sha256([path]),
    }


def _manifest(selection: Selection, contents: bundles.Contents, rows: pl.DataFrame) -> str:
    """Say what a bundle holds. No clock but the version's own, in UTC: the same export again gives the same bytes."""
    version = selection.version
    document = {
        "format": FORMAT,
        "auditor": installed("auditor"),
        "dataset": version.dataset,
        "kind": version.kind,
        "language": contents.language,
        "related": list(contents.related),
        "split": selection.split,
        "version": contents.version,
        "images": contents.images,
        "captions": contents.captions.height,
        "note": version.note,
        "created_at": version.created_at.astimezone(datetime.UTC).isoformat(),
        "source_sha256": version.source_sha256,
        "files": {file: {"rows": count, "sha256": sha256} for file, count, sha256 in _hashed(rows)},
    }
    return json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"


def _hashed(rows: pl.DataFrame) -> Iterator[tuple[str, int, str]]:
    return rows.select("file", "rows", "sha256").iter_rows()


def _check_free(folder: Path, force: bool) -> None:
    """Raise `UsageError` where something is in the way that must not be replaced."""
    if not folder.exists() and not folder.is_symlink():
        return
    if not force:
        raise UsageError(f"{folder}: is there already; name another folder, or replace a bundle with --force")
    known = {MANIFEST, CAPTIONS, ANNOTATIONS}
    if folder.is_symlink() or not folder.is_dir() or not {found.name for found in folder.iterdir()} <= known:
        raise UsageError(f"{folder}: is no bundle, and so is not replaced; name another folder")


@contextmanager
def _replacing(folder: Path) -> Iterator[Path]:
    """Give a new folder that takes the place of `folder` when it is filled; until then, nothing changes there."""
    folder = folder.absolute()
    draft, former = (folder.with_name(f".{folder.name}.{os.getpid()}.{part}") for part in ("draft", "former"))
    draft.mkdir(parents=True)
    try:
        yield draft
        if folder.exists():
            folder.rename(former)
        draft.rename(folder)
    except BaseException:
        if former.exists() and not folder.exists():
            former.rename(folder)
        raise
    else:
        shutil.rmtree(former, ignore_errors=True)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
