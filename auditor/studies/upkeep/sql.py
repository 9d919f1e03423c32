"""Read-only SQL on the store, and a list of its tables, views and functions."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path

import polars as pl

from auditor.errors import UsageError
from auditor.files import content
from auditor.result import Result, Table, counted
from auditor.store import readonly_sql, statements, versions
from auditor.store.connection import Store
from auditor.store.readonly_sql import Limits, ask

_LISTED = pl.Schema(dict.fromkeys(("relation", "column", "type", "meaning", "example", "group"), pl.String))

_GROUPS = {
    "people": "for your queries: views, and functions of a dataset, version or split ('flickr8k@v1:test')",
    "facts": "tables of the store, and views of its current versions",
    "cache": "the cache: counts and results that need not be recomputed",
}

#: The name for all tables, views and functions.
ALL = "all"

_COLUMNS = "to list columns: `auditor sql --schema NAME`, or `auditor sql --schema all`; at the prompt: .schema NAME"

#: The datasets in examples, unless the store has others.
_NAMED = ("sample-narrow", "sample-varied")

#: Rows that a table or page shows at most.
SHOWN = 100_000

#: Rows that the prompt shows of a statement.
SHOWN_BY_SHELL = 1_000


def query(
    store: Store,
    statement: str,
    params: Mapping[str, str] | None = None,
    timeout: float | None = None,
    *,
    rows: int | None = None,
    limit: int | None = None,
) -> Result:
    """Run one read-only query, for at most `timeout` seconds and with at most `rows` rows.

    With `limit`, only the first rows are returned; a note reports if there are more. Raises `SqlError` with the message
    of the engine, also for an attempt to write and if a limit is exceeded.
    """
    answer = ask(store, statement, params or {}, Limits(timeout, rows, _beyond(limit)))
    notes = (cut(limit),) if limit is not None and answer.height > limit else ()
    shown = answer if limit is None else answer.head(limit)
    spelled = shown.with_columns(pl.col(pl.Float32).cast(pl.String).cast(pl.Float64))  # .1, not .10000000149
    return Result("sql", shown, tables=(Table("", spelled, exact=True, name="rows"),), notes=notes)


def stream(
    store: Store,
    statement: str,
    params: Mapping[str, str],
    timeout: float | None,
    limit: int | None,
    take: Callable[[Iterator[pl.DataFrame]], None],
) -> bool:
    """Run one read-only query and pass its rows on in batches, without holding all of them in memory.

    With `limit`, only the first rows. Return whether there are more.
    """
    is_cut = False

    def first(batches: Iterator[pl.DataFrame]) -> Iterator[pl.DataFrame]:
        nonlocal is_cut
        given = 0
        for batch in batches:
            is_cut = limit is not None and given + batch.height > limit
            yield batch.head(limit - given) if limit is not None else batch
            given += batch.height

    limits = Limits(timeout, first=_beyond(limit))
    readonly_sql.stream(store, statement, params, limits, lambda batches: take(first(batches)))
    return is_cut


def cut(limit: int | None) -> str:
    """Return the note that there are more rows than the limit."""
    return f"only the first {counted(limit or 0, 'row', 'rows')} shown; there are more"


def _beyond(limit: int | None) -> int | None:
    """Return one row more than the limit, to detect whether there are more."""
    return None if limit is None else limit + 1


def schema(store: Store, name: str | None = None) -> Result:
    """List the tables, views and functions; with `name` one of them with its columns, with `all` each.

    Columns: relation, column (null for the relation itself), type, meaning, example, group (a key of `_GROUPS`).
    Raises `UsageError` for an unknown name.
    """
    rows = _listing(store)
    if name is not None and name != ALL:
        called = pl.col("relation").str.split("(").list.first()
        wanted = name.strip().lower().partition("(")[0]
        listed = rows.filter(called.is_in([wanted, f"cache.{wanted}"]))
        if listed.is_empty():
            near = get_close_matches(wanted, rows.select(called.unique()).to_series().to_list())
            hint = f"did you mean {' or '.join(near)}?" if near else "`auditor sql --schema` lists all names"
            raise UsageError(f"{name}: the store has no table, view or function of this name; {hint}")
        return Result("sql", listed, tables=tuple(_described(listed)))
    named = rows.filter(pl.col("column").is_null()).select("group", "relation", "meaning")
    first_sentence = pl.col("meaning").str.extract(r"^(.*?[^.]\.)(?: [A-Z`]|$)")
    overview = [
        Table(_GROUPS[group], part.select("relation", pl.coalesce(first_sentence, "meaning")), name=group)
        for (group,), part in named.partition_by("group", as_dict=True, maintain_order=True).items()
    ]
    if name == ALL:
        return Result("sql", rows, tables=(*overview, *_described(rows)))
    return Result("sql", rows, tables=tuple(overview), notes=(_COLUMNS,))


def names(store: Store) -> dict[str, list[str]]:
    """List the names for completion: `relations`, `functions`, `columns`, and `versions` as functions take them."""
    listed = _listing(store)
    called = listed["relation"].unique(maintain_order=True).to_list()
    held = versions.log_rows(store)
    of_versions = [f"{dataset}@v{seq}" for dataset, seq in held.select("dataset", "seq").iter_rows()]
    of_tags = [f"{dataset}@{tag}" for dataset, tags in held.select("dataset", "tags").iter_rows() for tag in tags]
    return {
        "relations": [name for name in called if "(" not in name],
        "functions": [f"{name.partition('(')[0]}('" for name in called if "(" in name],
        "columns": listed["column"].drop_nulls().unique(maintain_order=True).to_list(),
        "versions": [*held["dataset"].unique(maintain_order=True), *of_versions, *of_tags],
    }


def _listing(store: Store) -> pl.DataFrame:
    held = versions.log_rows(store).filter(kind="captions")["dataset"].unique(maintain_order=True).to_list()
    named = dict(zip(_NAMED, (held[0], held[-1]), strict=True)) if held and not {*_NAMED} <= {*held} else {}

    def spoken(example: str) -> str:
        for name, dataset in named.items():
            example = example.replace(f"'{name}", f"'{dataset}")
        return example

    listed = [
        row
        for _, relation in sorted(statements.relations().items())
        for row in (
            (relation.called, None, None, relation.file.meaning, spoken(relation.example), "people"),
            *((relation.called, *column, None, "people") for column in relation.columns),
        )
    ]
    is_cache = pl.col("relation").str.starts_with("cache.")
    group = pl.when(is_cache).then(pl.lit("cache")).otherwise(pl.lit("facts"))
    stored = store.rows("schema_listing").with_columns(pl.lit(None).alias("example"), group.alias("group"))
    for_people = pl.DataFrame(listed, schema=_LISTED, orient="row")
    return pl.concat([for_people, stored.select(_LISTED.names()).cast(_LISTED)])


def _described(rows: pl.DataFrame) -> Iterator[Table]:
    """Yield a table of columns for each relation, titled with its meaning."""
    for (relation,), own in rows.partition_by("relation", as_dict=True, maintain_order=True).items():
        meaning, example = own.select("meaning", "example").row(0)
        columns = own.filter(pl.col("column").is_not_null()).select("column", "type", "meaning")
        title = f"{relation}: {meaning}" if meaning else str(relation)
        yield Table(title, columns, caption=f"example: {example}" if example else None, name=str(relation))


def statement(text: str | None, file: Path | None, standard_input: Callable[[], bytes]) -> str:
    """Return the query from the command line, from a file, or for `-` from standard input."""
    if (text is None) == (file is None):
        raise UsageError("set one query: STATEMENT, - for standard input, or --file FILE; --schema lists the tables")
    if file is None and text != "-":
        if text and text.endswith(".sql") and " " not in text:
            raise UsageError(f"{text}: is a file; `auditor sql --file {shlex.quote(text)}` runs the statement in it")
        return text or ""
    name = "-" if file is None else str(file)
    try:
        return (standard_input() if file is None or name == "-" else content(file)).decode()
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{name}: cannot be read: {error}") from error


def parameters(pairs: Sequence[str]) -> dict[str, str]:
    """Read `name=value` pairs; values are texts, which the query can cast (`$name::int`)."""
    split = [pair.partition("=") for pair in pairs]
    for name, equals, _ in split:
        if not equals or not name:
            raise UsageError(f"{name}: expected name=value")
    return {name: value for name, _, value in split}
