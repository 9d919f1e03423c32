"""Are captions of two images that changed places found, by words alone and with vectors of the images?

Of a dataset one caption in a hundred changes places with one of another image (none for seed 0), and `outliers` is
asked. *Right*: the image told is the one that the caption was taken from. *Expected right*: what the finding itself
says. What is found beside the planted faults counts as wrong, although some of it is true of the data.

With vectors, those captions of Flickr8k whose images have one in `flickr8k-clip`; then how often a caption is preferred
to one of another image, on images that no model has learnt from, and how near metrics come to people on the pairs that
all of them score.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import polars as pl
from measuring import table
from planted_wholes import KEYS

from auditor import config
from auditor.model import Source
from auditor.scoring.candidate_sets import intra
from auditor.scoring.candidates import HUMAN
from auditor.scoring.registry import requests
from auditor.scoring.scores import score_candidates
from auditor.sources.reading.acceptance import complete
from auditor.store import ingestion, vectors
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.agree import agree
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.outliers import outliers
from auditor.text import AT_INGEST

SWAPPED = 0.01

_HEADER = ("dataset, seed", "planted", "seen by", "told", "right", "expected right", "precision", "recall", "CPU s")

_METRICS = ("cider", "vector-ridge", "vector-rank")


def of_words(dataset: str, seeds: Sequence[int]) -> Iterator[str]:
    """Report what words find in a dataset."""
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources()[dataset]])
        captions = content(store, resolve(store, dataset)).select(*KEYS, "text").sort(KEYS)
        yield from table(
            _HEADER, [row for seed in seeds for row in _looked(store, dataset, captions, seed, ("words",))]
        )


def of_vectors(seeds: Sequence[int]) -> Iterator[str]:
    """Report what words and vectors find in Flickr8k, what metrics prefer, and how near they are to people."""
    with Store.open(MEMORY) as store:
        names = ("flickr8k", "flickr8k-clip", "flickr8k-expert")
        ingest_sources(store, [config.sources()[name] for name in names])
        seen, _ = vectors.of_images(store, resolve(store, "flickr8k-clip", vectors=True).version)
        captions = content(store, resolve(store, "flickr8k")).select(*KEYS, "text").sort(KEYS)
        captions = captions.filter(pl.col("image").is_in(seen.implode()))
        both = ("words", "words and vectors")
        yield from table(_HEADER, [row for seed in seeds for row in _looked(store, "flickr8k", captions, seed, both)])
        yield from ("", *_preferred(store), "", *_beside_people(store))


def _looked(
    store: Store, dataset: str, captions: pl.DataFrame, seed: int, sides: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    exchanged, planted = swapped(captions, SWAPPED if seed else 0, seed)
    name = f"swapped-{seed}"
    _ingested(store, exchanged, name)
    for by in sides:
        begun = time.process_time()
        result = outliers(store, name, vectors="none" if by == "words" else None)
        spent = time.process_time() - begun
        told = result.frame.filter(pl.col("finding") != "unlike").join(planted, on=KEYS, how="left")
        right = told.filter(pl.col("partner") == pl.col("other_image")).height
        expected = result.found("swapped-captions")[0].values["expected_right"]
        yield (
            f"{dataset}, {seed}", f"{planted.height:,}", by, str(told.height), str(right), str(expected),
            f"{right / told.height:.2f}" if told.height else "–",
            f"{right / planted.height:.2f}" if planted.height else "–", f"{spent:.1f}",
        )  # fmt: skip


def swapped(captions: pl.DataFrame, share: float, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Let a share of the captions change places with those of other images, at most one in an image.

    Returns the captions, and which they are: image, slot, partner (the image that the caption now there is of).
    """
    drawn = captions.with_row_index("place").sample(fraction=1.0, shuffle=True, seed=seed)
    one_each = drawn.unique("image", keep="first", maintain_order=True)["place"]
    pairs = round(share * captions.height / 2)
    a, b = one_each[:pairs], one_each[pairs : 2 * pairs]
    order = pl.int_range(captions.height, eager=True).to_frame("place").with_columns(taken=pl.col("place"))
    moved = pl.concat([pl.DataFrame({"place": a, "taken": b}), pl.DataFrame({"place": b, "taken": a})])
    order = order.update(moved.cast(pl.Int64), on="place")
    planted = captions[moved["place"]].select(KEYS).with_columns(partner=captions["image"].gather(moved["taken"]))
    return captions.with_columns(text=captions["text"].gather(order["taken"])), planted


def _ingested(store: Store, captions: pl.DataFrame, dataset: str) -> None:
    """Ingest captions as a dataset that is related to none."""
    frame = captions.with_columns(source=pl.lit("planted"), unit=pl.lit("line"), line=pl.int_range(1, pl.len() + 1))
    source = Source(dataset, "captions", "literal", ())
    ingestion.write(store, source, iter([complete(frame)]), {}, AT_INGEST, "0" * 64, None)


def _preferred(store: Store) -> list[str]:
    """Prefer each caption of a test image, or one of another test image, which no model has learnt from."""
    selection, rows = resolve(store, "flickr8k:test"), []
    for name in _METRICS:
        asked = requests([name, "vector-ridge"])
        scores = score_candidates(Captions(store, selection, "bare"), [HUMAN, intra(1)], asked)
        own, other = (scores.filter(candidate=who).select(*KEYS, name) for who in (HUMAN.name, "intra"))
        both = own.join(other, on=KEYS, suffix="_other")
        ahead = (pl.col(name) - pl.col(f"{name}_other")).sign()
        rows.append((name, f"{both.height:,}", f"{both.select((ahead + 1).mean() / 2).item():.4f}"))
    return table(("metric", "captions", "preferred to one of another image"), rows)


def _beside_people(store: Store) -> list[str]:
    """Correlate with experts on the pairs whose image has a vector; by how much a metric is ahead of the next."""
    result = agree(store, "flickr8k-expert", metrics=list(_METRICS))
    chosen = result.frame.filter(pl.col("protocol").is_in(["pooled", "mean"]), pl.col("statistic") == "spearman")
    columns = ("candidates", "protocol", "metric", "value", "low", "high")
    rows = [(*row[:3], *(f"{one:.4f}" for one in row[3:])) for row in chosen.select(columns).iter_rows()]
    ahead = next(one for one in result.tables if "difference" in one.frame.columns)
    further = [
        (metric, other, *(f"{one:.4f}" for one in values))
        for metric, other, *values in ahead.frame.select("metric", "next", "difference", "low", "high").iter_rows()
    ]
    return [
        *table(("captions", "protocol", "metric", "Spearman", "low", "high"), rows),
        *("", ahead.title, ""),
        *table(("metric", "next", "difference", "low", "high"), further),
    ]
