"""What follows from the evidence on captions, of words alone or of words and vectors: which are told as what.

Target and decoy (Elias & Gygi 2007): matches among captions in doubt are set against matches among decoys, where there
is nothing to find. The least evidence is chosen at which most claims are right; without one, nothing is told.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import polars as pl

from auditor.store.workspace import Workspace
from auditor.studies.outliers import likelihood
from auditor.studies.outliers.likelihood import PLACE

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


def pair_level(pairs: pl.DataFrame, by_chance: Mapping[int, float], least: int) -> Level | None:
    """Choose the least bits of both captions of a pair. `pairs` has column `lesser`, two rows a pair."""

    def chance(bits: int) -> tuple[float, float]:
        expected = by_chance.get(bits, 0.0)
        return expected, expected + _ERRORS * math.sqrt(expected)

    return _lowest(pairs.filter(pl.col("image") < pl.col("other_image"))["lesser"], chance, least)


def caption_level(leads: pl.DataFrame, least: int) -> tuple[pl.DataFrame, Level | None]:
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


SWAPPED, ELSEWHERE, UNLIKE = "swapped", "elsewhere", "unlike"


class Told(NamedTuple):
    """What is told of captions in doubt, and from which evidence on.

    `rows`: image, slot, finding (swapped, elsewhere or unlike), other_image, other_slot, evidence, pair_evidence, lead.
    """

    rows: pl.DataFrame
    pairs: Level | None
    alone: Level | None

    @property
    def right(self) -> float:
        """How many captions of those that are told should be right."""
        return (2 * self.pairs.right if self.pairs else 0) + (self.alone.right if self.alone else 0)

    @property
    def claims(self) -> int:
        """How many captions are told."""
        return (2 * self.pairs.claims if self.pairs else 0) + (self.alone.claims if self.alone else 0)


def told(at_work: Workspace, leads: pl.DataFrame) -> Told:
    """Tell pairs that changed places, and captions of another image, where most of what is told should be right.

    `at_work` has relations `gain` and `reach`; `leads` has the columns of `likelihood.leads`.
    """
    exchanged = likelihood.exchanged(at_work)
    by_chance = dict(at_work.rows("exchange_by_chance").iter_rows())
    least = int(at_work.params["least_bits"])
    pairs = pair_level(exchanged, by_chance, least)
    swapped = exchanged.filter(pl.col("lesser") >= (pairs.bits if pairs else math.inf)).drop("lesser")
    alone = leads.filter(~pl.col("is_decoy")).join(swapped, on=PLACE, how="anti")
    misplaced, singly = caption_level(pl.concat([alone, leads.filter("is_decoy")]), least)
    rows = pl.concat(
        [
            swapped.with_columns(finding=pl.lit(SWAPPED)),
            alone.select(*PLACE, "other_image", "evidence", "lead").join(
                misplaced.select(*PLACE, finding=pl.lit(ELSEWHERE)), on=PLACE, how="left"
            ),
        ],
        how="diagonal",
    ).with_columns(pl.col("finding").fill_null(UNLIKE))
    return Told(rows, pairs, singly)


def together(words: Told, sight: Told, seen: pl.Series) -> Told:
    """Take what words and vectors tell of images that are `seen`, and what words alone tell of the others.

    A pair of which one image is not seen is told by words.
    """
    both = pl.col("image").is_in(seen.implode()) & pl.col("other_image").is_in(seen.implode()).fill_null(True)
    left = words.rows.filter(~both)
    rows = pl.concat([sight.rows, left.join(sight.rows, on=PLACE, how="anti")], how="diagonal")
    pairs = left.filter(finding=SWAPPED).height // 2
    alone = left.filter(finding=ELSEWHERE).height
    return Told(rows, _added(sight.pairs, words.pairs, pairs), _added(sight.alone, words.alone, alone))


def _added(one: Level | None, other: Level | None, left: int) -> Level | None:
    """Add the claims that are left of another finder; of these the same share should be right as of all."""
    if other is None or not left:
        return one
    part = other._replace(claims=left, right=other.right * left / other.claims)
    return part if one is None else one._replace(claims=one.claims + left, right=one.right + part.right)
