"""Porter's stemmer gives the stems that NLTK's rendering of the 1980 algorithm gives; ROUGE's differs in step 4."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import DATA, ROOT

from auditor.text.normalization import NORMALIZATIONS
from auditor.text.stemmers import rouge
from auditor.text.stemmers.porter import stem

GOLD = [line.split("\t") for line in (ROOT / "tests" / "gold" / "porter.tsv").read_text("utf-8").splitlines()[1:]]


def test_stems_are_those_of_the_published_algorithm() -> None:
    assert [stem(word) for word, _ in GOLD] == [expected for _, expected in GOLD]
    assert stem("trekking") == "trek"


def test_rouges_stemmer_drops_one_ending_after_another() -> None:
    words = ["agreement", "adoption", "runs", "a"]
    assert [rouge.stem(word) for word in words] == ["agreem", "adopt", "run", "a"]


def test_words_of_real_captions_are_stemmed_as_nltk_does() -> None:
    porter = pytest.importorskip("nltk.stem.porter").PorterStemmer("ORIGINAL_ALGORITHM")
    path = DATA.parent / "oracles" / "meteor-stems.tsv" if DATA else None
    if path is None or not path.exists():
        pytest.skip("the words are not here: oracles/meteor-stems.tsv beside the real datasets")
    words = [line.split("\t")[0] for line in path.read_text(encoding="utf-8").splitlines()]
    assert len(words) > 1000
    assert [stem(word) for word in words] == [porter.stem(word, to_lowercase=False) for word in words]


def test_every_token_is_rewritten_as_one_word() -> None:
    """Not even a token that loses its only letter is left out: lengths stay."""
    words = NORMALIZATIONS["porter"](pl.Series(["fishes", "s", "café"]))
    assert words.to_list() == [["fish"], [""], ["café"]]
    assert NORMALIZATIONS["porter"](pl.Series([], dtype=pl.String)).dtype == pl.List(pl.String)
