"""Which captions stand more than once: within images, across them, across splits, datasets and versions?

Two captions are *exact* duplicates where they have the same tokens, whatever their case, punctuation and blanks (text
profile); *near* where of the words of both together at least a share `near` is in both (Jaccard of bags of words). The
near ones are found without loss: `sql/duplicates/prefix_pair.sql` leaves out pairs that cannot be near, nothing is
hashed or drawn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Source, silent
from auditor.result import Result, Signature
from auditor.scoring.writing import chooses_profile
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.duplicates.search import Search, found
from auditor.studies.duplicates.tables import notes, pair_rows, rows, tables
from auditor.text import tokenizer

_VERSION = 1

#: One word of six changed is 5 / 7.
NEAR = 0.7

#: Two rare words that both captions share, by which they are found, are certain only above a half.
_LEAST = 0.5


@chooses_profile("refs")
def duplicates(
    store: Store,
    refs: Sequence[str],
    near: float = NEAR,
    text_profile: str = "auto",
    split: str | None = None,
    examples: int = 3,
    declared: Mapping[str, Source] | None = None,
    progress: Progress = silent,
    *,
    pairs: bool = False,
) -> Result:
    """Count the captions that stand again elsewhere, and the images and texts that they are of.

    Rows: dataset, version, split, slot, scope, against, against_version, against_split, against_slot, match (exact,
    near, any), statistic, value (a share), found, n. `near` leaves out what is exact; shares are of the `n` captions
    with a word, or of images. A row with `slot` is of one slot; with `against_slot` as well, of the images that have
    both. With `pairs`, a row is a caption beside the place that is most like it. Splits count as what `declared` says
    of them. Raises `UsageError` for a threshold that is not above 0.5, `MetricError` where too many captions are too
    alike to compare.
    """
    if not _LEAST < round(near, 3) <= 1:
        raise UsageError(f"--near {near:g}: expected a share of words above {_LEAST:g}, at most 1")
    selections = resolve_all(store, refs, split)
    tokens.provide(store, selections, text_profile, tokenizer(text_profile), progress)
    known = declared or {}
    roles = [known[name].split_roles if (name := one.version.dataset) in known else {} for one in selections]
    search = Search(selections, roles, near, text_profile, examples)
    counted = found(store, search, progress, every_pair=pairs)
    settings: dict[str, str | int | float | bool] = {"tok": text_profile, "near": round(near, 3), "words": "jaccard"}
    signature = str(Signature("duplicates", settings, _VERSION))
    frame = pair_rows(counted) if pairs else rows(counted)
    return Result(
        "duplicates",
        frame.with_columns(pl.lit(text_profile).alias("profile"), pl.lit(signature).alias("signature")),
        selections=selections,
        signatures={"duplicates": signature},
        tables=tables(counted, examples),
        notes=notes(counted, search),
    )
