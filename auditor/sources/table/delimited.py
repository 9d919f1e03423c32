"""Delimited tables such as CSV and TSV, as records with their first lines."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from auditor.errors import SourceError
from auditor.sources.reading import lines
from auditor.sources.reading.batches import batches
from auditor.sources.reading.delimited import records
from auditor.sources.reading.files import open_bytes
from auditor.sources.table.columns import Wishes, choose, named_by, recognized
from auditor.sources.table.json import listed
from auditor.sources.table.layout import frame

_DELIMITERS = ",\t;|"

_LISTS = ("caption", "identifier")

_PYTHONS_LIST = re.compile(r"""\[(['"]).*\1\s*\]\s*""", re.DOTALL)

_DATA = re.compile(r"(?i)\.(jpe?g|png|gif|webp)\b|^https?://|^-?\d+(\.\d+)?$|\S+(\s+\S+){4}")

_LONGEST_NAME = 200

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


def frames(path: Path, wanted: Wishes) -> Iterator[tuple[pl.DataFrame, dict[str, str]]]:
    """Yield the rows of the file and the chosen columns; empty lines are skipped.

    A record with broken quotes, or with more or fewer fields than the header, has a reason; reading continues with the
    next line. If spaces precede the names in the header, spaces before the values are ignored too. Raises `SourceError`
    for a file without a header or without a required column.
    """
    header = lines.first_line(path)
    if header is None:
        return
    delimiter = wanted.delimiter or delimiter_of(header, wanted)
    padded = delimiter != " " and all(name[:1] == " " for name in header.split(delimiter)[1:])
    with open_bytes(path) as file:
        rows = records(file, path, delimiter, padded=padded)
        line, _, reason, *header_names = next(rows, (1, "", "the line is empty"))
        if reason is not None:
            raise SourceError(f"{path}:{line}: the header row cannot be read: {reason}")
        header_names = [name.strip() for name in header_names]
        columns = _columns(f"{path}:{line}", header_names, wanted)
        table = _Table(path, header_names, columns, padded)
        for batch in batches((table.row(*record) for record in rows), measured=1):
            yield frame("line", batch, [(thing, thing in table.lists) for thing in columns]), columns


def _columns(where: str, header_names: list[str], wanted: Wishes) -> dict[str, str]:
    try:
        return choose(where, header_names, wanted, lambda *_: 2)
    except SourceError as error:
        data = next((name for name in header_names if looks_like_data(name)), None)
        if data is None:
            raise
        raise SourceError(
            f'{where}: no header row: "{data[:_SHOWN]}" looks like data; add a first line with column names'
        ) from error


class _Table:
    """The columns of a table, and those that hold lists, by the first valid record."""

    def __init__(self, path: Path, names: list[str], columns: dict[str, str], padded: bool) -> None:
        self._path, self._columns, self._padded, self._width = path, columns, padded, len(names)
        self._places = [names.index(name) for name in columns.values()]
        self.lists: set[str] = set()
        self._undecided = True

    def row(self, line: int, raw: str, reason: str | None, *fields: str) -> tuple[Any, ...]:
        """Return a record as line, text, reason and the values of its columns."""
        if reason is None and len(fields) != self._width:
            reason = f"{len(fields)} fields; the header has {self._width}"
        if reason is not None:
            return (line, raw, reason)
        if self._padded:
            fields = (*(field.rstrip(" ") for field in fields[:-1]), fields[-1])
        cells = [fields[position] for position in self._places]
        if self._undecided:
            self._decide(line, dict(zip(self._columns, cells, strict=True)))
        try:
            return (line, raw, None, *(self._unpacked(cells) if self.lists else cells))
        except ValueError as error:
            return (line, raw, str(error))

    def _unpacked(self, cells: list[str]) -> list[Any]:
        return [
            listed(cell, thing, name) if thing in self.lists else cell
            for cell, (thing, name) in zip(cells, self._columns.items(), strict=True)
        ]

    def _decide(self, line: int, cells: dict[str, str]) -> None:
        self._undecided = False
        self.lists = {thing for thing in _LISTS if cells.get(thing, "").startswith("[") and _is_list(cells[thing])}
        if "caption" not in self.lists and _PYTHONS_LIST.fullmatch(cells.get("caption", "")):
            raise SourceError(
                f'{self._path}:{line}: column "{self._columns["caption"]}" holds Python lists; '
                "write them as JSON, or save the table as JSONL or Parquet"
            )


def _is_list(cell: str) -> bool:
    try:
        return isinstance(json.loads(cell), list)
    except (ValueError, RecursionError):
        return False
