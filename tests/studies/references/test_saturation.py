"""Knees, points of saturation and detectable differences, against plain readings of their definitions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from auditor.studies.references.curves import detectable, knee, lasting, saturation_point

RISING = [1 - 2.0**-k for k in range(1, 12)]


def test_knee_lies_farthest_above_the_chord() -> None:
    first, last = RISING[0], RISING[-1]
    above = [(value - first) / (last - first) - place / 10 for place, value in enumerate(RISING)]
    assert knee(RISING) == 1 + above.index(max(above)) == 4


@given(scale=st.floats(0.1, 100), shift=st.floats(0, 1))
def test_knee_knows_no_unit_and_no_direction(scale: float, shift: float) -> None:
    assert knee([scale * value + scale * shift for value in RISING]) == knee(RISING)
    assert knee([scale * (2 - value) for value in RISING]) == knee(RISING)


@pytest.mark.parametrize("curve", [[1.0, 2.0], [0.5, 0.5, 0.5], [0.0, 0.0, 0.0], [0.50, 0.51, 0.52], [1.0, 2.0, 3.0]])
def test_no_knee_where_nothing_bends(curve: list[float]) -> None:
    assert knee(curve) is None


def test_saturation_point_is_where_95_percent_of_the_way_is_behind_for_good() -> None:
    assert saturation_point([0.0, 0.96, 0.9, 0.95, 1.0]) == 4
    assert saturation_point([1.0, 0.04, 0.0]) == 2
    assert saturation_point([0.5, 0.5]) is None


def test_lasting_begins_after_the_last_that_falls_short() -> None:
    assert lasting([0.2, 0.96, 0.94, 0.97, 1.0], 0.95) == 4
    assert lasting([0.96, 0.97], 0.95) == 1
    assert lasting([0.96, 0.2], 0.95) is None


def test_detectable_difference_has_a_power_of_80_percent() -> None:
    """Power of the two-sided test at 5 %, from scipy's normal distribution."""
    differences = np.random.default_rng(1).normal(size=400)
    needed = detectable(differences)
    assert needed is not None
    error = float(np.std(differences, ddof=1)) / math.sqrt(400)
    power = stats.norm.sf(stats.norm.isf(0.025) - needed / error)
    assert power == pytest.approx(0.8, abs=1e-12)
    assert detectable(differences, 1600) == pytest.approx(needed / 2)
    assert detectable(differences[:1]) is None
