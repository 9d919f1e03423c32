"""Does a caption speak for another image than its own, and have two captions changed places?

The words of a caption are weighed against the captions of each image (a multi-variate Bernoulli model, McCallum & Nigam
1998): by how many bits they speak for it. What a caption gains by standing elsewhere is its `evidence`. Words of a
caption come together, so that bits overstate: `needed` asks for several times what chance finds among so many images.
"""

from __future__ import annotations

import math

import polars as pl

from auditor.metrics.normalisation import bind_text_tokens
from auditor.model import Progress, Selection, silent
from auditor.store import ngrams
from auditor.store.connection import Store
from auditor.store.versions import language

#: Images that a caption is weighed against: those that share most of its rare words.
NEAREST = 20

#: A word is rare where no more than 5 % of the images hold it, and no more than 500; in small datasets, 20.
_RARE_SHARE = 0.05

_RAREST, _RARE = 20, 500

#: How many times the bits that chance finds among all images, log2 of their number, a caption has to gain.
_TIMES = 2.5

#: Captions that are weighed at once, so that memory does not grow with their number.
_AT_ONCE = 4_000

_PLACE = ["image", "slot"]


def normalisation(store: Store, selection: Selection) -> str | None:
    """Say which words stand in the place of tokens: stems, for captions in English."""
    return "porter" if language(store, selection.version.dataset).partition("-")[0] == "en" else None


def needed(images: int) -> float:
    """Give the bits that a caption has to gain elsewhere to be told as misplaced; two that changed places, twice that.

    Measured on planted faults: `benchmarks/planted_images.py`.
    """
    return _TIMES * math.log2(max(images, 2))


def log_likelihood_gain(
    store: Store,
    selection: Selection,
    tokenizer: str,
    suspects: pl.DataFrame,
    images: int,
    progress: Progress = silent,
) -> pl.DataFrame:
    """Say how much better captions fit other images, `_AT_ONCE` captions at a time. `suspects`: image, slot.

    Columns: image, slot, bag_no (shared by captions of the same words), other_image, evidence (bits for the other
    image less bits for the caption's own). Of each caption the images that it gains by, and the best where it gains by
    none.
    """
    what = f"{selection.label}: looking for images that fit better"
    rare = max(_RAREST, min(_RARE, round(_RARE_SHARE * images)))
    at_work = ngrams.workspace(store, selection, tokenizer, rare=rare, nearest=NEAREST)
    bind_text_tokens(store, at_work, normalisation(store, selection))
    at_work.bind_rows("suspect", suspects.select("image", "slot"))
    ranges = [(first, first + _AT_ONCE - 1) for first in range(1, max(suspects.height, 1) + 1, _AT_ONCE)]
    for done, (first, last) in enumerate(ranges):
        progress(what, done, 2 * len(ranges))
        at_work.params |= {"first_suspect": first, "last_suspect": last}
        at_work.append("likely_images", "similar_image")
    gains = []
    for done, (first, last) in enumerate(ranges):
        progress(what, len(ranges) + done, 2 * len(ranges))
        at_work.params |= {"first_suspect": first, "last_suspect": last}
        gains.append(_gains(at_work.rows("image_log_likelihood")))
    return (
        pl.concat(gains)
        .join(at_work.rows("suspect_text"), on=_PLACE, how="left", maintain_order="left")
        .select(*_PLACE, "bag_no", "other_image", "evidence")
    )


def _gains(weighed: pl.DataFrame) -> pl.DataFrame:
    own = weighed.filter("is_own").select(*_PLACE, own="bits")
    gained = (
        weighed.filter(~pl.col("is_own"))
        .join(own, on=_PLACE, maintain_order="left")
        .select(*_PLACE, other_image="candidate_image", evidence=(pl.col("bits") - pl.col("own")).round(6))
    )
    return gained.filter((pl.col("evidence") > 0) | (pl.col("evidence") == pl.col("evidence").max().over(_PLACE)))


def told(gains: pl.DataFrame) -> pl.DataFrame:
    """Leave out what the same words gain both ways: they cannot speak for each of two images rather than the other.

    Two captions of the same words, each in the image that the other gains by, count for the other image's words and not
    for those of their own. Nothing would change if they changed places.
    """
    return gains.join(_both_ways(gains).filter("same"), on=[*_PLACE, "other_image"], how="anti", maintain_order="left")


def best_elsewhere(gains: pl.DataFrame) -> pl.DataFrame:
    """Keep for each caption the image that it gains most by; the first by id where two are equal."""
    return gains.sort(*_PLACE, "evidence", "other_image", descending=[False, False, True, False]).unique(
        _PLACE, keep="first", maintain_order=True
    )


def exchanged(gains: pl.DataFrame) -> pl.DataFrame:
    """Pair captions that each gain by standing in the other's image, where neither has a better such pair.

    Two rows a pair: image, slot, other_image, other_slot, evidence, pair_evidence (the sum of the two).
    """
    both = _both_ways(gains).drop("same")
    places = ["image", "slot", "other_image", "other_slot"]
    surest = both.sort("pair_evidence", *places, descending=[True, False, False, False, False])
    chosen = surest.unique(["image", "slot"], keep="first", maintain_order=True)
    mutual = chosen.select(image="other_image", slot="other_slot", other_image="image", other_slot="slot")
    return chosen.join(mutual, on=places, how="semi", maintain_order="left")


def _both_ways(gains: pl.DataFrame) -> pl.DataFrame:
    """Bring captions together that each gain by standing in the other's image; `same` where their words are."""
    better = gains.filter(pl.col("evidence") > 0)
    return better.join(
        better, left_on=["image", "other_image"], right_on=["other_image", "image"], suffix="_back"
    ).select(
        *_PLACE, "other_image", pl.col("slot_back").alias("other_slot"), "evidence",
        pair_evidence=(pl.col("evidence") + pl.col("evidence_back")).round(6),
        same=pl.col("bag_no") == pl.col("bag_no_back"),
    )  # fmt: skip
