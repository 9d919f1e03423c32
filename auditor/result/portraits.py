"""What a report shows of each dataset: its portrait, and the numbers by which it is quoted."""

from __future__ import annotations

from dataclasses import dataclass

#: The name of the quoted number by which datasets are compared.
HOMOGENEITY = "homogeneity"

#: The numbers that a report shows first of a single dataset, and the statistic of each.
MAIN = {"human bound": "upper", HOMOGENEITY: HOMOGENEITY, "sameness": "sameness", "diversity": "ttr-1"}


@dataclass(frozen=True)
class Portrait:
    """A dataset at a glance: its counts, the lengths of its captions, its homogeneity.

    `distinct` counts its captions without those that repeat another of their image. `splits` has the number of images
    of each split, `lengths` the number of captions of each length in tokens. `of_an_image` is the least and the
    greatest number of captions per image. `homogeneity` is by `metric`, with the ends of its interval if it has one.
    A study that does not compare datasets leaves it out.
    """

    label: str
    images: int
    captions: int
    of_an_image: tuple[int, int]
    distinct: int
    length: float
    splits: tuple[tuple[str, int], ...]
    lengths: tuple[tuple[int, int], ...]
    homogeneity: float | None = None
    low: float | None = None
    high: float | None = None
    metric: str | None = None


@dataclass(frozen=True)
class Quoted:
    """A main number of a dataset, as texts quote it. `name` is what it is, by `metric` if it depends on one.

    `low` and `high` are the ends of its interval at `confidence`, if it has one.
    """

    label: str
    name: str
    value: float
    low: float | None = None
    high: float | None = None
    confidence: float | None = None
    metric: str | None = None
    signature: str = ""
