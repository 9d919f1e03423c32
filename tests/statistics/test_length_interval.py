"""The deviations of lengths that an interval is made from."""

from __future__ import annotations

import numpy as np
import pytest

from auditor.statistics.diversity import _deviations

LISTS = ([3, 5, 8, 8], [2, 2, 9, 4])


def test_deviation_is_the_mean_over_lists_of_that_of_the_population() -> None:
    sums = np.array([[len(one), sum(one), sum(length * length for length in one)] for one in LISTS], float)
    assert _deviations(sums) == pytest.approx(np.mean([np.std(one) for one in LISTS]), abs=1e-12)
