"""Which of the words that van Miltenburg, Elliott & Vossen 2018, table 2, print are among our first?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Progress
from auditor.papers.figures import Paper, Quantity
from auditor.store.connection import Store
from auditor.studies.diversity import DiversitySettings
from auditor.studies.words import missed_words, omitted_words

#: The tokenizer of the authors' code.
_TOKENIZER = "spacy"

Quantities = Iterator[tuple[Quantity, float]]

_FIRST = 15

_RANKINGS = {"absolute": "missed-absolute", "relative": "missed-relative", "relative-floor": "missed-relative-floor"}


def first_omitted(
    store: Store, paper: Paper, systems: Sequence[str], training: str, evaluation: str, progress: Progress
) -> Quantities:
    """Say of each printed word whether it is among the first of the words that none of the systems has."""
    if len(systems) < len(paper.datasets):
        return
    words = omitted_words(
        store,
        *systems,
        number=_FIRST,
        tokenizer=_TOKENIZER,
        against=training,
        evaluation=evaluation,
        all_images=True,  # what a system never says is a matter of all that it says, and the systems are here whole
        progress=progress,
    ).frame
    none = words.filter(pl.col("dataset").is_null())
    for column, ranking in (("rank", "omitted-by-training"), ("evaluated_rank", "omitted-by-evaluation")):
        yield from _among(paper, ranking, none.filter(pl.col(column) <= _FIRST)["word"].to_list())


def first_missed(
    store: Store, paper: Paper, systems: Sequence[str], evaluation: str, tagger: str | None, progress: Progress
) -> Quantities:
    """Say of each printed word whether it is among the first of those that five captions have and systems miss."""
    if len(systems) < len(paper.datasets):
        return
    settings = DiversitySettings(_TOKENIZER, pipeline=tagger)
    words = missed_words(store, *systems, evaluation=evaluation, settings=settings, progress=progress).frame
    for name, ranking in _RANKINGS.items():
        first = words.filter(pl.col("rank") <= _FIRST, ranking=name)
        yield from _among(paper, ranking, first["word"].to_list())


def _among(paper: Paper, ranking: str, first: Sequence[str]) -> Quantities:
    for check in paper.checks:
        if check.of[4] == f"first-{_FIRST}-{ranking}":
            yield check.of, float(check.of[1] in first)
