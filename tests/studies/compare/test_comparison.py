"""Datasets compared: indices with intervals, an order that claims no more than the captions support."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import polars as pl
import pytest
from compared import parted
from conftest import ingest_rows

from auditor.errors import UsageError
from auditor.result import Result
from auditor.store.connection import Store
from auditor.studies.bounds.study import bounds
from auditor.studies.compare import overlap, study
from auditor.studies.compare.study import compare as compare_and_test

WORDS = ("red", "green", "blue", "café", "日本", "dog", "cat", "tree", "house", "car")


def compare(*args: Any, **asked: Any) -> Result:
    """Return what a comparison finds of each dataset by itself, raw."""
    result = parted(compare_and_test(*args, **asked))[0]
    if "variant" not in result.frame.columns:
        return result
    raw = result.frame.filter(variant="raw").drop("images", "captions_per_image", "variant")
    return replace(result, frame=raw)


def captions(images: int, shared: int, prefix: str = "", slots: int = 3) -> list[tuple[str, int, str]]:
    """Write captions of six words, of which `shared` are the same in every image, two others in every caption."""
    common = [f"{prefix}common{place}" for place in range(shared)]
    return [
        (f"{prefix}i{image:03}", slot, " ".join([*common, *(f"{prefix}{WORDS[(image * 7 + k + slot % 2) % 10]}" for k in range(6 - shared))]))
        for image in range(images)
        for slot in range(slots)
    ]  # fmt: skip


@pytest.fixture
def filled(store: Store) -> Store:
    ingest_rows(store, captions(60, 5), dataset="alike")
    ingest_rows(store, captions(60, 1), dataset="unlike")
    ingest_rows(store, captions(60, 1, "o"), dataset="as-unlike")
    ingest_rows(
        store,
        [("doc", slot, f"sentence number {word} stands in here") for slot, word in enumerate(WORDS)],
        "brown",
        "corpus",
    )
    return store


def test_answer_is_kept_for_the_same_question_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(tmp_path / "store.duckdb", write=True) as store:
        ingest_rows(store, captions(60, 5), dataset="alike")
        ingest_rows(store, captions(60, 1), dataset="unlike")
        first = compare_and_test(store, "alike", "unlike", metrics=["bleu-1"], resamples=200)
    asked = []
    monkeypatch.setattr(study, "measured", lambda *given, **_: asked.append(given))
    with Store.open(tmp_path / "store.duckdb") as store:
        again = compare_and_test(store, "alike", "unlike", metrics=["bleu-1"], resamples=200)
        assert (asked, again.to_json()) == ([], first.to_json())
        with pytest.raises(AttributeError):  # another number of resamples is another question
            compare_and_test(store, "alike", "unlike", metrics=["bleu-1"], resamples=201)
    assert len(asked) == 1


def by_statistic(frame: pl.DataFrame, dataset: str, column: str = "value", metric: str = "bleu-1") -> dict[str, float]:
    return dict(frame.filter(dataset=dataset, metric=metric).select("statistic", column).iter_rows())


def test_bounds_are_those_of_bounds_and_indices_follow_from_them(filled: Store) -> None:
    metrics = ["bleu-1", "ter"]
    frame = compare(filled, "alike", "unlike", metrics=metrics, resamples=0).frame
    means = bounds(filled, "alike", "unlike", metrics=metrics).frame.filter(level="caption")
    names = {"human": "upper", "intra": "intra", "inter": "inter", "brown": "brown"}
    for (dataset, metric), own in means.group_by("dataset", "metric"):
        found = by_statistic(frame, dataset, metric=metric)
        assert {names[name]: mean for name, mean in own.select("candidate", "mean").iter_rows() if name in names} == {
            name: found[name] for name in names.values()
        }
        upper, intra, inter = found["upper"], found["intra"], found["inter"]
        assert found["homogeneity"] == (upper / intra if metric == "ter" else intra / upper)
        assert found["specificity"] == (inter - intra if metric == "ter" else intra - inter)


def test_larger_means_more_of_it_whatever_a_metric_counts(filled: Store) -> None:
    frame = compare(
        filled, "alike", "unlike", metrics=["bleu-1", "rouge-1", "ter"], resamples=0, others=["as-unlike"]
    ).frame
    first = frame.filter(pl.col("statistic").is_in(["intra", "homogeneity", "specificity"]), rank=1)
    assert first["dataset"].to_list() == ["alike"] * 9
    assert by_statistic(frame, "alike", "rank", "ter")["upper"] == 1


def test_interval_holds_the_value_and_is_about_four_standard_errors_wide(filled: Store) -> None:
    frame = compare(filled, "alike", "unlike", metrics=["bleu-1", "rouge-1"]).frame
    wide = frame.filter(pl.col("se") > 1e-9)
    assert wide.height > 12
    assert (wide["low"] <= wide["value"]).all()
    assert (wide["value"] <= wide["high"]).all()
    widths = wide.select((pl.col("high") - pl.col("low")) / pl.col("se")).to_series()
    assert widths.min() > 3.3
    assert widths.max() < 5.5  # the interval of skewed scores is longer on one side


def test_order_is_claimed_where_it_is_sure_and_left_open_where_it_is_not(filled: Store) -> None:
    result = compare(filled, "unlike", "as-unlike", "alike", metrics=["rouge-1"], others=["brown"])
    of = result.frame.filter(statistic="homogeneity").select("dataset", "rank_low", "rank_high").rows()
    assert of[0] == ("alike", 1, 1)
    assert sorted(of[1:]) == [("as-unlike", 2, 3), ("unlike", 2, 3)]
    told = " ".join(result.sentences)
    assert "alike is the most homogeneous on 1 of 1 metric family (ROUGE; p < 0.05)" in told
    assert any("as-unlike and unlike do not differ significantly" in sentence for sentence in result.lead)
    placed = result.table("homogeneity")
    assert dict(placed.frame.select("dataset", "group").iter_rows()) == {"alike": "a", "unlike": "b", "as-unlike": "b"}
    assert placed.best == (), "captions that are most alike are not the best"
    specific = result.table("specificity")
    assert specific.best == tuple(
        (row, "specificity") for row, rank in enumerate(specific.frame["rank"]) if rank == "1"
    )


def test_rows_keep_their_columns_and_say_what_was_drawn_from_where(filled: Store) -> None:
    frame = compare(filled, "alike", "unlike", metrics=["bleu-1"]).frame
    assert (
        frame.columns
        == (
            "dataset metric statistic value low high rank rank_low rank_high version split se resamples confidence seed "
            "drawn_from signature"
        ).split()
    )
    assert frame["statistic"].unique(maintain_order=True).to_list() == (
        "upper intra inter brown homogeneity specificity overlap".split()
    )
    sources = by_statistic(frame, "alike", "drawn_from")
    assert sources["inter"] == sources["specificity"]
    assert sources["inter"].startswith("unlike@")
    assert sources["brown"].startswith("brown@")
    assert sources["upper"] is sources["intra"] is sources["homogeneity"] is None


def test_all_datasets_of_a_comparison_draw_from_the_same_pool_where_there_is_one(filled: Store) -> None:
    ingest_rows(filled, captions(60, 1, "kin"), dataset="kin")
    filled.execute("update dataset set related = ['kin'] where dataset = 'alike'")
    result = compare(filled, "alike", "unlike", metrics=["bleu-1"], resamples=0, others=["kin", "as-unlike"])
    sources = dict(result.frame.filter(statistic="inter").select("dataset", "drawn_from").iter_rows())
    assert {source.partition("@")[0] for source in sources.values()} == {"as-unlike"}
    assert len(set(sources.values())) == 1
    assert any(
        note.startswith("inter draws from as-unlike for every dataset; kin left out") for note in result.sentences
    )
    alone = compare(filled, "alike", "unlike", metrics=["bleu-1"], resamples=0, others=["as-unlike"])
    assert alone.frame.equals(result.frame)
    assert not any("inter draws" in note for note in alone.sentences)


def test_specificities_of_different_pools_are_said_to_be_so(filled: Store) -> None:
    notes = compare(filled, "alike", "unlike", metrics=["bleu-1"], resamples=0).sentences
    assert [note for note in notes if "different datasets" in note] == [
        "don't rank by inter and specificity: inter draws from different datasets (alike from unlike; unlike from alike);"
        " fix: set --others to datasets that are related to none of them"
    ]


def test_what_is_not_comparable_is_not_ranked(filled: Store) -> None:
    result = compare(filled, "alike", "unlike", metrics=["bleu-1"], resamples=0)
    ranked = result.frame.filter(pl.col("rank").is_not_null())["statistic"]
    assert {"specificity", "inter"} & set(result.frame["statistic"]) == {"specificity", "inter"}
    assert {"specificity", "inter"}.isdisjoint(ranked)
    assert "specificity" not in {table.name for table in result.tables}
    assert not result.found("more-specific")
    others = compare(filled, "alike", "unlike", metrics=["bleu-1"], resamples=0, others=["as-unlike"])
    assert others.found("more-specific")


def test_sets_without_equal_samples_are_told_why(store: Store) -> None:
    """Half of the images of the first have a single caption, and the others five."""
    ingest_rows(store, [row for row in captions(20, 2) if row[1] == 0 or int(row[0][-1]) % 2], dataset="half")
    ingest_rows(
        store, [(image, slot, f"{text} {slot}") for image, _, text in captions(20, 3) for slot in range(9)], "many"
    )
    notes = compare(store, "half", "many", metrics=["bleu-1"], resamples=0).sentences
    assert [note for note in notes if "no equal samples: half: more than 10% of the images" in note]


@pytest.mark.parametrize("agree", [True, False])
def test_overlap_and_homogeneity_that_contradict_each_other_are_told(agree: bool) -> None:
    """One overlap says b, one homogeneity a; where both say the same there is nothing to tell."""
    shares = {"a": 0.2, "b": 0.4}
    wholes = {"a": 0.3 if agree else 0.9, "b": 0.5}
    measured = [overlap.Overlap(label, "cider", share, pl.DataFrame()) for label, share in shares.items()]
    indices: Any = [
        SimpleNamespace(indices=[SimpleNamespace(label=label, metric="cider", statistic="homogeneity", value=value)])
        for label, value in wholes.items()
    ]
    told = overlap.disagreement(measured, indices)
    assert len(told) == (not agree)
    assert all("differently by cider. Overlap asks" in sentence for sentence in told)
    assert all("a is number 2 (cider)" in sentence and "it is number 1." in sentence for sentence in told)


def test_what_cannot_be_drawn_has_no_row_and_a_reason(store: Store) -> None:
    ingest_rows(store, captions(6, 1), dataset="one")
    ingest_rows(store, captions(6, 1), dataset="two")
    store.execute("update dataset set related = ['two'] where dataset = 'one'")
    result = compare(store, "one", "two", metrics=["bleu-1"], resamples=0)
    assert set(result.frame["statistic"]) == {"upper", "intra", "homogeneity", "overlap"}
    why = "needs a dataset that is not related; list several datasets, or set --others NAME"
    assert f"one, two: inter not available: {why}" in result.sentences
    assert "one, two: brown not available: brown is not in the store: `auditor ingest brown`" in result.sentences
    assert [table.title.split()[0].rstrip(":") for table in result.tables] == ["homogeneity", "overlap", "upper"]


def test_no_resamples_mean_no_intervals_and_no_claim(filled: Store) -> None:
    result = compare(filled, "alike", "unlike", metrics=["bleu-1"], resamples=0)
    frame = result.frame
    assert frame.select("low", "high", "rank_low", "rank_high", "confidence").null_count().row(0) == (frame.height,) * 5
    assert frame.filter(pl.col("statistic") != "overlap")["se"].null_count() == 0
    told = "alike is the most homogeneous on 1 of 1 metric family, without tests of significance"
    assert told in result.sentences
    assert "rank" in result.table("homogeneity").frame.columns


def test_one_image_has_no_interval_and_the_reason_is_told(store: Store) -> None:
    ingest_rows(store, captions(1, 1), dataset="lonely")
    ingest_rows(store, captions(9, 1, "x"), dataset="other")
    result = compare(store, "lonely", "other", metrics=["bleu-1"])
    assert result.frame.filter(dataset="lonely").select("low", "se", "rank_low").null_count().row(0) == (2, 2, 2)
    assert result.frame.filter(pl.col("statistic") != "overlap", dataset="other")["low"].null_count() == 0
    assert "lonely: no intervals and no tests, because it has 1 image, fewer than 8" in result.sentences


def test_dataset_with_too_few_images_has_no_rank_beside_others(store: Store) -> None:
    for name, images in (("few", 5), ("many", 9), ("more", 12)):
        ingest_rows(store, captions(images, 5 - images % 3, name), dataset=name)
    result = compare(store, "few", "many", "more", metrics=["bleu-1"], resamples=100)
    ranks = {name: by_statistic(result.frame, name, "rank") for name in ("few", "many", "more")}
    assert ranks["few"]["homogeneity"] is None
    assert {ranks[name]["homogeneity"] for name in ("many", "more")} == {1, 2}
    assert any(note.startswith("few: no rank by ") and "homogeneity" in note for note in result.sentences)
    alone = compare(store, "few", "many", metrics=["bleu-1"], resamples=0)
    assert set(alone.frame.filter(statistic="homogeneity")["rank"]) == {1, 2}


def test_a_ratio_to_nothing_is_no_homogeneity(store: Store) -> None:
    nothing = [(f"i{image}", slot, f"{image} {slot}") for image in range(9) for slot in range(2)]
    ingest_rows(store, nothing, dataset="nothing")
    others = [(f"j{image}", slot, text) for image, slot, text in nothing]
    ingest_rows(store, [*others, ("j", 0, "a b"), ("j", 1, "a b")], dataset="little")
    result = compare(store, "nothing", "little", metrics=["rouge-2"])
    assert set(result.frame.filter(statistic="homogeneity")["dataset"]) == {"little"}
    assert "nothing: no homogeneity by rouge-2: the divisor is 0" in result.sentences
    assert (
        "little: no interval for upper, homogeneity by rouge-2: too few images differ, or one differs too much"
        in result.sentences
    )


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"resamples": 10}, "--resamples 10: an interval of 0.95 needs 40 or more; 0 turns intervals off"),
        ({"resamples": -1}, "--resamples -1: expected 0 to 100,000"),
        ({"resamples": 100, "confidence": 0.99}, "needs 200 or more"),
        ({"confidence": 95.0}, "--confidence 95: expected a number above 0, below 1"),
    ],
)
def test_settings_that_give_no_interval_are_refused(filled: Store, settings: dict[str, float], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        compare(filled, "alike", "unlike", metrics=["bleu-1"], **settings)


def test_wider_confidence_gives_wider_intervals_of_the_same_resamples(filled: Store) -> None:
    narrow, wide = (
        compare(filled, "alike", "unlike", metrics=["rouge-1"], confidence=share).frame.filter(pl.col("se") > 1e-9)
        for share in (0.8, 0.99)
    )
    assert (wide["low"] < narrow["low"]).all()
    assert (wide["high"] > narrow["high"]).all()
    assert set(wide["confidence"]) == {0.99}


def test_each_index_is_drawn_with_its_intervals(filled: Store) -> None:
    homogeneity, specificity = compare(
        filled, "alike", "unlike", metrics=["bleu-1", "ter"], others=["as-unlike"]
    ).figures[:2]
    assert (homogeneity.name, specificity.name) == ("homogeneity", "specificity")
    assert homogeneity.title == "Homogeneity = intra / upper (ter: upper / intra)"
    for figure in (homogeneity, specificity):
        assert set(figure.frame.columns) >= {figure.x, figure.y, figure.series, figure.low, figure.high}
        assert figure.frame.height == 4


@pytest.mark.parametrize("resamples", [0, 40])
def test_tables_show_the_jackknife_error_of_every_value(filled: Store, resamples: int) -> None:
    result = compare(filled, "alike", "unlike", metrics=["bleu-1", "ter"], resamples=resamples, others=["as-unlike"])
    for statistic in ("upper", "specificity"):
        table = result.table(statistic if statistic != "upper" else "bounds")
        rows = result.frame.filter(statistic=statistic).select("metric", "dataset", "se")
        assert sorted(table.frame.select("metric", "dataset", "se").rows()) == sorted(rows.rows())
        assert rows["se"].null_count() == 0
    assert "se: jackknife standard error" in str(result.tables[-1].caption)


def test_substitutes_of_a_comparison_are_not_kept_and_those_of_bounds_are(tmp_path: Path) -> None:
    def entries() -> dict[str, int]:
        with Store.open(path) as store:
            counted = store.query("select relation, count(*) from cache.entry group by all")
            return dict(counted.iter_rows())

    path, asked = tmp_path / "two.duckdb", {"metrics": ["bleu-1"]}
    with Store.open(path, write=True) as store:
        ingest_rows(store, captions(20, 3), dataset="some")
        ingest_rows(store, captions(20, 1, "o"), dataset="others")
    with Store.open(path) as store:
        fresh = compare(store, "some", "others", resamples=0, **asked).frame
    kept = entries()
    assert kept["bleu"] == 2  # of the captions of either dataset
    assert "drawn_candidate" not in kept
    with Store.open(path) as store:
        bounds(store, "some", "others", candidates=["human", "intra", "inter"], **asked)
        assert compare(store, "some", "others", resamples=0, **asked).frame.equals(fresh)
    assert entries()["drawn_candidate"] == 4
