"""Arrow files and streams, a few record batches at a time: polars would hold the whole of a stream in memory.

A stream is a row of messages: the schema, dictionaries, record batches. Each is `FFFFFFFF`, the length of its metadata
(a flatbuffer), the metadata and a body, whose length the metadata gives. A file is a stream between two magic words,
with an index behind it. No message reaches polars that claims more rows or bytes than its file can hold.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import polars as pl

from auditor.errors import SourceError
from auditor.sources.columnar_limits import Limits
from auditor.sources.flatbuffer import Table

MARK = b"\xff\xff\xff\xff"
MAGIC = b"ARROW1"

_END = MARK + bytes(4)
_SCHEMA, _DICTIONARY, _RECORDS = 1, 2, 3
_KIND, _HEADER, _BODY_LENGTH = 1, 2, 3  # fields of a message
_INSIDE = 1  # field of a dictionary: its records
_ROWS, _NODES, _BUFFERS, _COMPRESSION = 0, 1, 2, 3  # fields of records
_AS_IT_IS = -1  # said in place of the unpacked size of a buffer
_AT_ONCE = 1 << 23


class _Message(NamedTuple):
    kind: int
    content: bytes


def schema(path: Path) -> pl.Schema:
    """Give the names and types of the columns. Raises `SourceError` for a file that is no stream."""
    first = next(_messages(path), None)
    if first is None or first.kind != _SCHEMA:
        raise SourceError(f"{path}: not an Arrow stream: it does not begin with a schema")
    return pl.read_ipc_stream(io.BytesIO(first.content + _END)).schema


def tables(path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the columns asked for, as many record batches at a time as some megabytes hold.

    Raises `SourceError` for what is cut short or claims to be huge, and what polars raises for what is damaged.
    """
    known = b""  # the schema and the dictionaries, which the record batches after them need
    batches: list[bytes] = []
    size = 0
    for message in _messages(path):
        if batches and (message.kind != _RECORDS or size > _AT_ONCE):
            yield _parse(known, batches, columns)
            batches, size = [], 0
        if message.kind == _RECORDS:
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
        index_at = None
        if file.read(len(MAGIC)) == MAGIC:
            file.seek(-len(MAGIC) - 4, io.SEEK_END)
            index = int.from_bytes(file.read(4), "little")
            if file.read() != MAGIC:
                raise _cut_short(path)
            index_at = limits.size - len(MAGIC) - 4 - index
            file.seek(8)
        else:
            file.seek(0)
        while file.tell() != index_at and (prefix := file.read(8)) != _END:
            size = int.from_bytes(prefix[4:], "little")
            if len(prefix) < 8 or size > limits.size:
                raise _cut_short(path)
            if prefix[:4] != MARK:
                raise _damaged(path)
            metadata = file.read(size)
            try:
                kind, length = Table(metadata).number(_KIND, "<B"), Table(metadata).number(_BODY_LENGTH, "<q")
            except struct.error as error:
                raise (_cut_short if len(metadata) < size else _damaged)(path) from error
            if length < 0:
                raise _damaged(path)
            body = file.read(length) if length <= limits.size else b""
            if len(metadata) < size or len(body) < length:
                raise _cut_short(path)
            try:
                _hold(limits, metadata, body)
            except struct.error as error:
                raise _damaged(path) from error
            yield _Message(kind, prefix + metadata + body)


def _hold(limits: Limits, metadata: bytes, body: bytes) -> None:
    """Hold what a message claims to hold against the size of its file."""
    message = Table(metadata)
    kind, header = message.number(_KIND, "<B"), message.table(_HEADER)
    records = header.table(_INSIDE) if header is not None and kind == _DICTIONARY else header
    if records is None or kind not in (_DICTIONARY, _RECORDS):
        return
    for rows in (records.number(_ROWS, "<q"), *(length for length, _ in records.pairs(_NODES))):
        limits.hold_rows(rows)
    if records.table(_COMPRESSION) is not None:
        for start, length in records.pairs(_BUFFERS):
            if length:
                unpacked = int(struct.unpack_from("<q", body, start)[0])
                limits.hold_bytes(length if unpacked == _AS_IT_IS else unpacked)


def _cut_short(path: Path) -> SourceError:
    return SourceError(f"{path}: an Arrow file that is cut short; fetch it again")


def _damaged(path: Path) -> SourceError:
    return SourceError(f"{path}: a damaged Arrow file; fetch it again")
