"""A preset's row is what the program prints: pycocoevalcap and sacrebleu, by golden values; intervals and tests beside."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import make_gold_printed
import polars as pl
import pytest
from conftest import ROOT, ingest_rows

from auditor.errors import MissingExtraError, UsageError
from auditor.metrics.meteor import resources
from auditor.reports import latex
from auditor.store.connection import Store
from auditor.studies.score.study import score
from auditor.text import by_rules

GOLD = json.loads((ROOT / "tests" / "gold" / "printed.json").read_text(encoding="utf-8"))

SYSTEMS = ("first", "second")

HAS_METEOR = True
try:
    resources.package()
except MissingExtraError:
    HAS_METEOR = False


@pytest.fixture
def described(store: Store) -> Store:
    captions = make_gold_printed.CAPTIONS
    ingest_rows(
        store, [(image, slot, text) for image, (some, *_) in captions.items() for slot, text in enumerate(some)]
    )
    for at, name in enumerate(SYSTEMS, 1):
        ingest_rows(store, [(image, 0, str(one[at])) for image, one in captions.items()], name, "candidates")
    return store


def rows_of(frame: pl.DataFrame, system: str) -> dict[str, float]:
    return dict(frame.filter(candidate=system).select("metric", "value").rows())


@pytest.mark.parametrize("preset", ["coco", "sacrebleu"])
def test_row_is_what_the_program_says(described: Store, preset: str) -> None:
    frame = score(described, "set", candidates=SYSTEMS, preset=preset, resamples=0).frame
    for system in SYSTEMS:
        expected = GOLD["captions"][system][preset]
        if not HAS_METEOR:
            expected = {name: value for name, value in expected.items() if name != "METEOR"}
        found = rows_of(frame, system)
        assert list(found) == list(expected)
        assert found == pytest.approx(expected, abs=1e-10)
    assert frame["low"].null_count() == frame.height


def _ingested(store: Store, data: Path, without: list[str]) -> None:
    with gzip.open(data / "coco-val2014" / "captions_val2017.json.gz") as file:
        published = json.load(file)
    captions = pl.DataFrame(published["annotations"], orient="row").select(
        image=pl.col("image_id").cast(pl.String), text="caption"
    )
    captions = captions.with_columns(slot=pl.int_range(pl.len()).over("image"))
    kept = captions.filter(~pl.col("image").is_in(without)).select("image", "slot", "text")
    ingest_rows(store, kept.rows())
    for name, folder in make_gold_printed.SYSTEMS.items():
        (path,) = (data / "measure-diversity-systems" / folder).glob("*.json.gz")
        with gzip.open(path) as file:
            said = pl.DataFrame(json.load(file), orient="row").select(
                pl.col("image_id").cast(pl.String), pl.lit(0), "caption"
            )
        ingest_rows(store, said.filter(pl.col("image_id").is_in(kept["image"].implode())).rows(), name, "candidates")


@pytest.mark.full
@pytest.mark.parametrize("asked", ["all", "rest"])
def test_row_of_5000_coco_images_is_that_of_pycocoevalcap(store: Store, data: Path, asked: str) -> None:
    """All printed digits are equal; those behind, too, but for three images whose captions the program runs together."""
    if not HAS_METEOR:
        pytest.skip("pycocoevalcap is not installed")
    gold = GOLD["coco-val2017"]
    _ingested(store, data, [] if asked == "all" else gold["vinyals2017"]["left out"])
    frame = score(store, "set", candidates=list(gold), preset="coco", resamples=0).frame
    assert frame["n"].unique().to_list() == [5000 if asked == "all" else 4997]
    for system, expected in gold.items():
        found = rows_of(frame, system)
        assert {name: f"{value:.3f}" for name, value in found.items()} == {
            name: f"{value:.3f}" for name, value in expected[asked].items()
        }
        assert found == pytest.approx(expected[asked], abs=3e-6 if asked == "all" else 1e-12)


def test_a_system_beside_itself_differs_by_nothing_and_surely(described: Store) -> None:
    ingest_rows(described, [(i, 0, one[1]) for i, one in make_gold_printed.CAPTIONS.items()], "again", "candidates")
    frame = score(described, "set", candidates=["first", "again", "second"], preset="sacrebleu", resamples=200).frame
    again, second = (frame.filter(candidate=name) for name in ("again", "second"))
    assert again["difference"].to_list() == [0.0, 0.0, 0.0]
    assert again["p"].to_list() == [1.0, 1.0, 1.0]
    assert second["p"].is_between(0, 1).all()
    assert frame.select((pl.col("low") <= pl.col("high")).all()).item()
    assert frame.filter(candidate="first")["against"].null_count() == 3


def test_latex_has_a_row_a_system_with_the_digits_of_the_program(described: Store) -> None:
    page = latex.render(score(described, "set", candidates=SYSTEMS, preset="sacrebleu", resamples=100))
    assert r"first & 19.0 & 39.7 & 67.1 \\" in page
    assert r"second & 14.7 & 27.2 & 69.2 \\" in page


def test_several_systems_without_a_preset_stand_side_by_side(described: Store) -> None:
    result = score(described, "set", candidates=SYSTEMS, metrics=["bleu-1"], resamples=100)
    assert result.frame["candidate"].unique(maintain_order=True).to_list() == list(SYSTEMS)
    means = result.table("means").frame
    assert means["candidate"].to_list() == list(SYSTEMS)
    for system in SYSTEMS:
        alone = score(described, "set", candidates=system, metrics=["bleu-1"]).frame["value"].mean()
        assert means.filter(candidate=system)["value"].item() == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize(
    ("told", "said"),
    [
        ({"preset": "bleurt"}, "--preset bleurt: expected coco or sacrebleu"),
        ({"preset": "coco", "metrics": ["ter"]}, "--metric: only for leave-one-out or --candidates"),
        ({"preset": "coco", "tokenizer": "bare", "references": 1}, "--tokenizer, --references: only for"),
        ({"preset": "coco", "candidates": None}, "--preset: add --candidates"),
        ({"candidates": ["first", "first"]}, "name each once"),
        ({"preset": "coco", "candidates": "several"}, "1 image has more than one caption"),
    ],
)
def test_what_cannot_be_is_refused(described: Store, told: dict, said: str) -> None:
    ingest_rows(described, [("1", 0, "a dog"), ("1", 1, "dogs")], "several", "candidates")
    with pytest.raises(UsageError, match=said):
        score(described, "set", **{"candidates": "first", **told})


def test_tokens_of_13a_are_those_of_the_script() -> None:
    texts = ["Mr. O'Neil's 1,000.5 dogs, 3-4 &amp; <b> (well-known)!", "", "a,b. 5.", "日本 café…", "x -\ny\n"]
    assert by_rules.mteval(pl.Series(texts)).to_list() == [
        "Mr . O'Neil's 1,000.5 dogs , 3 - 4 & < b > ( well-known ) !".split(),
        [],
        ["a", ",", "b", ".", "5", "."],
        ["日本", "café…"],
        ["x", "y"],
    ]


def test_what_is_drawn_for_systems_is_refused_without_one(described: Store) -> None:
    with pytest.raises(
        UsageError, match=r"^--resamples, --confidence: only for --candidates or --preset; leave out for"
    ):
        score(described, "set", metrics=["bleu-1"], resamples=50, confidence=0.9)
    asked = {"candidates": None, "preset": None, "without_own_references": False}
    with pytest.raises(UsageError, match="--missing: only for"):
        score(described, "set", missing="empty", **asked)
    told, bare = (score(described, "set", metrics=["bleu-1"], **more) for more in (asked, {}))
    assert told.frame.equals(bare.frame)


def test_own_references_are_left_out_of_candidates_only(described: Store) -> None:
    with pytest.raises(UsageError, match="--without-own-references: only for --candidates"):
        score(described, "set", metrics=["bleu-1"], without_own_references=True)
    assert score(described, "set", metrics=["bleu-1"], candidates=SYSTEMS, without_own_references=True).frame.height
