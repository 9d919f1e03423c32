"""Which captions occur more than once: within images, across them, across splits, datasets and versions?

Two captions are *exact* duplicates where they have the same tokens, whatever their case, punctuation and blanks; *near*
where of the words of both together at least a share `near` is in both (Jaccard of bags of words). The
near ones are found without loss: `sql/duplicates/prefix_pair.sql` leaves out pairs that cannot be near, nothing is
hashed or drawn.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.result import Result, Signature, findings_in, notes_in
from auditor.store.captions import in_tokens_of_facts
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.duplicates.identical import identical
from auditor.studies.duplicates.search import Search, search_duplicates
from auditor.studies.duplicates.tables import lead, pair_rows, rows, said, tables

_VERSION = 2

#: One word of six changed is 5 / 7.
NEAR = 0.7

#: Two rare words that both captions share, by which they are found, are certain only above a half.
_LEAST = 0.5


Near = Annotated[float, p.Parameter("Share of the words of two captions that must be in both, above 0.5; 0.7: 5 of 7.")]

Examples = Annotated[int, p.Parameter("Examples of each kind to show.", least=0)]

Pairs = Annotated[bool, p.Parameter("Rows are captions, each beside the one most like it, in place of counts.")]


Exact = Annotated[bool, p.Parameter("With --within: rows are pairs of captions with the same tokens.")]

Within = Annotated[bool, p.Parameter("With --exact: rows are pairs of captions of one image.")]

AsText = Annotated[bool, p.Parameter("With --exact --within: compare letters; case, punctuation and whitespace count.")]


def duplicates(
    store: Store,
    *refs: p.Refs,
    near: Near = NEAR,
    split: p.Split = None,
    examples: Examples = 3,
    pairs: Pairs = False,
    exact: Exact = False,
    within: Within = False,
    as_text: AsText = False,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Find repeats, and test captions that occur in train.

    Two captions are exact duplicates that have the same tokens (`bare`, or `char` for scripts without blanks), whatever
    their case, punctuation and blanks; near-duplicates where, of the words of both together, at least a share `near` is
    in both (Jaccard index of bags of words: 0.7 is 5 of 7). None is missed: nothing is hashed approximately or sampled.
    They are counted within images, across images, across splits and across datasets. Within an image the first of equal
    captions repeats none.

    How to read it: `value` is the share of the `n` captions with a word (or of images) that `found` of them are.
    Captions of a test split that occur in training are leakage: a system can have learnt them by heart. A slot that
    repeats another slot is an annotator who copied.

    Limits: short captions of simple scenes coincide by chance ("a dog runs"), so look at the examples. Word order does
    not count, and a paraphrase in other words is not found. A search that would compare more than 20 million pairs is
    refused, never cut.

    Rows: dataset, version, split, slot, scope, against, against_version, against_split, against_slot, match (exact,
    near, any), statistic, value, found, n. `near` leaves out what is exact. A row with `slot` is of one slot; with
    `against_slot` as well, of the images that have both. With `pairs`, a row is a caption beside the place that is most
    like it. Splits count as what datasets.toml says of them.

    With `exact` and `within`, a row is a pair of identical captions of one image; `all_identical` marks an image whose
    captions all are. Captions without a word are in no pair.

    Raises `UsageError` for a threshold that is not above 0.5, `MetricError` where too many captions are too alike to
    compare.

    Examples: auditor duplicates flickr8k flickr30k · auditor duplicates coco-val --exact --within -o pairs.csv
    """
    declared = sources(config)
    if exact != within or (as_text and not exact) or (exact and pairs):
        raise UsageError("--exact and --within go together, with --as-text or without, and without --pairs")
    if exact:
        return replace(identical(store, *refs, split=split, as_text=as_text, progress=progress), command="duplicates")
    if not _LEAST < round(near, 3) <= 1:
        raise UsageError(f"--near {near:g}: expected a share of words above {_LEAST:g}, at most 1")
    selections = resolve_all(store, refs, split)
    known = declared or {}
    roles = [
        known[name].split_roles if (name := selection.version.dataset) in known else {} for selection in selections
    ]
    selected = [in_tokens_of_facts(store, selection, progress) for selection in selections]
    search = Search(selected, roles, near, examples)
    counted = search_duplicates(search, progress, every_pair=pairs)
    settings: dict[str, str | float] = {"tok": search.tokenizer, "near": round(near, 3), "words": "jaccard"}
    signature = str(Signature("duplicates", settings, _VERSION))
    frame = pair_rows(counted) if pairs else rows(counted)
    told, shown = said(counted, search), tables(counted, examples)
    return Result(
        "duplicates",
        frame.with_columns(pl.lit(search.tokenizer).alias("tokenizer"), pl.lit(signature).alias("signature")),
        selections=selections,
        signatures={"duplicates": signature},
        tables=shown,
        lead=lead(shown, findings_in(told)),
        notes=notes_in(told),
        findings=findings_in(told),
    )
