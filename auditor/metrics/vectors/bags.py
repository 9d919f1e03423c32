"""Captions as bags of words: rows of a sparse matrix, weighted by inverse document frequency, of length 1."""

from __future__ import annotations

import polars as pl

from auditor.arrays import NDArray, np, scipy


def bags(tokens: pl.Series, words: pl.DataFrame) -> scipy.sparse.csr_matrix:
    """Return a row per caption and a column per known word, tf-idf of Euclidean length 1; 0 without known words.

    `tokens` are lists of token numbers; `words` has token_id, word_no and weight, from `sql/vectors/known_word.sql`.
    """
    lengths = tokens.list.len().to_numpy().astype(np.int64)
    flat = tokens.explode(empty_as_null=False).to_numpy().astype(np.int64)
    known = words["token_id"].to_numpy().astype(np.int64)
    numbers = np.full(max(flat.max(initial=0), known.max(initial=0)) + 1, -1, np.int64)
    numbers[known] = words["word_no"].to_numpy()
    columns = numbers[flat]
    rows = np.repeat(np.arange(len(tokens)), lengths)[columns >= 0]
    columns = columns[columns >= 0]
    shape = (len(tokens), words.height)
    counts = scipy.sparse.csr_matrix((np.ones(len(columns)), (rows, columns)), shape=shape)
    weighted = counts @ scipy.sparse.diags(words["weight"].to_numpy())
    return (scipy.sparse.diags(1 / _lengths(weighted)) @ weighted).tocsr()


def _lengths(weighted: scipy.sparse.csr_matrix) -> NDArray[np.float64]:
    squares = np.asarray(weighted.multiply(weighted).sum(axis=1)).ravel()
    return np.sqrt(np.where(squares > 0, squares, 1.0))


def unit(vectors: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return rows of length 1, in 64 bits; a row of zeros stays one."""
    wide = vectors.astype(np.float64)
    lengths = np.linalg.norm(wide, axis=1, keepdims=True)
    return wide / np.where(lengths > 0, lengths, 1.0)
