"""Maintenance of the file: its size, removing outdated rows of the cache, rewriting it without free blocks.

Facts are never changed: only schema `cache` is swept, and a new file is compared with the old one row by row.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auditor.errors import StoreError
from auditor.store import copying, migrations, parses
from auditor.store.connection import MEMORY, Store
from auditor.store.faults import engine_errors

_INDEX = ("entry", "ngram_frequency", "parse")  # tables of the cache that do not hold counts under a key

_LASTING = migrations.OF_SCHEMA  # emptied, never dropped

_ENTERED_AS = {"score_column": "score_list"}  # tables of the cache whose keys are entries of another

_CURRENT = "select v.version from version as v join latest as l using (dataset, seq)"


@dataclass(frozen=True)
class Swept:
    """What was removed from the cache: entries, rows of n-gram frequencies, tables."""

    entries: int
    ngram_frequencies: int
    tables: int


def schema(store: Store) -> int:
    """Return the number of the store's schema."""
    with engine_errors(store.path):
        return migrations.current(store.connection) or 0


def size(path: Path) -> int:
    """Return the bytes of a store on disk, with its log and the files that killed processes left next to it."""
    files = [path, *(path.with_name(f"{path.name}{end}") for end in (".wal", ".partial")), *_spilled(path)]
    files += parses.folder_beside(path).rglob("*")
    return sum(file.stat().st_size for file in files if file.is_file())


def relations(store: Store) -> list[str]:
    """List the tables by their names in statements, facts first."""
    sizes = store.query(
        "select schema_name, table_name from duckdb_tables()"
        " where database_name = current_database() and not internal and not temporary"
        " order by schema_name = 'cache', table_name"
    )
    return [table if schema == "main" else f"{schema}.{table}" for schema, table in sizes.iter_rows()]


def tables(store: Store) -> pl.DataFrame:
    """List the tables, facts first. Columns: relation, rows."""
    names = relations(store)
    rows = [store.query(f"select count(*) from {name}").item() for name in names]
    return pl.DataFrame({"relation": names, "rows": rows}, schema={"relation": pl.String, "rows": pl.Int64})


def free_bytes(store: Store) -> int:
    """Return the unused bytes of the file."""
    block_size, free_blocks = _blocks(store)
    return block_size * free_blocks


def cache_bytes(store: Store) -> int:
    """Return the bytes of the file that the cache uses, in whole blocks."""
    parts = [
        f"select block_id, additional_block_ids from pragma_storage_info('cache.{name}') where persistent"
        for name in _cache_tables(store)
    ]
    if not parts:
        return 0
    blocks = (
        "select count(distinct block) from (select unnest(list_append(additional_block_ids, block_id)) as block"
        f" from ({' union all '.join(parts)})) where block >= 0"
    )
    block_size, _ = _blocks(store)
    return int(store.query(blocks).item()) * block_size


def sweep(store: Store, *, everything: bool = False) -> Swept:
    """Delete counts of versions that are not the newest of any dataset, or with `everything` the whole cache.

    Tables of the cache without entries are dropped, and temporary files of killed processes deleted. Raises
    `StoreError` on a store opened for reading.
    """
    with store.transaction():
        for file in _spilled(store.path):  # left by killed processes, since no other process has the store open
            file.unlink(missing_ok=True)
        return _drop_cache(store) if everything else _drop_outdated(store)


def rewrite(store: Store) -> None:
    """Rewrite the file without free blocks, and close the store.

    The new file replaces the old one in one step, while no other process can write: after a kill, one of them is there.
    Raises `StoreError` for a full disk, or if the new file is not equal to the old one.
    """
    if store.path == MEMORY:
        raise StoreError(f"{store.path}: has no file; name one with --store")
    store.execute("checkpoint")
    path = store.path.resolve()
    with engine_errors(store.path):
        try:
            copying.copy(store.connection, path, path)
        except OSError as error:
            raise StoreError(f"{store.path}: cannot be rewritten: {error.strerror or error}") from error
    store.close()


def _drop_cache(store: Store) -> Swept:
    held = dict(tables(store).iter_rows())
    tables_held = [name for name in _cache_tables(store) if name not in _LASTING]
    swept = Swept(held["cache.entry"], held["cache.ngram_frequency"], len(tables_held))
    shutil.rmtree(parses.folder_beside(store.path), ignore_errors=True)
    with engine_errors(store.path):
        migrations.renew_cache(store.connection)
    return swept


def _drop_outdated(store: Store) -> Swept:
    entries = store.execute(f"delete from cache.entry where version not in ({_CURRENT})")
    frequencies = store.execute(f"delete from cache.ngram_frequency where version not in ({_CURRENT})")
    standing = "select caption_id from membership where to_seq is null"
    store.execute(f"delete from cache.parse where caption_id not in ({standing})")
    dropped, unlisted = drop_unlisted(store)
    return Swept(entries + unlisted, frequencies, dropped)


def drop_unlisted(store: Store) -> tuple[int, int]:
    """Delete counts without an entry, and entries without their table. Return the numbers of tables and entries."""
    dropped = 0
    counted = [name for name in _cache_tables(store) if name not in _INDEX]
    for name in counted:
        relation = _ENTERED_AS.get(name, name)
        unused = store.query("select 1 from cache.entry where relation = $name limit 1", {"name": relation}).is_empty()
        if unused and name not in _LASTING:
            store.execute(f'drop table cache."{name}"')
            dropped += 1
        else:
            store.execute(
                f'delete from cache."{name}" where key not in (select key from cache.entry where relation = $name)',
                {"name": relation},
            )
    # An entry without its table would prevent that the counts are kept again.
    entries = store.execute("delete from cache.entry where not list_contains($names, relation)", {"names": counted})
    return dropped, entries


def _spilled(path: Path) -> list[Path]:
    """List the temporary files that the engine wrote next to a store."""
    return list(path.with_name(f"{path.name}.tmp").glob("duckdb_temp_*"))


def _cache_tables(store: Store) -> list[str]:
    return store.query(
        "select table_name from duckdb_tables() where database_name = current_database() and schema_name = 'cache'"
        " order by table_name"
    )["table_name"].to_list()


def _blocks(store: Store) -> tuple[int, int]:
    """Return the size of a block and the number of unused blocks; a store in memory has none."""
    sizes = store.query(
        "select coalesce(block_size, 0)::bigint, coalesce(free_blocks, 0)::bigint from pragma_database_size()"
        " where database_name = current_database()"
    )
    block_size, free_blocks = sizes.row(0)
    return block_size, free_blocks
