"""BLEU-N (Papineni et al. 2002) of captions, of images and of a corpus, from the counts of `sql/metrics/bleu/bleu.sql`.

Smoothed as in Wang & Gaizauskas 2016, footnote 4, or as in other programs (see `cards.toml`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from auditor.metrics.card import cards
from auditor.metrics.together import Together

_ORDERS = range(1, 5)

#: What pycocoevalcap adds to matches and to totals, so 0/0 becomes 0 in effect.
_TINY, _SMALL = 1e-15, 1e-9


def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Score each candidate, in the order of the counts."""
    return _bleu(_statistics(counts), parameters)


def per_image(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Score the candidates of each image together, as a separate corpus. Columns: image, value; sorted by image.

    For held-out captions this is mBLEU, each caption of an image against the others (van Miltenburg et al. 2018,
    section 1). Averaging `score` over the captions of an image is the other definition.
    """
    summed = _statistics(counts).group_by("image").sum().sort("image")
    return summed.select("image", value=_bleu(summed, parameters))


def corpus(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> float:
    """Score all candidates together: matches, n-grams and lengths are summed first. Returns nan without candidates."""
    if counts.is_empty():
        return math.nan
    return float(_bleu(_statistics(counts).drop("image").sum(), parameters).item())


def _statistics(counts: pl.DataFrame) -> pl.DataFrame:
    """Return the additive statistics of BLEU: image, matches_n, total_n (n = 1 to 4) and lengths, as doubles."""
    length = pl.col("length").cast(pl.Float64)
    return counts.select(
        "image",
        *(pl.col(f"matches_{n}").cast(pl.Float64) for n in _ORDERS),
        *(pl.max_horizontal(length - (n - 1), pl.lit(0.0)).alias(f"total_{n}") for n in _ORDERS),
        length,
        pl.col("closest_length", "shortest_length").cast(pl.Float64),
    )


def _bleu(statistics: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Score each row of statistics: BP exp(sum of w_n log p_n) (Papineni et al. 2002, section 2.3).

    Texts without words score 0.
    """
    order, smooth = int(parameters["n"]), parameters["smooth"]
    if smooth == "coco" and not parameters["effective"] and parameters["weights"] == "uniform":
        return _as_coco(statistics, order, parameters["bp"])
    totals = [pl.col(f"total_{n}") + (1.0 if smooth == "add-1" and n > 1 else 0.0) for n in range(1, order + 1)]
    precisions = _log_precisions(totals, smooth, parameters["floor"])
    share: pl.Expr = pl.lit(float(order))
    if parameters["effective"]:
        precisions = [
            pl.when(total > 0).then(log).otherwise(0.0) for total, log in zip(totals, precisions, strict=True)
        ]
        share = pl.sum_horizontal((total > 0).cast(pl.Float64) for total in totals)
    if parameters["weights"] == "quarter":
        share = pl.lit(4.0)
    value = (pl.sum_horizontal(precisions) / share + _log_penalty(parameters["bp"], smooth)).exp()
    return statistics.select(pl.when(pl.col("length") > 0).then(value).otherwise(0.0)).to_series()


def _as_coco(statistics: pl.DataFrame, order: int, bp: str) -> pl.Series:
    """Score by pycocoevalcap's operations in their order, for equal bits: many of these scores are near 0."""
    product: pl.Expr = pl.lit(1.0)
    for n in range(1, order + 1):
        product = product * ((pl.col(f"matches_{n}") + _TINY) / (pl.col(f"total_{n}") + _SMALL))
    value = product.pow(1.0 / order)
    if bp != "none":
        ratio = (pl.col("length") + _TINY) / (pl.col(f"{bp}_length") + _SMALL)
        value = pl.when(ratio < 1).then(value * (1 - 1 / ratio).exp()).otherwise(value)
    return statistics.select(pl.when(pl.col("length") > 0).then(value).otherwise(0.0)).to_series()


def _log_precisions(totals: Sequence[pl.Expr], smooth: str, floor: float) -> list[pl.Expr]:
    """Return log p_n for n = 1 ..., scanning the orders from the first: -inf if the precision is 0."""
    never = pl.lit(float("-inf"))
    missed: pl.Expr = pl.lit(0.0)
    precisions = []
    for n, total in enumerate(totals, 1):
        matches = pl.col(f"matches_{n}") + (1.0 if smooth == "add-1" and n > 1 else 0.0)
        if smooth == "coco":
            precisions.append(((matches + _TINY) / (total + _SMALL)).log())
            continue
        missed = missed + (matches == 0).cast(pl.Float64)
        halved = -(pl.lit(2.0).log() * missed) - pl.max_horizontal(total, pl.lit(1.0)).log()
        match smooth:
            case "paper" | "nltk3":
                without = halved
            case "mteval":
                without = pl.when(total > 0).then(halved).otherwise(0.0)
            case "exp":
                without = pl.when(total > 0).then(halved).otherwise(never)
            case "floor":
                without = pl.when(total > 0).then(pl.lit(float(floor)).log() - total.log()).otherwise(never)
            case _:
                without = never
        if n == 1 and smooth in ("nltk3", "exp", "floor"):  # if no word matches, these programs do not smooth
            without = never
        precisions.append(pl.when(matches > 0).then((matches / total).log()).otherwise(without))
    return precisions


def _log_penalty(bp: str, smooth: str) -> pl.Expr:
    """Return log BP = min(0, 1 - r/c), r being the length of the closest or of the shortest reference."""
    if bp == "none":
        return pl.lit(0.0)
    length, reference = pl.col("length"), pl.col(f"{bp}_length")
    if smooth == "coco":
        length, reference = length + _TINY, reference + _SMALL
    return pl.min_horizontal(pl.lit(0.0), 1 - reference / length)


#: BLEU of all candidates as one text, as defined in Papineni et al. 2002.
TOGETHER = Together(lambda counts, _: _statistics(counts), _bleu)


def stemmed(settings: Mapping[str, Any]) -> str | None:
    """Return the normalization of a metric with the setting `stem`."""
    return "porter" if settings["stem"] else None


def _is_coco(settings: Mapping[str, Any]) -> bool:
    """Return whether captions are ranked by scores of 10^-12 or less, as most captions of wrong images have."""
    return bool(settings["smooth"] == "coco")


def _signed(tokenizer: str, settings: Mapping[str, Any]) -> Mapping[str, str]:
    return {"digits": "significant"} if _is_coco(settings) else {}


CARDS = cards(
    "bleu",
    settings={
        "floor": {"matters": lambda settings: settings["smooth"] == "floor"},
        "stem": {"matters": lambda settings: bool(settings["stem"])},
    },
    score=score,
    normalization=stemmed,
    signed=_signed,
    ranks_what_is_tiny=_is_coco,
)
