"""CIDEr and CIDEr-D of one caption (Vedantam et al. 2015): the mean over n = 1 to 4 of what SQL counted."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl


def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Average the similarities of `sql/metrics/cider.sql` over n = 1 to 4, per candidate (eq. 3).

    The raw scale ends at 1; `scale = "x10"` is that of the official programs.
    """
    factor = 10.0 if parameters["scale"] == "x10" else 1.0
    return counts.select(pl.sum_horizontal(f"similarity_{n}" for n in range(1, 5)) / 4 * factor).to_series()
