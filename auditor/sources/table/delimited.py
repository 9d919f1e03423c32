"""Delimited tables such as CSV and TSV, as records with their first lines."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
import tokenize
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.sources.reading import files
from auditor.sources.reading.batches import batches
from auditor.sources.reading.delimited import Lines, records, records_of
from auditor.sources.reading.files import open_bytes
from auditor.sources.reading.lines import first_line
from auditor.sources.table import content
from auditor.sources.table.columns import Columns, Wishes, choose, named_by, recognized
from auditor.sources.table.json import listed, text_of
from auditor.sources.table.layout import frame

_DELIMITERS = ",\t;|"

#: The same, with the rarest in captions first.
_SURE_FIRST = "\t,;|"

_LISTS = ("caption", "identifier")

_PYTHONS_LIST = re.compile(r"""\s*\[\s*(['"]).*['"]\s*,?\s*\]\s*""", re.DOTALL)

#: Two strings of a list without a comma, as NumPy writes them: Python would join them.
_JOINED = re.compile(r"""['"]\s+['"]""")

_DATA = re.compile(r"(?i)\.(jpe?g|png|gif|webp)\b|^https?://|^-?\d+(\.\d+)?$|\S+(\s+\S+){4}")

_LONGEST_NAME, _PAIR = 200, 2

_SHOWN = 40


def delimiter_of(header: str, wanted: Wishes | None = None) -> str:
    """Return the delimiter that splits a header into known columns, else into the most columns."""
    given = tuple(name for names in wanted.columns.values() for name in names) if wanted else ()

    def merit(delimiter: str) -> tuple[bool, bool, int]:
        columns = names(header, delimiter)
        return all(set(named_by(name, columns)) <= {*columns} for name in given), recognized(columns), len(columns)

    return max(_DELIMITERS, key=merit)


def names(header: str, delimiter: str) -> list[str]:
    """Split a header into the names of its columns."""
    try:
        row = next(csv.reader([header], delimiter=delimiter, skipinitialspace=True), [])
    except csv.Error:
        return []
    return [name.strip() for name in row]


def looks_like_data(name: str) -> bool:
    """Return whether a column name looks like a file, a URL, a number or a sentence."""
    return _DATA.search(name[:_LONGEST_NAME]) is not None


def is_numbered(names: list[str]) -> bool:
    """Return whether names are the numbers that pandas gives to columns without names, perhaps after its index."""
    named = names[not names[0] :]
    return named == [str(number) for number in range(len(named))]


def frames(path: Path, wanted: Wishes) -> Iterator[tuple[pl.DataFrame, Columns]]:
    """Yield the rows of the file and the chosen columns; empty lines are skipped.

    A record with broken quotes, or with more or fewer fields than the header, has a reason; reading continues with the
    next line. If spaces precede the names in the header, spaces before the values are ignored too. A table without a
    header has the columns `column 1`, `column 2`, …, or those that the options name. Raises `SourceError` for a file
    without a required column.
    """
    layout = _layout(path, wanted)
    if layout is None:
        return
    with open_bytes(path) as file:
        lines = Lines(file, path)
        rows = records_of(lines, layout.delimiter, padded=layout.padded)
        if layout.has_header:
            next(rows, None)
        table = _Table(layout.names, layout.columns, layout.padded, layout.delimiter)
        while True:
            plain = lines.plain_block(layout.delimiter, len(layout.names)) if table.is_plain else None
            if plain is not None:
                yield table.frame(*plain), layout.columns
                continue
            some = False
            for batch in batches((table.row(*record) for record in _one_by_one(rows, lines, table)), measured=1):
                some = True
                yield frame("line", batch, [(thing, thing in table.lists) for thing in layout.columns]), layout.columns
            if not some:
                return


def _one_by_one(rows: Iterator[tuple[Any, ...]], lines: Lines, table: _Table) -> Iterator[tuple[Any, ...]]:
    """Yield records until those that cannot be read as a block have been read."""
    for record in rows:
        yield record
        if table.is_plain and lines.is_between_blocks:
            return


def is_headerless(head: bytes) -> bool:
    """Return whether the first bytes of a file are those of a table without a header, by the values of its columns."""
    return _without_header(head.rpartition(b"\n")[0] or head, Path(), None) is not None


class _Layout(NamedTuple):
    """How the records of a file are split into columns, and the column of each thing."""

    delimiter: str
    padded: bool
    names: list[str]
    columns: Columns
    has_header: bool = True


def _layout(path: Path, wanted: Wishes) -> _Layout | None:
    header = first_line(path)
    if header is None:
        return None
    if wanted.names:
        return _named(path, header, wanted)
    delimiter = wanted.delimiter or delimiter_of(header, wanted)
    padded = delimiter != " " and all(name[:1] == " " for name in header.split(delimiter)[1:])
    with open_bytes(path) as file:
        rows = records(file, path, delimiter, padded=padded)
        line, _, reason, *fields = next(rows, (1, "", "the line is empty"))
    if reason is not None:
        raise SourceError(f"{path}:{line}: the header row cannot be read: {reason}")
    header_names = [name.strip() for name in fields]
    data = next((name for name in header_names if looks_like_data(name) and not is_numbered(header_names)), None)
    if data is None and any(map(str.isdecimal, header.replace("_", ""))):
        values = _values(path, delimiter, header_names, padded)
        data = next((name for name in header_names if content.is_value(name, values[name])), None)
    is_asked = wanted.columns["image"] or wanted.columns["caption"]
    if data is not None and not is_asked and not recognized(header_names):
        found = _without_header(files.head(path), path, wanted.delimiter)
        if found is not None:
            return found
    try:
        columns = choose(
            f"{path}:{line}", header_names, wanted, lambda *_: 2, lambda: _values(path, delimiter, header_names, padded)
        )
    except SourceError as error:
        if data is None:
            raise
        raise SourceError(
            f'{path}:{line}: no header row: "{data[:_SHOWN]}" looks like data; name the columns, one name for each: '
            "--columns image,caption"
        ) from error
    return _Layout(delimiter, padded, header_names, columns)


def _named(path: Path, first: str, wanted: Wishes) -> _Layout:
    """Return the layout of a table without a header whose columns the user names."""
    width = len(wanted.names)
    tried = [wanted.delimiter] if wanted.delimiter else [*_SURE_FIRST]
    head = files.head(path)

    def fitting(delimiter: str) -> int:
        rows = _rows(io.BytesIO(head.rpartition(b"\n")[0] or head), path, delimiter, padded=False)
        return sum(len(row) == width for row in rows)

    delimiter = max(tried, key=fitting)
    if not fitting(delimiter):
        most = max(len(names(first, delimiter)) for delimiter in tried)
        raise SourceError(f"{path}:1: --columns names {width} columns, but the first line has {most}: {first[:_SHOWN]}")
    given = [*wanted.names]
    columns = choose(
        f"{path}:1", given, wanted, lambda *_: 2, lambda: _values(path, delimiter, given, False, has_header=False)
    )
    return _Layout(delimiter, False, given, columns, has_header=False)


def _without_header(head: bytes, path: Path, delimiter: str | None) -> _Layout | None:
    """Return the layout of a table without a header by the values in its first rows; null if they are unclear."""
    for tried in [delimiter] if delimiter else _SURE_FIRST:
        rows = _rows(io.BytesIO(head.rpartition(b"\n")[0] or head), path, tried, padded=False)
        if rows and (found := content.without_header(rows)) is not None:
            image, captions = found
            names = content.numbered(len(rows[0]))
            several = [(f"caption {number}", name) for number, name in enumerate(captions)]
            columns = Columns([("image", image), *(several if len(captions) > 1 else [("caption", captions[0])])])
            columns.unread = tuple(name for name in names if name not in columns.values())
            columns.remarks = ("the first line is not a header: columns were chosen by their values",)
            padded = all(cell[:1] == " " for row in rows for cell in row[1:])
            return _Layout(tried, padded, names, columns, has_header=False)
    return None


def _values(path: Path, delimiter: str, header: list[str], padded: bool, *, has_header: bool = True) -> content.Values:
    """Return the values of the first rows by column."""
    with open_bytes(path) as file:
        rows = _rows(file, path, delimiter, padded=padded)[has_header:]
    return content.columns_of(header, (row for row in rows if len(row) == len(header)))


def _rows(file: BinaryIO, path: Path, delimiter: str, *, padded: bool) -> list[list[str]]:
    """Return the fields of the first records without a fault."""
    every = islice(records(file, path, delimiter, padded=padded), content.ROWS)
    return [fields for _, _, reason, *fields in every if reason is None]


class _Table:
    """The columns of a table, and those that hold lists, by the first valid record."""

    def __init__(self, names: list[str], columns: Columns, padded: bool, delimiter: str) -> None:
        self._delimiter, self._ends_in_text = delimiter, columns.get("caption") == names[-1]
        self._columns, self._padded, self._width = columns, padded, len(names)
        self._places = [names.index(name) for name in columns.values()]
        self.lists: set[str] = set()
        self._undecided = True

    @property
    def is_plain(self) -> bool:
        """Return whether cells are values as they are: known from the first valid record."""
        return not (self._undecided or self.lists or self._padded)

    def frame(self, first: int, fields: pl.DataFrame, raw: pl.Series) -> pl.DataFrame:
        """Return plain records from a line on, as `row` and `layout.frame` would."""
        numbers = pl.int_range(first, first + len(raw), dtype=pl.UInt32, eager=True)
        cells = {thing: fields.to_series(place) for thing, place in zip(self._columns, self._places, strict=True)}
        nothing = pl.lit(None, pl.String).alias("reason")
        return pl.DataFrame({"line": numbers, "raw": raw}).select(
            "line", "raw", nothing, *(values.alias(thing) for thing, values in cells.items()), unit=pl.lit("line")
        )

    def row(self, line: int, raw: str, reason: str | None, *fields: str) -> tuple[Any, ...]:
        """Return a record as line, text, reason and the values of its columns."""
        if reason is None and len(fields) > self._width == _PAIR and self._ends_in_text and '"' not in raw:
            rest = raw.rstrip("\r\n").split(self._delimiter, self._width - 1)  # a caption that should be in quotes
            fields = tuple(rest) if not any(" " in cell.strip() for cell in rest[:-1]) else fields
        if reason is None and len(fields) != self._width:
            reason = f"{len(fields)} fields; the header has {self._width}"
        if reason is not None:
            return (line, raw, reason)
        if self._padded:
            fields = (*(field.rstrip(" ") for field in fields[:-1]), fields[-1])
        cells = [fields[position] for position in self._places]
        if self._undecided:
            self._decide(dict(zip(self._columns, cells, strict=True)))
        try:
            return (line, raw, None, *(self._unpacked(cells) if self.lists else cells))
        except ValueError as error:
            return (line, raw, str(error))

    def _unpacked(self, cells: list[str]) -> list[Any]:
        return [
            _unpacked(cell, thing, name) if thing in self.lists else cell
            for cell, (thing, name) in zip(cells, self._columns.items(), strict=True)
        ]

    def _decide(self, cells: dict[str, str]) -> None:
        self._undecided = False
        self.lists = {thing for thing in _LISTS if cells.get(thing, "").startswith("[") and _is_list(cells[thing])}
        if "caption" not in self.lists and _PYTHONS_LIST.fullmatch(cells.get("caption", "")):
            self.lists.add("caption")
            self._columns.remarks += (f"{self._columns['caption']} holds Python lists: each item is a caption",)


def _unpacked(cell: str, thing: str, name: str) -> str | list[str | None] | None:
    """Read the list in a cell, of JSON or of Python. Raises `ValueError` if it is neither."""
    if not _PYTHONS_LIST.fullmatch(cell) or _is_list(cell):
        return listed(cell, thing, name)
    try:
        if _JOINED.search(cell):
            tokens = [*tokenize.generate_tokens(io.StringIO(cell.strip()).readline)]
            held = [ast.literal_eval(token.string) for token in tokens if token.type == tokenize.STRING]
        else:
            held = ast.literal_eval(cell.strip())
    except (ValueError, SyntaxError, tokenize.TokenError, MemoryError, RecursionError) as error:
        raise ValueError(f"{name} is not a list of Python") from error
    return text_of(thing, held, name, {thing: True})


def _is_list(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), list)
    except (ValueError, RecursionError):
        return False
