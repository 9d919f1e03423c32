"""Format `table`: rows with a column for the image and one or several columns for captions.

CSV, TSV and other delimited text, JSONL or a JSON list of records (all plain, gzipped or zstandard), Parquet, Arrow
files and streams, and folders saved by Hugging Face `datasets` or downloaded from its hub. Columns that no option sets
are guessed by their names. Rows of another language than `lang` do not belong to the dataset: they are left out, and
not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from json import loads
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.model import CAPTION_SCHEMA, Batches, Part
from auditor.sources.format import Format, Reading
from auditor.sources.reading import files
from auditor.sources.reading.files import is_there, whole
from auditor.sources.table import columnar, delimited, json
from auditor.sources.table.columnar import ARROW, PARQUET, STREAM
from auditor.sources.table.columns import Columns, Wishes, has_caption, kind_of, recognized, wishes
from auditor.sources.table.content import numbered
from auditor.sources.table.layout import captions
from auditor.sources.table.nested import outline

_COLUMNAR = (PARQUET, ARROW, STREAM)

_BOM = b"\xef\xbb\xbf"

_MOST_SHOWN = 10

_LONG_NUMBER = 20

_LARGEST = 1 << 24

STATE, SPLITS = "state.json", "dataset_dict.json"

DATA = "data"


def recognizes(path: Path, head: bytes) -> bool:
    """Recognize a saved folder by its state, Parquet and Arrow by their first bytes, text by its column names."""
    if path.is_dir():
        return (path / STATE).is_file() or (path / SPLITS).is_file() or bool(of_hub(path))
    if head.startswith((PARQUET, ARROW)) or (head.startswith(STREAM) and head[7:8] == b"\0"):
        return True
    text = head.removeprefix(_BOM).lstrip().decode(errors="replace")
    ending = next((suffix for suffix in reversed(path.suffixes) if suffix not in (".gz", ".zst")), "")
    if text[:1] in ("{", "["):
        keys = json.table_keys(text)
        is_line = bool(keys) and ending in (".jsonl", ".ndjson")
        is_row = has_caption(keys) or keys[:1] == numbered(1)
        return recognized(keys) or is_line or is_row or outline(path) is not None
    header = text.partition("\n")[0].rstrip("\r")
    names = delimited.names(header, delimited.delimiter_of(header))
    is_header = (len(names) > 1 and not any(map(delimited.looks_like_data, names))) or has_caption(names)
    is_header = is_header or (len(names) > 1 and delimited.is_numbered(names))
    if recognized(names) or (is_header and ending in (".csv", ".tsv")):
        return True
    return delimited.is_headerless(head.removeprefix(_BOM))


def read(part: Part) -> Batches:
    """Yield the captions of a table; `line` is the line where a record begins, or the number of a row.

    The position in a list of captions, or among several columns, is the slot; else the annotator or a numeric
    identifier orders the captions of an image. Raises `SourceError` for a file without a required column, or without a
    row in the requested language.
    """
    wanted = wishes(part.options)
    order: dict[str, int] | None = None
    kept, others, several = False, set[str](), len(files.expand(part)) > 1
    for piece, frame, columns in _rows(part, wanted):
        if "annotator" in columns and order is None:
            order = _order(part, wanted)
        own = frame
        if "image" not in columns:
            number = pl.format("{}:{}", pl.lit(piece.source), "line") if several else pl.col("line").cast(pl.String)
            own = frame.with_columns(image=number)
        if wanted.language is not None and "language" in frame.columns:
            own = frame.filter((pl.col("language") == wanted.language) | pl.col("reason").is_not_null())
            if own.height < frame.height:
                yield _left_out(piece, frame, wanted.language)
            others |= {*frame["language"].drop_nulls().unique(maintain_order=True).head(_MOST_SHOWN)} - {""}
            kept = kept or own["language"].is_not_null().any()
        accepted = captions(str(piece.path), own, columns, wanted, order or {}).with_columns(
            source=pl.lit(piece.source)
        )
        if "none" in part.options:
            accepted = accepted.with_columns(pl.col("text").fill_null(str(part.options["none"])))
        if piece.split is not None and "split" not in columns:
            accepted = accepted.with_columns(split=pl.lit(piece.split))
        yield accepted.select(name for name in CAPTION_SCHEMA if name in accepted.columns)
    if others and not kept:
        raise SourceError(
            f'{part.paths[0]}: no row has the language "{wanted.language}"; the languages are '
            + ", ".join(sorted(others)[:_MOST_SHOWN])
        )


def reading(part: Part) -> Reading:
    """Return the columns of the first rows by what they hold, and those that are not read."""
    wanted = wishes(part.options)
    for _, frame, columns in _rows(part, wanted):
        captions = _captions_in(columns)
        slot = "the order of the rows"
        if len(captions) > 1:
            slot = f"the order of the columns (0 to {len(captions) - 1})"
        elif isinstance(frame.schema["caption"], pl.List) and "start" not in columns:
            slot = "the position in the list"
        else:
            by = next((columns[thing] for thing in ("slot", "annotator", "identifier") if thing in columns), None)
            slot = slot if by is None else by if "slot" in columns else f"the order of {by}"
        image = columns.get("image", "the number of the row")
        image += f"@{columns['start']}" if "start" in columns else ""
        places = {"image": image, "caption": ", ".join(captions), "slot": slot}
        places |= {"split": columns["split"]} if "split" in columns else {}
        return Reading(places, columns.unread, columns.remarks)
    return Reading()


def names_of(path: Path) -> list[str]:
    """List the columns of a file, or of the first file of a folder; for JSON, the keys of its first record."""
    if path.is_dir():
        return next((names_of(piece.path) for piece in pieces(path)), [])
    head = files.head(path)
    magic = next((magic for magic in _COLUMNAR if head.startswith(magic)), None)
    if magic is not None:
        return columnar.schema(path, magic).names()
    text = head.removeprefix(_BOM).lstrip().decode(errors="replace")
    if text[:1] in ("{", "["):
        return json.table_keys(text)
    header = text.partition("\n")[0].rstrip("\r")
    return delimited.names(header, delimited.delimiter_of(header))


def _left_out(piece: Piece, frame: pl.DataFrame, language: str) -> pl.DataFrame:
    """Return the rows of other languages, or without one, as left out."""
    is_other = (pl.col("language") != language) | pl.col("language").is_null()
    return frame.filter(is_other & pl.col("reason").is_null()).select(
        "line",
        source=pl.lit(piece.source),
        unit=pl.lit("row"),
        left_out=pl.format('language "{}"', pl.col("language").fill_null("")),
    )


def _rows(part: Part, wanted: Wishes) -> Iterator[tuple[Piece, pl.DataFrame, Columns]]:
    first: tuple[Piece, Columns] | None = None  # the later ones have its columns, and are not read by what they hold
    for path in files.expand(part):
        for piece in pieces(path) if path.is_dir() else (Piece(path, path.name),):
            for frame, columns in _frames(piece.path, wanted):
                first = first or (piece, columns)
                if columns.remarks and not first[1].remarks and _captions_in(columns) != _captions_in(first[1]):
                    why = f"has no columns like those of {first[0].source}; rename them, or read the file apart"
                    raise SourceError(f"{piece.path}: {why}")
                yield piece, frame, columns


def _captions_in(columns: Columns) -> list[str]:
    return [name for thing, name in columns.items() if kind_of(thing) == "caption"]


def _frames(path: Path, wanted: Wishes) -> Iterator[tuple[pl.DataFrame, Columns]]:
    head = files.head(path)
    magic = next((magic for magic in _COLUMNAR if head.startswith(magic)), None)
    if magic is not None:
        with path.open("rb") as file:
            if not file.read(len(magic)).startswith(magic):
                raise SourceError(f"{path}: a compressed Parquet or Arrow file; decompress it first")
        return columnar.frames(path, magic, wanted)
    start = head.removeprefix(_BOM).lstrip()
    if start[:1] in (b"{", b"["):
        return json.frames(path, start.decode(errors="replace"), wanted)
    return delimited.frames(path, wanted)


def _order(part: Part, wanted: Wishes) -> dict[str, int]:
    """Return the ranks of the annotators of the whole part: numbers by value, then names by letters."""
    names: set[str] = set()
    for _, frame, columns in _rows(part, wanted):
        if "annotator" in columns:
            names.update(frame["annotator"].drop_nulls().unique())
    return {name: rank for rank, name in enumerate(sorted(names, key=_by_value))}


def _by_value(name: str) -> tuple[bool, int, str]:
    is_number = name.isdecimal() and len(name) < _LONG_NUMBER
    return (not is_number, int(name) if is_number else 0, name)


FORMAT = Format(
    "table", recognizes, read, folders=True, split_by_name=True, lines=(".csv", ".tsv"), reading=reading,
    names_of=names_of, why_left_out="empty cells in rows that have another caption",
)  # fmt: skip


class Piece(NamedTuple):
    """A file of a table: its path, its name in errors and rows, and the split of its folder."""

    path: Path
    source: str
    split: str | None = None


def pieces(folder: Path) -> Iterator[Piece]:
    """Yield the files of a saved folder in their order.

    In a folder of the hub, only columns name splits. Raises `SourceError` for another folder, and for one whose rows
    are selected by a separate index.
    """
    if files := of_hub(folder):
        yield from (Piece(file, f"{DATA}/{file.name}") for file in files)
        return
    if not (folder / SPLITS).is_file():
        yield from _of_split(folder, "", None)
        return
    splits = _json(folder / SPLITS).get("splits")
    if not isinstance(splits, list) or not splits:
        raise SourceError(f'{folder / SPLITS}: expected {{"splits": ["train", …]}}')
    for split in splits:
        yield from _of_split(folder / _name(folder / SPLITS, split), f"{split}/", split)


def of_hub(folder: Path) -> list[Path]:
    """Return the sorted Parquet files of a folder of Hugging Face's hub: those in `data`, next to a README."""
    if not (folder / "README.md").is_file():
        return []
    return sorted(file for file in (folder / DATA).glob("*.parquet") if file.is_file())


def _of_split(folder: Path, prefix: str, split: str | None) -> Iterator[Piece]:
    state = _json(folder / STATE)
    if state.get("_indices_data_files"):
        raise SourceError(f"{folder}: the dataset uses only some of its rows; save it again after `flatten_indices()`")
    listed = state.get("_data_files")
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise SourceError(f'{folder / STATE}: expected "_data_files", a list of files')
    for entry in listed:
        name = _name(folder / STATE, entry.get("filename"))
        yield Piece(folder / name, f"{prefix}{name}", split)


def _name(where: Path, name: Any) -> str:
    """Return the name of a file. Raises `SourceError` if it leads out of its folder."""
    if not isinstance(name, str) or name in ("", ".", "..") or any(sign in name for sign in "/\\\0"):
        raise SourceError(f"{where}: {name!r} is not the name of a file in this folder")
    return name


def _json(path: Path) -> dict[str, Any]:
    if not is_there(path):
        raise SourceError(
            f"{path}: no such file; a folder must come from `save_to_disk` of Hugging Face datasets, "
            "or have README.md and data/*.parquet"
        )
    try:
        value = loads(whole(path, _LARGEST, "a list of files"))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise SourceError(f"{path}: not a JSON object")
    return value
