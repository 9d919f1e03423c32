"""Format `bundle`: a version that `auditor export` wrote, a folder of Parquet files with a manifest of hashes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import polars as pl

from auditor.errors import SourceError
from auditor.model import CAPTION_SCHEMA, Batches, Kind, Part
from auditor.sources.format import Description, Format
from auditor.sources.guards import check_expansion, parquet
from auditor.sources.reading import files

KEYS = ("image", "slot")

CAPTION_COLUMNS = (*KEYS, "split", "text")

ANNOTATION_COLUMNS = (*KEYS, "phrases", "judgements", "pair", "triplet", "occurrences")

#: Captions in a row group, and in a batch.
ROWS_AT_ONCE = 50_000

_MARK = re.compile(rb'"format"\s*:\s*"auditor\.bundle/')


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a folder with a manifest in it, or the manifest itself."""
    if path.is_dir():
        inside = path / MANIFEST
        return files.is_there(inside) and _MARK.search(files.head(inside)) is not None
    return _MARK.search(head) is not None


def read(part: Part) -> Batches:
    """Yield the captions of a bundle with their annotations, by image and slot.

    Raises `SourceError`, before anything is yielded, for a file that is missing, does not match its hash, or is not
    part of the bundle.
    """
    for path in files.expand(part):
        manifest = open_manifest(path)
        verify(manifest)
        yield from _captions(manifest)


def verify(manifest: Manifest) -> None:
    """Check that a bundle's folder holds exactly the files of its manifest, each with the same content."""
    try:
        there = {file.name for file in manifest.folder.iterdir()}
    except OSError as error:
        raise SourceError(f"{manifest.folder}: {error.strerror or error}") from error
    for name in sorted({MANIFEST, *manifest.files} - there):
        raise SourceError(f"{manifest.folder / name}: missing from the bundle; download the bundle again")
    for name in sorted(there - {MANIFEST, *manifest.files}):
        raise SourceError(
            f"{manifest.folder / name}: not part of the bundle: the manifest does not list it; remove the file"
        )
    for name, (sha256, rows) in manifest.files.items():
        path = manifest.folder / name
        if not path.is_file() or files.sha256([path]) != sha256:
            raise SourceError(f"{path}: damaged: its hash differs from {MANIFEST}; download the bundle again")
        with _reading(path):
            held = parquet.check(path, {*CAPTION_COLUMNS, *ANNOTATION_COLUMNS})
        if held != rows:
            raise SourceError(f"{path}: has {held:,} rows, but {MANIFEST} lists {rows:,}; download the bundle again")


def _captions(manifest: Manifest) -> Iterator[pl.DataFrame]:
    path = manifest.folder / CAPTIONS
    annotations = _annotations(manifest)
    known = expanded = read_rows = 0
    while True:
        with _reading(path):
            batch = _typed(path, CAPTION_COLUMNS).slice(read_rows, ROWS_AT_ONCE).collect()
        if batch.is_empty():
            break
        if sum(batch.select("image", "slot", "text").null_count().row(0)):
            raise SourceError(f"{path}: a caption without image, slot or text; export the bundle again")
        expanded += batch.select(pl.sum_horizontal(pl.col("image", "text").str.len_bytes())).sum().item()
        check_expansion(path, expanded, path.stat().st_size)
        known += batch.join(annotations, on=KEYS, how="semi").height
        yield (
            batch.with_row_index("line", offset=read_rows + 1)
            .with_columns(source=pl.lit(path.name), unit=pl.lit("row"))
            .join(annotations, on=KEYS, how="left", maintain_order="left")
        )
        read_rows += batch.height
    if known < annotations.height:
        raise SourceError(
            f"{manifest.folder / ANNOTATIONS}: {annotations.height - known:,} rows do not belong to a caption; "
            "export the bundle again"
        )


def _annotations(manifest: Manifest) -> pl.DataFrame:
    path = manifest.folder / ANNOTATIONS
    if ANNOTATIONS not in manifest.files:
        return pl.DataFrame(schema={name: CAPTION_SCHEMA[name] for name in ANNOTATION_COLUMNS})
    with _reading(path):
        annotations = _typed(path, ANNOTATION_COLUMNS).collect()
    if annotations.select(KEYS).is_duplicated().any():
        raise SourceError(f"{path}: two rows describe the same caption; export the bundle again")
    return annotations


def _typed(path: Path, columns: tuple[str, ...]) -> pl.LazyFrame:
    """Scan a file. Raises `SourceError` if it has other columns."""
    frame = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    expected = pl.Schema({name: CAPTION_SCHEMA[name] for name in columns})
    if frame.collect_schema() != expected:
        raise SourceError(f"{path}: wrong columns or types; expected {', '.join(columns)}")
    return frame


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        first = str(error).partition("\n")[0]
        raise SourceError(f"{path}: cannot be read as a Parquet file ({first}); download the bundle again") from error


EDITION = "auditor.bundle/1"

MANIFEST = "manifest.json"

CAPTIONS = "captions.parquet"

ANNOTATIONS = "annotation.parquet"

_LARGEST = 1 << 20

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, kw_only=True)
class Manifest(Description):
    """The description of a bundle. `files` has the sha256 and the number of rows of each file in `folder`."""

    folder: Path
    dataset: str
    version: str
    images: int
    captions: int
    note: str | None
    files: Mapping[str, tuple[str, int]]

    @property
    def path(self) -> Path:
        """The path of the manifest."""
        return self.folder / MANIFEST


def open_manifest(path: Path) -> Manifest:
    """Read the manifest of a bundle, named by its folder or by the manifest itself.

    Raises `SourceError` for another format, and for a value that is missing, wrong or leads out of the folder.
    """
    folder = path if path.is_dir() else path.parent
    file = folder / MANIFEST if path.is_dir() else path
    document = _document(file)

    def check(holds: bool, message: str) -> None:
        if not holds:
            raise SourceError(f"{file}: {message}; download or export the bundle again")

    check(isinstance(document, dict), "expected an object")
    named = document.get("format")
    check(named == EDITION, f'unknown format {named!r}: this version reads "{EDITION}"')
    for key in ("dataset", "language"):
        check(isinstance(document.get(key), str), f"{key} must be a string")
    check(document.get("kind") in get_args(Kind), f"kind must be one of {', '.join(get_args(Kind))}")
    related = document.get("related")
    check(isinstance(related, list) and all(isinstance(name, str) for name in related), "related must be a list")
    check(_is_sha256(document.get("version")), "version must be 64 hex digits")
    for key in ("images", "captions"):
        check(_is_count(document.get(key)), f"{key} must be a whole number")
    check(isinstance(document.get("note"), str | None), "note must be a string or null")
    listed = _files(check, document.get("files"))
    check(listed[CAPTIONS][1] == document["captions"], f"captions must equal the number of rows of {CAPTIONS}")
    return Manifest(
        folder=folder,
        files=listed,
        related=tuple(document["related"]),
        **{key: document.get(key) for key in ("dataset", "kind", "language", "version", "images", "captions", "note")},
    )


def _document(path: Path) -> Any:
    try:
        there = path.is_file()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error
    if not there:
        raise SourceError(f"{path}: no such file; name a folder that `auditor export` wrote")
    head = files.head(path, _LARGEST + 1)
    if len(head) > _LARGEST:
        raise SourceError(f"{path}: larger than {_LARGEST:,} bytes: not the manifest of a bundle")
    try:
        return json.loads(head.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON: {error}; download or export the bundle again") from error


def _files(check: Callable[[bool, str], None], listed: Any) -> dict[str, tuple[str, int]]:
    check(isinstance(listed, dict) and CAPTIONS in listed, f"files must name {CAPTIONS}")
    for name, facts in listed.items():
        inside = "/" not in name and "\\" not in name and name not in ("", ".", "..")
        check(inside, f"files: {name!r} leads out of the folder")
        check(name in (CAPTIONS, ANNOTATIONS), f"files: {name!r} is not a file of a bundle")
        known = isinstance(facts, dict) and _is_sha256(facts.get("sha256")) and _is_count(facts.get("rows"))
        check(known, f"files: {name} must have sha256 and rows")
    return {name: (listed[name]["sha256"], listed[name]["rows"]) for name in sorted(listed)}


def _is_sha256(value: Any) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


FORMAT = Format("bundle", recognizes, read, manifest=open_manifest, media_type="application/x-parquet", folders=True)
