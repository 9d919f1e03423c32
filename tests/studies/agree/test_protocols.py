"""Published protocols: what is left out, what documents are, which coefficient; the numbers that papers print."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import DATA, ingest_rows
from scipy.stats import kendalltau

from auditor import config
from auditor.errors import UsageError
from auditor.model import Part, Source
from auditor.papers.reproduce import OUTSIDE, UNANSWERED, WITHIN, reproduce
from auditor.registry import METRICS, lacking
from auditor.result import Result
from auditor.scoring.protocols import PROTOCOLS
from auditor.store.connection import MEMORY, Store
from auditor.studies.agree import AgreeSettings, Resampling, agree
from auditor.studies.agree.by_protocol import printed_figures
from auditor.studies.ingest.sources import ingest_sources

CLIPSCORE = AgreeSettings(protocols=["clipscore2021"], resampling=Resampling(resamples=40))

RATED = [
    ("0", "A dog runs on grass.", (4, 4, 4)),  # its own reference
    ("0", "A dog runs.", (4, 3, 4)),
    ("0", "Two men.", (1, 1, 2)),
    ("1", "Two men play a red guitar.", (3, 3, 4)),
    ("1", "A dog", (1, 1, 1)),
    ("2", "A bus in a street.", (3, 2, 2)),
    ("2", "a zebra", (1, 2, 1)),
    ("3", "A child eats a big cake.", (4, 4, 3)),
]


@pytest.fixture
def expert(store: Store, tmp_path: Path) -> Store:
    captions = ["A dog runs on grass.", "Two men play a guitar.", "A red bus in the street.", "A child eats a cake."]
    rows = [(str(image), slot, (text, text[2:])[slot]) for image, text in enumerate(captions) for slot in range(2)]
    ingest_rows(store, rows, "flickr8k")
    path = tmp_path / "ratings.csv"
    lines = [f"{image},{text},{a},{b},{c}" for image, text, (a, b, c) in RATED]
    path.write_text("image,caption,s1,s2,s3\n" + "\n".join(lines) + "\n")
    options = {"image_col": "image", "caption_col": "caption", "score_col": "s1,s2,s3"}
    ingest_sources(
        store,
        [
            Source(
                "flickr8k-expert", "judgements", "judgements", (Part((path,), options=options),), related=("flickr8k",)
            )
        ],
    )
    return store


def row(result: Result, metric: str, statistic: str, **named: str) -> dict[str, object]:
    chosen = {"protocol": "pooled", "candidates": "without-references"} | named
    return result.frame.filter(metric=metric, statistic=statistic, **chosen).row(0, named=True)


def test_ratings_of_captions_that_are_references_are_left_out(expert: Store) -> None:
    result = agree(expert, "flickr8k-expert", question=CLIPSCORE)
    assert row(result, "bleu-4:smooth=coco", "kendall-c")["n"] == 3 * 7
    assert row(result, "bleu-4:smooth=coco", "kendall-c", candidates="all")["n"] == 3 * 8
    assert row(result, "bleu-4:smooth=coco", "kendall-c", protocol="mean")["n"] == 7


def test_documents_of_cider_are_the_ratings_that_stay(expert: Store) -> None:
    result = agree(expert, "flickr8k-expert", question=CLIPSCORE)
    assert "|items:ratings|" in str(row(result, "cider-d:idf=run", "kendall-c")["signature"])
    assert "items" not in str(row(result, "cider", "kendall-c")["signature"])


def test_tau_is_that_of_scipy_over_pooled_ratings(expert: Store) -> None:
    result = agree(expert, "flickr8k-expert", question=CLIPSCORE)
    plain = AgreeSettings(protocols=["pooled"], statistics=["kendall-c"], resampling=Resampling(resamples=0))
    by_hand = agree(expert, "flickr8k-expert", metrics=["rouge-l"], tokenizer="ptb", question=plain)
    expected = by_hand.frame.filter(statistic="kendall-c", candidates="without-references")["value"].item()
    assert row(result, "rouge-l", "kendall-c")["value"] == expected


def test_people_reach_what_a_rating_has_with_the_mean_of_the_others(expert: Store) -> None:
    result = agree(expert, "flickr8k-expert", question=CLIPSCORE)
    ceiling = result.frame.filter(metric="human", statistic="ceiling").row(0, named=True)
    pairs = [
        (scores[judge], round((sum(scores) - scores[judge]) / 2, 10))
        for _, text, scores in RATED[1:]
        for judge in range(3)
    ]
    assert ceiling["value"] == pytest.approx(kendalltau(*zip(*pairs, strict=True), variant="c")[0], abs=1e-12)


def test_what_moves_the_number_is_beside_it(expert: Store) -> None:
    moved = agree(expert, "flickr8k-expert", question=CLIPSCORE).table("what-moves-it").frame
    assert moved.columns == ["metric", "kendall-c", "kendall-b", "with own references", "mean of judges"]


def test_a_protocol_says_all_that_is_measured(expert: Store) -> None:
    with pytest.raises(UsageError, match="leave -m, --against, --statistic"):
        agree(expert, "flickr8k-expert", metrics=["cider"], question=CLIPSCORE)
    with pytest.raises(UsageError, match="leave other protocols out"):
        agree(expert, "flickr8k-expert", question=AgreeSettings(protocols=["clipscore2021", "mean"]))


def test_a_protocol_is_of_the_sets_that_it_names(expert: Store) -> None:
    with pytest.raises(UsageError, match="says nothing of flickr8k; it is of flickr8k-expert, flickr8k-crowd"):
        agree(expert, "flickr8k", question=CLIPSCORE)


def test_nothing_is_answered_without_the_ratings(store: Store) -> None:
    rows = reproduce(store, "clipscore2021").frame
    assert set(rows["verdict"]) == {UNANSWERED}
    assert "not in the store: `auditor ingest flickr8k-crowd flickr8k-crowd-refs`" in rows["reason"].to_list()


def test_the_figure_with_most_digits_is_the_one_that_is_shown() -> None:
    printed = printed_figures("clipscore2021", "flickr8k-expert")
    assert printed["bleu-4", "kendall-c"] == 30.776
    assert printed["cider", "kendall-b"] == 43.602


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


def test_protocols_name_datasets_that_are_declared() -> None:
    declared = config.sources(None)
    for one in PROTOCOLS.values():
        for setup in (*one.rated, *one.paired):
            assert {setup.dataset, setup.against} <= set(declared)
