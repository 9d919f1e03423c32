"""A few images of a dataset as a separate store in memory.

Texts and tokens keep the numbers that they have in the store they come from, and so n-grams of several excerpts are the
same numbers.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from contextlib import contextmanager

import polars as pl

from auditor.model import Selection, Version
from auditor.store import file as opening
from auditor.store.connection import MEMORY, Store

_FACTS = (
    "insert into caption by name select distinct on (caption_id) caption_id, text from excerpt",
    "insert into caption_tokens by name select distinct on (caption_id) caption_id, $tokenizer as tokenizer, tokens"
    " from excerpt",
    "insert into membership by name select $dataset as dataset, image, slot, caption_id, split, 1 as from_seq"
    " from excerpt order by image, slot",
)


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
