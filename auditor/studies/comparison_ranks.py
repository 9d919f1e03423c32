"""In which order do datasets stand, and which part of it is beyond sampling error?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from auditor.statistics.resampling import percentile_interval
from auditor.studies.comparison_indices import Index


@dataclass(frozen=True)
class Rank:
    """`rank` is 1 for the first, equal values share the best. `best` and `worst` are what sampling error leaves open.

    Both are null where a dataset has no interval. `ahead_of` are the labels of the datasets that it is surely ahead of.
    """

    rank: int
    best: int | None
    worst: int | None
    ahead_of: frozenset[str]


def ranks(datasets: Sequence[Index], confidence: float) -> list[Rank]:
    """Rank one statistic of several datasets by one metric.

    Each pair is compared by the interval of its difference. Datasets are resampled each for itself, so that their
    resamples are paired in any order; two versions of one dataset count as unrelated, which asks for more of them.
    """
    ahead = [{other.label for other in datasets if _surely_ahead(one, other, confidence)} for one in datasets]
    made = []
    for one, behind in zip(datasets, ahead, strict=True):
        known = one.interval is not None
        made.append(
            Rank(
                1 + sum(_goes_before(other, one) for other in datasets),
                1 + sum(one.label in others for others in ahead) if known else None,
                len(datasets) - len(behind) if known else None,
                frozenset(behind),
            )
        )
    return made


def _goes_before(one: Index, other: Index) -> bool:
    return one.value > other.value if one.higher_is_first else one.value < other.value


def _surely_ahead(one: Index, other: Index, confidence: float) -> bool:
    if one is other or not len(one.resampled) or len(one.resampled) != len(other.resampled):
        return False
    lead = one.resampled - other.resampled
    interval = percentile_interval(lead if one.higher_is_first else -lead, confidence)
    return interval is not None and interval[0] > 0
