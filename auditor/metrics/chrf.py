"""chrF of one caption, and chrF++, as sacrebleu 2.6 computes them (Popović 2015, 2017)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from polars import selectors as cs

from auditor.arrays import np
from auditor.metrics.card import Kernel, cards
from auditor.metrics.kernels.columns import Texts, meetings, offsets, sides, texts
from auditor.metrics.together import Together

_ORDERS = {"character": 6, "word": 2}

_MOST = {"character": "char_order", "word": "word_order"}

_EPS = 1e-16

_SCALES = {"x100": 100.0}


def score(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Return the F-score of the best reference, per candidate, in the order of the counts.

    Precision is the share of the candidate's n-grams that the reference has, recall the share of the reference's that
    the candidate has, for each order. `smooth = "effective"` averages both over the orders that both texts are long
    enough for, and computes F_beta of the means. `smooth = "eps"` averages F_beta over all orders; a share of 0 n-grams
    is 1e-16.
    """
    pairs = _pairs(counts, parameters)
    scored = pairs.select("row", value=_f(pairs, parameters))
    return scored.group_by("row").agg(pl.col("value").max()).sort("row")["value"]


def _pairs(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Return a row for each candidate and each of its references.

    Columns: row, and for each order the number of n-grams of the candidate (`ours_…`), of the reference (`theirs_…`),
    and of both (`both_…`).
    """
    pairs = counts.drop("candidate", "image", "slot").with_row_index("row").explode(cs.list())
    lengths = []
    for unit, n in _orders(parameters):
        ours, theirs = (
            pl.max_horizontal(pl.col(side).cast(pl.Int64) - (n - 1), 0).cast(pl.Float64)
            for side in (f"{unit}s", f"reference_{unit}s")
        )
        lengths += [ours.alias(f"ours_{unit}_{n}"), theirs.alias(f"theirs_{unit}_{n}")]
        lengths += [pl.col(f"{unit}_matches_{n}").cast(pl.Float64).alias(f"both_{unit}_{n}")]
    return pairs.select("row", *lengths)


def _orders(parameters: Mapping[str, Any]) -> list[tuple[str, int]]:
    return [(unit, n) for unit in _ORDERS for n in range(1, int(parameters[_MOST[unit]]) + 1)]


def _f(rows: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Return F of rows of `_pairs`, or of sums of them."""
    factor = float(parameters["beta"]) ** 2
    shares = []
    for unit, n in _orders(parameters):
        ours, theirs, both = (pl.col(f"{side}_{unit}_{n}") for side in ("ours", "theirs", "both"))
        shares.append((ours > 0, theirs > 0, both / ours, both / theirs))
    is_eps = parameters["smooth"] == "eps"
    best = rows.select(_mean_of_f(shares, factor)).to_series() if is_eps else _f_of_means(rows, shares, factor)
    return best * _SCALES.get(parameters["scale"], 1.0)


def _sums(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Return the counts of the reference with the highest F, the first if several are equal.

    As in sacrebleu, n-grams of the candidate count as 0 for orders that the reference is too short for.
    """
    pairs = _pairs(counts, parameters)
    pairs = pairs.with_columns(value=_f(pairs, parameters))
    best = (
        pairs.group_by("row", maintain_order=True).agg(pl.exclude("value").get(pl.col("value").arg_max())).sort("row")
    )
    kept = [
        pl.when(pl.col(f"theirs_{unit}_{n}") > 0)
        .then(pl.col(f"ours_{unit}_{n}"))
        .otherwise(0.0)
        .alias(f"ours_{unit}_{n}")
        for unit, n in _orders(parameters)
    ]
    return counts.select("image").hstack(best.with_columns(kept).drop("row"))


#: chrF of all candidates as one text, as in sacrebleu's corpus score.
TOGETHER = Together(_sums, _f)

_Shares = list[tuple[pl.Expr, pl.Expr, pl.Expr, pl.Expr]]


def _f_of_means(rows: pl.DataFrame, shares: _Shares, factor: float) -> pl.Series:
    both = [ours & theirs for ours, theirs, _, _ in shares]
    sums = rows.select(
        orders=pl.sum_horizontal(has_both.cast(pl.Float64) for has_both in both),
        **{
            name: pl.sum_horizontal(
                pl.when(has_both).then(share[side]).otherwise(0.0) for has_both, share in zip(both, shares, strict=True)
            )
            for name, side in (("precision", 2), ("recall", 3))
        },
    )
    orders = pl.col("orders")
    means = sums.with_columns(pl.col("precision", "recall") / orders)
    precision, recall = pl.col("precision"), pl.col("recall")
    f = (1 + factor) * precision * recall / (factor * precision + recall)
    return means.select(pl.when((orders > 0) & (precision + recall > 0)).then(f).otherwise(0.0)).to_series()


def _mean_of_f(shares: _Shares, factor: float) -> pl.Expr:
    parts = []
    for ours, theirs, precise, recalled in shares:
        precision = pl.when(ours & theirs).then(precise).otherwise(_EPS)
        recall = pl.when(theirs).then(recalled).otherwise(_EPS)
        below = factor * precision + recall
        parts.append(pl.when(below > 0).then((1 + factor) * precision * recall / below).otherwise(_EPS))
    return pl.sum_horizontal(parts) / len(parts)


def _count(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    from auditor.metrics.kernels import chrf  # noqa: PLC0415

    counts, both, _ = sides(rows["candidate_tokens"], rows["reference_tokens"])
    words = rows["chrf_word"]
    tokens = pl.DataFrame(
        {"token_id": np.arange(1 + int(words["token_id"].to_numpy().max(initial=0)), dtype=np.uint32)}
    )
    spelt = words.group_by("token_id", maintain_order=True).agg("word", pl.col("spelling").str.join(""))
    spelt = tokens.join(spelt, on="token_id", how="left", maintain_order="left").with_columns(
        pl.col("word").fill_null([]), pl.col("spelling").fill_null("")
    )
    parts = {"word": texts(spelt["word"]), "character": _spelling(spelt["spelling"])}
    met = meetings(both)
    columns = {}
    for unit, most in _ORDERS.items():
        ours, theirs = (chrf.lengths(side, parts[unit]) for side in (both.candidates, both.references))
        counts = counts.with_columns(pl.Series(f"{unit}s", ours))
        columns[f"reference_{unit}s"] = theirs[met.reference]
        for n, matches in enumerate(chrf.matches(both, parts[unit], most), 1):
            columns[f"{unit}_matches_{n}"] = matches
    lists = (
        pl.DataFrame({"row": met.candidate, **columns}).group_by("row", maintain_order=True).agg(pl.all()).drop("row")
    )
    return pl.concat([counts, lists], how="horizontal")


def _spelling(words: pl.Series) -> Texts:
    """Convert words to characters, word after word, numbered in the order of their code points."""
    letters = np.frombuffer("".join(words).encode("utf-32-le"), np.uint32)
    numbers = np.unique(letters, return_inverse=True)[1].astype(np.uint32)
    return Texts(numbers, offsets(words.str.len_chars().to_numpy()))


CARDS = cards(
    "chrf",
    score=score,
    kernel=Kernel("chrf", _count, ("reference_tokens", "chrf_word"), compiles="chrf._count"),
    scales=_SCALES,
)
