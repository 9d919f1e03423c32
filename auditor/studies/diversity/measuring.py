"""The statistics of selections, by settings: the numbers of `auditor diversity`, with and without --robustness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection, Source
from auditor.result import Said
from auditor.store.captions import Captions, select_all
from auditor.store.connection import Store
from auditor.store.tokens import tokenize
from auditor.store.versions import resolve
from auditor.studies.diversity.content_words import unshared
from auditor.studies.diversity.overall import GlobalStatistics, global_statistics, workspace
from auditor.studies.diversity.settings import EVERY, Asked, DiversitySettings, Known

#: The rows of a result. `position` is the number of tokens of a value of the curve. `low` and `high` are the range over
#: random orders or parallel lists, or an interval over images; `spread` names which. A row of two statistics is their
#: correlation over systems (Spearman's rho, with its sign, p, and n systems); it belongs to no dataset.
ROWS: Mapping[str, type[pl.DataType]] = {
    "dataset": pl.String, "version": pl.String, "statistic": pl.String, "value": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "position": pl.Int64, "spread": pl.String, "lists": pl.Int64,
    "n": pl.Int64, "images": pl.Int64, "split": pl.String, "eval": pl.String, "eval_version": pl.String,
    "eval_split": pl.String, "tokenizer": pl.String, "seed": pl.Int64, "signature": pl.String, "reason": pl.String,
    "statistic_a": pl.String, "statistic_b": pl.String, "p": pl.Float64,
}  # fmt: skip


def apart_from_people(every: Sequence[Captions], people: Selection | None) -> dict[str, str]:
    """Return reasons, by label, why datasets cannot be compared with human captions: they share no image.

    Raises `UsageError` for the output of a system, which must describe the same images.
    """
    reasons: dict[str, str] = {}
    if people is None:
        return reasons
    for captions in every:
        try:
            unshared(captions, captions.like(people))
        except UsageError as error:
            if captions.selection.version.kind == "candidates":
                raise
            reasons[captions.label] = str(error)
    return reasons


def captions_and_known(
    store: Store,
    refs: Sequence[str],
    against: str | None,
    evaluation: str | None,
    split: str | None,
    tokenizer: str,
    progress: Progress,
) -> tuple[tuple[Captions, ...], Known]:
    """Select captions, the training data and the evaluation data, and tokenize all."""
    every = select_all(store, refs, split, tokenizer, progress=progress)
    known = Known(
        None if against is None else resolve(store, against), None if evaluation is None else resolve(store, evaluation)
    )
    further = [selection for selection in (known.training, known.evaluation) if selection]
    tokenize(store, further, tokenizer, progress)
    return tuple(every), known


def measured(
    every: Sequence[Captions],
    settings: DiversitySettings,
    known: Known,
    declared: Mapping[str, Source],
    progress: Progress,
    asked: Asked = EVERY,
) -> tuple[pl.DataFrame, list[Said]]:
    """Measure tokenized captions: return their rows, and notes."""
    store = every[0].store
    words = store.query("select token_id, token from vocabulary")
    relations = workspace(store, settings, known)
    parts: list[GlobalStatistics] = []
    for number, captions in enumerate(every):
        progress(f"{captions.label}: diversity", number, len(every))
        parts.append(global_statistics(relations, captions.selection, settings, known, words, declared, asked))
    rows = pl.concat(
        captions.stamp(part.rows.with_columns(tokenizer=pl.lit(captions.tokenizer)))
        for captions, part in zip(every, parts, strict=True)
    )
    return rows, [note for part in parts for note in part.notes]
