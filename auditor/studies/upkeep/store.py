"""What takes room in the store, is it of the newest schema, and how is room won back?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.model import Progress, silent
from auditor.result import Finding, Result, Table
from auditor.store import migrations, upkeep
from auditor.store.connection import Store

Everything = Annotated[bool, p.Parameter("Remove the whole cache, which is counted again.", "all")]

_SCHEMA = pl.Schema({"statistic": pl.String, "relation": pl.String, "value": pl.Int64})


def info(store: Store) -> Result:
    """Report the size of the store and of its tables.

    Columns: statistic, relation (the table whose rows are counted, else null), value.

    How to read it: `bytes` is the size of the file, `bytes-free` what is unused in it. `schema` is that of this store.

    Limits: an old schema stays as it is; any command that opens the store for its data changes it.

    Example: auditor store info
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
    said = f"of schema {schema}: the next command that opens it brings it to {newest}"
    old = Finding("old-schema", said, values={"schema": schema, "newest": newest}, severity="notice")
    return Result(
        "store-info",
        pl.concat([_rows(numbers), counted]),
        tables=(Table(f"store {store.path}", _shown(numbers), name="store"), Table("tables", tables, name="tables")),
        findings=() if schema == newest else (old,),
    )


def gc(store: Store, *, everything: Everything = False, progress: Progress = silent) -> Result:
    """Remove outdated counts and shrink the file.

    Removes counts of outdated versions, or with `everything` the whole cache, and writes the file again. Facts stay.
    Closes the store. Columns: statistic, relation (null), value.

    How to read it: `bytes-before` and `bytes` are the size of the file before and after.

    Limits: needs room for a second file until it is done.

    Raises `StoreError`, with every fact where it was, when there is no room for the new file or it is not equal to the
    old one.

    Example: auditor store gc
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
