"""Find captions whose words fit another image better, and pairs of swapped captions.

The words of a caption are compared with the captions of each image, in bits (a multi-variate Bernoulli model, McCallum
& Nigam 1998). The gain at another image is the caption's `evidence`. The advantage of that image over all others is its
`lead`. Decoys, captions assigned to a wrong image, are scored like the suspect captions, and give the results expected
by chance. The threshold is the least evidence at which most findings are right (target-decoy search, Elias & Gygi
2007). Without such a threshold, nothing is reported. `by_sight` uses the same method for words and vectors together.
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

#: Images that a caption is compared with: those that share most of its rare words.
NEAREST = 20

#: Captions assigned to a wrong image.
DECOYS = 4_000

#: A word is rare if at most 5% of the images have it, and at most 500; in small datasets, at most 20.
_RARE_SHARE = 0.05

_RAREST, _RARE = 20, 500

#: Fewest captions of a slot for its word frequencies.
_SLOT_CAPTIONS = 500

#: Captions that are compared at once; this limits memory.
_AT_ONCE = 4_000

#: The share of findings that must be right, even if chance exceeds its expectation by this many standard errors. It is
#: above one half because decoys underestimate chance if images are very similar (ABSTRACT-50S).
_RIGHT, _ERRORS = 0.8, 1.28

#: The findings on a suspect caption.
SWAPPED, ELSEWHERE, UNLIKE = "swapped", "elsewhere", "unlike"

#: The columns that identify a caption.
PLACE = ["image", "slot"]

#: More digits would depend on the machine.
DECIMALS = 6


def normalization(store: Store, selection: Selection) -> str | None:
    """Return the normalization of tokens: stems for captions in English, none otherwise."""
    return "porter" if language(store, selection.version.dataset).partition("-")[0] == "en" else None


def least(images: int) -> int:
    """Return half the bits that identify one image among all: two swapped captions reach them together."""
    return math.ceil(math.log2(max(images, 2)) / 2)


def weigh(captions: Captions, suspects: pl.DataFrame, images: int, progress: Progress = silent) -> Workspace:
    """Compare suspect captions, and decoys, with the most similar images. `suspects`: image, slot.

    The workspace has relation `image_log_likelihood`.
    """
    task = f"{captions.label}: searching for better matching images"
    rare = max(_RAREST, min(_RARE, round(_RARE_SHARE * images)))
    workspace = captions.workspace(
        rare=rare, nearest=NEAREST, decoys=DECOYS, least_bits=least(images), slot_captions=_SLOT_CAPTIONS
    )
    bind_text_tokens(workspace, normalization(captions.store, captions.selection))
    workspace.bind_rows("chosen_caption", suspects.select("image", "slot"))
    weighed = workspace.rows("suspect_caption").height
    ranges = [(first, first + _AT_ONCE - 1) for first in range(1, max(weighed, 1) + 1, _AT_ONCE)]
    steps = [(part, relation) for relation in ("similar_image", "image_log_likelihood") for part in ranges]
    for done, ((first, last), relation) in enumerate(steps):
        progress(task, done, len(steps))
        workspace.append(relation, first_suspect=first, last_suspect=last)
    return workspace


def leads(workspace: Workspace) -> pl.DataFrame:
    """Return the best other image of each suspect caption and each decoy, one row each.

    Columns: image, slot, is_decoy, other_image; evidence, the bits for the other image minus those for the assigned
    one; lead, the bits for it minus those for the next best, or for none; is_misfit, whether it fits its assigned image
    as badly as a decoy. Only for decoys: is_sure, whether its own image fits best, and found_lead, its `lead` if its
    own image is among the others.
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
    """Pair captions that both fit the other's image better, if neither has a better such pair.

    Two rows per pair: image, slot, other_image, other_slot, evidence, pair_evidence (the sum of the two), lesser (the
    smaller of the two, which ranks the pairs).
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
    """The threshold in bits, the number of findings (`claims`), and how many are expected to be right.

    `found` is the share of decoys whose own image this threshold would find.
    """

    bits: int
    claims: int
    right: float
    found: float | None = None


def pair_level(pairs: pl.DataFrame, by_chance: Mapping[int, float], least: int) -> Level | None:
    """Choose the least bits of both captions of a pair. `pairs` has column `lesser`, two rows per pair."""

    def chance(bits: int) -> tuple[float, float]:
        expected = by_chance.get(bits, 0.0)
        return expected, expected + _ERRORS * math.sqrt(expected)

    return _lowest(pairs.filter(pl.col("image") < pl.col("other_image"))["lesser"], chance, least)


def caption_level(leads: pl.DataFrame, least: int) -> tuple[pl.DataFrame, Level | None]:
    """Choose the least lead of a misfit. Return the misfits that reach it, and the threshold.

    `leads` has the rows of `likelihood.leads` for decoys and for the suspect captions that are not swapped. If its own
    image fits a decoy best, any other image is wrong.
    """
    misfits = leads.filter("is_misfit")
    suspects = misfits.filter(~pl.col("is_decoy"))
    wrong = misfits.filter("is_decoy", "is_sure")["lead"]
    if wrong.is_empty():
        return leads.clear(), None
    each = suspects.height / wrong.len()

    def chance(bits: int) -> tuple[float, float]:
        seen = each * int((wrong >= bits).sum())
        return seen + each, seen + each + _ERRORS * math.sqrt(seen * (1 + each))

    level = _lowest(suspects["lead"], chance, least)
    if level is None:
        return leads.clear(), None
    decoys = leads.filter("is_decoy")["found_lead"]
    found = int((decoys >= level.bits).sum()) / decoys.len()
    return suspects.filter(pl.col("lead") >= level.bits), level._replace(found=found)


def _lowest(evidence: Iterable[float], chance: Callable[[int], tuple[float, float]], least: int) -> Level | None:
    """Return the lowest threshold at which enough findings are right, even with the most that chance allows."""
    bits = sorted(math.floor(value) for value in evidence)
    for level in range(least, max(bits, default=-1) + 1):
        claims = sum(bit >= level for bit in bits)
        expected, most = chance(level)
        if claims - most >= _RIGHT * claims:
            return Level(level, claims, max(0.0, claims - expected))
    return None


class Claims(NamedTuple):
    """The findings on suspect captions, with their thresholds.

    `rows`: image, slot, finding (swapped, elsewhere or unlike), other_image, other_slot, evidence, pair_evidence, lead.
    """

    rows: pl.DataFrame
    pairs: Level | None
    alone: Level | None

    @property
    def right(self) -> float:
        """The number of reported captions that are expected to be right."""
        return (2 * self.pairs.right if self.pairs else 0) + (self.alone.right if self.alone else 0)

    @property
    def claims(self) -> int:
        """The number of reported captions."""
        return (2 * self.pairs.claims if self.pairs else 0) + (self.alone.claims if self.alone else 0)


def claims(workspace: Workspace, leads: pl.DataFrame, generic: pl.DataFrame | None = None) -> Claims:
    """Find swapped pairs and captions of another image, from the thresholds at which most findings are right.

    `workspace` has the relations `gain` and `reach`; `leads` has the columns of `likelihood.leads`. Captions that are
    `generic` (image, slot, images) are not reported as of another image: their words are also those of a caption there.
    A swapped one can have the words of its true image, but not of further images.
    """
    generic = leads.select(*PLACE, images=0).clear() if generic is None else generic
    repeated = generic.filter(pl.col("images") > 2).select(PLACE)
    others = repeated.rename({name: f"other_{name}" for name in PLACE})
    exchanges = exchanged(workspace).join(repeated, on=PLACE, how="anti").join(others, on=others.columns, how="anti")
    by_chance = dict(workspace.rows("exchange_by_chance").iter_rows())
    least = int(workspace.params["least_bits"])
    pairs = pair_level(exchanges, by_chance, least)
    swapped = exchanges.filter(pl.col("lesser") >= (pairs.bits if pairs else math.inf)).drop("lesser")
    alone = leads.filter(~pl.col("is_decoy")).join(swapped, on=PLACE, how="anti")
    single = alone.join(generic, on=PLACE, how="anti")
    misplaced, singly = caption_level(pl.concat([single, leads.filter("is_decoy")]), least)
    found = misplaced.select(*PLACE, finding=pl.lit(ELSEWHERE))
    others = alone.select(*PLACE, "other_image", "evidence", "lead").join(found, on=PLACE, how="left")
    rows = pl.concat([swapped.with_columns(finding=pl.lit(SWAPPED)), others], how="diagonal")
    return Claims(rows.with_columns(pl.col("finding").fill_null(UNLIKE)), pairs, singly)


def together(words: Claims, sight: Claims, seen: pl.Series) -> Claims:
    """Combine the findings by words and vectors on images that are `seen` with those by words on other images.

    A pair with an image that is not seen is judged by words.
    """
    both = pl.col("image").is_in(seen.implode()) & pl.col("other_image").is_in(seen.implode()).fill_null(True)
    left = words.rows.filter(~both)
    rows = pl.concat([sight.rows, left.join(sight.rows, on=PLACE, how="anti")], how="diagonal")
    pairs = left.filter(finding=SWAPPED).height // 2
    alone = left.filter(finding=ELSEWHERE).height
    return Claims(rows, _added(sight.pairs, words.pairs, pairs), _added(sight.alone, words.alone, alone))


def _added(level: Level | None, further: Level | None, left: int) -> Level | None:
    """Add the findings that are `left` from a further level; the same share of them is expected to be right."""
    if further is None or not left:
        return level
    part = further._replace(claims=left, right=further.right * left / further.claims)
    return part if level is None else level._replace(claims=level.claims + left, right=level.right + part.right)
