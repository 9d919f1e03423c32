"""The statistics of selections, by settings: the numbers of `auditor diversity`, with and without --robustness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection, Source
from auditor.result import Said
from auditor.store.captions import stamp, tokenize
from auditor.store.connection import Store
from auditor.store.versions import resolve, resolve_all
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


def apart_from_people(store: Store, selections: Sequence[Selection], people: Selection | None) -> dict[str, str]:
    """Return reasons, by label, why datasets cannot be compared with human captions: they share no image.

    Raises `UsageError` for the output of a system, which must describe the same images.
    """
    reasons: dict[str, str] = {}
    if people is None:
        return reasons
    for selection in selections:
        try:
            unshared(store, selection, people)
        except UsageError as error:
            if selection.version.kind == "candidates":
                raise
            reasons[selection.label] = str(error)
    return reasons


def selections_with_tokens(
    store: Store,
    refs: Sequence[str],
    against: str | None,
    evaluation: str | None,
    split: str | None,
    tokenizer: str,
    progress: Progress,
) -> tuple[tuple[Selection, ...], Known]:
    """Resolve the selections, the training data and the evaluation data, and tokenize all."""
    selections = resolve_all(store, refs, split)
    known = Known(
        None if against is None else resolve(store, against), None if evaluation is None else resolve(store, evaluation)
    )
    further = [selection for selection in (known.training, known.evaluation) if selection]
    tokenize(store, [*selections, *further], tokenizer, progress)
    return selections, known


def measured(
    store: Store,
    selections: Sequence[Selection],
    settings: DiversitySettings,
    known: Known,
    declared: Mapping[str, Source],
    progress: Progress,
    asked: Asked = EVERY,
) -> tuple[pl.DataFrame, list[Said]]:
    """Measure tokenized selections: return their rows, and notes."""
    words = store.query("select token_id, token from vocabulary")
    relations = workspace(store, settings, known)
    parts: list[GlobalStatistics] = []
    for number, selection in enumerate(selections):
        progress(f"{selection.label}: diversity", number, len(selections))
        parts.append(global_statistics(relations, selection, settings, known, words, declared, asked))
    rows = pl.concat(_rows(selection, part.rows, settings) for selection, part in zip(selections, parts, strict=True))
    return rows, [note for part in parts for note in part.notes]


def _rows(selection: Selection, rows: pl.DataFrame, settings: DiversitySettings) -> pl.DataFrame:
    return stamp(selection, rows.with_columns(pl.lit(settings.resolved_tokenizer).alias("tokenizer")))
