"""How many references are enough: means, stability, reliability, and what there is not."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from conftest import Rows, ingest_rows
from scipy import stats

from auditor.errors import MetricError, UsageError
from auditor.result import Result
from auditor.scoring.by_reference_count import ReferenceOrder, each_number
from auditor.scoring.registry import requests
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.references.curves import detectable
from auditor.studies.references.study import enough_references
from auditor.studies.score import score
from auditor.studies.tasks import tasks

WORDS = "a dog cat man runs sits on the red bench".split()
#: Twelve images with five captions, and one with two.
ROWS: Rows = [
    (f"image {i}", slot, " ".join(WORDS[(i * a + slot * b) % 10] for a, b in ((1, 1), (3, 2), (7, 3), (2, slot))))
    for i in range(13)
    for slot in range(5 if i else 2)
]


def measured(store: Store, rows: Rows = ROWS, **options: object) -> Result:
    ingest_rows(store, rows, "set")
    chosen = {"metrics": ["bleu-1"], "draws": 2, **options}
    return enough_references(store, "set", **chosen)  # type: ignore[arg-type]


def value(result: Result, statistic: str, references: int | None) -> float:
    rows = result.frame.filter(pl.col("references").eq_missing(references), pl.col("statistic") == statistic)
    return float(rows["value"].item())


def frames(
    store: Store, seed: int = 1, mirrored: bool = False, at: tuple[int, ...] = (1, 2, 3, 4)
) -> list[pl.DataFrame]:
    order = ReferenceOrder(4, seed, "loo", mirrored)
    return list(each_number(Captions(store, resolve(store, "set"), "bare"), [], requests(["bleu-1"]), order, at))


def test_statistics_are_those_of_the_scores_at_each_number(store: Store) -> None:
    result = measured(store, draws=1)
    scores = frames(store)
    others = frames(store, mirrored=True, at=(1, 2))
    for k in (1, 2, 3, 4):
        assert value(result, "mean", k) == pytest.approx(scores[k - 1]["bleu-1"].mean(), abs=1e-12)
    for k in (1, 2, 3):
        rho = stats.spearmanr(scores[k - 1]["bleu-1"], scores[3]["bleu-1"]).statistic
        assert value(result, "stability", k) == pytest.approx(rho, abs=1e-9)
    for k in (1, 2):
        rho = stats.spearmanr(scores[k - 1]["bleu-1"], others[k - 1]["bleu-1"]).statistic
        assert value(result, "reliability", k) == pytest.approx(rho, abs=1e-9)
        means = [
            one[k - 1].group_by("image").agg(pl.col("bleu-1").mean().round(10)).sort("image")["bleu-1"]
            for one in (scores, others)
        ]
        assert value(result, "reliability-image", k) == pytest.approx(stats.kendalltau(*means).statistic, abs=1e-9)
    numbers = result.frame.filter(statistic="reliability")["references"].to_list()
    assert numbers == [1, 2], "two draws of half the references have none in common, larger ones do"


def test_mean_that_rises_is_found_to_have_enough_references(store: Store) -> None:
    (found,) = (one for one in measured(store).findings if one.kind in ("enough-references", "flat-mean"))
    assert found.kind == "enough-references"
    assert "of the mean's rise from 1 to 4: " in found.sentence


def test_detectable_difference_is_that_of_two_captions_with_the_same_references(store: Store) -> None:
    result = measured(store, draws=1)
    order = ReferenceOrder(4, 1, "loo")
    places = order.places(Captions(store, resolve(store, "set"), "bare"))
    for k in (1, 3):
        scores = frames(store, at=(k,))[0].join(places, on=["image", "slot"]).sort("image")
        one, other = (scores.filter(place=place)["bleu-1"].to_numpy() for place in (4, 5))
        needed = detectable(np.array(one - other))
        assert len(one) == 12
        assert value(result, "detectable", k) == pytest.approx(needed, abs=1e-9)
        share = detectable(np.array(one - other), 1000) / value(result, "mean", k)
        assert value(result, "detectable-share", k) == pytest.approx(share, abs=1e-9)


def test_values_are_means_of_the_draws_between_the_least_and_the_greatest(store: Store) -> None:
    both = measured(store, draws=2)
    alone = [enough_references(store, "set", most=None, draws=1, metrics=["bleu-1"], seed=seed) for seed in (1, 2)]
    each = [value(one, "stability", 1) for one in alone]
    row = both.frame.filter(references=1, statistic="stability").row(0, named=True)
    assert row["value"] == pytest.approx(sum(each) / 2, abs=1e-12)
    assert (row["low"], row["high"]) == (min(each), max(each))
    assert (row["draws"], row["n"]) == (2, 60)


def test_images_with_too_few_captions_are_counted(store: Store) -> None:
    result = measured(store)
    assert "set: 1 image has fewer than 5 captions and no score" in result.sentences
    assert result.frame["references"].max() == 4


def test_more_references_than_any_image_has_are_refused(store: Store) -> None:
    with pytest.raises(MetricError, match=r"no image has the 6 captions that --most 5 needs; the maximum is 5"):
        measured(store, most=5)


def test_captions_alone_on_their_images_are_refused(store: Store) -> None:
    with pytest.raises(MetricError, match="needs two captions per image"):
        measured(store, [("a", 0, "a dog"), ("b", 0, "a cat")])


def test_one_image_has_means_and_no_correlations_of_images(store: Store) -> None:
    result = measured(store, [row for row in ROWS if row[0] == "image 3"])
    assert value(result, "mean", 4) > 0
    assert result.frame.filter(statistic="stability-image")["value"].is_null().all()
    assert any("no detectable" in note for note in result.sentences)


def test_equal_captions_have_no_order(store: Store) -> None:
    result = measured(store, [(image, slot, "a dog") for image in "abcd" for slot in range(3)])
    assert result.frame.filter(statistic="stability")["value"].is_null().all()
    assert result.frame.filter(statistic="knee")["value"].is_null().all()
    assert any("no stability" in note for note in result.sentences)


def test_two_captions_an_image_have_no_curve(store: Store) -> None:
    result = measured(store, [row for row in ROWS if row[1] < 2])
    assert "set: with two captions per image there is only one reference, so no curve" in result.sentences
    assert result.figures == ()


def test_figures_are_lines_over_references(store: Store) -> None:
    for figure in measured(store).figures:
        assert figure.kind == "lines"
        assert figure.log_x
        assert set(figure.frame["references"]) <= {1, 2, 3, 4}


def test_a_corpus_has_no_references_and_compared_captions_are_said_to_be_odd_ones(store: Store) -> None:
    ingest_rows(store, ROWS, "sentences", kind="corpus")
    ingest_rows(store, ROWS, "systems", kind="candidates")
    with pytest.raises(UsageError, match="sentences: a corpus does not describe images"):
        enough_references(store, "sentences", metrics=["bleu-1"])
    with pytest.raises(UsageError, match="sentences: a corpus does not describe images"):
        tasks(store, "sentences")
    with pytest.raises(UsageError, match="sentences: a corpus does not describe images"):
        score(store, "sentences", metrics=["bleu-1"], rank=True)
    assert "systems was ingested as candidates, not as reference captions" in tasks(store, "systems").sentences


def test_summary_has_the_mean_with_one_reference_and_with_most(store: Store) -> None:
    result = measured(store)
    (row,) = next(table.frame for table in result.tables if table.name == "enough").iter_rows(named=True)
    assert (row["mean with 1"], row["mean with 4"]) == (value(result, "mean", 1), value(result, "mean", 4))
