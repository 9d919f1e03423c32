"""Checking a store against itself: versions against their hashes, tables against each other."""

from __future__ import annotations

import polars as pl

from auditor.model import Selection
from auditor.store import versions
from auditor.store.connection import Store


def check(store: Store, only: Selection | None = None) -> pl.DataFrame:
    """Run every check. Columns: check, subject, checked, faults; a sound store has no faults.

    With a selection, of the versions only its own is hashed again.
    """
    hashed = [only.version] if only is not None else versions.log(store)
    rows = []
    for version in hashed:
        found = versions.content_hash(store, Selection(version))
        expected = (version.version, version.images, version.captions)
        rows.append(("hash and counts", version.label, version.captions, int(found != expected)))
    schema = pl.Schema({"check": pl.String, "subject": pl.String, "checked": pl.Int64, "faults": pl.Int64})
    by_version = pl.DataFrame(rows, schema=schema, orient="row")
    return pl.concat([by_version, store.rows("integrity").cast(schema)])
