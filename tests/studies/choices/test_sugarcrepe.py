"""What is told of SugarCrepe without its images, and what CLIP says of it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from conftest import DATA

from auditor.result import Result
from auditor.store.connection import MEMORY, Store
from auditor.studies.check import check
from auditor.studies.choices import choices
from auditor.studies.findings import findings
from auditor.studies.ingest import ingest

pytestmark = pytest.mark.xdist_group("sugarcrepe")


@pytest.fixture(scope="module")
def asked() -> Iterator[Store]:
    if DATA is None:
        pytest.skip("the real datasets are not here: set AUDITOR_DATA to the folder that holds flickr8k/")
    with pytest.MonkeyPatch.context() as patched, Store.open(MEMORY) as store:
        patched.setenv("AUDITOR_DATA", str(DATA))
        ingest(store, "sugarcrepe", "coco-val2017")
        yield store


@pytest.fixture(scope="module")
def result(asked: Store, tmp_path_factory: pytest.TempPathFactory) -> Result:
    assert DATA is not None
    answers = DATA / "sugarcrepe" / "clip-answers.parquet"
    fair = tmp_path_factory.mktemp("fair") / "fair.jsonl"
    return choices(asked, "sugarcrepe", metrics=["cider"], scores=[answers], fair=fair)


def accuracies(result: Result, scorer: str) -> dict[str, float]:
    return dict(result.frame.filter(scorer=scorer).select("part", "accuracy").iter_rows())


def test_the_shorter_is_right_in_both_parts_to_which_something_is_added(result: Result) -> None:
    shorter = accuracies(result, "shorter")
    assert min(shorter["add_obj"], shorter["add_att"]) >= 0.99


def test_full_stop_then_length_tells_what_clip_tells(result: Result) -> None:
    # Three of four, by two rules that see neither image nor words; CLIP ViT-B/32 sees the image.
    assert accuracies(result, "no-full-stop-then-shorter")["all"] == pytest.approx(0.761, abs=0.001)
    assert accuracies(result, "ViT-B-32")["all"] == pytest.approx(0.7656, abs=0.0005)
    assert accuracies(result, "kneser-ney")["all"] > accuracies(result, "ViT-B-32")["all"]


def test_items_of_the_same_words_set_a_ceiling(result: Result) -> None:
    bags = result.frame.filter(scorer="bag-of-words")
    assert dict(bags.filter(part="swap_att").select("part", "ties").iter_rows()) == {"swap_att": 409}
    assert dict(bags.filter(part="swap_obj").select("part", "ties").iter_rows()) == {"swap_obj": 164}
    assert accuracies(result, "bag-of-words")["all"] == pytest.approx(0.9619, abs=0.0001)


def test_findings_tell_by_what_it_is_decided(asked: Store, result: Result) -> None:
    told = {one.kind: one.severity for one in result.findings}
    assert told == {
        "benchmark-decided-by-length": "error",
        "benchmark-decided-by-punctuation": "warning",
        "benchmark-decided-by-language-model": "error",
        "benchmark-decided-by-words": "error",
        "order-blind-ceiling": "notice",
    }
    kinds = {one.kind for one in findings(asked, "sugarcrepe").findings}
    assert told.keys() <= kinds
    assert not {"padded-images", "uneven-captions", "copied-images", "unlike-slot"} & kinds


def test_no_blind_scorer_decides_the_fair_subset(result: Result) -> None:
    fair = result.frame.filter(part="blind-fair", kind="blind")
    assert fair["p"].min() * fair.height >= 0.05
    assert 1_500 < fair["n"].to_list()[0] < 2_500
    seeing = accuracies(result, "CLIP_TROHN-Text")
    assert seeing["blind-fair"] < seeing["all"]


def test_gate_holds_the_best_blind_scorer_against_its_limit(asked: Store, tmp_path: Path) -> None:
    config = tmp_path / "datasets.toml"
    config.write_text("[check]\nchoices.blind.max = 0.6\n")
    row = check(asked, "sugarcrepe", config=config).frame.row(0, named=True)
    assert (row["verdict"], round(row["value"], 2)) == ("failed", 0.81)
    row = check(asked, "coco-val2017", config=config).frame.row(0, named=True)
    assert "is of kind captions, without forced-choice items" in row["reason"]
