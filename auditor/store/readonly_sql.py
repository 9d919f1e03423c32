"""Any SELECT that a user types: read-only, one statement, rows that every output format can carry."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar, cast

import duckdb
import polars as pl

from auditor.errors import AuditorError, SqlError
from auditor.store import ngrams, people, versions
from auditor.store.connection import ArrowStream, Store
from auditor.store.faults import engine_errors
from auditor.store.statements import called_with, parameters, refuse_other_than_reading

T = TypeVar("T")

Params = Mapping[str, str | int | None]

#: Types that Polars, Parquet, CSV and JSON all have; a column of another type is shown as its text.
_PLAIN = {
    "boolean", "tinyint", "smallint", "integer", "bigint", "hugeint", "utinyint", "usmallint", "uinteger", "ubigint",
    "float", "double", "decimal", "varchar",
}  # fmt: skip

#: Types with values that others than the engine lack (infinity, years of six digits, 24 o'clock): what all have.
_BOUNDED = {
    "date": "between date '0001-01-01' and date '9999-12-31'",
    "time": "< time '24:00:00'",
    "timestamp": "between timestamp '0001-01-01' and timestamp '9999-12-31 23:59:59.999999'",
    "timestamp with time zone": "between timestamptz '0001-01-02 00:00:00+00' and timestamptz '9999-12-30 00:00:00+00'",
}

_ROWS_AT_ONCE = 20_000


@dataclass(frozen=True)
class Limits:
    """What a statement may take; null is no limit. Its memory is limited in any case, see `Store.bounded`.

    More than so many `rows` are an error; of more than `first` the others are left.
    """

    seconds: float | None = None
    rows: int | None = None
    first: int | None = None


_NONE = Limits()


@dataclass(frozen=True)
class _Column:
    """A column of a result, and how the engine is asked for it: its name may be that of another, or of any case."""

    name: str
    place: int
    kind: str

    @property
    def carried(self) -> str:
        return f"c{self.place}"

    @property
    def beyond(self) -> str:
        """The column that holds the text of those values that only the engine has."""
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
            yield f"{self.carried}{'' if _is_plain(self.kind) else '::varchar'} as {self.carried}"

    def shown(self, *, as_text: bool) -> pl.Expr:
        carried = pl.col(self.carried)
        return (pl.coalesce(self.beyond, _text(self.kind, carried)) if as_text else carried).alias(self.name)


def ask(store: Store, statement: str, params: Params, limits: Limits = _NONE) -> pl.DataFrame:
    """Run one reading statement and give all of its rows.

    Columns of the same name are numbered; a column of dates or times with a value that only the engine has (infinity)
    is one of texts. Raises `SqlError` for a statement that would write, that takes more than the limits allow, and with
    the engine's words for one that it refuses; `UsageError` for none or more than one.
    """

    def gathered(columns: Sequence[_Column], batches: Iterator[pl.DataFrame]) -> pl.DataFrame:
        parts: list[pl.DataFrame] = []
        for batch in _first(batches, limits.first):
            parts.append(batch)
            if limits.rows is not None and sum(part.height for part in parts) > limits.rows:
                raise SqlError(
                    f"more than {limits.rows:,} rows, which are too many to be shown at once: take --limit N, or csv,"
                    " json or parquet, which are written row by row"
                )
        return _shown(pl.concat(parts), columns)

    # The engine itself stops at the limit: rows that nobody takes would keep the connection busy.
    return _run(store, statement, params, limits, gathered, most=None if limits.rows is None else limits.rows + 1)


def stream(
    store: Store, statement: str, params: Params, limits: Limits, take: Callable[[Iterator[pl.DataFrame]], T]
) -> T:
    """Run one reading statement and hand over its rows as they come: at least one frame, all of the same columns.

    Their types can differ, where some of them hold dates that only the engine has. See `ask`.
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
    _refuse_other_parameters(statement, params)
    connection, path = store.connection, store.path
    people.provide(connection)

    def work() -> T:
        with engine_errors(path, of_user=True):
            relation = connection.sql(statement, params=dict(params) or None)
            columns = _columns(relation)
            if most is not None:
                relation = relation.limit(most)
            # All that holds the stream is local to the generator: a connection is not free while anything does.
            with closing(_batches(_carriable(relation, columns), path)) as batches:
                return take(columns, batches)

    result = store.bounded(work, limits.seconds)
    _keep_frequencies(store, statement, params)
    return result


def _keep_frequencies(store: Store, statement: str, params: Params) -> None:
    """Let n-gram frequencies that a statement asked for be kept, so that the next one finds them counted."""
    with suppress(AuditorError, ValueError):  # of which one is a statement that does not end
        for given in called_with(store.connection, statement, "ngram_frequency", params):
            ref, tokenizer = [*given, people.TOKENIZER][:2]
            ngrams.keep(store, versions.resolve(store, ref), tokenizer)


def _refuse_other_parameters(statement: str, params: Params) -> None:
    wanted = sorted(parameters(statement))
    if lacking := [name for name in wanted if name not in params]:
        raise SqlError(f"${lacking[0]} has no value: -p {lacking[0]}=VALUE gives it one, in Python params={{…}}")
    if unused := [name for name in params if name not in wanted]:
        named = f"it has {', '.join(f'${name}' for name in wanted)}" if wanted else "it has none"
        raise SqlError(f"the statement has no ${unused[0]}; {named}")


def _batches(relation: duckdb.DuckDBPyRelation, path: Path) -> Generator[pl.DataFrame, None, None]:
    with engine_errors(path, of_user=True):
        carried = relation.__arrow_c_stream__()
        rows = pl.scan_arrow_c_stream(ArrowStream(lambda: carried))
        schema = rows.collect_schema()
        some = False
        for batch in rows.collect_batches(chunk_size=_ROWS_AT_ONCE, maintain_order=True):
            some = True
            yield batch
        if not some:
            yield pl.DataFrame(schema=schema)


def _first(batches: Iterator[pl.DataFrame], most: int | None) -> Iterator[pl.DataFrame]:
    """Yield the first rows, in the order in which they come; the engine makes no others."""
    left = most
    for batch in batches:
        yield batch if left is None else batch.head(left)
        if left is not None and (left := left - batch.height) <= 0:
            break


def _columns(relation: duckdb.DuckDBPyRelation) -> list[_Column]:
    kinds = [str(kind).lower() for kind in relation.types]
    return [
        _Column(name, place, kind)
        for place, (name, kind) in enumerate(zip(_numbered(relation.columns), kinds, strict=True))
    ]


def _carriable(relation: duckdb.DuckDBPyRelation, columns: Sequence[_Column]) -> duckdb.DuckDBPyRelation:
    fields = ", ".join(field for column in columns for field in column.fields)
    names = ", ".join(column.carried for column in columns)
    return cast("duckdb.DuckDBPyRelation", relation.query("asked", f"select {fields} from (from asked) as t({names})"))


def _shown(rows: pl.DataFrame, columns: Sequence[_Column]) -> pl.DataFrame:
    return rows.select(
        column.shown(as_text=column.is_bounded and rows[column.beyond].null_count() < rows.height) for column in columns
    )


def _text(kind: str, value: pl.Expr) -> pl.Expr:
    forms = {"date": "%F", "time": "%T%.f", "timestamp": "%FT%T%.f"}
    return value.dt.to_string(forms.get(kind, "%+"))


def _is_plain(kind: str) -> bool:
    return kind.removesuffix("[]").partition("(")[0] in _PLAIN


def _numbered(names: Sequence[str]) -> list[str]:
    """Return names that occur again a number, one that makes no other name of the result."""
    taken = set(names)
    numbered: list[str] = []
    for name in names:
        number, free = 1, name
        while free in numbered or (number > 1 and free in taken):
            number += 1
            free = f"{name}_{number}"
        numbered.append(free)
    return numbered
