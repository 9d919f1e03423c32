"""Tokenizer ptb gives the tokens of COCO's evaluation. `gold/ptb.json` holds what its program gave."""

from __future__ import annotations

import json
import re
import unicodedata
from pathlib import Path

import make_gold_ptb
import make_ptb_table
import numpy as np
import polars as pl
import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from auditor.text import ptb
from auditor.text.ptb.lexer import TABLE

PIECES = st.sampled_from(make_gold_ptb.PIECES)


def tokenize(text: str) -> list[str]:
    return ptb.tokenize(pl.Series([text], dtype=pl.String))[0].to_list()


@pytest.mark.parametrize(
    ("caption", "tokens"),
    [
        ("A man's tri-colored dog, running!", ["a", "man", "'s", "tri-colored", "dog", "running"]),
        ("They don't (cannot) stop...", ["they", "do", "n't", "-lrb-", "can", "not", "-rrb-", "stop"]),
        ("Mr. Smith's 3 1/2 ft. kite & the U.S. flag", "mr. smith 's 3 1/2 ft. kite & the u.s. flag".split()),
        ('“Café” "naïve" 日本!!', ["café", "naïve", "日本", "!!"]),
        ("one\r\nline\u2028only", ["one", "line", "only"]),
        (" . ", []),
        ("", []),
    ],
)
def test_profile_does_what_it_says(caption: str, tokens: list[str]) -> None:
    assert tokenize(caption) == tokens


@pytest.mark.parametrize(
    ("name", "inside", "outside"), [("letter", "aÉ日", "1.𝐀"), ("digit", "1٣", "a.𝟏"), ("uppercase", "AÉ", "a1.日𝐀")]
)
def test_a_class_has_the_characters_of_the_basic_plane_alone(name: str, inside: str, outside: str) -> None:
    assert [make_ptb_table.NAMED[name](character) for character in inside + outside] == [True] * len(inside) + [
        False
    ] * len(outside)


def test_tokens_are_those_of_the_official_program() -> None:
    gold = json.loads((ROOT / "tests" / "gold" / "ptb.json").read_text(encoding="utf-8"))["tokens"]
    assert len(gold) > 600
    found = ptb.tokenize(pl.Series([caption for caption, _ in gold])).list.join(" ")
    assert [[caption, tokens] for (caption, _), tokens in zip(gold, found, strict=True)] == gold


def test_table_is_that_of_the_rules() -> None:
    with np.load(TABLE) as table:
        if table["unicode"].item() != unicodedata.unidata_version:
            pytest.skip("made with the letters of another Unicode; `python tests/text/make_ptb_table.py` makes it")
        made = make_ptb_table.table()
        assert {name: made[name].tolist() for name in made} == {name: table[name].tolist() for name in table}


def test_no_captions_have_no_tokens() -> None:
    assert ptb.tokenize(pl.Series("text", [], dtype=pl.String)).to_list() == []


@given(st.lists(st.one_of(PIECES, st.just(" "), st.text(max_size=2))).map("".join))
def test_what_blanks_part_is_tokenized_part_by_part_without_a_difference(caption: str) -> None:
    caption = re.sub(ptb._BREAKS, " ", caption)
    assert tokenize(caption) == ptb._split(f"{caption}\n").split()


@given(st.text())
def test_tokens_are_words_without_blanks_in_lower_case(caption: str) -> None:
    for token in tokenize(caption):
        assert token.split() == [token]
        assert token.lower() == token


def test_long_caption_takes_time_in_proportion() -> None:
    assert len(tokenize("a dog, " * 50_000)) == 100_000
    assert len(tokenize("x" * 100_000)) == 1


@pytest.mark.parametrize("name", make_gold_ptb.REAL)
def test_tokens_of_real_captions_are_those_of_the_official_program(data: Path, name: str) -> None:
    gold = json.loads((ROOT / "tests" / "gold" / "ptb.json").read_text(encoding="utf-8"))["sha256 of the tokens"]
    found = ptb.tokenize(pl.Series(make_gold_ptb.captions_of(data, name)))
    assert make_gold_ptb.fingerprint(found) == gold[name]
