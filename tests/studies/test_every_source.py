"""Every folder of the real data, ingested with one command: its counts, and its known dirt where a user can see it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest
from conftest import DATA

from auditor.store.connection import Store
from auditor.studies.diff import diff
from auditor.studies.profile import profile

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("every source")]

#: Images and captions of each dataset, as counted by whoever collected the files.
COUNTS = {
    "flickr8k": (8_093, 40_460),  # 8,092 images, and a stray key
    "flickr8k-lemma": (8_092, 40_460),
    "flickr8k-expert": (1_000, 5_822),
    "flickr8k-crowd": (1_000, 47_830),
    "flickr8k-ek": (1_000, 5_822),
    "flickr8k-expert-refs": (5_822, 29_110),
    "flickr30k": (31_783, 158_915),
    "flickr30k-token": (31_783, 158_915),
    "multi30k": (31_014, 155_070),
    "coco-val": (20_993, 105_018),
    "coco-val2017": (5_000, 25_014),
    "coco-val2014-a": (4_800, 24_019),
    "coco-val2014-b": (4_800, 24_018),
    "coco-arctic-val": (5_000, 25_000),
    "coco-arctic-test": (5_000, 25_000),
    "coco-train2017-part": (5_068, 25_349),
    "coco-30k": (30_000, 30_000),
    "coco-train-words": (28_411, 28_411),  # 28,412 with the empty word
    "coco-train-vocab": (22_946, 22_946),  # 22,943 words and three marks
    **dict.fromkeys(
        "liu2017 mun2017 shetty2016 tavakoli2017 vinyals2017 wu2016 zhou2017 dai2017 shetty2017".split(),
        (40_504, 40_504),
    ),
    "pascal50s": (1_000, 53_500),
    "pascal50s-pairs": (1_000, 8_000),
    "pascal1k-part": (1_000, 2_628),  # of 5,000
    "pascal50s-triplets": (1_000, 8_000),
    "abstract50s": (500, 24_000),
    "abstract50s-mat": (500, 24_000),
    "abstract50s-pairs": (200, 57_600),
    "abstract-scenes": (10_020, 60_396),
    "brown": (500, 57_340),
    "ud-english-ewt": (1_174, 16_622),
}

#: What is known to be odd about the files, as `profile` tells it.
ANOMALIES = {
    "flickr8k": {"images-with-one-caption": 1, "captions-in-no-split": 460, "captions-of-one-word": 2},
    "flickr8k-crowd": {"votes-per-judgement-min": 3, "votes-per-judgement-max": 6},
    "flickr8k-expert": {"judges": 3, "judgements": 17_466, "captions-of-the-same-image-in-flickr8k": 158},
    "flickr30k": {
        "images-repeating-a-caption": 47,
        "phrases": 559_767,
        "phrases-not-visual": 30_695,
        "chains": 243_891,
        "captions-beyond-ascii": 4,
        "images-with-captions-sorted-by-length": 31_646,
    },
    "coco-val": {
        "captions-with-outer-blanks": 12_607,
        "captions-with-line-breaks": 7,
        "captions-with-double-blanks": 1_402,
        "captions-beyond-ascii": 0,
        "captions-per-image-max": 7,
        "images-with-another-number-of-captions": 51,
        "images-repeating-a-caption": 52,
    },
    "coco-30k": {"captions-with-outer-blanks": 3_405},  # 97 of them end in a line break
    "vinyals2017": {"captions-without-word": 131, "captions-with-blanks-before-punctuation": 33_380},
    "liu2017": {"captions-ending-in-a-full-stop": 40_504},
    "wu2016": {"captions-ending-in-a-full-stop": 0},
    "pascal50s": {
        "captions-per-image-max": 120,
        "images-with-another-number-of-captions": 50,
        "images-repeating-a-caption": 421,
        "captions-with-replacement-characters": 2,
    },
    "pascal50s-pairs": {"pairs": 4_000, "pairs-votes-min": 10, "pairs-votes-max": 11},
    "abstract50s-pairs": {"triplets": 19_200},
    "abstract-scenes": {"captions-with-outer-blanks": 60_396, "captions-per-image-min": 3},
    "coco-train-words": {"rejected": 1, "occurrences": 5_914_499 - 4_969},  # the empty word occurs 4,969 times
}


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store that holds everything, made by one command."""
    if DATA is None:
        pytest.skip("the real datasets are not here: set AUDITOR_DATA to the folder that holds flickr8k/")
    folder = tmp_path_factory.mktemp("every")
    done = subprocess.run(
        [sys.executable, "-m", "auditor", "ingest", "--all", "--json"],
        capture_output=True,
        text=True,
        cwd=folder,
        env={"AUDITOR_DATA": str(DATA), "PATH": ""},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["auditor.ingest/v3"]["findings"]
    assert "counts-not-declared" not in {one["kind"] for one in found}
    return folder / "audit.duckdb"


def test_every_source_has_its_counts(filled: Path) -> None:
    with Store.open(filled) as store:
        logged = store.query("select dataset, images, captions from version")
    found = {dataset: (images, captions) for dataset, images, captions in logged.iter_rows()}
    assert {dataset: found.get(dataset) for dataset in COUNTS} == COUNTS


@pytest.mark.parametrize("dataset", ANOMALIES)
def test_known_dirt_is_seen_in_profile(filled: Path, dataset: str) -> None:
    with Store.open(filled) as store:
        facts = dict(profile(store, dataset).frame.select("statistic", "value").iter_rows())
    assert {name: facts[name] for name in ANOMALIES[dataset]} == ANOMALIES[dataset]


def test_phrases_and_votes_are_asked_in_sql(filled: Path) -> None:
    with Store.open(filled) as store:
        counts = {
            view: store.query(f"select count(*) from {view}").item()
            for view in ("phrase", "judgement", "pair_vote", "triplet_vote", "word_count")
        }
        votes = dict(
            store.query("select votes_b > votes_c as for_b, count(*) from triplet_vote group by all").iter_rows()
        )
    assert counts["phrase"] == 559_767
    assert counts["judgement"] == 2 * 17_466 + 47_830
    assert counts["pair_vote"] == 2 * 4_000
    assert counts["triplet_vote"] == 19_200
    assert votes == {True: 9_360, False: 9_840}


def test_entities_and_token_file_are_one_version(filled: Path) -> None:
    with Store.open(filled) as store:
        versions = store.query("select distinct version from version where dataset in ('flickr30k', 'flickr30k-token')")
    assert versions.height == 1


def test_abstract_50s_differs_in_the_names_of_fifty_scenes(filled: Path) -> None:
    """The JSON calls 50 scenes Seed7K_* and US_*, the MATLAB file Scene*; their sentences are the same."""
    with Store.open(filled) as store:
        changes = diff(store, "abstract50s", "abstract50s-mat", depth="text")
    by_kind = changes.frame.group_by("change").agg(
        captions=pl.len(),
        images=pl.col("image").n_unique(),
        texts=pl.coalesce("old_text", "new_text").sort(),
    )
    kinds = {row["change"]: row for row in by_kind.to_dicts()}
    assert {kind: (row["images"], row["captions"]) for kind, row in kinds.items()} == {
        "added": (50, 2_400),
        "removed": (50, 2_400),
    }
    assert kinds["added"]["texts"] == kinds["removed"]["texts"]
