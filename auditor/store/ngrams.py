"""N-gram frequencies of a selection: counted bucket by bucket, kept for whole versions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple
from weakref import WeakKeyDictionary

import polars as pl

from auditor.model import Selection
from auditor.store import kept
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.workspace import Workspace

_CAPTIONS_AT_ONCE = 60_000

_WORDS_AT_ONCE = 3_000_000

#: Repeats within images are found in so many captions and words, whose tables fit in the caches of a processor.
#: Frequencies are one table of n-grams: they are counted in so many of these ranges together.
_REPEATS_AT_ONCE, _RANGES_TOGETHER = (40_000, 500_000), 32

#: The frequencies of a version that an earlier count kept.
_KEPT = """
    select n, gram, occurrences, captions, images
    from cache.ngram_frequency
    where version = $version and tokenizer = $tokenizer
"""

_PAIRINGS_AT_ONCE = 750_000

#: The most words of a text that is scored: what METEOR aligns, and what the others align in seconds.
MOST_WORDS = 4_095


class Bucket(NamedTuple):
    """Images that are counted together: the numbers of the first and the last.

    An image that does not fit in memory is counted in `parts` ranges of its candidates, each of `at_once`.
    """

    first: int
    last: int
    parts: int = 1
    at_once: int = 0


#: Frequencies that a store's connection counted last, by version and tokenizer: several metrics ask for them in a row.
_LAST: WeakKeyDictionary[Store, tuple[tuple[str, str], Workspace]] = WeakKeyDictionary()


@dataclass(frozen=True)
class Pool:
    """Several selections together: a workspace with relation `pooled_frequency`, and how many images they have."""

    workspace: Workspace
    images: int


def buckets(
    workspace: Workspace,
    loads: pl.DataFrame | None = None,
    captions_at_once: int = _CAPTIONS_AT_ONCE,
    words_at_once: int = _WORDS_AT_ONCE,
) -> list[Bucket]:
    """Cut the images of relation `reference` into ranges small enough to count in memory.

    `loads` has the rows of relation `pairing_count`, where candidates meet the captions of their images: images with a
    caption of more than `MOST_WORDS` are left out then. Buckets share no image, and so no sum crosses them; an image
    that is too large shares its bucket with none, and has several parts. Without images there is one empty bucket.
    """
    if loads is None:
        loads = workspace.query(
            "select image_no, count(*) as captions, 0::bigint as candidates, sum(length)::bigint as words"
            " from reference group by image_no order by image_no"
        )
    else:
        loads = loads.filter(pl.col("longest_caption") <= MOST_WORDS).drop("longest_caption", "longest_candidate")
    if loads.is_empty():
        return [Bucket(1, 0)]
    number, captions, candidates, words = (pl.col(name).cast(pl.Int64) for name in loads.columns)
    most = captions / captions_at_once, words / words_at_once, captions * candidates / _PAIRINGS_AT_ONCE
    loads = loads.with_columns(load=pl.max_horizontal(most)).with_columns(alone=pl.col("load") > 1)
    share, alone = (pl.col("load").cum_sum() - pl.col("load")).floor(), pl.col("alone")
    begins = (share.diff() > 0) | (number.diff() > 1) | alone | alone.shift()
    parts = loads.group_by(begins.fill_null(True).cum_sum().alias("bucket"), maintain_order=True)
    # what one candidate meets on its image may be more than memory holds at once, but no less can be counted
    at_once = pl.max_horizontal(1, _PAIRINGS_AT_ONCE // captions.first())
    of_image = pl.when(alone.first()).then(-(-candidates.first() // at_once)).otherwise(1)
    rows = parts.agg(
        number.first().alias("first"), number.last().alias("last"), of_image.alias("parts"), at_once=at_once
    )
    return [
        Bucket(first, last, max(1, number_of_parts), size if number_of_parts > 1 else 0)
        for _, first, last, number_of_parts, size in rows.iter_rows()
    ]


def count(workspace: Workspace, relation: str = "selection_frequency") -> None:
    """Bind a relation to the n-gram frequencies of relation `reference`."""
    ranges = buckets(workspace, None, *_REPEATS_AT_ONCE)
    parts = [ranges[start : start + _RANGES_TOGETHER] for start in range(0, len(ranges), _RANGES_TOGETHER)]
    for part in parts:
        workspace.forget("gram_repeat")
        for few in part:
            workspace.append("gram_repeat", first_image=few.first, last_image=few.last)
        workspace.append("ngram_frequency_part", first_image=part[0].first, last_image=part[-1].last)
    workspace.bind(relation, "selection_frequency")
    for counted in ("gram_repeat", "ngram_frequency_part"):
        workspace.forget(counted)


def provide(captions: Captions, workspace: Workspace, relation: str) -> None:
    """Bind a relation to the frequencies of captions, which `reference` of a workspace holds; count what is not kept.

    Those of a whole version are kept when the store is closed.
    """
    store, selection, tokenizer = captions.store, captions.selection, captions.tokenizer
    if is_kept(captions):
        params = {"version": selection.version.version, "tokenizer": tokenizer}
        counted_by = ("ngram_frequency_part", "gram_repeat", "selection_frequency")
        workspace.bind_kept(relation, _KEPT, params, *counted_by)
        store.record(*counted_by)
        return
    whole = _is_whole(selection)
    key, counted = _LAST.get(store, (None, workspace))
    if whole and key == (selection.version.version, tokenizer):
        workspace.take(relation, counted, "selection_frequency")
        return
    count(workspace, relation)
    if whole and store.path != MEMORY:
        counted = Workspace(store)
        counted.take("selection_frequency", workspace, relation)
        _LAST[store] = (selection.version.version, tokenizer), counted
        halves = "(gram >> 64)::ubigint as high, (gram & 18446744073709551615)::ubigint as low"  # Arrow has no 128 bits
        rows = counted.query(f"select n, {halves}, occurrences, captions, images from selection_frequency")
        kept.when_closed(store, rows, partial(_keep, selection, tokenizer, _words(store)))


def keep(captions: Captions) -> None:
    """Count the frequencies of a whole version that has its tokens, where they are not kept, for others to find."""
    selection = captions.selection
    has_tokens = captions.tokenizer in selection.version.tokenizers
    if captions.store.path != MEMORY and _is_whole(selection) and has_tokens and not is_kept(captions):
        provide(captions, captions.workspace(), "selection_frequency")


def _keep(selection: Selection, tokenizer: str, words: tuple[int, ...], store: Store, counted: pl.DataFrame) -> None:
    """Write frequencies to `cache.ngram_frequency`, unless they are there.

    Numbers of tokens are those of the store that was read: where it has given them to other words since, or another
    store took its place, they are left to be counted again.
    """
    if is_kept(Captions(store, selection, tokenizer)) or _words(store) != words:
        return
    with store.registered("counted", counted):
        store.execute(
            "insert into cache.ngram_frequency by name select $dataset as dataset, $version as version,"
            " $tokenizer as tokenizer, n, (high::uhugeint << 64) + low as gram, occurrences, captions, images"
            " from counted",
            {"dataset": selection.version.dataset, "version": selection.version.version, "tokenizer": tokenizer},
        )


def _words(store: Store) -> tuple[int, ...]:
    """Return a fingerprint of the vocabulary: equal numbers mean equal words."""
    fingerprint = "select count(*), coalesce(bit_xor(hash(token_id, token)), 0)::ubigint from vocabulary"
    return store.query(fingerprint).row(0)


def is_kept(captions: Captions) -> bool:
    """Return whether the frequencies of captions need not be counted."""
    store, selection = captions.store, captions.selection
    if not _is_whole(selection):
        return False
    found = store.query("select 1 from duckdb_tables() where schema_name = 'cache' and table_name = 'ngram_frequency'")
    return bool(found.height) and bool(
        store.query(
            "select 1 from cache.ngram_frequency where version = $version and tokenizer = $tokenizer limit 1",
            {"version": selection.version.version, "tokenizer": captions.tokenizer},
        ).height
    )


def _is_whole(selection: Selection) -> bool:
    return (selection.split, selection.draw, selection.distinct, selection.images) == (None,) * 4


def pool(every: Sequence[Captions]) -> Pool:
    """Count in how many images of several selections each n-gram is. All tokens must be there."""
    pooled, images = Workspace(every[0].store), 0
    for captions in every:
        relations = captions.workspace()
        provide(captions, relations, "selection_frequency")
        pooled.append("ngram_document", of=relations)
        images += relations.query("select count(distinct image_no) as images from reference").item()
    pooled.bind("pooled_frequency")
    pooled.forget("ngram_document")
    return Pool(pooled, images)
