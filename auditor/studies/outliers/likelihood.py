"""Does a caption speak for another image than its own, and have two captions changed places?

The words of a caption are weighed against the captions of each image (a multi-variate Bernoulli model, McCallum & Nigam
1998): by how many bits they speak for it. What a caption gains by standing elsewhere is its `evidence`, and by how much
it speaks rather for that image than for any other its `lead`. Decoys, put at an image that is not theirs, are weighed
beside the captions in doubt: `chance` learns from them how often either is so by chance.
"""

from __future__ import annotations

import math

import polars as pl

from auditor.model import Progress, Selection, silent
from auditor.scoring.counting import bind_text_tokens
from auditor.store import ngrams
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

#: Where a caption stands.
PLACE = ["image", "slot"]

#: Further digits depend on the machine.
DECIMALS = 6


def normalization(store: Store, selection: Selection) -> str | None:
    """Say which words stand in the place of tokens: stems, for captions in English."""
    return "porter" if language(store, selection.version.dataset).partition("-")[0] == "en" else None


def least(images: int) -> int:
    """Give half the bits that tell one image from all others: two captions that changed places have them together."""
    return math.ceil(math.log2(max(images, 2)) / 2)


def weigh(
    store: Store,
    selection: Selection,
    tokenizer: str,
    suspects: pl.DataFrame,
    images: int,
    progress: Progress = silent,
) -> Workspace:
    """Weigh captions in doubt, and as many decoys, against the images like them. `suspects`: image, slot.

    The workspace has relation `weighed`.
    """
    what = f"{selection.label}: looking for images that fit better"
    rare = max(_RAREST, min(_RARE, round(_RARE_SHARE * images)))
    at_work = ngrams.workspace(store, selection, tokenizer, rare=rare, nearest=NEAREST, decoys=DECOYS)
    at_work.params |= {"least_bits": least(images), "slot_captions": _SLOT_CAPTIONS}
    bind_text_tokens(at_work, normalization(store, selection))
    at_work.bind_rows("suspect", suspects.select("image", "slot"))
    weighed = at_work.rows("suspect_caption").height
    ranges = [(first, first + _AT_ONCE - 1) for first in range(1, max(weighed, 1) + 1, _AT_ONCE)]
    steps = [*((one, "likely_images", "similar_image") for one in ranges)]
    steps += [*((one, "weighed", "image_log_likelihood") for one in ranges)]
    for done, ((first, last), relation, name) in enumerate(steps):
        progress(what, done, len(steps))
        at_work.params |= {"first_suspect": first, "last_suspect": last}
        at_work.append(relation, name)
    return at_work


def leads(at_work: Workspace) -> pl.DataFrame:
    """Say which other image each caption speaks most for. A row a caption in doubt, and a decoy.

    Columns: image, slot, is_decoy, other_image, evidence (bits for the other image less those for the image where it
    stands, a decoy's home), lead (bits for it less those for the next, or for none), is_misfit (it speaks for where it
    stands as little as a decoy does); and of decoys is_sure (it speaks most for its own image), and found_lead (what
    `lead` is where its own image is among the others).
    """
    bits = at_work.rows("caption_in_doubt")
    return bits.select(
        *PLACE, "is_decoy", "other_image", "is_misfit",
        evidence=(pl.col("other_bits") - pl.col("stands")).round(DECIMALS),
        lead=(pl.col("other_bits") - pl.max_horizontal("stands", "rival_bits", pl.lit(0.0))).round(DECIMALS),
        is_sure=pl.col("own_bits") > pl.col("other_bits").fill_null(0.0),
        found_lead=(pl.col("found_bits") - pl.max_horizontal("stands", "other_bits", pl.lit(0.0))).round(DECIMALS),
    )  # fmt: skip


def exchanged(at_work: Workspace) -> pl.DataFrame:
    """Pair captions that each gain by standing in the other's image, where neither has a better such pair.

    Two rows a pair: image, slot, other_image, other_slot, evidence, pair_evidence (the sum of the two), lesser (the
    lesser of the two), by which pairs are ranked.
    """
    both = at_work.rows("exchange").select(
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
