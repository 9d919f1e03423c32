"""Tokenizer `char`: a token for each character in scripts without blanks; what is written with blanks stays whole."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from auditor.text import by_rules


@pytest.mark.parametrize(
    ("caption", "tokens"),
    [
        ("一只狗在草地上跑。", "一 只 狗 在 草 地 上 跑"),
        ("iPhone 15手机和一只狗🐶", "iphone 15 手 机 和 一 只 狗"),
        ("スーパーで３個のりんごを買う", "ス ー パ ー で ３ 個 の り ん ご を 買 う"),
        ("佐々木さんのＴシャツ", "佐 々 木 さ ん の ｔ シ ャ ツ"),
        ("か\u3099", "が"),
        ("สุนัขกำลังวิ่ง 2 ตัว", "สุ นั ข กำ ลั ง วิ่ ง 2 ตั ว"),
        ("แมว๒๕ตัว dog", "แ ม ว ๒๕ ตั ว dog"),
        ("ឆ្កែរត់", "ឆ្ កែ រ ត់"),
        ("👨\u200d👩\u200d👧 家族❤\ufe0f", "家 族"),
        ("강아지가 달린다", "강아지가 달린다"),
        ("A man's café-bar, 2 dogs!", "a mans café bar 2 dogs"),
        ("", ""),
    ],
)
def test_character_is_a_token_where_no_blanks_are_written(caption: str, tokens: str) -> None:
    assert by_rules.char(pl.Series([caption])).to_list() == [tokens.split()]


@example(["0ˇ"])
@given(st.lists(st.text(st.characters(max_codepoint=0x2FF))))
def test_captions_in_latin_letters_have_the_tokens_of_bare(captions: list[str]) -> None:
    column = pl.Series(captions, dtype=pl.String)
    assert by_rules.char(column).to_list() == by_rules.bare(column).to_list()
