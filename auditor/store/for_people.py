"""Scores and findings, kept as they were made for people to query: nothing is counted from them.

They wait until the store is closed, as counts do (`store.cache`), and are gone with the version that they are of.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import ComputeError

from auditor.model import Selection
from auditor.store.connection import MEMORY, Store

#: Scores that a store holds at most: the oldest give way, and a run that made more keeps none.
MOST_SCORES = 10_000_000

#: What is said of the scores of one candidate by one metric.
MADE = pl.Schema({
    "key": pl.String, "candidate": pl.String, "drawn_from": pl.String, "seed": pl.Int64, "metric": pl.String,
    "signature": pl.String,
})  # fmt: skip

#: What is said of a finding on a caption, an image (no slot) or the whole (no image).
FOUND = pl.Schema({
    "kind": pl.String, "severity": pl.String, "image": pl.String, "slot": pl.UInt32, "why": pl.String,
    "other_image": pl.String, "other_slot": pl.UInt32,
})  # fmt: skip

_TOO_MANY = """
    select key
    from (
        select e.key, sum(s.scores) over (order by e.created_at desc, e.key) as scores
        from cache.entry as e
        join (select key, count(*) as scores from cache.score group by key) as s using (key)
        where e.relation = 'score'
    )
    where scores > $most
"""

_SCORES = """
    insert into cache.score by name
    select
        $key as key, $dataset as dataset, $version as version, $split::varchar as split, candidate,
        $drawn_from::varchar as drawn_from, $seed::bigint as seed, $metric as metric, $signature as signature,
        image, slot, "{metric}" as value
    from scored
    where candidate = $candidate
"""


def key(selection: Selection, *facts: Any) -> str:
    """Hash of what rows are, beside the version: the same made again takes their place."""
    version = selection.version
    told = [version.dataset, version.version, selection.split, *facts]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def keep_scores(store: Store, selection: Selection, scores: pl.DataFrame, made: pl.DataFrame) -> None:
    """Keep scores when the store is closed. `scores` has candidate, image, slot and a column a metric, `made` `MADE`.

    Where there is no room for the file that they wait in they are not kept, nor where they are more than `MOST_SCORES`.
    """
    if store.path == MEMORY or made.is_empty() or scores.height * (scores.width - 3) > MOST_SCORES:
        return
    file = store.scratch() / f"{uuid.uuid4()}.parquet"
    try:
        scores.write_parquet(file, compression="lz4")
    except (OSError, ComputeError):
        file.unlink(missing_ok=True)
    else:
        store.on_close.append(partial(_save_scores, selection, file, made))


def keep_findings(store: Store, selection: Selection, kinds: Sequence[str], found: pl.DataFrame) -> None:
    """Keep what was found of some kinds when the store is closed, in place of what an earlier run found of them.

    `found` has the columns of `FOUND`.
    """
    if store.path != MEMORY:
        store.on_close.append(partial(_save_findings, selection, tuple(kinds), found))


def _save_scores(selection: Selection, file: Path, made: pl.DataFrame, store: Store) -> None:
    known = store.query("select key from cache.entry where relation = 'score'")["key"]
    new = made.filter(~pl.col("key").is_in(known.implode()))
    if new.is_empty():
        return
    version = selection.version
    of_version = {"dataset": version.dataset, "version": version.version, "split": selection.split}
    with store.registered("scored", pl.read_parquet(file)):
        for made_here in new.iter_rows(named=True):
            metric = made_here["metric"].replace('"', '""')
            # what all rows of a metric share is said once, not carried beside each
            store.execute(_SCORES.format(metric=metric), {**made_here, **of_version})
    _enter(store, "score", selection, new["key"])
    passed = store.query(_TOO_MANY, {"most": MOST_SCORES})["key"].to_list()
    for table in ("score", "entry"):
        store.execute(f"delete from cache.{table} where list_contains($keys, key)", {"keys": passed})


def _save_findings(selection: Selection, kinds: tuple[str, ...], found: pl.DataFrame, store: Store) -> None:
    own = key(selection, "findings")
    asked = {"key": own, "kinds": list(kinds)}
    store.execute("delete from cache.finding where key = $key and list_contains($kinds, kind)", asked)
    store.execute("delete from cache.entry where key = $key", {"key": own})
    _insert(store, "finding", selection, found.with_columns(pl.lit(own).alias("key")))
    _enter(store, "finding", selection, pl.Series([own]))


def _insert(store: Store, relation: str, selection: Selection, rows: pl.DataFrame) -> None:
    version = selection.version
    placed = rows.with_columns(
        pl.lit(version.dataset).alias("dataset"),
        pl.lit(version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
    )
    with store.registered("made_outside", placed):
        store.execute(f"insert into cache.{relation} by name from made_outside")


def _enter(store: Store, relation: str, selection: Selection, keys: pl.Series) -> None:
    facts = {"relation": relation, "dataset": selection.version.dataset, "version": selection.version.version}
    store.execute(
        "insert into cache.entry select unnest($keys), $relation, $dataset, $version, now()",
        {"keys": keys.to_list(), **facts},
    )
