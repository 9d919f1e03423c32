"""What follows from the evidence on captions, of words alone or of words and vectors: which are told as what."""

from __future__ import annotations

import math
from typing import NamedTuple

import polars as pl

from auditor.store.workspace import Workspace
from auditor.studies.outliers import chance, likelihood
from auditor.studies.outliers.chance import Level
from auditor.studies.outliers.likelihood import PLACE

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
    pairs = chance.of_pairs(exchanged, by_chance, least)
    swapped = exchanged.filter(pl.col("lesser") >= (pairs.bits if pairs else math.inf)).drop("lesser")
    alone = leads.filter(~pl.col("is_decoy")).join(swapped, on=PLACE, how="anti")
    misplaced, singly = chance.of_captions(pl.concat([alone, leads.filter("is_decoy")]), least)
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
