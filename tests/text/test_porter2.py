"""The stemmer is METEOR's: the English Snowball stemmer of 2007, not a later one."""

from __future__ import annotations

import pytest
from conftest import DATA
from hypothesis import given
from hypothesis import strategies as st

from auditor.text.stemmers.porter2 import stem

STEMS = {
    "a": "a",
    "as": "as",
    "dogs": "dog",
    "grass": "grass",
    "cries": "cri",
    "ties": "tie",
    "gas": "gas",
    "this": "this",
    "caresses": "caress",
    "agreed": "agre",
    "feed": "feed",
    "hopping": "hop",
    "hoping": "hope",
    "falling": "fall",
    "sized": "size",
    "running": "run",
    "playing": "play",
    "sing": "sing",
    "happy": "happi",
    "happily": "happili",
    "say": "say",
    "by": "by",
    "youthful": "youth",
    "generously": "generous",
    "communism": "communism",
    "arsenal": "arsenal",
    "conditional": "condit",
    "rationalize": "ration",
    "sensitivity": "sensit",
    "hopefulness": "hope",
    "geology": "geolog",
    "adjustment": "adjust",
    "replacement": "replac",
    "adoption": "adopt",
    "controlling": "control",
    "bottle": "bottl",
    "lie": "lie",
    "lying": "lie",
    "skies": "sky",
    "news": "news",
    "only": "onli",
    "evening": "even",  # later releases: evening
    "adding": "ad",  # later releases: add
    "organic": "organ",  # later releases: organic
    "outing": "outing",
    "proceed": "proceed",
    "'cause": "caus",
    "man's": "man",
    "café": "café",
    "日本": "日本",
    "": "",
}


@pytest.mark.parametrize(("word", "expected"), STEMS.items())
def test_word_has_the_stem_of_2007(word: str, expected: str) -> None:
    assert stem(word) == expected


@given(st.text("abcdegilnorstuyY'é", max_size=12))
def test_stem_is_never_longer_than_the_word_and_an_e(word: str) -> None:
    assert len(stem(word)) <= len(word) + 1


def test_caption_words_have_meteors_stems() -> None:
    oracle = DATA.parent / "oracles" / "meteor-stems.tsv" if DATA else None
    if oracle is None or not oracle.exists():
        pytest.skip("the official stems are not here: oracles/meteor-stems.tsv beside the real datasets")
    pairs = [line.split("\t") for line in oracle.read_text(encoding="utf-8").splitlines()]
    assert len(pairs) > 4000
    assert [(word, stem(word)) for word, _ in pairs] == [(word, expected) for word, expected in pairs]
