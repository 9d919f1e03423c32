"""Tokenizer whitespace splits on white space and changes nothing."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor.text import by_rules


def tokenize(text: str) -> list[str]:
    return by_rules.whitespace(pl.Series([text], dtype=pl.String))[0].to_list()


@pytest.mark.parametrize(
    ("caption", "tokens"),
    [
        ("A man's  tri-colored dog, running!", ["A", "man's", "tri-colored", "dog,", "running!"]),
        (
            " Caf\u0065\u0301\t日本\u00a0の\u3000犬。\r\nso\u2028be it ",
            ["Cafe\u0301", "日本", "の", "犬。", "so", "be", "it"],
        ),
        (" \n ", []),
        ("", []),
    ],
)
def test_profile_splits_on_white_space(caption: str, tokens: list[str]) -> None:
    assert tokenize(caption) == tokens


@given(st.text(st.characters(codec="utf-8", exclude_characters="\x1c\x1d\x1e\x1f")))
def test_profile_equals_pythons_split(caption: str) -> None:
    """But for four control characters, which Python alone takes for blanks."""
    assert tokenize(caption) == caption.split()


@given(st.lists(st.text(st.characters(codec="utf-8", exclude_categories=["Zs", "Zl", "Zp", "Cc"]), min_size=1)))
def test_tokens_joined_by_blanks_are_the_tokens(words: list[str]) -> None:
    assert tokenize(" ".join(words)) == words
