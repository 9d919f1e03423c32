"""Scores of system output equal those of the official programs.

The oracle table (beside the real data, not part of the project) holds what BLEU with footnote 4 of paper 000, mteval-v13m,
ROUGE-1.5.5 -f A and the CIDEr authors' code gave for the 5,822 judged candidates of Flickr8k against five references.
`gold/cider_d_sample.json` holds what pycocoevalcap gave on the bundled sample; `make_gold_cider.py`
makes it again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

import make_gold_cider
import polars as pl
import pytest
from conftest import DATA, ROOT, ingest_rows

from auditor.scoring.candidates import CandidateSet
from auditor.scoring.registry import requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.versions import resolve

SYSTEM = CandidateSet("system", "candidate_system", {"system": "system", "system_seq": 1, "system_split": None})


def scores_of_system(store: Store, metric_name: str) -> pl.DataFrame:
    (metric,) = requests([metric_name])
    scores = score_candidates(Captions(store, resolve(store, "set"), "bare"), [SYSTEM], [metric])
    return scores.rename({metric.label: "value"})


@pytest.fixture(scope="module")
def judged() -> Iterator[tuple[Store, pl.DataFrame]]:
    oracle = DATA.parent / "oracles" / "flickr8k-expert.parquet" if DATA else None
    if DATA is None or oracle is None or not oracle.exists():
        pytest.skip("the official scores are not here: oracles/flickr8k-expert.parquet beside the real datasets")
    folder = DATA / "flickr8k-expert"
    images = pl.read_csv(folder / "judgements")["imageid"]
    references = {
        (image, slot): text
        for slot in range(5)
        for image, text in zip(images, (folder / f"ref-{slot}").read_text(encoding="utf-8").splitlines(), strict=True)
    }
    candidates = (folder / "candidates").read_text(encoding="utf-8").splitlines()
    slots = images.to_frame("image").with_columns(slot=pl.int_range(pl.len()).over("image"))
    official = pl.read_parquet(oracle).sort("row").with_columns(slots["slot"].cast(pl.UInt32))
    assert official["image"].equals(images)
    with Store.open(MEMORY) as store:
        ingest_rows(store, [(image, slot, text) for (image, slot), text in references.items()])
        rows = [(image, slot, text) for (image, slot), text in zip(slots.rows(), candidates, strict=True)]
        ingest_rows(store, rows, "system", "candidates")
        yield store, official


@pytest.mark.parametrize(
    ("metric", "column", "tolerance"),
    [
        *((f"bleu-{n}", f"bleu{n}", 1e-9) for n in range(1, 5)),
        *((f"bleu-{n}:smooth=mteval", f"bleu{n}_mteval", 1e-9) for n in range(1, 5)),
        *((f"bleu-{n}:smooth=nltk3", f"bleu{n}_nltk3", 1e-9) for n in range(1, 5)),
        *((f"bleu-{n}:smooth=exp", f"bleu{n}_sacre", 1e-9) for n in range(1, 5)),
        *((f"bleu-{n}:smooth=exp,effective=true", f"bleu{n}_sacre_eff", 1e-9) for n in range(1, 5)),
        *((name, f"{name}_A_F", 2e-5) for name in ("rouge-1", "rouge-l", "rouge-w-1.2", "rouge-su4")),
        ("cider:scale=x10", "cider_dataset", 1e-9),
        ("cider-d:scale=x10", "ciderd_dataset", 1e-9),
        *((f"cider:scale=x10,idf={reading}", "cider_items", 1e-9) for reading in ("run", "fold")),
        *((f"cider-d:scale=x10,idf={reading}", "ciderd_items", 1e-9) for reading in ("run", "fold")),
    ],
)
def test_judged_candidates_score_as_the_official_program_scores_them(
    judged: tuple[Store, pl.DataFrame], metric: str, column: str, tolerance: float
) -> None:
    store, official = judged
    scores = scores_of_system(store, metric)
    both = scores.join(official, on=["image", "slot"], how="inner")
    assert both.height == 5822
    assert (both["value"] - both[column]).abs().max() <= tolerance


def test_unigram_bleu_of_multeval_is_the_penalty_times_a_fourth_root(judged: tuple[Store, pl.DataFrame]) -> None:
    """Its column bleu1p, which Elliott & Keller 2014 report as unigram BLEU."""
    store, official = judged
    scores = scores_of_system(store, "bleu-1:smooth=mteval,weights=quarter")
    both = scores.join(official, on=["image", "slot"], how="inner").filter(pl.col("p1") > 0)
    assert (both["value"] - both["bp"] * both["p1"] ** 0.25).abs().max() <= 1e-9
    without = scores_of_system(store, "bleu-1:smooth=none,bp=none")
    both = without.join(official, on=["image", "slot"], how="inner")
    assert (both["value"] - both["p1"]).abs().max() <= 1e-9


def test_rouge_of_judged_candidates_is_what_the_script_prints(judged: tuple[Store, pl.DataFrame]) -> None:
    """To the last digit: -f A and -f B, with and without -m, recall, precision and F."""
    store, official = judged
    modes = {"A": "", "B": ",aggregate=best", "mA": ",stem=true", "mB": ",aggregate=best,stem=true"}
    measures = {"R": "recall", "P": "precision", "F": "f"}
    asked = {
        f"{name}_{mode}_{letter}": f"{name}:rounding=official,measure={measure}{settings}"
        for name in ("rouge-1", "rouge-l", "rouge-w-1.2", "rouge-su4")
        for mode, settings in modes.items()
        for letter, measure in measures.items()
    }
    metrics = requests(list(asked.values()))
    scores = score_candidates(Captions(store, resolve(store, "set"), "bare"), [SYSTEM], metrics)
    both = scores.join(official, on=["image", "slot"], how="inner")
    assert both.height == 5822
    wrong = {column: (both[metric.label] != both[column]).sum() for column, metric in zip(asked, metrics, strict=True)}
    assert wrong == dict.fromkeys(asked, 0)


def test_cider_d_of_the_sample_is_pycocoevalcaps(store: Store) -> None:
    gold = json.loads((ROOT / "tests" / "gold" / "cider_d_sample.json").read_text(encoding="utf-8"))["scores"]
    references, candidates = make_gold_cider.sample()
    ingest_rows(store, references)
    ingest_rows(store, candidates, "system", "candidates")
    found = dict(scores_of_system(store, "cider-d:scale=x10").select("image", "value").iter_rows())
    assert found == pytest.approx(gold, abs=1e-9)
