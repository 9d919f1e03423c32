"""Names and notes that users give to versions. A name points at a version and never changes what it holds."""

from __future__ import annotations

from auditor.model import Version
from auditor.store.connection import Store


def of(store: Store, dataset: str) -> dict[str, int]:
    """Return the tags of a dataset, sorted, each with the number of the version it names."""
    rows = store.query("select tag, seq from tag where dataset = $dataset order by tag", {"dataset": dataset})
    return dict(rows.iter_rows())


def put(store: Store, version: Version, tag: str) -> None:
    """Set a tag to a version, replacing an earlier tag of this name."""
    with store.transaction():
        store.execute(
            "insert or replace into tag values ($dataset, $tag, $seq, now())",
            {"dataset": version.dataset, "tag": tag, "seq": version.seq},
        )


def remove(store: Store, dataset: str, tag: str) -> None:
    """Delete a tag; the version stays."""
    with store.transaction():
        store.execute("delete from tag where dataset = $dataset and tag = $tag", {"dataset": dataset, "tag": tag})


def annotate(store: Store, version: Version, note: str | None) -> None:
    """Replace the note of a version; null removes it."""
    with store.transaction():
        store.execute(
            "update version set note = $note where dataset = $dataset and seq = $seq",
            {"dataset": version.dataset, "seq": version.seq, "note": note},
        )
