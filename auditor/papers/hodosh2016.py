"""Measures what Hodosh & Hockenmaier 2016 publish, on items that `auditor distractors` makes of Flickr30k."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import polars as pl

from auditor import parameters as p
from auditor.model import Progress
from auditor.papers.figures import Paper, Quantity
from auditor.papers.measured import Measured
from auditor.result import Table
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

#: What the model gives a pair of words that no training caption has. The paper says “unsmoothed”, no more; of numbers
#: from .0003 to .02 this is the one that comes closest to both of its rows. With 0, a training caption always wins.
UNSEEN = 0.005

#: Scorers that only see which words a caption has; the last one sees their order too.
_METRICS = ("bleu-1", "rouge-1", "cider:n=1", "cider")

#: The paper's bag of words that learns to rank, on the images that have vectors.
_SEEN = "vector-rank"

#: The paper's names of the rows of table 1, by scorer and statistic.
_CALLED = {
    ("", "items"): "# of pairs",
    ("bigram", "accuracy"): "Bigram LM",
    ("bigram-geometric", "accuracy"): "Normalized Bigram LM",
    (_SEEN, "accuracy"): "BOW Ranking (Flickr30K)",
}

#: No figure of the paper is of what is learnt from items, so that this takes as little time as it can.
_FOLDS = 2

#: Of fewer images nothing is learnt.
_LEAST_SEEN = 100

_UNSEEN = f"no images of {_CAPTIONS} have vectors in the store: `auditor ingest flickr30k-clip`"

_JUST, _PLUS = "just-scene", "just-scene-plus"

Quantities = Iterator[tuple[Quantity, float]]


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure the bigram rows of table 1, and what scorers without word order make of switched people.

    Where images have vectors, a bag of words learns to rank as in section 4, from the training captions of such images,
    and decides the items of such images.

    The items are a dataset of their own, made and kept by two commands, of which the answer says where it is missing.
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
    asked = {check.of[1] for check in paper.checks}
    unseen = {check.of: _UNSEEN for check in paper.checks if check.of[1] == _SEEN and not sees}
    quantities = {**dict(_of_parts(result.frame)), **dict(_of_both_ways(result.frame))}
    return Measured(
        quantities,
        selections=result.selections,
        signatures={name: text for name, text in result.signatures.items() if name in asked},
        notes=result.notes,
        absent=unseen,
        tables=(table_1(paper, quantities),),
    )


def table_1(paper: Paper, measured: Mapping[Quantity, float]) -> Table:
    """Show table 1 with the paper's names of rows, and the number of pairs, as printed and ours."""
    printed = {check.of: check.printed for check in reversed(paper.checks) if check.printed and check.to is None}
    rows = [
        (called, task, printed.get(of), measured.get(of))
        for (metric, statistic), called in _CALLED.items()
        for task in dict.fromkeys(check.of[2] for check in paper.checks if check.of[-1] == "items")
        if (of := (_ITEMS, metric, task, "", statistic)) in printed
    ]
    return Table(
        "table 1, as printed and ours",
        pl.DataFrame(rows, schema=["row", "task", "printed", "ours"], orient="row", infer_schema_length=None),
        sections="row",
        caption="items: each distinct phrase is drawn once (--draw phrases); words in lower case, no final period. "
        f"What the model gives a pair of words that no training caption has is fitted to these figures: {UNSEEN}",
        name="table-1",
    )


def of_metrics(store: Store, _paper: Paper, metrics: p.Metrics, seed: int, progress: Progress) -> Quantities:
    """Let further metrics decide the items without the image."""
    if _lacking(store) is None:
        rows = choices(
            store, _ITEMS, against=_CAPTIONS, metrics=metrics, folds=_FOLDS, errors=0, seed=seed, progress=progress
        ).frame
        yield from _of_parts(rows.filter(pl.col("scorer").is_in([request.label for request in requests(metrics)])))


def _lacking(store: Store) -> str | None:
    """Return what must be made or ingested, if anything must."""
    captions, items = log(store, _CAPTIONS), log(store, _ITEMS)
    if not captions:
        made = "" if items else f"; and so is {_ITEMS}: {_MADE_BY}"
        return f"{_CAPTIONS} is not in the store: `auditor ingest {_CAPTIONS}`{made}"
    if not items:
        return f"{_ITEMS} is not in the store: {_MADE_BY}"
    if items[0].kind != "choices":
        return f"{_ITEMS} holds {items[0].kind}, no forced-choice items: {_MADE_BY}"
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
    """Add what a scorer gets where the scene alone is wrong to what it gets where it is right: 1 if length decides."""
    sides = (frame.filter(part=part).select("scorer", pl.col("accuracy").alias(part)) for part in (_JUST, _PLUS))
    just, plus = sides
    for scorer, value in just.join(plus, on="scorer").select("scorer", pl.col(_JUST) + pl.col(_PLUS)).iter_rows():
        if value is not None:
            yield (_ITEMS, scorer, _JUST, "", "both-ways"), value
