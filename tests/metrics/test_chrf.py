"""chrF and chrF++ equal sacrebleu's numbers.

`gold/chrf.json` holds what sacrebleu gave; `python tests/metrics/make_gold_ter.py` makes it again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence

import make_gold_ter
import numpy as np
import pytest
from conftest import ingest_rows
from hypothesis import given
from hypothesis import strategies as st
from sizes import examples
from test_ter import scores

from auditor.metrics.kernels import chrf as kernel
from auditor.metrics.kernels.columns import Sides, Texts
from auditor.scoring.candidates import HUMAN
from auditor.scoring.registry import requests
from auditor.scoring.scores import score_candidates
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve

captions = st.text(alphabet="ab é日", max_size=12)


@pytest.mark.parametrize("metric", ["chrf", "chrf:word_order=2", "chrf:smooth=eps", "chrf:char_order=3,beta=1"])
def test_scores_are_sacrebleus(metric: str) -> None:
    gold = json.loads(make_gold_ter.CHRF_GOLD.read_text(encoding="utf-8"))["scores"][metric]
    found = scores(make_gold_ter.items(), metric)
    assert [100 * value for value in found] == pytest.approx(gold, abs=1e-9)


@pytest.mark.slow
@given(st.lists(st.tuples(captions, st.lists(captions, min_size=1, max_size=3)), min_size=1, max_size=4))
@examples(12)
def test_scores_equal_sacrebleus_on_random_captions(items: list[make_gold_ter.Item]) -> None:
    CHRF = pytest.importorskip("sacrebleu.metrics").CHRF  # noqa: N806
    for metric, peer in (
        ("chrf:scale=x100", CHRF()),
        ("chrf:scale=x100,word_order=2,smooth=eps", CHRF(6, 2, eps_smoothing=True)),
    ):
        expected = [peer.sentence_score(candidate, references).score for candidate, references in items]
        assert scores(items, metric) == pytest.approx(expected, abs=1e-9)


def pair(candidate: Sequence[int], *references: Sequence[int]) -> tuple[Sides, Texts]:
    """Make a candidate and its references, each of whose symbols is a token."""
    known, flat = np.unique(np.concatenate([candidate, *references]), return_inverse=True)
    ends = np.cumsum([0, len(candidate), *map(len, references)])
    sides = Sides(
        Texts(flat[: ends[1]].astype(np.uint32), ends[:2].astype(np.int64)),
        Texts(flat[ends[1] :].astype(np.uint32), (ends[1:] - ends[1]).astype(np.int64)),
        *(np.array([place], dtype=np.int64) for place in (0, len(references), -1)),
    )
    return sides, Texts(known.astype(np.uint32), np.arange(len(known) + 1))


def shared(one: Sequence[int], other: Sequence[int], n: int) -> int:
    ours, theirs = (Counter(tuple(text[at : at + n]) for at in range(len(text) - n + 1)) for text in (one, other))
    return (ours & theirs).total()


@pytest.mark.parametrize("alphabet", [3, 1 << 12, 1 << 20])
def test_grams_are_told_apart_in_an_alphabet_of_any_size(alphabet: int) -> None:
    """64 bits do not hold six symbols of a large alphabet; grams then take 128."""
    rng = np.random.default_rng(alphabet)
    filler = rng.integers(0, alphabet, 9000).tolist()
    candidate = [alphabet - 1, *rng.integers(0, alphabet, 30).tolist()]
    references = [[*candidate[12:], *candidate[:12], *candidate[5:14]], filler, candidate[:4], []]
    found = kernel.matches(*pair(candidate, *references), 6)
    expected = [[shared(candidate, reference, n) for reference in references] for n in range(1, 7)]
    assert found.tolist() == expected


def test_long_texts_share_what_their_counts_share() -> None:
    rng = np.random.default_rng(4)
    candidate, reference = (rng.integers(0, 9, size).tolist() for size in (900, 700))
    found = kernel.matches(*pair(candidate, reference), 2)
    assert found.tolist() == [[shared(candidate, reference, n)] for n in (1, 2)]


def test_caption_is_no_reference_of_itself(store: Store) -> None:
    ingest_rows(store, [("a", 0, "a dog"), ("a", 1, "cats"), ("b", 0, "a dog"), ("b", 1, "a dog"), ("c", 0, "alone")])
    found = score_candidates(Captions(store, resolve(store, "set"), "bare"), [HUMAN], requests(["chrf"]))
    assert found["image"].to_list() == ["a", "a", "b", "b"]
    assert found["chrf"][2:].to_list() == [1.0, 1.0]
    assert found["chrf"].max() == 1.0
    assert found["chrf"][:2].max() < 0.2


def test_characters_count_without_blanks() -> None:
    assert scores([("a b c", ["abc"])], "chrf") == [1.0]
    assert scores([("a b c", ["abc"])], "chrf:word_order=2")[0] < 1


def test_it_is_counted_on_request_only() -> None:
    assert "chrf" not in [asked.label for asked in requests(None)]
