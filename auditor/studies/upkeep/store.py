"""How large is the store, does it have the newest schema, and how do you free space?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.model import Progress, silent
from auditor.result import Finding, Result, Table
from auditor.store import migrations, upkeep
from auditor.store.connection import Store

Everything = Annotated[bool, p.Parameter("Remove the whole cache; it is recomputed when needed.", "all")]

_SCHEMA = pl.Schema({"statistic": pl.String, "relation": pl.String, "value": pl.Int64})


def info(store: Store) -> Result:
    """Report the size of the store and of its tables.

    Columns: statistic, relation (the table for a number of rows, else null), value.

    How to read it: `bytes` is the size of the file, `bytes-free` is unused space in it. `schema` is the schema version
    of this store.

    Limits: it does not upgrade an old schema; any command that opens the store for its data does.

    Example: auditor store info
    """
    tables = upkeep.tables(store)
    rows = dict(tables.iter_rows())
    schema, newest = upkeep.schema(store), migrations.newest()
    numbers = {
        "bytes": upkeep.size(store.path),
        "bytes-free": upkeep.free_bytes(store),
        "bytes-of-cache": upkeep.cache_bytes(store),
        "schema": schema,
        "newest-schema": newest,
        "datasets": rows["dataset"],
        "versions": rows["version"],
    }
    counted = tables.select(pl.lit("rows").alias("statistic"), "relation", pl.col("rows").alias("value"))
    sentence = f"schema {schema}: the next command that opens the store upgrades it to {newest}"
    old = Finding("old-schema", sentence, values={"schema": schema, "newest": newest}, severity="notice")
    return Result(
        "store-info",
        pl.concat([_rows(numbers), counted]),
        tables=(Table(f"store {store.path}", _shown(numbers), name="store"), Table("tables", tables, name="tables")),
        findings=() if schema == newest else (old,),
    )


def gc(store: Store, *, everything: Everything = False, progress: Progress = silent) -> Result:
    """Remove outdated counts and shrink the file.

    Removes cached counts that are outdated, or with `everything` the whole cache, and rewrites the file. Datasets do
    not change. The store is closed. Columns: statistic, relation (null), value.

    How to read it: `bytes-before` and `bytes` are the sizes of the file before and after.

    Limits: it needs disk space for a second file while it runs.

    Raises `StoreError` if the disk is full or the new file differs from the old one; the store is then unchanged.

    Example: auditor store gc
    """
    before = upkeep.size(store.path)
    progress("cleaning the cache", 0, 2)
    swept = upkeep.sweep(store, everything=everything)
    progress("rewriting the file", 1, 2)
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
