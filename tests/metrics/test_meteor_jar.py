"""METEOR equals meteor-1.5.jar, with the word lists and the table of an installed `pycocoevalcap`."""

from __future__ import annotations

import json
from pathlib import Path

import make_gold_meteor
import polars as pl
import pytest
from conftest import ROOT
from test_meteor import of_pairs

from auditor.errors import MissingExtraError
from auditor.metrics import meteor
from auditor.metrics.meteor import resources

pytestmark = pytest.mark.slow  # compiles the kernels


@pytest.fixture
def installed() -> None:
    """The true pycocoevalcap, whose tables are made once in the user's cache."""
    try:
        resources.package()
    except MissingExtraError:
        pytest.skip("pycocoevalcap is not installed")


@pytest.fixture(scope="module")
def gold() -> dict[str, list[float] | list[str] | float]:
    return json.loads((ROOT / "tests" / "gold" / "meteor.json").read_text(encoding="utf-8"))


def test_made_up_captions_score_as_by_the_jar(installed: None, gold: dict) -> None:
    found = of_pairs(make_gold_meteor.items())
    assert (found["score"] - pl.Series(gold["scores"])).abs().max() <= 1e-12
    assert [" ".join(map(str, row)) for row in found.select(meteor.STATISTICS).rows()] == gold["statistics"]
    assert meteor.corpus(found) == pytest.approx(gold["corpus"], abs=1e-12)


def test_identical_captions_make_a_corpus_score_of_one(installed: None) -> None:
    assert meteor.corpus(of_pairs([("a dog", ["a dog"]), ("the man runs", ["the man runs"])])) == 1.0


def test_judged_candidates_of_flickr8k_score_as_by_the_jar(installed: None, data: Path) -> None:
    oracle = data.parent / "oracles" / "flickr8k-expert.parquet"
    if not oracle.exists():
        pytest.skip("the official scores are not here: oracles/flickr8k-expert.parquet beside the real datasets")
    folder = data / "flickr8k-expert"
    sides = [
        (folder / name).read_text(encoding="utf-8").splitlines()
        for name in ("candidates", *map("ref-{}".format, range(5)))
    ]
    found = of_pairs([(text, refs) for text, *refs in zip(*sides, strict=True)])
    official = pl.read_parquet(oracle).sort("row")
    assert found.height == 5822
    assert (found["score"] - official["meteor"]).abs().max() <= 1e-12
