"""Recompute tables 2 and 3 and figure 7 of van Miltenburg, Elliott & Vossen 2018: words, compounds, prepositions.

The authors' tagger is en_core_web_sm 2.0 of 2017; here it is the installed pipeline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import MissingExtraError
from auditor.model import Progress
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.result import Said
from auditor.store.connection import Store
from auditor.studies.syntax import syntax
from auditor.studies.words import missed_words, omitted_words

_STATISTIC = "as-published"

_COUNTS = ("compounds-", "prepositional-depth-")

_TYPES = ("compound-types-2", "prepositional-types-1")

#: The proposals of section 5.1, by the names of tables.
_PROPOSED = ("parts-of-speech", "complexity", "rare")

#: The tokenizer of the authors' code.
_TOKENIZER = "spacy"

_FIRST = 15

_RANKINGS = {"absolute": "missed-absolute", "relative": "missed-relative", "relative-floor": "missed-relative-floor"}


def composition(
    store: Store, paper: Paper, systems: Sequence[str], called: Mapping[str, str], progress: Progress
) -> Measured:
    """Measure table 3 and figure 7, and the tables that section 5.1 proposes, or return why no pipeline is available.

    `called` has the names of human captions in checks, by dataset. Histograms are of a parallel list.
    """
    try:
        measured = syntax(store, *systems, *called, progress=progress)
    except MissingExtraError as error:
        return Measured({}, absent={check.of: str(error) for check in paper.checks if _is_composition(check.of)})
    rows = measured.frame.with_columns(pl.col("dataset").replace(dict(called)))
    lists = dict(rows.filter(statistic=_TYPES[0]).select("dataset", "lists").iter_rows())
    quantities: dict[Quantity, float] = {}
    intervals: dict[Quantity, tuple[float, float]] = {}
    for row in rows.drop_nulls("value").iter_rows(named=True):
        of = (row["dataset"], row["statistic"], "", "", _STATISTIC)
        if _is_composition(of):
            is_count = row["statistic"].startswith(_COUNTS)
            quantities[of] = row["count"] / lists[row["dataset"]] if is_count else row["value"]
            if row["low"] is not None and not is_count:
                intervals[of] = (row["low"], row["high"])
    shown = [replace(table, name=f"section-5.1/{table.name}") for table in measured.tables if table.name in _PROPOSED]
    signatures = {name: measured.signatures[name] for name in ("compound-ratio", "preposition-ratio", *_TYPES)}
    notes: list[Said] = [*measured.notes, *measured.findings]
    return Measured(quantities, signatures=signatures, notes=tuple(notes), tables=tuple(shown), intervals=intervals)


def is_of_all_images(metric: str) -> bool:
    """Return whether a quantity of human captions grows with the images, and so needs all of them."""
    return metric.startswith(_COUNTS) or metric in _TYPES


def _is_composition(of: Quantity) -> bool:
    return is_of_all_images(of[1]) or of[1] in ("compound-ratio", "preposition-ratio")


def first_omitted(
    store: Store, paper: Paper, systems: Sequence[str], training: str, evaluation: str, progress: Progress
) -> Quantities:
    """Yield for each printed word whether it is among the first words that none of the systems uses."""
    if len(systems) < len(paper.datasets):
        return
    words = omitted_words(
        store,
        *systems,
        number=_FIRST,
        tokenizer=_TOKENIZER,
        against=training,
        evaluation=evaluation,
        all_images=True,  # all captions of a system decide whether it never uses a word
        progress=progress,
    ).frame
    none = words.filter(pl.col("dataset").is_null())
    for column, ranking in (("rank", "omitted-by-training"), ("evaluated_rank", "omitted-by-evaluation")):
        yield from _among(paper, ranking, none.filter(pl.col(column) <= _FIRST)["word"].to_list())


def first_missed(
    store: Store, paper: Paper, systems: Sequence[str], evaluation: str, tagger: str | None, progress: Progress
) -> Quantities:
    """Yield for each printed word whether it is among the first that five captions have and systems miss."""
    if len(systems) < len(paper.datasets):
        return
    words = missed_words(
        store, *systems, against=evaluation, tokenizer=_TOKENIZER, pipeline=tagger, progress=progress
    ).frame
    for name, ranking in _RANKINGS.items():
        first = words.filter(pl.col("rank") <= _FIRST, ranking=name)
        yield from _among(paper, ranking, first["word"].to_list())


def _among(paper: Paper, ranking: str, first: Sequence[str]) -> Quantities:
    for check in paper.checks:
        if check.of[4] == f"first-{_FIRST}-{ranking}":
            yield check.of, float(check.of[1] in first)
