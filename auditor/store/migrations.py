"""The schema of a store: `sql/schema.sql` is version 1, each later version a step that is applied to the one before."""

from __future__ import annotations

import functools
import hashlib
import json
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import duckdb

from auditor.errors import StoreError
from auditor.store import copying
from auditor.store.sqlfiles import sql_root

#: sha256 of what the newest schema defines, as the engine spells it: what `_definitions` need not be compared with.
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


#: The same of the tables that the schema makes in the cache.
CACHED = "befc15674bd3536d658d5f55bc697c983a34603f92199803d362be369d3affd1"

# Tables that countings make there have no constraint.
_CACHED = """
    select table_name, sql
    from system.main.duckdb_tables()
    where schema_name = 'cache' and database_name = current_database() and (
        list_contains($made, table_name) or index_count > 0 or regexp_matches(sql, ' (NOT NULL|UNIQUE|KEY|CHECK)\\b')
    )
"""

#: Tables of the cache that the schema makes.
OF_SCHEMA = ("drawn_candidate", "entry", "finding", "ngram_frequency", "parse", "score_column", "score_list")


#: Table of a store that says of which schema it is.
_NUMBERS = "schema_version"

#: The same in stores that were made before the first release, whose schemas were numbered otherwise.
_NUMBERS_BEFORE = "migration"

#: Where the cache begins in `sql/schema.sql`.
_CACHE_BEGINS = "create schema cache;"


@dataclass(frozen=True)
class Migration:
    """What opening a store of an older schema did: from which schema to which, and where the old file is kept."""

    old: int
    new: int
    backup: Path


def steps() -> list[str]:
    """List the statements that make each schema version of the one before, without those of the cache."""
    return [_schema().partition(_CACHE_BEGINS)[0]]


@functools.cache
def _schema() -> str:
    return (sql_root() / "schema.sql").read_text(encoding="utf-8")


def newest() -> int:
    """Return the schema version that this auditor writes."""
    return len(steps())


def current(connection: duckdb.DuckDBPyConnection) -> int | None:
    """Return the schema version of an open file; null when it is no auditor store, 0 when its own table has none."""
    if not _has_table(connection, _NUMBERS):
        return None
    with suppress(duckdb.BinderException, duckdb.ConversionException):
        ((number,),) = connection.execute(f"select max(number)::integer from main.{_NUMBERS}").fetchall()
        return number or 0
    return 0


def _has_table(connection: duckdb.DuckDBPyConnection, name: str) -> bool:
    found = connection.execute(
        "select 1 from system.main.duckdb_tables()"
        " where table_name = $name and schema_name = 'main' and database_name = current_database()",
        {"name": name},
    )
    return bool(found.fetchall())


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
            raise StoreError(f"{path}: made by a pre-release: export with 0.1.0 and ingest again")
        raise StoreError(f"{path}: a DuckDB file, but not made by auditor; name another with --store")
    if number < 1:
        raise StoreError(f"{path}: altered: its table {_NUMBERS} names no schema; restore a backup")
    if number > newest():
        raise StoreError(f"{path}: has schema {number}, this auditor knows up to {newest()}; upgrade auditor")
    _refuse_definitions(connection, path, number)
    return "old" if number < newest() else "current"


def _refuse_macros(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Refuse a file that defines functions: no schema has any, and one named md5 would be taken for the engine's."""
    found = connection.execute("select function_name from system.main.duckdb_functions() where not internal").fetchall()
    if found:
        raise StoreError(f"{path}: altered: it defines the macro {found[0][0]!r}, as no store does; restore a backup")


def _refuse_definitions(connection: duckdb.DuckDBPyConnection, path: Path, number: int) -> None:
    """Refuse a file that defines anything else than its schema: it would stand for what we count or run as we write."""
    found = _definitions(connection)
    if number == newest() and _digest(found) == DEFINITIONS:
        return
    with duckdb.connect() as fresh:  # also where another version of the engine spells its definitions otherwise
        apply(fresh, up_to=number)
        expected = _definitions(fresh)
    for name in sorted(expected.keys() | found.keys()):
        if found.get(name) != expected.get(name):
            how = "it lacks" if name not in found else "no store has" if name not in expected else "it has replaced"
            raise StoreError(f"{path}: altered: {how} the {name}; restore a backup")


def _definitions(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    """Return the definition of each thing in a file, by its kind and name. Of the cache, only what would be run."""
    return dict(connection.execute(_DEFINED).fetchall())


def _digest(definitions: dict[str, str]) -> str:
    return hashlib.sha256(json.dumps(definitions, sort_keys=True).encode()).hexdigest()


def backup_of(path: Path) -> Path:
    """Name the file that keeps a store as it was before it is migrated to the newest schema."""
    return path.with_name(f"{path.name}.before-schema-{newest()}")


def migrate(connection: duckdb.DuckDBPyConnection, path: Path) -> Migration:
    """Bring an older store, which `connection` holds open for writing, to the newest schema. A backup stays beside it.

    The copy holds also what an interrupted process left in the file's log.
    """
    old = current(connection) or 0
    backup = backup_of(path)
    copying.copy(connection, path, backup)
    apply(connection)
    return Migration(old, newest(), backup)


def check_cache(connection: duckdb.DuckDBPyConnection, path: Path, *, mend: bool) -> None:
    """Refuse a cache whose tables are not as the newest schema makes them; with `mend` make it anew, and what it lacks.

    Raises `StoreError` that names the table, and the command that mends it.
    """
    found = _cached(connection)
    if _digest(found) != CACHED:
        with duckdb.connect() as fresh:
            apply(fresh)
            expected = _cached(fresh)
        altered = next((name for name in sorted(found) if found[name] != expected.get(name)), None)
        if altered is not None and not mend:
            said = f"{path}: altered: table cache.{altered} is not as auditor makes it"
            raise StoreError(f"{said}; `auditor store gc --all` makes the cache anew, without loss")
        if mend:
            connection.execute("begin transaction").complete()
            renew_cache(connection)
            connection.execute("commit").complete()


def _cached(connection: duckdb.DuckDBPyConnection) -> dict[str, str]:
    return dict(connection.execute(_CACHED, {"made": OF_SCHEMA}).fetchall())


def renew_cache(connection: duckdb.DuckDBPyConnection) -> None:
    """Forget whatever can be counted again, and make schema `cache` as the newest schema has it."""
    _, begin, tables = _schema().partition(_CACHE_BEGINS)
    connection.execute("drop schema if exists cache cascade").complete()
    connection.execute(begin + tables).complete()


def has_cache(connection: duckdb.DuckDBPyConnection) -> bool:
    """Return whether schema `cache` is there, which anyone may drop."""
    return bool(connection.execute("select 1 from duckdb_schemas() where schema_name = 'cache'").fetchall())


def apply(connection: duckdb.DuckDBPyConnection, up_to: int | None = None) -> None:
    """Bring an open file to the newest schema (or `up_to`), in one transaction; its cache begins anew."""
    connection.execute("begin transaction").complete()
    done = current(connection) or 0
    for number, step in enumerate(steps()[:up_to], start=1):
        if number > done:
            connection.execute(step).complete()
            connection.execute(f"insert into {_NUMBERS} values (?, now())", [number]).complete()
    renew_cache(connection)
    connection.execute("commit").complete()
