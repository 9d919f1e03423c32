"""What the real datasets show: their dirt survives, and the findings of Wang & Gaizauskas 2016 come out."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import DATA
from parts_of_diversity import local_diversity

from auditor import config
from auditor.model import Part, Source
from auditor.scoring.registry import defaults
from auditor.store import verification
from auditor.store.connection import Store
from auditor.studies.compare.study import compare
from auditor.studies.correlate import correlate
from auditor.studies.ingest.sources import ingest_sources
from auditor.studies.profile import profile
from auditor.studies.score.study import score

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("real datasets")]

FLICKR, ABSTRACT, COCO = "flickr8k", "abstract50s", "coco-val2017"


#: Metrics by default that grow with likeness, but for two more of ROUGE's, which would take as long as the rest.
SIMILARITIES = [name for name in defaults() if name not in ("ter", "rouge-w-1.2", "rouge-su4")]


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    if DATA is None:
        pytest.skip("the real datasets are not here: set AUDITOR_DATA to the folder that holds flickr8k/")
    path = tmp_path_factory.mktemp("real") / "audit.duckdb"
    declared = config.sources(data=DATA)
    with Store.open(path, write=True) as store:
        ingest_sources(store, [declared[name] for name in (FLICKR, ABSTRACT, COCO, "vinyals2017")])
    return path


@pytest.fixture(scope="module")
def compared(filled: Path) -> pl.DataFrame:
    with Store.open(filled) as store:
        return compare(store, f"{FLICKR}:test", ABSTRACT, COCO, metrics=SIMILARITIES).frame.filter(variant="raw")


def values(compared: pl.DataFrame, statistic: str) -> dict[tuple[str, str], float]:
    rows = compared.filter(pl.col("statistic") == statistic).select("dataset", "metric", "value")
    return {(dataset, metric): value for dataset, metric, value in rows.iter_rows()}


def test_store_of_real_captions_verifies(filled: Path) -> None:
    with Store.open(filled) as store:
        assert verification.check(store)["faults"].sum() == 0


def test_dirt_of_flickr8k_survives(filled: Path) -> None:
    with Store.open(filled) as store:
        facts = dict(profile(store, FLICKR).frame.select("statistic", "value").iter_rows())
        stray = store.query("select slot, text from captions where image = '2258277193_586949ec62.jpg.1'").rows()
    assert (facts["captions"], facts["images"], facts["images-with-one-caption"]) == (40_460, 8_093, 1)
    assert (facts["captions-of-one-word"], facts["images-repeating-a-caption"]) == (2, 19)
    assert facts["captions-in-no-split"] == 460
    assert [(slot, text.strip()) for slot, text in stray] == [(0, "people waiting for the subway")]


def test_dirt_of_coco_is_counted(data: Path, store: Store) -> None:
    """What is known of the merged half of val2014: blanks around, line breaks and double blanks inside captions."""
    path = data / "coco-val2014" / "captions_val2014.partial-merged.json"
    ingest_sources(store, [Source("coco-val", "captions", "coco", (Part((path,)),))])
    facts = dict(profile(store, "coco-val").frame.select("statistic", "value").iter_rows())
    assert (facts["images"], facts["captions"], facts["captions-per-image-max"]) == (20_993, 105_018, 7)
    assert facts["captions-with-outer-blanks"] == 12_607
    assert facts["captions-with-line-breaks"] == 7
    assert facts["captions-with-double-blanks"] == 1_402
    # counted by a loop over the file: 21 letter for letter, 8 more without outer blanks
    assert facts["images-repeating-a-caption-as-letters"] == 29


def test_empty_captions_of_a_system_are_scored_zero(filled: Path) -> None:
    with Store.open(filled) as store:
        assert (
            store.query("select count(*) from captions where dataset = 'vinyals2017' and trim(text) = ''").item() == 131
        )
        scores = score(store, COCO, metrics=["bleu-1"], candidates="vinyals2017").frame
        empty = store.query("select image from captions where dataset = 'vinyals2017' and trim(text) = ''")["image"]
    of_empty = scores.filter(pl.col("image").is_in(empty.implode()))["value"]
    assert scores.height == 5000
    assert len(of_empty) == 22
    assert of_empty.max() == 0


def test_abstract_scenes_are_the_most_homogeneous_by_every_similarity(compared: pl.DataFrame) -> None:
    """TER is none: the nearest of 47 references leaves few edits to the right captions, and so a small share."""
    first = compared.filter((pl.col("statistic") == "homogeneity") & (pl.col("rank") == 1))
    assert set(first["dataset"]) == {ABSTRACT}
    assert set(first["metric"]) == set(SIMILARITIES)
    surely = compared.filter(statistic="homogeneity", dataset=ABSTRACT)
    assert set(surely["rank_high"]) == {1}


def test_coco_is_more_homogeneous_than_flickr_by_bleu_and_rouge(compared: pl.DataFrame) -> None:
    homogeneity = values(compared, "homogeneity")
    for metric in ("bleu-1", "bleu-2", "bleu-3", "bleu-4", "rouge-1"):
        assert homogeneity[COCO, metric] > homogeneity[FLICKR, metric]


def test_cider_separates_captions_of_an_image_from_others(compared: pl.DataFrame) -> None:
    upper, intra = values(compared, "upper"), values(compared, "intra")
    for dataset in (FLICKR, ABSTRACT, COCO):
        assert upper[dataset, "cider"] > 15 * intra[dataset, "cider"]
        assert upper[dataset, "rouge-1"] < 3 * intra[dataset, "rouge-1"]


def test_rouge_1_of_the_abstract_scenes_is_the_published_one(compared: pl.DataFrame) -> None:
    """Paper 000, sections 4.1 and 5.1, print .40 and .28; without stemming the script gives .4155 and .271."""
    assert values(compared, "upper")[ABSTRACT, "rouge-1"] == pytest.approx(0.4155, abs=5e-5)
    assert values(compared, "intra")[ABSTRACT, "rouge-1"] == pytest.approx(0.271, abs=2e-3)


def test_maximum_of_every_bleu_is_one(filled: Path) -> None:
    from auditor.studies.bounds.study import bounds

    with Store.open(filled) as store:
        frame = bounds(
            store, FLICKR, ABSTRACT, COCO, metrics=["bleu-1", "bleu-2", "bleu-3", "bleu-4"], candidates=["human"]
        ).frame
    highest = frame.filter((pl.col("candidate") == "human") & (pl.col("level") == "caption"))
    assert highest["max"].to_list() == [1.0] * 12


def test_metrics_rank_images_as_alike_as_published(filled: Path) -> None:
    """Paper 000, section 4.2: the range of tau-b over datasets, in two decimals, and the largest p."""
    between = {
        ("bleu-1", "bleu-2"): (0.67, 0.79),
        ("bleu-1", "bleu-3"): (0.57, 0.70),
        ("bleu-1", "bleu-4"): (0.51, 0.66),
        ("bleu-2", "bleu-3"): (0.83, 0.88),
        ("bleu-2", "bleu-4"): (0.74, 0.82),
        ("bleu-3", "bleu-4"): (0.89, 0.93),
        ("rouge-l", "rouge-w-1.2"): (0.87, 0.93),
        ("cider", "cider-d"): (0.80, 0.97),
    }
    wanted = list(dict.fromkeys(name for pair in between for name in pair))
    with Store.open(filled) as store:
        rows = correlate(store, FLICKR, ABSTRACT, metrics=wanted, statistics=["kendall-b"]).frame
    images = rows.filter(pl.col("level") == "image")
    found = {
        (dataset, a, b): tau for dataset, a, b, tau in images.select("dataset", "metric_a", "metric_b", "value").rows()
    }
    for dataset in (FLICKR, ABSTRACT):
        for pair, (least, most) in between.items():
            assert least <= round(found[dataset, *pair], 2) <= most
    assert found[ABSTRACT, "cider", "cider-d"] >= 0.90
    assert images["p"].max() < 1e-38


def test_a_system_recalls_of_each_image_what_the_paper_prints(filled: Path) -> None:
    with Store.open(filled) as store:
        found = dict(
            local_diversity(store, "vinyals2017", evaluation=COCO).frame.select("statistic", "value").iter_rows()
        )
    # Van Miltenburg et al. 2018, figure 5 (read off) and table 1: all of val2014, content words by spaCy's tags. Here are
    # 5,000 of its images, and content words by a list.
    assert [found[f"recall-{k}"] for k in range(1, 6)] == pytest.approx([0.07, 0.20, 0.34, 0.49, 0.69], abs=0.02)
