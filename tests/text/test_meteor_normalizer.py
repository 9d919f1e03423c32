"""METEOR's normalizer gives what meteor-1.5.jar gives; words of single tokens add up to those of the line."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from conftest import ROOT
from hypothesis import given
from hypothesis import strategies as st

from auditor.text.meteor_normalizer import CONTEXTS, Mode, Normalizer, context, edges

#: A few of the words that METEOR's list keeps a dot with; `No` and `pp` only before a number.
RULES = Normalizer(frozenset(("Mr", "U", "e.g", "A")), frozenset(("No", "pp")))
GOLD = json.loads((ROOT / "tests" / "gold" / "meteor_normalizer.json").read_text(encoding="utf-8"))

#: Tokens that meet every rule, and such as claim the blank between them.
TOKENS = [
    "dog", "dog.", "Dog", "A", "1", "No.", "Mr.", "U.S.", "e.g.", "it's", "dogs'", "'", "`", "''", "-", "--", "a-b-c", "-a",
    "a-", ",", "a,b,c", "1,000", ".", "..", "a...b", "?", "\u00a0", "3.", "é.", "“a”", "‘a", "5's", "'90s", "日本", "–", "DOTMULTI.",
    "a\vb", "\x01",
]  # fmt: skip


@pytest.mark.parametrize("mode", ["norm", "nopunct"])
@pytest.mark.parametrize("number", range(len(GOLD["lines"])))
def test_line_is_normalized_as_by_the_jar(mode: Mode, number: int) -> None:
    assert RULES.words(GOLD["lines"][number], mode) == GOLD[mode][number].lower().split(" ")


def test_line_without_words_has_none() -> None:
    assert RULES.words("") == RULES.words(" \t ") == []


def test_other_modes_leave_punctuation_standing() -> None:
    assert RULES.words("A dog, Mr. x", "lower") == ["a", "dog,", "mr.", "x"]
    assert RULES.words("A dog, Mr. x", "none") == ["A", "dog,", "Mr.", "x"]


@given(st.lists(st.sampled_from(TOKENS), max_size=8), st.sampled_from(["norm", "nopunct"]))
def test_tokens_one_by_one_give_the_words_of_their_line(tokens: list[str], mode: Mode) -> None:
    """Unless two of them claim the same blank, which `edges` tells."""
    behaved = [edges(token) for token in tokens]
    meet = any(before[1] and after[0] for before, after in pairwise(behaved))
    if meet or any(whole for _, _, whole in behaved):
        return
    following = [*map(context, tokens), 0][1:]
    alone = [word for token, after in zip(tokens, following, strict=True) for word in RULES.forms(token, mode)[after]]
    assert alone == RULES.words(" ".join(tokens), mode)


def test_contexts_are_what_a_final_dot_looks_at() -> None:
    assert [context(token) for token in ("Dog", "dog", "5")] == list(range(len(CONTEXTS)))
    assert RULES.forms("pp.", "norm") == (["pp", "."], ["pp."], ["pp."])
