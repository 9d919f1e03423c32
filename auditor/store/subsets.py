"""Captions taken out of a store: as rows, for a file of the same version, or as a separate store in memory.

The store in memory holds a few images of a dataset. Its texts and tokens keep the numbers that they have in the store
they come from, and so n-grams of several such stores are the same numbers.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import polars as pl

from auditor.errors import StoreError
from auditor.model import Selection, Version
from auditor.store import file as opening
from auditor.store import versions
from auditor.store.connection import MEMORY, Store
from auditor.store.workspace import Workspace

_FACTS = (
    "insert into caption by name select distinct on (caption_id) caption_id, text from excerpt",
    "insert into caption_tokens by name select distinct on (caption_id) caption_id, $tokenizer as tokenizer, tokens"
    " from excerpt",
    "insert into membership by name select $dataset as dataset, image, slot, caption_id, split, 1 as from_seq"
    " from excerpt order by image, slot",
)


@dataclass(frozen=True)
class Contents:
    """A selection by value.

    `captions` (image, slot, split, text) and `annotations` (image, slot, and the annotations of the caption) are sorted
    by image and slot. `version` is the hash of these rows: for a split, it differs from that of the dataset.
    """

    language: str
    related: tuple[str, ...]
    version: str
    images: int
    captions: pl.DataFrame
    annotations: pl.DataFrame


def read_out(
    store: Store, selection: Selection, without: pl.DataFrame | None = None, texts: pl.DataFrame | None = None
) -> Contents:
    """Read a selection, optionally `without` some of its captions (columns image, slot).

    With `texts` (image, slot, text), only these captions stay, with these texts. A new text has no phrases: they were
    marked in the old one.

    Raises `StoreError` for a whole version whose contents differ from the log.
    """
    workspace = versions.content_at_work(store, selection)
    version, images, count = versions.hash_of(workspace)
    logged = selection.version
    if selection.split is None and (version, images, count) != (logged.version, logged.images, logged.captions):
        raise StoreError(f"{store.path}: {logged.label} is damaged: run `auditor store verify`, then ingest it again")
    if without is not None:
        kept = versions.content(store, selection).join(without, on=["image", "slot"], how="anti")
        workspace.bind_rows("content", kept)
        version, images, count = versions.hash_of(workspace)
    if texts is not None:
        former = versions.content(store, selection)
        kept = former.drop("text").join(texts, on=["image", "slot"]).select(former.columns)
        workspace.bind_rows("content", kept)
        version, images, count = versions.hash_of(workspace)
    annotations = workspace.rows("content_annotation")
    if texts is not None:
        new = texts.join(former, on=["image", "slot", "text"], how="anti")
        unmarked = annotations.join(new, on=["image", "slot"], how="semi").with_columns(phrases=None)
        marked = annotations.join(new, on=["image", "slot"], how="anti")
        annotations = pl.concat([marked, unmarked.cast(marked.schema)]).sort("image", "slot")
    captions = workspace.query("select image, slot, split, text from content order by image, slot")
    described = store.query(
        "select language, related from dataset where dataset = $dataset", {"dataset": logged.dataset}
    ).row(0, named=True)
    return Contents(described["language"], tuple(described["related"]), version, images, captions, annotations)


def hash_of_captions(store: Store, captions: pl.DataFrame) -> str:
    """Return the version hash of captions without annotations (columns image, slot, split, text)."""
    workspace = Workspace(store)
    workspace.bind_rows("content", captions.with_columns(votes=pl.lit(None, pl.String)))
    return versions.hash_of(workspace)[0]


@contextmanager
def excerpt(
    captions: pl.DataFrame, words: pl.DataFrame, version: Version, tokenizer: str, share: opening.Share
) -> Iterator[tuple[Store, Selection]]:
    """Open a store that holds some captions of a version, and nothing else.

    `captions`: image, slot, split, caption_id, text, tokens; `words`: token_id, token. The store has its `share` of the
    machine.
    """
    with Store.open(MEMORY, share=share) as store:
        store.execute("insert into dataset values ($dataset, 'captions', 'en', [])", {"dataset": version.dataset})
        with store.registered("spoken", words):
            store.execute("insert into vocabulary by name from spoken")
        with store.registered("excerpt", captions):
            for statement in _FACTS:
                named = {"tokenizer": tokenizer, "dataset": version.dataset}
                store.execute(statement, {key: value for key, value in named.items() if f"${key}" in statement})
        yield store, Selection(_part_of(version, captions, tokenizer))


def _part_of(version: Version, captions: pl.DataFrame, tokenizer: str) -> Version:
    """Describe the excerpt as the one version that its store has."""
    return Version(
        dataset=version.dataset,
        seq=1,
        version=version.version,
        created_at=datetime.datetime.fromtimestamp(0, datetime.UTC),
        source_sha256="",
        format="excerpt",
        tokenizers=(tokenizer,),
        images=captions["image"].n_unique(),
        captions=captions.height,
    )
