"""Columns of token lists become arrays; candidates meet the references of their image."""

from __future__ import annotations

import polars as pl

from auditor.metrics.kernels.columns import meetings, sides, texts

TOKENS = pl.List(pl.UInt32)


def test_empty_texts_take_no_tokens() -> None:
    laid = texts(pl.Series([[1, 2], [], [3]], dtype=TOKENS))
    assert laid.tokens.tolist() == [1, 2, 3]
    assert laid.starts.tolist() == [0, 2, 2, 3]


def test_column_of_empty_texts_has_no_tokens() -> None:
    laid = texts(pl.Series([[], []], dtype=TOKENS))
    assert (laid.tokens.tolist(), laid.starts.tolist()) == ([], [0, 0, 0])


def test_candidate_without_references_is_left_out() -> None:
    number = {"image_no": pl.UInt32, "slot": pl.UInt32, "caption_id": pl.UInt32, "tokens": TOKENS}
    columns = {"image_no": [2, 1, 1], "slot": [0, 4, 0], "caption_id": [12, 11, 10], "tokens": [[9], [8], [7]]}
    references = pl.DataFrame(columns, schema=number)
    candidates = pl.DataFrame(
        {
            "slot": [0, 1, 2, 3],
            "image_no": [1, 2, 2, 3],
            "held_out": [4, 0, None, None],
            "caption_id": [1, 2, 3, 4],
            "tokens": [[5]] * 4,
        },
        schema={"held_out": pl.UInt32, **number},
    )
    kept, both, ids = sides(candidates, references)
    assert kept.to_dict(as_series=False) == {"slot": [0, 2]}
    assert both.references.tokens.tolist() == [7, 8, 9]
    assert (both.first.tolist(), both.last.tolist(), both.held.tolist()) == ([0, 2], [2, 3], [1, -1])
    assert ids.paired(meetings(both)).tolist() == [(1 << 32) + 10, (3 << 32) + 12]
