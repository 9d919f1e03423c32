"""Published protocols: what is left out, what documents are, which coefficient; the numbers that papers print."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from conftest import DATA
from scipy.stats import kendalltau
from small_sets import RATED, rated

from auditor import config
from auditor.model import silent
from auditor.papers import paper
from auditor.papers.clipscore2021 import SETUPS, Followed, follow
from auditor.papers.readings import printed
from auditor.papers.reproduce import OUTSIDE, UNANSWERED, WITHIN, reproduce
from auditor.scoring.registry import METRICS, lacking
from auditor.statistics.paired_systems import Resampling
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve
from auditor.studies.agree import agree
from auditor.studies.ingest.sources import ingest_sources


@pytest.fixture
def part(store: Store, tmp_path: Path) -> Followed:
    """Small ratings under the name of the experts', as the paper has them."""
    rated(store, tmp_path, "flickr8k-expert", "flickr8k")
    return follow(store, paper("clipscore2021"), resolve(store, "flickr8k-expert"), Resampling(0), silent)


def coefficient(part: Followed, metric: str, reading: str, **way: str) -> dict[str, Any]:
    """The row of a metric in a reading: by pooled ratings of captions that are no reference, or in another way."""
    one = next(one for one in paper("clipscore2021").readings if one.metric == metric)
    own = {"reading": reading, "protocol": "pooled", "candidates": "without-references", "statistic": "kendall-c"}
    label = one.published if reading == "as-published" else one.sound
    return part.rows.filter(**own | way, metric=label).row(0, named=True)


def test_ratings_of_captions_that_are_references_are_left_out(part: Followed) -> None:
    assert coefficient(part, "bleu-4", "as-published")["n"] == 3 * 7
    assert coefficient(part, "bleu-4", "as-published", candidates="all")["n"] == 3 * 8
    assert coefficient(part, "bleu-4", "as-published", protocol="mean")["n"] == 7


def test_documents_of_cider_are_the_ratings_that_stay(part: Followed) -> None:
    assert "|items:ratings|" in coefficient(part, "cider", "as-published")["signature"]
    assert "items" not in coefficient(part, "cider", "sound")["signature"]


def test_tau_is_that_of_agree_over_pooled_ratings(store: Store, part: Followed) -> None:
    by_hand = agree(
        store,
        "flickr8k-expert",
        metrics=["rouge-l"],
        tokenizer="ptb",
        protocols=["pooled"],
        statistics=["kendall-c"],
        resamples=0,
    )
    expected = by_hand.frame.filter(statistic="kendall-c", candidates="without-references")["value"].item()
    assert coefficient(part, "rouge-l", "sound")["value"] == expected


def test_people_reach_what_a_rating_has_with_the_mean_of_the_others(part: Followed) -> None:
    pairs = [
        (scores[judge], round((sum(scores) - scores[judge]) / 2, 10))
        for _, text, scores in RATED[1:]
        for judge in range(3)
    ]
    assert part.raters is not None
    expected = kendalltau(*zip(*pairs, strict=True), variant="c")[0]
    assert part.raters["ceiling"] == pytest.approx(expected, abs=1e-12)


def test_nothing_is_answered_without_the_ratings(store: Store) -> None:
    rows = reproduce(store, "clipscore2021").frame
    assert set(rows["verdict"]) == {UNANSWERED}
    assert "flickr8k-crowd is not in the store: `auditor ingest flickr8k-crowd`" in rows["reason"].to_list()


def test_the_figure_with_most_digits_is_the_one_that_is_shown() -> None:
    read = paper("clipscore2021")
    assert printed(read, "flickr8k-expert", "kendall-c-x100")["bleu-4"] == 30.776
    assert printed(read, "flickr8k-expert", "kendall-b-x100")["cider"] == 43.602


@pytest.fixture(scope="module")
def real() -> Iterator[Store]:
    if DATA is None:
        pytest.skip("the real datasets are not here: set AUDITOR_DATA to the folder that holds flickr8k/")
    if lacking(METRICS["meteor"]):
        pytest.skip("METEOR is not installed")
    declared = config.sources(data=DATA)
    with Store.open(MEMORY) as store:
        names = ("flickr8k", "flickr8k-expert", "flickr8k-crowd", "flickr8k-crowd-refs")
        ingest_sources(store, [declared[name] for name in names])
        yield store


@pytest.mark.full
@pytest.mark.xdist_group("clipscore2021")
def test_what_metric_papers_print_of_flickr8k_comes_out(real: Store) -> None:
    rows = reproduce(real, "clipscore2021").frame
    off = rows.filter(pl.col("verdict") != UNANSWERED).with_columns(
        off=(pl.col("value") - pl.col("printed").str.replace_all(",", "").cast(pl.Float64)).abs()
    )
    assert off.filter(pl.col("statistic").str.contains("kendall"), pl.col("off") > 0.06).is_empty()
    assert {*rows["verdict"]} <= {WITHIN, OUTSIDE, UNANSWERED}


def test_setups_name_datasets_that_are_declared() -> None:
    declared = config.sources(None)
    read = paper("clipscore2021")
    assert {*SETUPS} == {*read.datasets}
    assert {*read.needs, *read.needs.values()} <= set(declared)
