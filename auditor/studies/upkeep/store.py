"""What takes room in the store, is it of the newest schema, and how is room won back?"""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from auditor.model import Progress, silent
from auditor.result import Finding, Result, Table
from auditor.store import migrations, upkeep
from auditor.store.connection import Store

_SCHEMA = pl.Schema({"statistic": pl.String, "relation": pl.String, "value": pl.Int64})


def info(store: Store) -> Result:
    """Say how large the store is, of which schema, and how many rows each table holds.

    Columns: statistic, relation (the table whose rows are counted, else null), value.
    """
    tables = upkeep.tables(store)
    held = dict(tables.iter_rows())
    schema, newest = upkeep.schema(store), migrations.newest()
    numbers = {
        "bytes": upkeep.size(store.path),
        "bytes-free": upkeep.free_bytes(store),
        "bytes-of-cache": upkeep.cache_bytes(store),
        "schema": schema,
        "newest-schema": newest,
        "datasets": held["dataset"],
        "versions": held["version"],
    }
    counted = tables.select(pl.lit("rows").alias("statistic"), "relation", pl.col("rows").alias("value"))
    said = f"of schema {schema}: `auditor store migrate` brings it to {newest}"
    old = Finding("old-schema", said, values={"schema": schema, "newest": newest}, severity="notice")
    return Result(
        "store-info",
        pl.concat([_rows(numbers), counted]),
        tables=(Table(f"store {store.path}", _shown(numbers), name="store"), Table("tables", tables, name="tables")),
        findings=() if schema == newest else (old,),
    )


def migrate(store: Store) -> Result:
    """Say what opening the store did to its schema. Columns: statistic, relation (null), value."""
    done = store.migration
    newest = migrations.newest()
    numbers = {"schema-before": done.old if done else newest, "schema": newest}
    if done is None:
        note = f"already current: {store.path} is of schema {newest}"
    else:
        note = f"migrated from schema {done.old} to {done.new}; the old file is kept as {done.backup}"
    return Result(
        "store-migrate",
        _rows(numbers),
        tables=(Table(f"store {store.path}", _shown(numbers), name="store"),),
        notes=(note,),
    )


def gc(store: Store, *, everything: bool = False, progress: Progress = silent) -> Result:
    """Sweep what the cache no longer needs, or with `everything` the whole cache, and write the file anew.

    Closes the store. Columns: statistic, relation (null), value. Raises `StoreError`, with every fact where it was,
    when there is no room for the new file or it is not equal to the old one.
    """
    before = upkeep.size(store.path)
    progress("sweeping the cache", 0, 2)
    swept = upkeep.sweep(store, everything=everything)
    progress("writing the file anew", 1, 2)
    upkeep.rewrite(store)
    numbers = {
        "bytes-before": before,
        "bytes": upkeep.size(store.path),
        "entries-swept": swept.entries,
        "ngram-frequencies-swept": swept.ngram_frequencies,
        "tables-dropped": swept.tables,
    }
    return Result("store-gc", _rows(numbers), tables=(Table(f"store {store.path}", _shown(numbers), name="store"),))


def _rows(numbers: Mapping[str, int]) -> pl.DataFrame:
    return pl.DataFrame([(name, None, value) for name, value in numbers.items()], schema=_SCHEMA, orient="row")


def _shown(numbers: Mapping[str, int]) -> pl.DataFrame:
    return _rows(numbers).drop("relation")
