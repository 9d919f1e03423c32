"""Does a caption speak for another image than its own, and have two captions changed places?

The words of a caption are weighed against the captions of each image (a multi-variate Bernoulli model, McCallum & Nigam
1998): by how many bits they speak for it. What a caption gains by standing elsewhere is its `evidence`, and by how much
it speaks rather for that image than for any other its `lead`. Decoys, put at an image that is not theirs, are weighed
beside the captions in doubt: they show how often either is so by chance. The least evidence is chosen at which most
claims are right (target and decoy, Elias & Gygi 2007); without one, nothing is told. Evidence of words and vectors
together (`by_sight`) is judged in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

import polars as pl

from auditor.model import Progress, Selection, silent
from auditor.scoring.counting import bind_text_tokens
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import language
from auditor.store.workspace import Workspace

#: Images that a caption is weighed against: those that share most of its rare words.
NEAREST = 20

#: Captions put at another image than theirs.
DECOYS = 4_000

#: A word is rare where no more than 5 % of the images hold it, and no more than 500; in small datasets, 20.
_RARE_SHARE = 0.05

_RAREST, _RARE = 20, 500

#: A slot of fewer captions does not say what is usual in it.
_SLOT_CAPTIONS = 500

#: Captions that are weighed at once, so that memory does not grow with their number.
_AT_ONCE = 4_000

#: The share of claims that have to be right, were chance to bring this many standard errors more than expected. It is
#: more than half, since where images are much alike (ABSTRACT-50S) chance brings more than decoys tell.
_RIGHT, _ERRORS = 0.8, 1.28

#: What is told of a caption in doubt.
SWAPPED, ELSEWHERE, UNLIKE = "swapped", "elsewhere", "unlike"

#: Where a caption stands.
PLACE = ["image", "slot"]

#: Further digits depend on the machine.
DECIMALS = 6


def normalization(store: Store, selection: Selection) -> str | None:
    """Return which words stand in the place of tokens: stems, for captions in English."""
    return "porter" if language(store, selection.version.dataset).partition("-")[0] == "en" else None


def least(images: int) -> int:
    """Return half the bits that tell one image from all others: two captions that changed places have them together."""
    return math.ceil(math.log2(max(images, 2)) / 2)


def weigh(captions: Captions, suspects: pl.DataFrame, images: int, progress: Progress = silent) -> Workspace:
    """Weigh captions in doubt, and as many decoys, against the images like them. `suspects`: image, slot.

    The workspace has relation `weighed`.
    """
    what = f"{captions.label}: looking for images that fit better"
    rare = max(_RAREST, min(_RARE, round(_RARE_SHARE * images)))
    workspace = captions.workspace(rare=rare, nearest=NEAREST, decoys=DECOYS)
    workspace.params |= {"least_bits": least(images), "slot_captions": _SLOT_CAPTIONS}
    bind_text_tokens(workspace, normalization(captions.store, captions.selection))
    workspace.bind_rows("suspect", suspects.select("image", "slot"))
    weighed = workspace.rows("suspect_caption").height
    ranges = [(first, first + _AT_ONCE - 1) for first in range(1, max(weighed, 1) + 1, _AT_ONCE)]
    steps = [*((range_of_images, "likely_images", "similar_image") for range_of_images in ranges)]
    steps += [*((range_of_images, "weighed", "image_log_likelihood") for range_of_images in ranges)]
    for done, ((first, last), relation, name) in enumerate(steps):
        progress(what, done, len(steps))
        workspace.params |= {"first_suspect": first, "last_suspect": last}
        workspace.append(relation, name)
    return workspace


def leads(workspace: Workspace) -> pl.DataFrame:
    """Return which other image each caption speaks most for. A row a caption in doubt, and a decoy.

    Columns: image, slot, is_decoy, other_image, evidence (bits for the other image less those for the image where it
    stands, a decoy's home), lead (bits for it less those for the next, or for none), is_misfit (it speaks for where it
    stands as little as a decoy does); and of decoys is_sure (it speaks most for its own image), and found_lead (what
    `lead` is where its own image is among the others).
    """
    bits = workspace.rows("caption_in_doubt")
    return bits.select(
        *PLACE, "is_decoy", "other_image", "is_misfit",
        evidence=(pl.col("other_bits") - pl.col("stands")).round(DECIMALS),
        lead=(pl.col("other_bits") - pl.max_horizontal("stands", "rival_bits", pl.lit(0.0))).round(DECIMALS),
        is_sure=pl.col("own_bits") > pl.col("other_bits").fill_null(0.0),
        found_lead=(pl.col("found_bits") - pl.max_horizontal("stands", "other_bits", pl.lit(0.0))).round(DECIMALS),
    )  # fmt: skip


def exchanged(workspace: Workspace) -> pl.DataFrame:
    """Pair captions that each gain by standing in the other's image, where neither has a better such pair.

    Two rows a pair: image, slot, other_image, other_slot, evidence, pair_evidence (the sum of the two), lesser (the
    lesser of the two), by which pairs are ranked.
    """
    both = workspace.rows("exchange").select(
        *PLACE, "other_image", "other_slot",
        evidence=pl.col("evidence").round(DECIMALS),
        pair_evidence=(pl.col("evidence") + pl.col("back")).round(DECIMALS),
        lesser=pl.min_horizontal("evidence", "back").round(DECIMALS),
    )  # fmt: skip
    places = [*PLACE, "other_image", "other_slot"]
    ranked = both.sort("lesser", *places, descending=[True, False, False, False, False])
    chosen = ranked.unique(PLACE, keep="first", maintain_order=True)
    mutual = chosen.select(image="other_image", slot="other_slot", other_image="image", other_slot="slot")
    return chosen.join(mutual, on=places, how="semi", maintain_order="left")


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
    """Return the lowest level at which enough is right, were chance to bring as much as it may."""
    bits = sorted(math.floor(value) for value in found)
    for level in range(least, max(bits, default=-1) + 1):
        claims = sum(bit >= level for bit in bits)
        expected, most = chance(level)
        if claims - most >= _RIGHT * claims:
            return Level(level, claims, max(0.0, claims - expected))
    return None


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


def told(workspace: Workspace, leads: pl.DataFrame) -> Told:
    """Tell pairs that changed places, and captions of another image, where most of what is told should be right.

    `workspace` has relations `gain` and `reach`; `leads` has the columns of `likelihood.leads`.
    """
    exchanges = exchanged(workspace)
    by_chance = dict(workspace.rows("exchange_by_chance").iter_rows())
    least = int(workspace.params["least_bits"])
    pairs = pair_level(exchanges, by_chance, least)
    swapped = exchanges.filter(pl.col("lesser") >= (pairs.bits if pairs else math.inf)).drop("lesser")
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
