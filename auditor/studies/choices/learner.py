"""What a blind learner can exploit: a linear model of words and pairs of words, learnt from the items themselves.

Logistic regression on what the right caption has more often than the wrong one (Bradley & Terry 1952: no intercept,
since sides have no order), with a squared penalty. Items are asked, fold by fold of images, of a model of the folds
before theirs (Dawid 1984): were each asked of all others, two items that share a rare word would be right together or
wrong together, and a benchmark of which nothing can be learnt would seem to teach something too often.
"""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

_PENALTY = 1.0

#: Steps of the search, after which weights hardly change.
_STEPS = 200

#: Further digits depend on the machine; captions whose scores are closer differ in nothing that the model knows.
_DECIMALS = 6

_SCHEMA = pl.Schema({"item_no": pl.UInt32(), "side": pl.String(), "score": pl.Float64()})

Floats = NDArray[np.float64]


def learnt(features: pl.DataFrame) -> pl.DataFrame:
    """Give the scores of captions by the model of the folds before theirs: columns item_no, side, score.

    `features` are the rows of `sql/choices/choice_feature.sql`, in their order: a right caption against the wrong one
    of its item, whose score is 0. One that has the same words and pairs of words is not among them; those of the first
    fold have no scores.
    """
    pairs = features.select("item_no", "side", "fold").unique(maintain_order=True)
    if pairs.is_empty():
        return pl.DataFrame(schema=_SCHEMA)
    rows = features.select(pl.struct("item_no", "side").rle_id()).to_series().to_numpy().astype(np.int64)
    columns = features["feature"].rank("dense").to_numpy().astype(np.int64) - 1
    folds = pairs["fold"].to_numpy()
    shape = (pairs.height, int(columns.max()) + 1)
    matrix = csr_matrix((features["difference"].to_numpy().astype(np.float64), (rows, columns)), shape=shape)
    scores = np.full(pairs.height, np.nan)
    for fold in np.unique(folds)[1:]:
        scores[folds == fold] = matrix[folds == fold] @ _weights(matrix[folds < fold])
    right = pl.Series(scores).fill_nan(None).round(_DECIMALS)
    return pairs.select("item_no", "side", score=right).cast(_SCHEMA)


def _weights(differences: csr_matrix) -> Floats:
    def loss(weights: Floats) -> tuple[float, Floats]:
        margins = differences @ weights
        value = np.logaddexp(0.0, -margins).sum() + _PENALTY / 2 * (weights @ weights)
        slope = -1.0 / (1.0 + np.exp(margins))
        return float(value), np.asarray(differences.T @ slope) + _PENALTY * weights

    found = minimize(loss, np.zeros(differences.shape[1]), jac=True, method="L-BFGS-B", options={"maxiter": _STEPS})
    return np.asarray(found.x)
