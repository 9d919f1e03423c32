"""Tables whose columns have types: Parquet, Arrow files and Arrow streams."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import polars as pl
from polars.datatypes import DataTypeClass

from auditor.errors import SourceError
from auditor.sources.guards import arrow, parquet
from auditor.sources.guards.limits import Limits
from auditor.sources.reading.batches import BATCH
from auditor.sources.table import arrow_stream
from auditor.sources.table.columns import Fit, Wishes, choose, kind_of
from auditor.sources.table.json import INNER

PARQUET, ARROW, STREAM = b"PAR1", b"ARROW1", arrow_stream.MARK


def frames(path: Path, magic: bytes, wanted: Wishes) -> Iterator[tuple[pl.DataFrame, dict[str, str]]]:
    """Yield the rows of the file and the columns chosen, numbers as plain text: 42 and not 42.0.

    Raises `SourceError` for a file that is damaged or expands beyond reason, and for one that lacks what is needed.
    """
    with _damage_named(path):
        limits = Limits(path)
        rows = None if magic == STREAM else arrow.check(path) if magic == ARROW else parquet.check(path, ())
        lazy = None if magic == STREAM else _scan(path, magic)
        kinds = schema(path, magic)
        columns = choose(str(path), kinds.names(), wanted, lambda thing, name: _fit(thing, kinds[name]))
        narrowed = [_narrow(pl.col(name), kind_of(thing), kinds[name]).alias(thing) for thing, name in columns.items()]
        names = [*set(columns.values())]
        if lazy is None:
            found: Iterator[pl.DataFrame] = (table.select(narrowed) for table in arrow_stream.tables(path, names))
        else:
            if magic == PARQUET:
                parquet.check(path, names)
            found = lazy.select(narrowed).collect_batches(chunk_size=BATCH, maintain_order=True)
        row = 1
        for frame in found:
            limits.check_bytes(_size(frame))
            yield _numbered(_texts(frame, columns), row), columns
            row += frame.height
        if rows not in (None, row - 1):  # polars may stop at damage without a word
            raise SourceError(f"{path}: only {row - 1:,} of {rows:,} rows can be read: damaged; fetch it again")


def schema(path: Path, magic: bytes) -> pl.Schema:
    """Read the names and types of the columns of a file whose first bytes are `magic`."""
    return arrow_stream.schema(path) if magic == STREAM else _scan(path, magic).collect_schema()


def _scan(path: Path, magic: bytes) -> pl.LazyFrame:
    scan = pl.scan_ipc if magic == ARROW else pl.scan_parquet
    return scan(path, glob=False, hive_partitioning=False)


@contextmanager
def _damage_named(path: Path) -> Iterator[None]:
    try:
        yield
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, MemoryError) as error:
        what = str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__
        raise SourceError(f"{path}: damaged, or not what its first bytes say ({what}); fetch it again") from error


def _numbered(frame: pl.DataFrame, row: int) -> pl.DataFrame:
    """Add where rows stand; one that lacks something is shown as JSON."""
    things = pl.struct(pl.exclude("reason"))
    lacks = pl.any_horizontal(pl.col("^(image|caption).*$").is_null())
    return frame.with_columns(
        line=pl.int_range(row, row + frame.height, dtype=pl.UInt32),
        unit=pl.lit("row"),
        raw=pl.when(lacks).then(things.struct.json_encode()) if frame.select(lacks.any()).item() else pl.lit(None),
    )


def _fit(thing: str, kind: pl.DataType) -> Fit:
    """Say how well a column of a type serves."""
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
    """Take what matters out of a struct, so that the bytes of an image beside its name are not held."""
    if isinstance(kind, pl.Array):
        return _narrow(value.arr.to_list(), thing, pl.List(kind.inner))
    if isinstance(kind, pl.List) and isinstance(kind.inner, pl.Struct):
        return value.list.eval(_narrow(pl.element(), thing, kind.inner))
    if isinstance(kind, pl.Struct) and (field := _inner(thing, kind)) is not None:
        return _narrow(value.struct.field(field.name), thing, _type(field.dtype))
    return value


def _size(frame: pl.DataFrame) -> int:
    """Count the bytes of all texts, before equal ones that are held once become many; numbers do not matter."""
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
    """Write columns as text, or as lists of texts, with the reason why a row has none."""
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
    """Say which bytes are no text: they are null among the texts, and not where they come from."""
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
