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

#: What is said of the scores of one candidate by one metric; `made_of` is a hash of all that it is.
MADE = pl.Schema({
    "made_of": pl.String, "candidate": pl.String, "drawn_from": pl.String, "seed": pl.Int64, "metric": pl.String,
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
        join (select key, sum(len(scores)) as scores from cache.score_list group by key) as s using (key)
        where e.relation = 'score_list'
    )
    where scores > $most
"""

_SCORES = """
    insert into cache.score_list by name
    select $key as key, image, slot, [{columns}] as scores
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
    known = store.query("select made_of from cache.score_column")["made_of"]
    new = made.filter(~pl.col("made_of").is_in(known.implode()))
    if new.is_empty():
        return
    with store.registered("scored", pl.read_parquet(file)):
        for (candidate,), part in new.partition_by("candidate", as_dict=True, maintain_order=True).items():
            own = key(selection, *part["made_of"])
            named = part.with_columns(pl.lit(own).alias("key"), place=pl.int_range(1, pl.len() + 1, dtype=pl.UInt32))
            _insert(store, "score_column", selection, named)
            columns = ", ".join('"{}"'.format(metric.replace('"', '""')) for metric in part["metric"])
            store.execute(_SCORES.format(columns=columns), {"key": own, "candidate": candidate})
            _enter(store, "score_list", selection, own)
    passed = store.query(_TOO_MANY, {"most": MOST_SCORES})["key"].to_list()
    for table in ("score_list", "score_column", "entry"):
        store.execute(f"delete from cache.{table} where list_contains($keys, key)", {"keys": passed})


def _save_findings(selection: Selection, kinds: tuple[str, ...], found: pl.DataFrame, store: Store) -> None:
    own = key(selection, "findings")
    asked = {"key": own, "kinds": list(kinds)}
    store.execute("delete from cache.finding where key = $key and list_contains($kinds, kind)", asked)
    store.execute("delete from cache.entry where key = $key", {"key": own})
    _insert(store, "finding", selection, found.with_columns(pl.lit(own).alias("key")))
    _enter(store, "finding", selection, own)


def _insert(store: Store, relation: str, selection: Selection, rows: pl.DataFrame) -> None:
    version = selection.version
    placed = rows.with_columns(
        pl.lit(version.dataset).alias("dataset"),
        pl.lit(version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
    )
    with store.registered("made_outside", placed):
        store.execute(f"insert into cache.{relation} by name from made_outside")


def _enter(store: Store, relation: str, selection: Selection, entry_key: str) -> None:
    facts = {"relation": relation, "dataset": selection.version.dataset, "version": selection.version.version}
    store.execute(
        "insert into cache.entry select $key, $relation, $dataset, $version, now()", {"key": entry_key, **facts}
    )
