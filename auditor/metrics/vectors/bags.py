"""Captions as bags of words: rows of a sparse matrix, weighted by inverse document frequency, of length 1."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from auditor.arrays import NDArray, np

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix  # type: ignore[import-untyped]


def bags(tokens: pl.Series, words: pl.DataFrame) -> csr_matrix:
    """Return a row per caption and a column per known word, tf-idf of Euclidean length 1; 0 without known words.

    `tokens` are lists of token numbers; `words` has token_id, word_no and weight, from `sql/vectors/known_word.sql`.
    """
    from scipy.sparse import csr_matrix, diags  # noqa: PLC0415  a fifth of a second

    lengths = tokens.list.len().to_numpy().astype(np.int64)
    flat = tokens.explode(empty_as_null=False).to_numpy().astype(np.int64)
    known = words["token_id"].to_numpy().astype(np.int64)
    numbers = np.full(max(flat.max(initial=0), known.max(initial=0)) + 1, -1, np.int64)
    numbers[known] = words["word_no"].to_numpy()
    columns = numbers[flat]
    rows = np.repeat(np.arange(len(tokens)), lengths)[columns >= 0]
    columns = columns[columns >= 0]
    shape = (len(tokens), words.height)
    counts = csr_matrix((np.ones(len(columns)), (rows, columns)), shape=shape)
    weighted = counts @ diags(words["weight"].to_numpy())
    return (diags(1 / _lengths(weighted)) @ weighted).tocsr()


def _lengths(weighted: csr_matrix) -> NDArray[np.float64]:
    squares = np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel()
    return np.sqrt(np.where(squares > 0, squares, 1.0))


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return rows of length 1, in 64 bits; a row of zeros stays one."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(lengths > 0, lengths, 1.0)
