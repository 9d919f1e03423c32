"""Does a caption speak for another image than its own, and have two captions changed places?

The words of a caption are weighed against the captions of each image (a multi-variate Bernoulli model, McCallum & Nigam
1998): by how many bits they speak for it. What a caption gains by standing elsewhere is its `evidence`. Words of a
caption come together, so that bits overstate: `needed` asks for several times what chance finds among so many images.
"""

from __future__ import annotations

import math

import polars as pl

from auditor.metrics.rewriting import bind_text_tokens
from auditor.model import Selection
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


def rewriting(store: Store, selection: Selection) -> str | None:
    """Say which words stand in the place of tokens: stems, for captions in English."""
    return "porter" if language(store, selection.version.dataset).partition("-")[0] == "en" else None


def needed(images: int) -> float:
    """Give the bits that a caption has to gain elsewhere to be told as misplaced; two that changed places, twice that.

    Measured on planted faults: `benchmarks/planted_images.py`.
    """
    return _TIMES * math.log2(max(images, 2))


def gains(store: Store, selection: Selection, text_profile: str, suspects: pl.DataFrame, images: int) -> pl.DataFrame:
    """Say how much better captions fit other images. `suspects`: image, slot.

    Columns: image, slot, other_image, evidence (bits for the other image less bits for the caption's own).
    """
    rare = max(_RAREST, min(_RARE, round(_RARE_SHARE * images)))
    at_work = ngrams.workspace(store, selection, text_profile, rare=rare, nearest=NEAREST)
    bind_text_tokens(store, at_work, rewriting(store, selection))
    at_work.bind_rows("suspect", suspects.select("image", "slot"))
    weighed = at_work.rows("image_evidence")
    own = weighed.filter("is_own").select("image", "slot", own="bits")
    return (
        weighed.filter(~pl.col("is_own"))
        .join(own, on=["image", "slot"], maintain_order="left")
        .select("image", "slot", other_image="candidate_image", evidence=(pl.col("bits") - pl.col("own")).round(6))
    )


def best_elsewhere(found: pl.DataFrame) -> pl.DataFrame:
    """Keep for each caption the image that it gains most by; the first by id where two are equal."""
    return found.sort("image", "slot", "evidence", "other_image", descending=[False, False, True, False]).unique(
        ["image", "slot"], keep="first", maintain_order=True
    )


def exchanged(found: pl.DataFrame) -> pl.DataFrame:
    """Pair captions that each gain by standing in the other's image, where neither has a better such pair.

    Two rows a pair: image, slot, other_image, other_slot, evidence, pair_evidence (the sum of the two).
    """
    better = found.filter(pl.col("evidence") > 0)
    both = better.join(
        better, left_on=["image", "other_image"], right_on=["other_image", "image"], suffix="_back"
    ).select(
        "image", "slot", "other_image", pl.col("slot_back").alias("other_slot"), "evidence",
        pair_evidence=(pl.col("evidence") + pl.col("evidence_back")).round(6),
    )  # fmt: skip
    places = ["image", "slot", "other_image", "other_slot"]
    surest = both.sort("pair_evidence", *places, descending=[True, False, False, False, False])
    chosen = surest.unique(["image", "slot"], keep="first", maintain_order=True)
    mutual = chosen.select(image="other_image", slot="other_slot", other_image="image", other_slot="slot")
    return chosen.join(mutual, on=places, how="semi", maintain_order="left")
