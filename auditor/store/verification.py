"""Verification of a store: whether blocks can be read, hashes match their versions, and tables agree."""

from __future__ import annotations

from collections.abc import Iterator

import polars as pl

from auditor.errors import EngineMemoryError, SqlError, StoreError
from auditor.model import Progress, Selection, silent
from auditor.store import upkeep, vectors, versions
from auditor.store.connection import Store
from auditor.store.tokens import TEXTS_AT_ONCE

#: Columns of every check.
SCHEMA = pl.Schema({"check": pl.String, "subject": pl.String, "checked": pl.Int64, "faults": pl.Int64})

FACTS, CACHE = "facts", "cache"


def legible(store: Store, progress: Progress = silent) -> pl.DataFrame:
    """Read every table whole and look up a key, so that the engine compares every block in use with its checksum.

    Columns: check, subject (`facts` or `cache`), checked and faults, both in tables.
    """
    checked, faults = {FACTS: 0, CACHE: 0}, {FACTS: 0, CACHE: 0}
    relations, keys = upkeep.relations(store), _keys(store)
    for number, relation in enumerate(relations):
        progress("reading tables", number, len(relations))
        part = CACHE if relation.startswith(f"{CACHE}.") else FACTS
        checked[part] += 1
        try:
            store.query(f"select sum(hash(stored_row)) from {relation} as stored_row")
            if key := keys.get(relation):  # an index has separate blocks, which only a look-up reads
                store.query(f"select count(*) from {relation} where {key} = (select min({key}) from {relation})")
        except EngineMemoryError:
            raise
        except (StoreError, SqlError):
            faults[part] += 1
    rows = [("every table can be read", part, checked[part], faults[part]) for part in (FACTS, CACHE)]
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


def _keys(store: Store) -> dict[str, str]:
    """Return the first column of each table's primary key, by the table's name as `upkeep.relations` has it."""
    actual = store.query(
        "select if(schema_name = 'main', table_name, schema_name || '.' || table_name), constraint_column_names[1]"
        " from duckdb_constraints() where constraint_type = 'PRIMARY KEY' and database_name = current_database()"
    )
    return dict(actual.rows())


def check(store: Store, only: Selection | None = None, progress: Progress = silent) -> pl.DataFrame:
    """Compare the facts with each other. Columns: check, subject, checked, faults; a sound store has no faults.

    With a selection, of the versions only its own is hashed again. Raises `StoreError` for facts that cannot be read.
    """
    hashed = [only.version] if only is not None else versions.log(store)
    rows = []
    for number, version in enumerate(hashed):
        progress(f"hashing {version.label}", number, len(hashed))
        of_vectors = version.kind == "vectors"
        actual = (
            vectors.content_hash(store, version) if of_vectors else versions.content_hash(store, Selection(version))
        )
        expected = (version.version, version.images, version.captions)
        rows.append(("hash and counts", version.label, version.captions, int(actual != expected)))
    rows.append(_profiles(store))
    by_version = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    by_table = [store.rows(name).cast(SCHEMA) for name in ("integrity", "version_integrity")]
    return pl.concat([by_version, *by_table])


def tokenizers(store: Store) -> list[str]:
    """Name the tokenizers whose tokens the store holds."""
    return store.query("select distinct tokenizer from caption_tokens order by tokenizer")["tokenizer"].to_list()


def stored_tokens(store: Store, tokenizer: str) -> Iterator[tuple[pl.DataFrame, int, int]]:
    """Yield texts with their tokens of a tokenizer, in bounded batches: the rows, and the last id.

    Columns: caption_id, text, tokens.
    """
    last = store.query("select coalesce(max(caption_id), 0) as last from caption").item()
    for first in range(1, last + 1, TEXTS_AT_ONCE):
        until = first + TEXTS_AT_ONCE - 1
        yield store.rows("stored_tokens", tokenizer=tokenizer, first_caption=first, last_caption=until), first - 1, last


def _profiles(store: Store) -> tuple[str, str, int, int]:
    """Compare the tokenizers that the log names with those under which every text of a version has tokens."""
    whole = {
        (dataset, seq): profiles for dataset, seq, profiles in store.rows("tokenized_version", dataset=None).iter_rows()
    }
    logged = versions.log(store)
    faults = sum(set(version.tokenizers) - set(whole[version.dataset, version.seq]) != set() for version in logged)
    return "every caption has the tokens that the log names", "version", len(logged), faults
