"""Maintenance of the file: its size, deleting versions and outdated counts, rewriting it without free blocks.

Facts change only where a version is deleted, and those that another version holds stay. A new file is compared with the
old one row by row.
"""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from auditor.errors import StoreError
from auditor.model import Version
from auditor.store import migrations, parses
from auditor.store.connection import MEMORY, Store
from auditor.store.engine import engine_errors
from auditor.store.file import spilled_of, write_copy

_INDEX = ("entry", "ngram_frequency", "parse")  # tables of the cache that do not hold counts under a key

_LASTING = migrations.OF_SCHEMA  # emptied, never dropped

_ENTERED_AS = {"score_column": "score_list"}  # tables of the cache whose keys are entries of another

_CURRENT = "select v.version from version as v join latest as l using (dataset, seq)"

#: The tables whose rows are of a stretch of versions.
_STRETCHES = ("membership", "annotation", "vector")

_OF_VERSION = ("rejected", "tag", "version")


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
    files = [path, *(path.with_name(f"{path.name}{end}") for end in (".wal", ".partial")), *spilled_of(path)]
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
        store.cached = None
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
            write_copy(store.connection, path, path)
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
    dropped, unlisted = _drop_unlisted(store)
    return Swept(entries + unlisted, frequencies, dropped)


def _drop_unlisted(store: Store) -> tuple[int, int]:
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


def drop(store: Store, version: Version) -> None:
    """Delete one version. After the newest, the one before it is the newest; the last one deletes its dataset."""
    with store.transaction():
        kept = store.query(
            "select seq from version where dataset = $dataset and seq <> $seq order by seq",
            {"dataset": version.dataset, "seq": version.seq},
        )["seq"].to_list()
        params = {"dataset": version.dataset, "seq": version.seq}
        following = min((seq for seq in kept if seq > version.seq), default=None)
        for table in _STRETCHES:
            _shorten(store, table, params, following)
        for table in _OF_VERSION:
            store.execute(f"delete from {table} where dataset = $dataset and seq = $seq", params)
        if not kept:
            store.execute("delete from dataset where dataset = $dataset", {"dataset": version.dataset})
        _sweep(store, [version])


def drop_dataset(store: Store, versions: list[Version]) -> None:
    """Delete a dataset with all its versions and tags."""
    with store.transaction():
        for table in (*_STRETCHES, *_OF_VERSION, "dataset"):
            store.execute(f"delete from {table} where dataset = $dataset", {"dataset": versions[0].dataset})
        _sweep(store, versions)


def _shorten(store: Store, table: str, params: dict[str, object], following: int | None) -> None:
    """Move the beginnings and ends of rows from a version to the one after it; delete rows that become empty."""
    of = "dataset = $dataset"
    dataset = {"dataset": params["dataset"]}
    if following is None:
        store.execute(f"delete from {table} where {of} and from_seq = $seq", params)
        store.execute(f"update {table} set to_seq = null where {of} and to_seq = $seq", params)
        return
    moved = {**params, "following": following}
    store.execute(f"update {table} set from_seq = $following where {of} and from_seq = $seq", moved)
    store.execute(f"update {table} set to_seq = $following where {of} and to_seq = $seq", moved)
    store.execute(f"delete from {table} where {of} and to_seq is not null and from_seq >= to_seq", dataset)


def _sweep(store: Store, versions: list[Version]) -> None:
    """Delete texts that no version has any more, and rows of the cache for deleted versions."""
    for table in ("caption_tokens", "cache.parse", "caption"):
        store.execute(f"delete from {table} where caption_id not in (select caption_id from membership)")
    gone = {"versions": [version.version for version in versions]}
    for table in ("cache.entry", "cache.ngram_frequency"):
        store.execute(
            f"delete from {table} where list_contains($versions, version)"
            " and version not in (select version from version)",
            gone,
        )
    of_dataset = {**gone, "dataset": versions[0].dataset}
    for table in ("cache.score_column", "cache.finding", "cache.drawn_candidate"):
        store.execute(
            f"delete from {table} where dataset = $dataset and list_contains($versions, version)"
            " and version not in (select version from version where dataset = $dataset)",
            of_dataset,
        )
    # another dataset of equal captions keeps the entries of a version, whose scores are gone
    scores = "key not in (select key from cache.score_column)"
    store.execute(f"delete from cache.entry where relation = 'score_list' and {scores}")
    store.execute(f"delete from cache.score_list where {scores}")
    _drop_unlisted(store)
