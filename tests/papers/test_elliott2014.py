"""Table 1 of Elliott & Keller 2014 comes out to the third decimal; the sound definitions are beside it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest
from conftest import DATA
from small_sets import rated

from auditor import config
from auditor.model import Part, Source
from auditor.papers import paper, readings
from auditor.papers.elliott2014 import DATASET
from auditor.papers.readings import PUBLISHED, available, printed
from auditor.papers.reproduce import OUTSIDE, UNANSWERED, reproduce
from auditor.result import Result
from auditor.scoring.registry import METRICS, lacking
from auditor.store.connection import MEMORY, Store
from auditor.studies.agree import agree
from auditor.studies.ingest.sources import ingest_sources

PAPER = "elliott2014"
REFERENCES = paper(PAPER).needs[DATASET]
TABLE_1 = {"meteor": 0.524, "rouge-su4": 0.435, "bleu-4": 0.429, "bleu-1": 0.345, "ter": -0.279}
SOUND = {
    "meteor": 0.560, "bleu-4": 0.462, "bleu-1": 0.476, "ter": -0.293, "cider": 0.584, "cider-d": 0.581,
    "rouge-su4": 0.491,
}  # fmt: skip


def test_the_figures_that_are_printed_are_those_of_table_1() -> None:
    assert printed(paper(PAPER), DATASET, PUBLISHED) == TABLE_1


def test_what_is_sound_is_measured_on_the_same_tokens_for_every_measure(store: Store, tmp_path: Path) -> None:
    rated(store, tmp_path, DATASET, REFERENCES)
    signed = {name: text for name, text in reproduce(store, PAPER).signatures.items() if name.endswith(", sound")}
    assert len(signed) == len(available(paper(PAPER))[0])
    assert all("|tok:ptb|" in text for text in signed.values())


def test_the_papers_ratings_need_the_papers_references(store: Store, tmp_path: Path) -> None:
    path = tmp_path / "ratings.csv"
    path.write_text("image,caption,score\na,a dog,1\n")
    ingest_sources(store, [Source(DATASET, "judgements", "judgements", (Part((path,)),))])
    reasons = reproduce(store, PAPER).frame.filter(dataset=DATASET)["reason"]
    assert set(reasons) == {f"{REFERENCES} is not in the store: `auditor ingest {REFERENCES}`"}


def test_a_metric_that_is_not_installed_is_left_out_with_its_reason(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(metric: object) -> str | None:
        return "meteor needs a jar" if metric is METRICS["meteor"] else None

    monkeypatch.setattr(readings, "lacking", missing)
    measures, notes = available(paper(PAPER))
    assert [one.metric for one in measures][:2] == ["rouge-su4", "bleu-4"]
    assert list(map(str, notes)) == ["skipped: meteor needs a jar"]
    rated(store, tmp_path, DATASET, REFERENCES)
    assert "skipped: meteor needs a jar" in reproduce(store, PAPER).sentences


@pytest.fixture(scope="module")
def flickr() -> Iterator[Store]:
    if DATA is None:
        pytest.skip("the real datasets are not here: set AUDITOR_DATA to the folder that holds flickr8k/")
    if lacking(METRICS["meteor"]):
        pytest.skip("METEOR is not installed")
    declared = config.sources(data=DATA)
    with Store.open(MEMORY) as store:
        ingest_sources(store, [declared[name] for name in (DATASET, REFERENCES)])
        yield store


@pytest.fixture(scope="module")
def reproduced(flickr: Store) -> Result:
    return reproduce(flickr, PAPER)


@pytest.mark.full
@pytest.mark.xdist_group("elliott2014")
def test_table_1_comes_out_to_the_third_decimal(reproduced: Result) -> None:
    table = reproduced.tables[-1]
    assert "n = 17,466" in table.title
    shown = table.frame.with_columns(pl.col("published", "as published", "sound").round(3))
    names = {measure.name: measure.metric for measure in paper(PAPER).readings}
    ours = shown.with_columns(pl.col("measure").replace_strict(names)).rows_by_key("measure", named=True, unique=True)
    assert {name: row["as published"] for name, row in ours.items() if row["published"]} == TABLE_1
    assert {name: row["published"] for name, row in ours.items() if row["published"]} == TABLE_1
    assert {name: ours[name]["sound"] for name in SOUND} == SOUND
    assert all(row["low"] < row["sound"] < row["high"] for row in ours.values())
    assert all(row["why they differ"] for row in ours.values())
    strengths = {name: (row["strength as published"], row["strength when sound"]) for name, row in ours.items()}
    assert strengths["bleu-1"] == ("weak", "moderate")
    assert strengths["ter"] == ("weak", "weak")


@pytest.mark.full
@pytest.mark.xdist_group("elliott2014")
def test_every_figure_of_flickr8k_lies_within_its_band(reproduced: Result) -> None:
    assert OUTSIDE not in reproduced.frame["verdict"]
    # the ratings of Elliott & Keller 2013 are to be had from the authors only
    assert set(reproduced.frame.filter(verdict=UNANSWERED)["reason"]) == {
        "ek2013 is not in the store: `auditor fetch ek2013` explains how to obtain it"
    }
    assert reproduced.frame.filter(pl.col("verdict") != UNANSWERED)["dataset"].unique().to_list() == [DATASET]


@pytest.mark.full
@pytest.mark.xdist_group("elliott2014")
def test_judges_agree_as_measured_and_set_the_ceiling(flickr: Store) -> None:
    asked = {"protocols": ["pooled", "mean"], "statistics": ["spearman"]}
    rows = agree(flickr, DATASET, metrics=["cider"], tokenizer="ptb", resamples=0, **asked).frame
    people = rows.filter(metric="human", statistic="spearman").select("protocol", pl.col("value").round(2))
    assert dict(people.iter_rows()) == {"judge-1 judge-2": 0.82, "judge-1 judge-3": 0.72, "judge-2 judge-3": 0.83}
    cider = rows.filter(metric="cider", statistic="spearman").select(
        "protocol", "candidates", pl.col("value").round(3), "n"
    )
    assert cider.rows()[:2] == [("pooled", "all", 0.584, 17_466), ("mean", "all", 0.641, 5_822)]
    assert set(cider.filter(candidates="without-references").select("protocol", "n").rows()) == {
        ("pooled", 3 * 5_664), ("mean", 5_664),
    }  # fmt: skip
