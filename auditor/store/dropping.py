"""Deleting a dataset, or one of its versions: facts that another version holds stay."""

from __future__ import annotations

from auditor.model import Version
from auditor.store import upkeep
from auditor.store.connection import Store

#: The tables whose rows are of a stretch of versions.
_STRETCHES = ("membership", "annotation", "vector")

_OF_VERSION = ("rejected", "tag", "version")


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
    upkeep.drop_unlisted(store)
