"""Tokenizer bare equals its definition, character by character."""

from __future__ import annotations

from pathlib import Path

import plain
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auditor import sources
from auditor.errors import UsageError
from auditor.model import Part
from auditor.text import by_rules, tokenizer_of

#: Letters, marks, numbers, punctuation, symbols and blanks; code points that only newer Unicode versions know are left
#: out, for the two implementations need not be of the same version.
ALPHABET = st.characters(codec="utf-8", max_codepoint=0x2FFF, exclude_categories=["Cn", "Cs", "Cc"])
#: What the definition names, and letters around it, stand in them more often than one character in twelve thousand would.
TEXTS = st.lists(st.sampled_from([*"'’‘´`-aé"]) | ALPHABET, max_size=20).map("".join)  # text() would draw from one set


def tokenize(text: str) -> list[str]:
    return by_rules.bare(pl.Series([text]))[0].to_list()


@pytest.mark.parametrize(
    ("caption", "tokens"),
    [
        ("A man's tri-colored dog, running!", ["a", "mans", "tri", "colored", "dog", "running"]),
        ("it´s ’tis `quoted` ‘so’", ["its", "tis", "quoted", "so"]),
        ("Cafe\u0301  ÉTÉ", ["café", "été"]),
        ("日本 の 犬。", ["日本", "の", "犬"]),
        ("50% off $3 a_b", ["50", "off", "3", "a", "b"]),
        (" . ", []),
        ("", []),
    ],
)
def test_profile_does_what_it_says(caption: str, tokens: list[str]) -> None:
    assert tokenize(caption) == tokens


@given(TEXTS)
@example("ΟΔΟΣ İstanbul ǅ")
def test_profile_equals_the_definition(caption: str) -> None:
    assert tokenize(caption) == plain.tokenize(caption)


@given(TEXTS)
def test_profile_is_idempotent(caption: str) -> None:
    once = tokenize(caption)
    assert tokenize(" ".join(once)) == once


def test_profile_equals_the_definition_on_flickr8k(data: Path) -> None:
    batches = sources.read(Part((data / "flickr8k" / "Flickr8k.token.txt.gz",)), "flickr")
    texts = pl.concat([batch["text"] for batch in batches])
    assert by_rules.bare(texts).to_list() == [plain.tokenize(text) for text in texts]


def test_unknown_profile_names_the_known() -> None:
    with pytest.raises(UsageError, match="known are 13a, bare, char, "):
        tokenizer_of("nope")
