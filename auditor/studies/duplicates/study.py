"""Find exact and near-duplicates within images, and across images, splits, datasets and versions.

*Exact* duplicates have the same tokens, ignoring case, punctuation and whitespace. *Near* duplicates share at least
`near` of the words of both captions together (Jaccard index of bags of words). The search misses none:
`sql/duplicates/prefix_pair.sql` skips only pairs that cannot qualify. Nothing is hashed or sampled.
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
from auditor.studies.duplicates.tables import lead, messages, pair_rows, rows, tables

_VERSION = 2

#: If one word of six differs, the share is 5 / 7.
NEAR = 0.7

#: Only above one half do two captions surely share two rare words, which the search relies on.
_LEAST = 0.5


Near = Annotated[float, p.Parameter("Least share of shared words of a near-duplicate, above 0.5.")]

Examples = Annotated[int, p.Parameter("Number of examples of each kind.", least=0)]

Pairs = Annotated[bool, p.Parameter("Output each caption with its most similar duplicate, instead of counts.")]


Exact = Annotated[bool, p.Parameter("With --within: list identical captions of the same image.")]

Within = Annotated[bool, p.Parameter("With --exact: list identical captions of the same image.")]

AsText = Annotated[
    bool, p.Parameter("With --exact --within: compare the exact text, with case, punctuation and whitespace.")
]


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
    """Find duplicate captions and train/test leaks.

    Exact duplicates have the same tokens (`bare`, or `char` for scripts without spaces), ignoring case, punctuation and
    whitespace. Of all words of two near-duplicates, at least the share `--near` is in both. This is the Jaccard index
    of bags of words. The search misses none: it uses no approximate hashing and no sampling. Duplicates are counted
    within images, across images, across splits and across datasets. Of several identical captions of an image, all but
    the first count.

    How to read it: `n` counts the captions (or images) checked, `found` the duplicates among them; `value` is found /
    n. Captions of a test split that occur in train are a leak: a system may have memorized them. If slot 1 often
    repeats slot 0, its annotator may have copied.

    Limits: short captions of simple scenes match by chance ("a dog runs"), so check the examples. Word order is
    ignored. Paraphrases with different words are not found. A search stops with an error if it would compare more than
    20 million pairs.

    Rows: dataset, version, split, slot, scope, against, against_version, against_split, against_slot, match (exact,
    near, any), statistic, value, found, n. `near` excludes exact duplicates. A row with `slot` describes one slot. A
    row with `slot` and `against_slot` compares two, over the images that have both. With `pairs`, a row is a caption
    and its most similar duplicate. `split_roles` in datasets.toml can declare splits as train or test.

    With `exact` and `within`, a row is a pair of identical captions of one image. `all_identical` marks images whose
    captions are all identical. Pairs contain no captions without a word.

    Raises `UsageError` for a threshold of 0.5 or less, `MetricError` if too many captions are too similar to compare.

    Examples: auditor duplicates flickr8k flickr30k · auditor duplicates coco-val --exact --within -o pairs.csv
    """
    declared = sources(config)
    if exact != within or (as_text and not exact) or (exact and pairs):
        raise UsageError("--exact and --within must be used together; --as-text requires both, --pairs excludes both")
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
    texts, shown = messages(counted, search), tables(counted, examples)
    return Result(
        "duplicates",
        frame.with_columns(pl.lit(search.tokenizer).alias("tokenizer"), pl.lit(signature).alias("signature")),
        selections=selections,
        signatures={"duplicates": signature},
        tables=shown,
        lead=lead(shown, findings_in(texts)),
        notes=notes_in(texts),
        findings=findings_in(texts),
    )
