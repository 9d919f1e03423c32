"""The Arrow streaming format, a few record batches at a time: polars would hold the whole stream in memory.

A stream is a row of messages: the schema, dictionaries, record batches. Each is `FFFFFFFF`, the length of its metadata
(a flatbuffer), the metadata and a body, whose length the metadata gives. None reaches polars that declares more
than a file of this size can.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.sources.guards import arrow
from auditor.sources.guards.arrow import BODY_LENGTH, KIND, RECORDS, SCHEMA
from auditor.sources.guards.flatbuffer import FlatTable
from auditor.sources.guards.limits import Limits

MARK = b"\xff\xff\xff\xff"

_END = MARK + bytes(4)

_AT_ONCE = 1 << 23


class _Message(NamedTuple):
    kind: int
    content: bytes


def schema(path: Path) -> pl.Schema:
    """Give the names and types of the columns. Raises `SourceError` for a file that is no stream."""
    first = next(_messages(path), None)
    if first is None or first.kind != SCHEMA:
        raise SourceError(f"{path}: not an Arrow stream: it does not begin with a schema")
    return pl.read_ipc_stream(io.BytesIO(first.content + _END)).schema


def tables(path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the columns asked for, as many record batches at a time as some megabytes hold.

    Raises `SourceError` for a stream that is cut short or expands beyond reason, and what polars raises for one that is
    damaged.
    """
    known = b""  # the schema and the dictionaries, which the record batches after them need
    batches: list[bytes] = []
    size = 0
    for message in _messages(path):
        if batches and (message.kind != RECORDS or size > _AT_ONCE):
            yield _parse(known, batches, columns)
            batches, size = [], 0
        if message.kind == RECORDS:
            batches.append(message.content)
            size += len(message.content)
        else:
            known += message.content
    if batches:
        yield _parse(known, batches, columns)


def _parse(known: bytes, batches: list[bytes], columns: Sequence[str]) -> pl.DataFrame:
    return pl.read_ipc_stream(io.BytesIO(b"".join([known, *batches, _END])), columns=list(columns))


def _messages(path: Path) -> Iterator[_Message]:
    limits = Limits(path)
    with path.open("rb") as file:
        while (prefix := file.read(8)) != _END:
            size = int.from_bytes(prefix[4:], "little")
            if len(prefix) < 8 or size > limits.size:
                raise _cut_short(path)
            if prefix[:4] != MARK:
                raise _damaged(path)
            metadata = file.read(size)
            try:
                message = FlatTable(metadata)
                kind, length = message.number(KIND, "<B"), message.number(BODY_LENGTH, "<q")
            except struct.error as error:
                raise (_cut_short if len(metadata) < size else _damaged)(path) from error
            if length < 0:
                raise _damaged(path)
            body = file.read(length) if length <= limits.size else b""
            if len(metadata) < size or len(body) < length:
                raise _cut_short(path)
            try:
                arrow.check_message(limits, message, io.BytesIO(body), 0)
            except struct.error as error:
                raise _damaged(path) from error
            yield _Message(kind, prefix + metadata + body)


def _cut_short(path: Path) -> SourceError:
    return SourceError(f"{path}: an Arrow stream that is cut short; fetch it again")


def _damaged(path: Path) -> SourceError:
    return SourceError(f"{path}: a damaged Arrow stream; fetch it again")
