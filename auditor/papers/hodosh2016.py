"""Recompute the figures of Hodosh & Hockenmaier 2016 on items that `auditor distractors` makes from Flickr30k."""

from __future__ import annotations

import polars as pl

from auditor import parameters as p
from auditor.called import not_stored
from auditor.model import Progress
from auditor.papers.figures import Paper, Quantities
from auditor.papers.measured import Measured
from auditor.scoring.image_vectors import most_seen
from auditor.scoring.registry import requests
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.studies.choices import choices

_ITEMS, _CAPTIONS, _TRAIN = "flickr30k-choices", "flickr30k", "train"

_MADE_BY = (
    "`auditor distractors flickr30k:val --draw phrases -o items.csv`, then"
    " `auditor ingest flickr30k-choices --from items.csv`"
)

#: The probability of a pair of words that no training caption has. The paper only calls the model “unsmoothed”. Of the
#: values from .0003 to .02, this one is closest to both of its rows. With 0, a training caption always wins.
UNSEEN = 0.005

#: Scorers that ignore word order, except the last one.
_METRICS = ("bleu-1", "rouge-1", "cider:n=1", "cider")

#: The paper's learned bag-of-words ranking, on the images with vectors.
_SEEN = "vector-rank"

#: The fewest folds, since no figure of the paper is learned from items.
_FOLDS = 2

#: The fewest images for learning.
_LEAST_SEEN = 100

_UNSEEN = f"no images of {_CAPTIONS} have vectors in the store: `auditor ingest flickr30k-clip`"

_JUST, _PLUS = "just-scene", "just-scene-plus"


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure the bigram rows of table 1, and scorers without word order on switched persons.

    For images with vectors, a bag of words learns to rank as in section 4. It is trained on the captions of such images
    and decides their items.

    The items are a separate dataset, made by two commands. If it is missing, the reason lists the commands.
    """
    lacking = _lacking(store)
    if lacking is not None:
        return Measured({}, dict.fromkeys(paper.datasets, lacking))
    sees = most_seen(store, resolve(store, _CAPTIONS), least=_LEAST_SEEN) is not None
    result = choices(
        store,
        _ITEMS,
        against=_CAPTIONS,
        train=f"{_CAPTIONS}:{_TRAIN}",
        metrics=(*_METRICS, *((_SEEN,) if sees else ())),
        unseen=UNSEEN,
        folds=_FOLDS,
        errors=0,
        seed=seed,
        progress=progress,
    )
    metrics = {check.of[1] for check in paper.checks}
    unseen = {check.of: _UNSEEN for check in paper.checks if check.of[1] == _SEEN and not sees}
    quantities = {**dict(_of_parts(result.frame)), **dict(_of_both_ways(result.frame))}
    return Measured(
        quantities,
        selections=result.selections,
        signatures={name: text for name, text in result.signatures.items() if name in metrics},
        notes=(*result.notes, f"the probability of an unseen pair of words, {UNSEEN}, is fitted to these figures"),
        absent=unseen,
    )


def of_metrics(store: Store, _paper: Paper, metrics: p.Metrics, seed: int, progress: Progress) -> Quantities:
    """Measure the accuracy of further metrics without the image."""
    if _lacking(store) is None:
        rows = choices(
            store, _ITEMS, against=_CAPTIONS, metrics=metrics, folds=_FOLDS, errors=0, seed=seed, progress=progress
        ).frame
        yield from _of_parts(rows.filter(pl.col("scorer").is_in([request.label for request in requests(metrics)])))


def _lacking(store: Store) -> str | None:
    """Return a message if items or captions must be made or ingested."""
    captions, items = log(store, _CAPTIONS), log(store, _ITEMS)
    if not captions:
        made = "" if items else f"; nor is {_ITEMS}: {_MADE_BY}"
        return f"{not_stored(_CAPTIONS)}{made}"
    if not items:
        return f"{_ITEMS} is not in the store: {_MADE_BY}"
    if items[0].kind != "choices":
        return f"{_ITEMS} contains {items[0].kind}, not forced-choice items: {_MADE_BY}"
    return None


def _of_parts(frame: pl.DataFrame) -> Quantities:
    """Yield items, accuracies and shares of ties, by scorer and task."""
    counted = frame.with_columns(items=pl.col("n") + pl.col("missing"), tied=pl.col("ties") / pl.col("n"))
    for row in counted.select("part", "scorer", "items", "accuracy", "tied").iter_rows(named=True):
        yield (_ITEMS, "", row["part"], "", "items"), float(row["items"])
        for statistic in ("accuracy", "tied"):
            if row[statistic] is not None:
                yield (_ITEMS, row["scorer"], row["part"], "", statistic), row[statistic]


def _of_both_ways(frame: pl.DataFrame) -> Quantities:
    """Yield the sum of a scorer's accuracies with the scene alone as wrong and as right text: 1 if length decides."""
    sides = (frame.filter(part=part).select("scorer", pl.col("accuracy").alias(part)) for part in (_JUST, _PLUS))
    just, plus = sides
    for scorer, value in just.join(plus, on="scorer").select("scorer", pl.col(_JUST) + pl.col(_PLUS)).iter_rows():
        if value is not None:
            yield (_ITEMS, scorer, _JUST, "", "both-ways"), value
