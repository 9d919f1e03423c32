"""The schema of a store: `sql/schema.sql` is version 1, each later version a step that is applied to the one before."""

from __future__ import annotations

import functools
import hashlib
import json
import re
from contextlib import suppress
from pathlib import Path
from typing import Literal

import duckdb

from auditor.errors import StoreError
from auditor.store.file import write_copy
from auditor.store.sqlfiles import sql_root

#: sha256 of the definitions of the newest schema, as the engine spells them: a fast check before a comparison.
DEFINITIONS = "f5c326c8d310cdaa4528ede6a9308002baec2cd0d191743951cf6f436e1a9563"

# Tables of the cache come and go with what is counted.
_DEFINED = """
    with place as (
        select 'view' as kind, schema_name, view_name as name, sql as definition
        from system.main.duckdb_views() where not internal and not temporary and database_name = current_database()
        union all
        select 'type', schema_name, type_name, logical_type
        from system.main.duckdb_types() where not internal and database_name = current_database()
        union all
        select if(schema_name = 'cache', 'default, check or generated column of', 'table'), schema_name, table_name, sql
        from system.main.duckdb_tables()
        where not temporary and database_name = current_database()
            and (
                schema_name <> 'cache' or check_constraint_count > 0
                or contains(sql, ' DEFAULT(') or contains(sql, ' GENERATED ALWAYS ')
            )
        union all
        select 'index', schema_name, index_name, sql
        from system.main.duckdb_indexes() where database_name = current_database()
        union all
        select 'sequence', schema_name, sequence_name, sql
        from system.main.duckdb_sequences() where database_name = current_database()
        union all
        select 'schema', 'main', schema_name, ''
        from system.main.duckdb_schemas()
        where database_name = current_database() and schema_name not in ('main', 'cache') and not internal
        union all
        select 'trigger', schema_name, trigger_name, sql
        from system.main.duckdb_triggers() where database_name = current_database()
    )

    select kind || ' ' || if(schema_name = 'main', '', schema_name || '.') || name, definition
    from place
"""


#: sha256 of the tables that the schema makes in the cache.
CACHED = "befc15674bd3536d658d5f55bc697c983a34603f92199803d362be369d3affd1"

# Tables that counts make there do not have constraints.
_CACHED = """
    select table_name, sql
    from system.main.duckdb_tables()
    where schema_name = 'cache' and database_name = current_database() and (
        list_contains($made, table_name) or index_count > 0 or regexp_matches(sql, ' (NOT NULL|UNIQUE|KEY|CHECK)\\b')
    )
"""

#: Tables of the cache that the schema makes.
OF_SCHEMA = ("drawn_candidate", "entry", "finding", "ngram_frequency", "parse", "score_column", "score_list")


#: The table with the schema versions of a store.
_NUMBERS = "schema_version"

#: The same table in stores of pre-releases, whose schemas had other numbers.
_NUMBERS_BEFORE = "migration"

#: Where the cache begins in `sql/schema.sql`.
_CACHE_BEGINS = "create schema cache;"


_COMMENTS = re.compile(r"^comment on [^']*'(?:[^']|'')*';\n", re.MULTILINE)


def steps() -> list[str]:
    """List the statements of each schema version, which change the one before, without those of the cache."""
    return [_schema().partition(_CACHE_BEGINS)[0]]


@functools.cache
def _schema() -> str:
    return (sql_root() / "schema.sql").read_text(encoding="utf-8")


def newest() -> int:
    """Return the schema version that this auditor writes."""
    return len(steps())


def current(connection: duckdb.DuckDBPyConnection) -> int | None:
    """Return the schema version of an open file; null if it is not an auditor store, 0 if its version is missing."""
    if not _has_table(connection, _NUMBERS):
        return None
    with suppress(duckdb.BinderException, duckdb.ConversionException):
        ((number,),) = connection.execute(f"select max(number)::integer from main.{_NUMBERS}").fetchall()
        return number or 0
    return 0


def _has_table(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    tables = connection.execute(
        "select 1 from system.main.duckdb_tables()"
        " where table_name = $name and schema_name = 'main' and database_name = current_database()",
        {"name": name},
    )
    return bool(tables.fetchall())


def state(connection: duckdb.DuckDBPyConnection, path: Path) -> Literal["empty", "old", "current"]:
    """Return whether an open file has no schema yet, an older one, or the newest.

    Raises `StoreError` for a foreign or altered file, and for one from a newer auditor or a pre-release.
    """
    _refuse_macros(connection, path)
    number = current(connection)
    if number is None:
        if not connection.execute("select 1 from duckdb_tables()").fetchall():
            return "empty"
        if _has_table(connection, _NUMBERS_BEFORE):
            raise StoreError(f"{path}: of a pre-release, which no release reads; move it and ingest the datasets again")
        raise StoreError(f"{path}: a DuckDB file, but not made by auditor; name another with --store")
    if number < 1:
        raise StoreError(f"{path}: altered: its table {_NUMBERS} has no version; restore a backup")
    if number > newest():
        raise StoreError(f"{path}: has schema {number}, but this auditor reads up to {newest()}; upgrade auditor")
    _refuse_definitions(connection, path, number)
    return "old" if number < newest() else "current"


def _refuse_macros(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a file that defines functions: stores have none, and a function md5 would replace the engine's."""
    names = connection.execute("select function_name from system.main.duckdb_functions() where not internal").fetchall()
    if names:
        raise StoreError(f"{path}: altered: it defines a macro, {names[0][0]!r}; restore a backup")


def _refuse_definitions(connection: duckdb.DuckDBPyConnection, path: Path, number: int) -> None:
    """Refuse a file whose definitions differ from its schema: they could replace counts, or run during a write."""
    actual = _definitions(connection)
    if number == newest() and _digest(actual) == DEFINITIONS:
        return
    with duckdb.connect() as fresh:  # another version of the engine may spell the same definitions differently
        apply(fresh, up_to=number)
        expected = _definitions(fresh)
    for name in sorted(expected.keys() | actual.keys()):
        if actual.get(name) != expected.get(name):
            how = "is missing" if name not in actual else "was added" if name not in expected else "was changed"
            raise StoreError(f"{path}: altered or of a pre-release: the {name} {how}; restore a backup or ingest again")


def _definitions(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the definition of each object in a file, by its kind and name; in the cache, only those that can run."""
    return dict(connection.execute(_DEFINED).fetchall())


def _digest(definitions: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(definitions, sort_keys=True).encode()).hexdigest()


def backup_of(path: Path) -> Path:
    """Return the path of the backup of a store, made before a migration to the newest schema."""
    return path.with_name(f"{path.name}.before-schema-{newest()}")


def migrate(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Migrate an older store, which `connection` has open for writing, to the newest schema. A backup is kept.

    The backup includes what an interrupted process left in the file's log.
    """
    write_copy(connection, path, backup_of(path))
    apply(connection)


def check_cache(connection: duckdb.DuckDBPyConnection, path: Path, *, mend: bool) -> None:
    """Refuse a cache whose tables differ from the newest schema; with `mend` make the cache again.

    Raises `StoreError` with the table, and the command that repairs it.
    """
    tables = _cached(connection)
    if _digest(tables) != CACHED:
        with duckdb.connect() as fresh:
            apply(fresh)
            expected = _cached(fresh)
        altered = next((name for name in sorted(tables) if tables[name] != expected.get(name)), None)
        if altered is not None and not mend:
            fault = f"{path}: altered: table cache.{altered} differs from the schema"
            raise StoreError(f"{fault}; run `auditor store gc --all`, which empties the cache without loss")
        if mend:
            connection.execute("begin transaction").complete()
            renew_cache(connection)
            connection.execute("commit").complete()


def _cached(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    return dict(connection.execute(_CACHED, {"made": OF_SCHEMA}).fetchall())


def renew_cache(connection: duckdb.DuckDBPyConnection, *, is_brief: bool = False) -> None:
    """Drop schema `cache`, whose contents can be recomputed, and make it as the newest schema defines it."""
    _, begin, tables = _schema().partition(_CACHE_BEGINS)
    connection.execute("drop schema if exists cache cascade").complete()
    made = begin + tables
    connection.execute(_COMMENTS.sub("", made) if is_brief else made).complete()


def has_cache(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether schema `cache` exists, which a user may drop."""
    return bool(connection.execute("select 1 from duckdb_schemas() where schema_name = 'cache'").fetchall())


def apply(connection: duckdb.DuckDBPyConnection, up_to: int | None = None, *, is_brief: bool = False) -> None:
    """Migrate an open file to the newest schema (or `up_to`), in one transaction, and empty its cache.

    A store that lives for one task is made without comments (`is_brief`), which take two thirds of the time.
    """
    connection.execute("begin transaction").complete()
    done = 0 if is_brief else current(connection) or 0
    for number, step in enumerate(steps()[:up_to], start=1):
        if number > done:
            connection.execute(_COMMENTS.sub("", step) if is_brief else step).complete()
            connection.execute(f"insert into {_NUMBERS} values (?, now())", [number]).complete()
    renew_cache(connection, is_brief=is_brief)
    connection.execute("commit").complete()
