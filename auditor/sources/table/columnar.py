"""Tables whose columns have types: Parquet, Arrow files and Arrow streams.

A few record batches of a stream are read at a time, since polars would load all of them. A stream is a series of
messages: the schema, dictionaries, record batches. Each is `FFFFFFFF`, the length of its metadata (a flatbuffer), the
metadata and a body. Messages that declare more than a file of this size can hold do not reach polars.
"""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import polars as pl
from polars.datatypes import DataTypeClass

from auditor.errors import SourceError
from auditor.sources.guards import (
    BODY_LENGTH,
    KIND,
    RECORDS,
    SCHEMA,
    FlatTable,
    Limits,
    check_arrow,
    check_message,
    parquet,
)
from auditor.sources.reading.batches import BATCH
from auditor.sources.table import content
from auditor.sources.table.by_content import Fit
from auditor.sources.table.columns import Columns, Wishes, choose, kind_of
from auditor.sources.table.json import ASKING, INNER

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", b"\xff\xff\xff\xff"

_END = STREAM + bytes(4)

_AT_ONCE = 1 << 23

_TEXTS = pl.String | pl.Categorical | pl.Enum


def frames(path: Path, magic: bytes, wanted: Wishes) -> Iterator[tuple[pl.DataFrame, Columns]]:
    """Yield the rows of the file and the columns chosen, numbers as plain text: 42 and not 42.0.

    Raises `SourceError` for a damaged file or a zip bomb, and for one without a required column.
    """
    with _damage_named(path):
        limits = Limits(path)
        rows = None if magic == STREAM else check_arrow(path) if magic == ARROW else parquet.check(path, ())
        lazy = None if magic == STREAM else _scan(path, magic)
        kinds = schema(path, magic)
        sampled = partial(_values, path, magic, kinds)
        columns = choose(str(path), kinds.names(), wanted, lambda thing, name: _fit(thing, kinds[name]), sampled)
        narrowed = [_narrow(pl.col(name), kind_of(thing), kinds[name]).alias(thing) for thing, name in columns.items()]
        names = [*set(columns.values())]
        if lazy is None:
            tables: Iterator[pl.DataFrame] = (table.select(narrowed) for table in _stream_tables(path, names))
        else:
            if magic == PARQUET:
                parquet.check(path, names)
            tables = lazy.select(narrowed).collect_batches(chunk_size=BATCH, maintain_order=True)
        row = 1
        for frame in tables:
            limits.check_bytes(_size(frame))
            yield _numbered(_texts(frame, columns), row), columns
            row += frame.height
        if rows not in (None, row - 1):  # polars may stop at damage without an error
            raise SourceError(
                f"{path}: only {row - 1:,} of {rows:,} rows can be read: the file is damaged; download it again"
            )


def _values(path: Path, magic: bytes, kinds: pl.Schema) -> content.Values:
    """Return the values of the first rows of the columns with texts and numbers, as texts."""
    names = [name for name, kind in kinds.items() if kind.is_numeric() or isinstance(kind, _TEXTS)]
    if magic == STREAM:
        rows = next(_stream_tables(path, names), pl.DataFrame(schema=dict.fromkeys(names, pl.String)))
    else:
        if magic == PARQUET:
            parquet.check(path, names)
        rows = _scan(path, magic).select(names).head(content.ROWS).collect()
    return {name: rows[name].head(content.ROWS).cast(pl.String).to_list() for name in names}


def schema(path: Path, magic: bytes) -> pl.Schema:
    """Read the names and types of the columns of a file whose first bytes are `magic`."""
    return _stream_schema(path) if magic == STREAM else _scan(path, magic).collect_schema()


def _scan(path: Path, magic: bytes) -> pl.LazyFrame:
    scan = pl.scan_ipc if magic == ARROW else pl.scan_parquet
    return scan(path, glob=False, hive_partitioning=False)


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, MemoryError) as error:
        what = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SourceError(
            f"{path}: damaged, or of another format than its first bytes ({what}); download it again"
        ) from error


def _numbered(frame: pl.DataFrame, row: int) -> pl.DataFrame:
    """Add the positions of rows, and the JSON of incomplete rows."""
    things = pl.struct(pl.exclude("reason"))
    lacks = pl.any_horizontal(pl.col("^(image|caption).*$").is_null())
    return frame.with_columns(
        line=pl.int_range(row, row + frame.height, dtype=pl.UInt32),
        unit=pl.lit("row"),
        raw=pl.when(lacks).then(things.struct.json_encode()) if frame.select(lacks.any()).item() else pl.lit(None),
    )


def _fit(thing: str, kind: pl.DataType) -> Fit:
    """Return how well a type of column suits a thing."""
    if isinstance(kind, pl.List | pl.Array):
        may_be = thing in ("caption", "identifier") and not isinstance(
            _type(kind.inner), pl.List | pl.Array | pl.Binary
        )
        return _fit(thing, _type(kind.inner)) if may_be else 0
    if isinstance(kind, pl.Struct):
        return 1 if _inner(thing, kind) is not None else 0
    if isinstance(kind, pl.String | pl.Binary | pl.Categorical | pl.Enum | pl.Null):
        return 2
    return 2 if kind.is_numeric() and thing != "caption" else 0


def _inner(thing: str, kind: pl.Struct) -> pl.Field | None:
    fields = {field.name: field for field in kind.fields}
    return next((fields[name] for name in INNER.get(thing, ()) if name in fields), None)


def _narrow(value: pl.Expr, thing: str, kind: pl.DataType) -> pl.Expr:
    """Return only the required field of a struct, so that the bytes of images are not loaded."""
    if isinstance(kind, pl.Array):
        return _narrow(value.arr.to_list(), thing, pl.List(kind.inner))
    if isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
        names = [field.name for field in kind.inner.fields if field.name in ("from", "role")]
        asks = pl.any_horizontal(pl.element().struct.field(names).is_in(ASKING)) if names else pl.lit(False)
        return value.list.eval(_narrow(pl.element().filter(~asks.fill_null(False)), thing, kind.inner))
    if isinstance(kind, pl.Struct) and (field := _inner(thing, kind)) is not None:
        return _narrow(value.struct.field(field.name), thing, _type(field.dtype))
    return value


def _size(frame: pl.DataFrame) -> int:
    """Return the bytes of all texts with every repetition, which is stored once; numbers are ignored."""
    sizes = [_bytes(pl.col(thing), kind).sum() for thing, kind in frame.schema.items()]
    return int(frame.select(pl.sum_horizontal(sizes)).item() or 0)


def _bytes(value: pl.Expr, kind: pl.DataType) -> pl.Expr:
    if isinstance(kind, pl.List):
        return value.list.eval(_bytes(pl.element(), _type(kind.inner))).list.sum()
    if isinstance(kind, pl.Binary):
        return value.bin.size()
    if isinstance(kind, pl.Categorical | pl.Enum):
        return value.cat.len_bytes()
    return value.str.len_bytes() if isinstance(kind, pl.String) else pl.lit(0)


def _texts(frame: pl.DataFrame, columns: Mapping[str, str]) -> pl.DataFrame:
    """Return columns as texts or lists of texts, with the reason if a row is faulty."""
    texts = [_text(pl.col(thing), kind).alias(thing) for thing, kind in frame.schema.items()]
    return frame.select(*texts, _fault(frame.schema, columns).alias("reason"))


def _text(value: pl.Expr, kind: pl.DataType) -> pl.Expr:
    if isinstance(kind, pl.List):
        return value.list.eval(_text(pl.element(), _type(kind.inner)))
    if isinstance(kind, pl.Binary):
        return value.map_batches(_decoded, return_dtype=pl.String)
    written = value.cast(pl.String)
    if kind.is_decimal():
        return written.str.replace(r"\.0+$", "")
    if kind.is_float():
        whole = value.cast(pl.Int64, strict=False)
        return pl.when(whole == value).then(whole.cast(pl.String)).when(value.is_finite()).then(written)
    return written


def _fault(schema: pl.Schema, columns: Mapping[str, str]) -> pl.Expr:
    """Return the reason for bytes that are not UTF-8: null as texts, but not in their column."""
    faults = [
        pl.when(pl.col(thing).is_not_null() & _text(pl.col(thing), kind).is_null()).then(
            pl.lit(f"{columns[thing]} is not UTF-8")
        )
        for thing, kind in schema.items()
        if isinstance(kind, pl.Binary)
    ]
    return pl.coalesce(faults) if faults else pl.lit(None, pl.String)


def _decoded(values: pl.Series) -> pl.Series:
    return pl.Series([None if value is None else _decode(value) for value in values], dtype=pl.String)


def _decode(value: bytes) -> str | None:
    try:
        return value.decode()
    except UnicodeDecodeError:
        return None


def _type(kind: DataTypeClass | pl.DataType) -> pl.DataType:
    return kind if isinstance(kind, pl.DataType) else kind()


class _Message(NamedTuple):
    kind: int
    content: bytes


def _stream_schema(path: Path) -> pl.Schema:
    """Return the names and types of the columns. Raises `SourceError` for a file that is not a stream."""
    first = next(_messages(path), None)
    if first is None or first.kind != SCHEMA:
        raise SourceError(f"{path}: not an Arrow stream: it does not begin with a schema")
    return pl.read_ipc_stream(io.BytesIO(first.content + _END)).schema


def _stream_tables(path: Path, columns: Sequence[str]) -> Iterator[pl.DataFrame]:
    """Yield the requested columns, some megabytes of record batches at a time.

    Raises `SourceError` for a truncated stream or a zip bomb, and errors of polars for a damaged stream.
    """
    known = b""  # the schema and the dictionaries for the following record batches
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
                raise _faulty(path, "truncated")
            if prefix[:4] != STREAM:
                raise _faulty(path, "damaged")
            metadata = file.read(size)
            try:
                message = FlatTable(metadata)
                kind, length = message.number(KIND, "<B"), message.number(BODY_LENGTH, "<q")
            except struct.error as error:
                raise _faulty(path, "truncated" if len(metadata) < size else "damaged") from error
            if length < 0:
                raise _faulty(path, "damaged")
            body = file.read(length) if length <= limits.size else b""
            if len(metadata) < size or len(body) < length:
                raise _faulty(path, "truncated")
            try:
                check_message(limits, message, io.BytesIO(body), 0)
            except struct.error as error:
                raise _faulty(path, "damaged") from error
            yield _Message(kind, prefix + metadata + body)


def _faulty(path: Path, how: str) -> SourceError:
    return SourceError(f"{path}: {how} Arrow stream; download it again")
