"""Texts side by side have the words marked in which they differ, and lose nothing by it."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditor import reports
from auditor.reports.cells import apart
from auditor.reports.terminal.tables import columns_of
from auditor.result import Result, Table


@given(st.text("aB .\n"), st.text("aB .\n"))
def test_parts_of_a_text_are_the_text(own: str, other: str) -> None:
    for text, parts in zip((own, other), apart(own, other, exact=True), strict=True):
        assert "".join(words for words, _ in parts) == text


@pytest.mark.parametrize(
    ("own", "other", "marked"),
    [
        ("A man in a red shirt .", "a man in a blue shirt", ["red", ".", "blue"]),
        ("a Dog runs", "a dog runs", ["Dog", "dog"]),
        ("a  dog runs", "a dog runs", ["a", "a"]),
        ("a dog runs", "two cats sit here", []),
        ("a dog", "a dog", []),
    ],
)
def test_words_that_one_side_alone_has_are_marked(own: str, other: str, marked: list[str]) -> None:
    assert [words.strip() for parts in apart(own, other, exact=True) for words, differs in parts if differs] == marked


PAIR = pl.DataFrame({"image": ["a"], "old_text": ["a <red> dog runs"], "new_text": ["a <blue> dog runs"]})
TABLE = Table("changes", PAIR, beside=("old_text", "new_text"), name="changes")


def test_page_marks_the_words_in_which_texts_differ() -> None:
    page = reports.TEXT_FORMATS["html"](Result("diff", PAIR, tables=(TABLE,)))
    assert "a <mark>&lt;red&gt;</mark> dog runs" in page
    assert "a <mark>&lt;blue&gt;</mark> dog runs" in page


def test_terminal_marks_the_words_in_which_texts_differ() -> None:
    old, new = (column.cells[0] for column in columns_of(TABLE)[1:])
    assert [old.plain[span.start : span.end] for span in old.spans if span.style] == ["<red>"]
    assert [new.plain[span.start : span.end] for span in new.spans if span.style] == ["<blue>"]
