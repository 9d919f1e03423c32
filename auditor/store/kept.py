"""The cache: counts, scores, findings and results, kept in schema `cache` when a store is closed.

A key is a hash of everything that can change the rows, so that they never go stale: a changed input is another key.
Reading commands open the store read-only. Their rows wait in files, and are written when they close the store, if no
other process has it open. On a full disk, and in memory, nothing is kept: all of it can be recomputed.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import astuple, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import polars as pl
from polars.exceptions import ComputeError

from auditor.model import Selection
from auditor.store.connection import MEMORY, Store
from auditor.store.engine import quoted
from auditor.store.sqlfiles import catalogue, fingerprint, reads_of

#: The most scores that a store keeps: the oldest are deleted, and a run with more keeps none.
MOST_SCORES = 10_000_000

#: Columns that describe the scores of one candidate by one metric.
MADE = pl.Schema({
    "candidate": pl.String, "drawn_from": pl.String, "seed": pl.Int64, "metric": pl.String, "signature": pl.String,
})  # fmt: skip

#: Columns of a finding about a caption, an image (no slot) or the dataset (no image).
FOUND = pl.Schema({
    "kind": pl.String, "severity": pl.String, "image": pl.String, "slot": pl.UInt32, "why": pl.String,
    "other_image": pl.String, "other_slot": pl.UInt32,
})  # fmt: skip

#: Comments on the columns that tables of counts share.
_COLUMNS = {
    "key": "Entry of the cache, see entry.",
    "candidate": "What was counted: human, a substitute, or the dataset of a system's output.",
    "image": "The image.",
    "slot": "Position of the candidate among those of its image, from 0.",
    "part": "Number of the part: 0 is a JSON object, the others are tables.",
    "body": "The part itself: JSON, or a table as an Arrow file.",
    "value": "The value of a gate.",
}

#: Comments on tables that are not made by a SELECT.
_MADE_OUTSIDE = {
    "study_result": "Results of studies, kept whole to avoid recomputing them.",
    "gate_value": "Values of gates, by which `auditor check` shows the versions that it checked before.",
    "text_language": "The language of each text, and its probability.",
}

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

Save = Callable[[Store, pl.DataFrame], None]


def key(
    store: Store, selection: Selection, tokenizer: str = "", relations: Sequence[str] = (),
    params: Mapping[str, Any] | None = None,
) -> str:  # fmt: skip
    """Hash everything that rows depend on: the captions, the tokenizer, the SQL of every relation, the parameters.

    The store notes these SELECTs: rows that are kept came from them.
    """
    steps = {"drawn": selection.draw, "distinct": selection.distinct, "shared": selection.images}
    ran = {*relations, *(f"{step}_reference" for step, chosen in steps.items() if chosen is not None)}
    store.record(*ran.union(*map(reads_of, ran)) & catalogue().keys())
    facts = {
        "dataset": selection.version.dataset,
        "version": selection.version.version,
        "split": selection.split,
        "draw": selection.draw and (*astuple(selection.draw), fingerprint("drawn_reference")),
        "distinct": selection.distinct and (selection.distinct, fingerprint("distinct_reference")),
        **({} if selection.images is None else {"images": (selection.images, fingerprint("shared_reference"))}),
        "tokenizer": tokenizer,
        "sql": [fingerprint(relation) for relation in relations],
        "params": params,
        **({"renamed": {name: digest for name, (digest, _) in store.renamed.items()}} if store.renamed else {}),
    }
    return hashlib.sha256(json.dumps(facts, sort_keys=True, default=str).encode()).hexdigest()


def get(store: Store, wanted: Mapping[str, str]) -> dict[str, pl.DataFrame]:
    """Return the wanted rows that are kept, by key; `wanted` maps each key to the relation of its rows.

    Rows of this run that wait for the store to be closed are included.
    """
    found = {entry: work.rows() for entry, work in _waiting(store.on_close, wanted).items()}
    for relation, entries in written(store, wanted, found).items():
        rows = store.query(f"from cache.{relation} where list_contains($keys, key)", {"keys": entries})
        parts = rows.partition_by("key", include_key=False, as_dict=True)
        found |= {entry: parts.get((entry,), rows.clear().drop("key")) for entry in entries}
    return found


def each(store: Store, wanted: Mapping[str, str]) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield the rows of `get` one key at a time, since all of them may not fit in memory."""
    for entry, work in (waiting := _waiting(store.on_close, wanted)).items():
        yield entry, work.rows()
    for relation, entries in written(store, wanted, waiting).items():
        for entry in entries:
            yield entry, store.query(f"select * exclude (key) from cache.{relation} where key = $key", {"key": entry})


def _waiting(on_close: Sequence[Callable[[Store], None]], wanted: Mapping[str, str]) -> dict[str, _Waiting]:
    works = [work for work in on_close if isinstance(work, _Waiting)]
    return {work.entry.key: work for work in works if work.entry and work.entry.key in wanted}


def written(store: Store, wanted: Mapping[str, str], waiting: Collection[str] = ()) -> dict[str, list[str]]:
    """Return the wanted keys that are written, by relation, if the table of the relation has keys."""
    keys = [entry for entry in wanted if entry not in waiting]
    if not keys or "entry" not in (tables := _tables(store)):
        return {}
    entries = store.query("select key, relation from cache.entry where list_contains($keys, key)", {"keys": keys})
    kept: dict[str, list[str]] = {}
    for entry, relation in entries.rows():
        if wanted[entry] == relation and tables.get(relation, [])[:1] == ["key"]:
            kept.setdefault(relation, []).append(entry)
    return kept


def put(store: Store, selection: Selection, relation: str, entry: str, rows: pl.DataFrame) -> None:
    """Keep rows under a key when the store is closed."""
    when_closed(store, rows, Entry(selection, relation, entry))


def when_closed(store: Store, rows: pl.DataFrame, save: Save | Entry) -> None:
    """Write rows by `save`, or as an entry, when the store is closed."""
    draft = Draft(store, save)
    draft.add(rows)
    draft.keep()


def write_part(folder: Path, rows: pl.DataFrame) -> Path | None:
    """Write rows to a new file in a folder that only this process uses. Return null if the disk is full."""
    file = folder / f"{uuid.uuid4()}.arrow"  # faster than Parquet, but not safe to read from a folder of others
    try:
        rows.write_ipc(file)
    except (OSError, ComputeError):
        with suppress(OSError):
            file.unlink(missing_ok=True)
        return None
    return file


@dataclass(frozen=True)
class Entry:
    """Rows of a relation that are kept under a key. Unless they are `written`, only this run reads them."""

    selection: Selection
    relation: str
    key: str
    written: bool = True


@dataclass(frozen=True)
class _Waiting:
    """Rows that wait in files until they are written, with their bytes in memory."""

    save: Save | Entry
    files: tuple[Path, ...]
    size: int

    @property
    def entry(self) -> Entry | None:
        return self.save if isinstance(self.save, Entry) else None

    @property
    def is_written(self) -> bool:
        return self.entry is None or self.entry.written

    @property
    def group(self) -> str | None:
        """The relation of an entry: entries of one are saved together, since each takes seven statements alone."""
        return self.entry.relation if self.entry else None

    def rows(self) -> pl.DataFrame:
        return pl.concat(pl.read_ipc(file) for file in self.files)

    def saves_by(self, function: Callable[..., None]) -> bool:
        return isinstance(self.save, partial) and self.save.func is function

    def __call__(self, store: Store, *others: _Waiting) -> None:
        if isinstance(self.save, Entry):
            works = {work.entry.key: (work.entry.selection, work.rows()) for work in (*others, self) if work.entry}
            _save_entries(self.save.relation, works, store)
        else:
            self.save(store, self.rows())


class Draft:
    """Rows that arrive in parts, and are written when they are complete, by a function or as an entry.

    If they take more than `most` bytes in memory, none are kept.
    """

    def __init__(self, store: Store, save: Save | Entry, most: int | None = None) -> None:
        self._store, self._save, self._most = store, save, most
        self._bytes = 0
        self._files: list[Path] = []
        self._is_open = store.path != MEMORY

    def add(self, rows: pl.DataFrame) -> None:
        """Add the next part."""
        if not self._is_open:
            return
        file = write_part(self._store.scratch(), rows)
        self._files += [file] if file else []
        self._bytes += int(rows.estimated_size())
        if file is None or (self._most is not None and self._bytes > self._most):
            self._is_open = False
            for written in self._files:
                written.unlink(missing_ok=True)

    def keep(self) -> None:
        """Write the parts when the store is closed."""
        if self._is_open and self._files:
            self._store.on_close.append(_Waiting(self._save, tuple(self._files), self._bytes))


def keep_scores(store: Store, selection: Selection, scores: pl.DataFrame, made: pl.DataFrame) -> None:
    """Keep at most `MOST_SCORES` scores for queries: candidate, image, slot, a column per metric; `made` has `MADE`."""
    made = _unkept(store, selection, made) if made.height and "score_column" in _tables(store) else made
    if made.height and scores.height * (scores.width - 3) <= MOST_SCORES:
        for (candidate,), part in made.partition_by("candidate", as_dict=True, maintain_order=True).items():
            when_closed(store, scores.filter(candidate=candidate), partial(_save_scores, selection, part))


def keep_findings(store: Store, selection: Selection, kinds: Sequence[str], listed: pl.DataFrame) -> None:
    """Keep the findings of some kinds for queries, replacing those of an earlier run if they differ.

    `listed` has the columns of `FOUND`.
    """
    entries = {kind: key(store, selection, params={"findings": kind}) for kind in kinds}
    rows = listed.select(*_of(selection), *FOUND)
    none, found = rows.clear(), rows.partition_by("kind", as_dict=True)
    held = get(store, dict.fromkeys(entries.values(), "finding"))
    earlier = any(isinstance(work, _Waiting) and work.saves_by(_save_findings) for work in store.on_close)
    same = {kind for kind, entry in entries.items() if found.get((kind,), none).equals(held.get(entry, none))}
    changed = [kind for kind in entries if earlier or kind not in same]
    if changed:
        when_closed(store, rows, partial(_save_findings, selection, changed))


def _save_entries(relation: str, entries: Mapping[str, tuple[Selection, pl.DataFrame]], store: Store) -> None:
    """Write the rows of several entries, by key, except those that another process has written meanwhile."""
    keys = {"keys": [*entries]}
    known = {*store.query("select key from cache.entry where list_contains($keys, key)", keys)["key"]}
    columns = _tables(store).get(relation)
    parts: dict[str, dict[str, tuple[Selection, pl.DataFrame]]] = {}
    for entry, (selection, rows) in entries.items():
        if entry not in known or columns != ["key", *rows.columns]:
            parts.setdefault(str(rows.schema), {})[entry] = (selection, rows)
    for alike in parts.values():
        _insert(store, relation, {entry: rows for entry, (_, rows) in alike.items()})
        _enter(store, relation, {entry: selection for entry, (selection, _) in alike.items()})


def _save_scores(selection: Selection, made: pl.DataFrame, store: Store, scores: pl.DataFrame) -> None:
    """Write the scores of one candidate, except those that another process has written meanwhile."""
    if not (made := _unkept(store, selection, made)).height:
        return
    entry = key(store, selection, params={"made_of": made["made_of"].to_list()})
    position = pl.int_range(1, pl.len() + 1, dtype=pl.UInt32).alias("place")
    _insert(store, "score_column", {entry: made.select(position, *_of(selection), *MADE, "made_of")})
    lists = pl.concat_list(pl.col(metric).cast(pl.Float64) for metric in made["metric"])
    _insert(store, "score_list", {entry: scores.select("image", "slot", scores=lists)})
    _enter(store, "score_list", {entry: selection})
    passed = store.query(_TOO_MANY, {"most": MOST_SCORES})["key"].to_list()
    for table in ("score_list", "score_column", "entry"):
        store.execute(f"delete from cache.{table} where list_contains($keys, key)", {"keys": passed})


def _unkept(store: Store, selection: Selection, made: pl.DataFrame) -> pl.DataFrame:
    facts = made.select("candidate", "drawn_from", "seed", "signature").to_dicts()
    made = made.with_columns(made_of=pl.Series([key(store, selection, params=of) for of in facts], dtype=pl.String))
    known = store.query("select made_of from cache.score_column")
    return made.join(known, on="made_of", how="anti", maintain_order="left")


def _save_findings(selection: Selection, kinds: Sequence[str], store: Store, rows: pl.DataFrame) -> None:
    found = {key(store, selection, params={"findings": kind}): rows.filter(kind=kind) for kind in kinds}
    _insert(store, "finding", found)
    entries = {entry: selection for entry, listed in found.items() if listed.height}
    _enter(store, "finding", entries)
    without = {"keys": [entry for entry in found if entry not in entries]}
    store.execute("delete from cache.entry where list_contains($keys, key)", without)


def _of(selection: Selection) -> list[pl.Expr]:
    return [
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
    ]


def _insert(store: Store, relation: str, entries: Mapping[str, pl.DataFrame]) -> None:
    """Write rows by key, replacing those of the same keys. A table whose columns have changed is made again."""
    rows = pl.concat([frame.select(pl.lit(entry).alias("key"), pl.all()) for entry, frame in entries.items()])
    columns = _tables(store).get(relation)
    with store.registered("kept", rows):
        if columns not in (None, rows.columns):
            store.execute(f"drop table cache.{relation}")
            store.execute("delete from cache.entry where relation = $relation", {"relation": relation})
        if columns != rows.columns:
            store.cached = None
            store.execute(f"create table cache.{relation} as from kept limit 0")
            store.execute(_comments(relation, rows.columns))
        store.execute(f"delete from cache.{relation} where list_contains($keys, key)", {"keys": [*entries]})
        store.execute(f"insert into cache.{relation} from kept")


def _enter(store: Store, relation: str, entries: Mapping[str, Selection]) -> None:
    rows = [(entry, relation, of.version.dataset, of.version.version) for entry, of in entries.items()]
    schema = dict.fromkeys(("key", "relation", "dataset", "version"), pl.String)
    with store.registered("entered", pl.DataFrame(rows, schema=schema, orient="row")):
        store.execute("insert or replace into cache.entry select *, now() from entered")


def _comments(relation: str, columns: Sequence[str]) -> str:
    """Return the comments on a table and on each of its columns: its meaning, or the file that defines it."""
    file = catalogue().get(relation)
    whose = f"sql/{file.place}" if file else f"auditor, which makes {relation}"
    meaning = file.meaning if file else _MADE_OUTSIDE.get(relation, f"Counts behind {relation}.")
    comments = {f"table cache.{relation}": meaning} | {
        f'column cache.{relation}."{name}"': _COLUMNS.get(name, f"Counted by {whose}.") for name in columns
    }
    return "; ".join(f"comment on {what} is {quoted(comment)}" for what, comment in comments.items())


def _tables(store: Store) -> dict[str, list[str]]:
    """Return the columns of each table of the cache, by its name."""
    if store.cached is None:
        columns: dict[str, list[str]] = {}
        every = "select table_name, column_name from duckdb_columns() where schema_name = 'cache' order by column_index"
        for table, column in store.query(every).iter_rows():
            columns.setdefault(table, []).append(column)
        store.cached = columns
    return store.cached
