"""Datasets of which is known which is more homogeneous: random halves, mixtures with templates, equalized ones.

Parts of `levels.py`, on Flickr8k and ABSTRACT-50S.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import combinations

import numpy as np
import polars as pl
from measuring import table
from numpy.typing import NDArray
from planted_wholes import ingested

from auditor import config
from auditor.result import Result
from auditor.scoring.candidate_sets import score_sets, substitutes_of
from auditor.scoring.registry import References
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import content, resolve
from auditor.studies.compare import compare
from auditor.studies.ingest.sources import ingest_sources

Floats = NDArray[np.float64]

#: Metrics whose scores of images are samples of few: skewed little, much, and very.
SAMPLED = ("meteor", "bleu-4", "cider")

#: Captions that say the same of any image.
TEMPLATES = (
    "there are some people in the picture", "a person is standing in front of the camera",
    "this is a photo of something outside", "a nice picture of a nice day",
)  # fmt: skip

#: A metric of each family; all of them cost much with 47 references.
FAMILIES = ("bleu-4", "rouge-l", "meteor", "cider", "ter")

SHARES = (0.0, 0.1, 0.2, 0.4)


@cache
def captions_of(dataset: str) -> pl.DataFrame:
    """Read the captions of a dataset. Columns: image, slot, split, text."""
    with Store.open(MEMORY) as store:
        ingest_sources(store, [config.sources()[dataset]])
        return content(store, resolve(store, dataset)).with_columns(split=pl.lit(None, pl.String))


def scores_of_images() -> Iterator[tuple[str, Floats, Floats]]:
    """Return by metric the mean scores of the images of Flickr8k, of their captions and of others."""
    with Store.open(MEMORY) as store:
        ingested(store, "flickr8k", captions_of("flickr8k"), "whole")
        selection = resolve(store, "whole")
        candidates, nobody = ("human", "intra"), substitutes_of([Captions(store, selection, "bare")])
        captions = Captions(store, selection, "bare")
        scores = score_sets(captions, candidates, nobody, References("loo"), SAMPLED, 1).scores
    means = scores.group_by("candidate", "image").agg(pl.col(SAMPLED).mean()).sort("image")
    for metric in SAMPLED:
        human, intra = (means.filter(candidate=name)[metric].to_numpy() for name in candidates)
        yield metric, human, intra


def _compared(
    datasets: Mapping[str, pl.DataFrame], origin: str, seed: int, pool: pl.DataFrame | None = None, **asked: object
) -> Result:
    """Compare datasets; with a pool, `inter` is drawn from it, not from each other."""
    with Store.open(MEMORY) as store:
        for name, captions in {**datasets, **({} if pool is None else {"pool": pool})}.items():
            ingested(store, origin, captions, name)
        if pool is not None:
            asked["others"] = ("pool",)
        return compare(store, *datasets, seed=seed, **asked)  # type: ignore[arg-type]


def _parts(dataset: str, number: int, size: int, seed: int) -> list[pl.DataFrame]:
    """Draw so many parts of so many images each, without a common image."""
    captions = captions_of(dataset)
    images = captions["image"].unique().sort()
    order = np.random.default_rng(seed).permutation(len(images))
    drawn = (images.gather(order[n * size : (n + 1) * size]) for n in range(number))
    return [captions.filter(pl.col("image").is_in(some.implode())) for some in drawn]


def _sure(result: Result, metric: str) -> dict[str, tuple[int, int]]:
    """Return between which ranks each dataset lies by homogeneity."""
    rows = result.frame.filter(statistic="homogeneity", metric=metric)
    rows = rows.filter(pl.col("against").is_null()) if "against" in rows.columns else rows
    rows = rows.filter(pl.col("variant") != "raw") if "variant" in rows.columns else rows
    return {name: (low, high) for name, low, high in rows.select("dataset", "rank_low", "rank_high").iter_rows()}


def _metrics(result: Result) -> list[str]:
    return result.frame.filter(statistic="homogeneity")["metric"].unique(maintain_order=True).to_list()


def halves(seeds: int = 100, size: int = 200) -> Iterator[str]:
    """Compare random halves of one dataset."""
    yield "## Homogeneity: random halves of one dataset"
    yield ""
    yield (
        f"{seeds} times two halves of {2 * size} images of Flickr8k: how often they are not called different. By rank: "
        "the rank range; by p: the test of the pair; corrected: for all pairs of a metric, in all rows of its table."
    )
    yield ""
    open_, ps, corrected = dict[str, list[bool]](), dict[str, list[bool]](), []
    for seed in range(seeds):
        a, b, pool = _parts("flickr8k", 3, size, seed)
        result = _compared({"a": a, "b": b}, "flickr8k", seed, pool)
        tested = result.frame.drop_nulls("against")
        corrected.append(not (tested["p_adjusted"] <= 0.05).any())
        for metric in _metrics(result):
            open_.setdefault(metric, []).append(_sure(result, metric)["a"] == (1, 2))
            p = tested.filter(statistic="homogeneity", metric=metric)["p"].item()
            ps.setdefault(metric, []).append(p > 0.05)
    rows = [(metric, str(sum(open_[metric])), str(sum(ps[metric])), "") for metric in open_]
    rows.append(("all, with specificity and upper", "", "", str(sum(corrected))))
    yield from table(("metric", "by rank", "by p", "corrected"), rows)


def mixtures(seeds: int = 5, size: int = 500) -> Iterator[str]:
    """Compare parts of one dataset of which other shares of the captions are templates."""
    yield "## Homogeneity: mixtures with templates"
    yield ""
    shares = ", ".join(f"{share:.0%}" for share in SHARES)
    yield (
        f"Four parts of {size} images of Flickr8k, of whose captions {shares} are one of {len(TEMPLATES)} templates, "
        f"{seeds} times. Of {seeds * 6} pairs: in how many a metric claims that one is more homogeneous, and how often "
        "that is the one with more templates."
    )
    yield ""
    claimed, right = dict[str, int](), dict[str, int]()
    for seed in range(seeds):
        parts = zip(SHARES, _parts("flickr8k", len(SHARES), size, seed), strict=True)
        mixed = {f"t{share:.0%}".rstrip("%"): _mixed(part, share, seed) for share, part in parts}
        result = _compared(mixed, "flickr8k", seed)
        for metric in _metrics(result):
            ranks = _sure(result, metric)
            for fewer, more in combinations(mixed, 2):
                ahead = ranks[more][1] < ranks[fewer][0]
                claimed[metric] = claimed.get(metric, 0) + (ahead or ranks[fewer][1] < ranks[more][0])
                right[metric] = right.get(metric, 0) + ahead
    yield from table(("metric", "claimed", "right"), [(name, str(n), str(right[name])) for name, n in claimed.items()])


def _mixed(captions: pl.DataFrame, share: float, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng([seed, int(100 * share)])
    templates = pl.Series(TEMPLATES).gather(draw.integers(0, len(TEMPLATES), captions.height))
    taken = pl.Series(draw.random(captions.height) < share)
    return captions.with_columns(text=pl.when(taken).then(templates).otherwise("text"))


def equalized(seeds: int = 10, size: int = 60, captions: int = 5) -> Iterator[str]:
    """Compare halves of one dataset with many captions an image: all, some, and equalized."""
    yield "## Homogeneity: 48 captions an image, equalized to 5"
    yield ""
    yield (
        f"{seeds} times two halves of {2 * size} images of ABSTRACT-50S: how often neither is called ahead, by "
        f"all captions; by {captions} drawn captions an image of both (`--equalize`); by 48 captions of one, and "
        f"{captions} of the other, equalized."
    )
    yield ""
    found: dict[str, list[list[bool]]] = {}
    for seed in range(seeds):
        a, b = _parts("abstract50s", 2, size, seed)
        asked: Sequence[tuple[pl.DataFrame, dict[str, object]]] = (
            (b, {}), (b, {"equalize": True, "references": captions - 1}),
            (b.filter(pl.col("slot").rank("ordinal").over("image") <= captions), {"equalize": True}),
        )  # fmt: skip
        results = [
            _compared({"a": a, "b": other}, "abstract50s", seed, metrics=FAMILIES, **options)
            for other, options in asked
        ]
        for metric in _metrics(results[0]):
            found.setdefault(metric, []).append([_sure(one, metric)["a"] == (1, 2) for one in results])
    rows = [(metric, *(str(n) for n in np.sum(some, axis=0))) for metric, some in found.items()]
    yield from table(("metric", "48 and 48", "both equalized", "48 and 5, equalized"), rows)
