"""Queries of users: one read-only statement, with rows that every output format can carry."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

import duckdb
import polars as pl

from auditor.errors import AuditorError, SqlError
from auditor.store import statements
from auditor.store.connection import ArrowStream, Store
from auditor.store.engine import engine_errors
from auditor.store.statements import called_with, parameters, refuse_other_than_reading

T = TypeVar("T")

Params = Mapping[str, str | int | None]

#: Types that Polars, Parquet, CSV and JSON all have; a column of another type is shown as text.
_PLAIN = {
    "boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint",
    "float", "double", "decimal", "varchar",
}  # fmt: skip

#: Types with values that only the engine has (infinity, years of six digits, 24:00): the range that all programs have.
_BOUNDED = {
    "date": "between date '0001-01-01' and date '9999-12-31'",
    "time": "< time '24:00:00'",
    "timestamp": "between timestamp '0001-01-01' and timestamp '9999-12-31 23:59:59.999999'",
    "timestamp with time zone": "between timestamptz '0001-01-02 00:00:00+00' and timestamptz '9999-12-30 00:00:00+00'",
}

_ROWS_AT_ONCE = 20_000

_FREQUENCIES = "ngram_frequency"


@dataclass(frozen=True)
class Limits:
    """The limits of a statement; null means unlimited. Its memory is always limited, see `Store.bounded`.

    More than `rows` rows are an error; only the `first` rows are returned.
    """

    seconds: float | None = None
    rows: int | None = None
    first: int | None = None


_NONE = Limits()


@dataclass(frozen=True)
class _Column:
    """A column of a result, and how to select it: another column can have the same name."""

    name: str
    place: int
    kind: str

    @property
    def carried(self) -> str:
        return f"c{self.place}"

    @property
    def beyond(self) -> str:
        """The column with the text of the values that only the engine has."""
        return f"b{self.place}"

    @property
    def is_bounded(self) -> bool:
        return self.kind in _BOUNDED

    @property
    def fields(self) -> Iterator[str]:
        if self.is_bounded:
            can = f"{self.carried} {_BOUNDED[self.kind]}"
            yield f"case when {can} then {self.carried} end as {self.carried}"
            yield f"case when not {can} then {self.carried}::varchar end as {self.beyond}"
        else:
            is_plain = self.kind.removesuffix("[]").partition("(")[0] in _PLAIN
            yield f"{self.carried}{'' if is_plain else '::varchar'} as {self.carried}"

    def shown(self, *, as_text: bool) -> pl.Expr:
        carried = pl.col(self.carried)
        return (pl.coalesce(self.beyond, _text(self.kind, carried)) if as_text else carried).alias(self.name)


def ask(store: Store, statement: str, params: Params, limits: Limits = _NONE) -> pl.DataFrame:
    """Run one read-only statement and return all of its rows.

    Columns of the same name are numbered. A column of dates or times with a value that only the engine has (infinity)
    becomes text. Raises `SqlError` for a statement that would write, that exceeds the limits, or that the engine
    rejects; `UsageError` for none or more than one statement.
    """

    def gathered(columns: Sequence[_Column], batches: Iterator[pl.DataFrame]) -> pl.DataFrame:
        parts: list[pl.DataFrame] = []
        for batch in _first(batches, limits.first):
            parts.append(batch)
            if limits.rows is not None and sum(part.height for part in parts) > limits.rows:
                raise SqlError(
                    f"more than {limits.rows:,} rows, too many for a table; use --limit N, or --format csv, json or"
                    " parquet, which are written row by row"
                )
        return _shown(pl.concat(parts), columns)

    # The engine itself stops at the limit: rows that are not read would keep the connection busy.
    return _run(store, statement, params, limits, gathered, most=None if limits.rows is None else limits.rows + 1)


def stream(
    store: Store, statement: str, params: Params, limits: Limits, take: Callable[[Iterator[pl.DataFrame]], T]
) -> T:
    """Run one read-only statement and pass its rows to `take` in batches: at least one, all with the same columns.

    Types of columns can differ between batches if some hold dates that only the engine has. See `ask`.
    """
    return _run(
        store,
        statement,
        params,
        limits,
        lambda columns, batches: take(_shown(batch, columns) for batch in _first(batches, limits.first)),
    )


def _run(
    store: Store,
    statement: str,
    params: Params,
    limits: Limits,
    take: Callable[[Sequence[_Column], Iterator[pl.DataFrame]], T],
    *,
    most: int | None = None,
) -> T:
    refuse_other_than_reading(store.connection, statement, files=store.files is not None)
    connection, path = store.connection, store.path
    _refuse_other_parameters(connection, statement, params)
    statements.provide(connection, statement)

    def work() -> T:
        with engine_errors(path, of_user=True):
            try:
                relation = connection.sql(statement, params=dict(params) or None)
            except duckdb.CatalogException:  # its message suggests what it knows
                statements.provide(connection)
                relation = connection.sql(statement, params=dict(params) or None)
            columns = _columns(relation)
            if most is not None:
                relation = relation.limit(most)
            # Only the generator refers to the stream: a connection is busy while something does.
            with closing(_batches(_carriable(relation, columns), path)) as batches:
                return take(columns, batches)

    result = store.bounded(work, limits.seconds)
    _keep_frequencies(store, statement, params)
    return result


def _keep_frequencies(store: Store, statement: str, params: Params) -> None:
    """Keep the n-gram frequencies that a statement used, so that the next one does not count them again."""
    if _FREQUENCIES not in statement.lower():
        return
    from auditor.store import captions, ngrams, versions  # noqa: PLC0415  most statements need none of them

    with suppress(AuditorError, ValueError):  # also for a statement that does not end
        for given in called_with(store.connection, statement, _FREQUENCIES, params):
            ref, tokenizer = [*given, statements.TOKENIZER][:2]
            ngrams.keep(captions.Captions(store, versions.resolve(store, ref), tokenizer))


def _refuse_other_parameters(connection: duckdb.DuckDBPyConnection, statement: str, params: Params) -> None:
    wanted = sorted(parameters(connection, statement))
    if lacking := [name for name in wanted if name not in params]:
        raise SqlError(f"${lacking[0]} has no value; set it with -p {lacking[0]}=VALUE, or params={{…}} in Python")
    if unused := [name for name in params if name not in wanted]:
        named = f"it has {', '.join(f'${name}' for name in wanted)}" if wanted else "it has none"
        raise SqlError(f"the statement has no ${unused[0]}; {named}")


def _batches(relation: duckdb.DuckDBPyRelation, path: Path) -> Generator[pl.DataFrame, None, None]:
    with engine_errors(path, of_user=True):
        carried = relation.__arrow_c_stream__()
        rows = pl.scan_arrow_c_stream(ArrowStream(lambda: carried))
        schema = rows.collect_schema()
        is_empty = True
        for batch in rows.collect_batches(chunk_size=_ROWS_AT_ONCE, maintain_order=True):
            is_empty = False
            yield batch
        if is_empty:
            yield pl.DataFrame(schema=schema)


def _first(batches: Iterator[pl.DataFrame], most: int | None) -> Iterator[pl.DataFrame]:
    """Yield the first rows in order; the engine computes no further rows."""
    left = most
    for batch in batches:
        yield batch if left is None else batch.head(left)
        if left is not None and (left := left - batch.height) <= 0:
            break


def _columns(relation: duckdb.DuckDBPyRelation) -> list[_Column]:
    kinds = [str(kind).lower() for kind in relation.types]
    return [
        _Column(name, position, kind)
        for position, (name, kind) in enumerate(zip(_numbered(relation.columns), kinds, strict=True))
    ]


def _carriable(relation: duckdb.DuckDBPyRelation, columns: Sequence[_Column]) -> duckdb.DuckDBPyRelation:
    fields = ", ".join(field for column in columns for field in column.fields)
    names = ", ".join(column.carried for column in columns)
    return cast(
        "duckdb.DuckDBPyRelation", relation.query("answer", f"select {fields} from (from answer) as t({names})")
    )


def _shown(rows: pl.DataFrame, columns: Sequence[_Column]) -> pl.DataFrame:
    return rows.select(
        column.shown(as_text=column.is_bounded and rows[column.beyond].null_count() < rows.height) for column in columns
    )


def _text(kind: str, value: pl.Expr) -> pl.Expr:
    forms = {"date": "%F", "time": "%T%.f", "timestamp": "%FT%T%.f"}
    return value.dt.to_string(forms.get(kind, "%+"))


def _numbered(names: Sequence[str]) -> list[str]:
    """Return unique names: a repeated name gets a number that makes it different from all others."""
    taken = set(names)
    numbered: list[str] = []
    for name in names:
        number, free = 1, name
        while free in numbered or (number > 1 and free in taken):
            number += 1
            free = f"{name}_{number}"
        numbered.append(free)
    return numbered
