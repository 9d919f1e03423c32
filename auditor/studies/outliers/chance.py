"""How much of what seems to be of another image is so by chance? The least evidence at which most claims are right.

Target and decoy (Elias & Gygi 2007): what is found among captions in doubt is set against what is found where nothing
is to be found. Nothing is told where no evidence would make most of it right.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import polars as pl

#: The share of claims that have to be right, were chance to bring this many standard errors more than expected. It is
#: more than half, since where images are much alike (ABSTRACT-50S) chance brings more than decoys tell.
_RIGHT, _ERRORS = 0.8, 1.28


class Level(NamedTuple):
    """From how many bits on claims are made, how many there are, and how many of these are expected to be right.

    `found` is the share of decoys that are told as of their own image by as many bits.
    """

    bits: int
    claims: int
    right: float
    found: float | None = None


def of_pairs(pairs: pl.DataFrame, by_chance: Mapping[int, float], least: int) -> Level | None:
    """Choose the least bits of both captions of a pair. `pairs` has column `lesser`, two rows a pair."""

    def chance(bits: int) -> tuple[float, float]:
        expected = by_chance.get(bits, 0.0)
        return expected, expected + _ERRORS * math.sqrt(expected)

    return _lowest(pairs.filter(pl.col("image") < pl.col("other_image"))["lesser"], chance, least)


def of_captions(leads: pl.DataFrame, least: int) -> tuple[pl.DataFrame, Level | None]:
    """Choose the least lead of a misfit; give those that have it.

    `leads` is of `likelihood.leads`, of the captions in doubt that have not changed places, and of the decoys. A decoy
    that is surely of its own image is wrong wherever else it is found.
    """
    misfits = leads.filter("is_misfit")
    doubted = misfits.filter(~pl.col("is_decoy"))
    wrong = misfits.filter("is_decoy", "is_sure")["lead"]
    if wrong.is_empty():
        return leads.clear(), None
    each = doubted.height / wrong.len()

    def chance(bits: int) -> tuple[float, float]:
        seen = each * int((wrong >= bits).sum())
        return seen + each, seen + each + _ERRORS * math.sqrt(seen * (1 + each))

    level = _lowest(doubted["lead"], chance, least)
    if level is None:
        return leads.clear(), None
    decoys = leads.filter("is_decoy")["found_lead"]
    found = int((decoys >= level.bits).sum()) / decoys.len()
    return doubted.filter(pl.col("lead") >= level.bits), level._replace(found=found)


def _lowest(found: Iterable[float], chance: Callable[[int], tuple[float, float]], least: int) -> Level | None:
    """Give the lowest level at which enough is right, were chance to bring as much as it may."""
    bits = sorted(math.floor(one) for one in found)
    for level in range(least, max(bits, default=-1) + 1):
        claims = sum(one >= level for one in bits)
        expected, most = chance(level)
        if claims - most >= _RIGHT * claims:
            return Level(level, claims, max(0.0, claims - expected))
    return None
