"""Why captions fit other images: the phrases that match captions of other images, and the lengths of captions.

The strongest phrases follow from n-gram frequencies. Their matches are counted with those of BLEU.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import polars as pl

from auditor.arrays import np
from auditor.metrics.card import CountSpec
from auditor.result import Figure, Sentence, Table, digits, joined
from auditor.result.portraits import HOMOGENEITY
from auditor.result.views import EMPTY, View, filled
from auditor.scoring.registry import MetricRequest
from auditor.scoring.scores import Collected
from auditor.statistics.resampling import UNIT
from auditor.statistics.significance import students_p
from auditor.store import ngrams
from auditor.store.captions import Captions

_TEN, _LEVEL = 10, 0.05  # phrases; the p below which a share is larger than another
_KEYS = ("candidate", "image", "slot", "draw")

_TEXTS = ("label", "metric", "statistic", "phrase", "signature")

#: No rows.
NONE = pl.DataFrame(schema={**dict.fromkeys(_TEXTS, pl.String), "value": pl.Float64, "se": pl.Float64})

_SHARE, _WITHOUT, _SHORT, _LONG = "phrase-share", "homogeneity-without", "homogeneity-short", "homogeneity-long"

#: The names of statistics in tables.
_COLUMNS = {
    _SHARE: "share", "phrase-opening": "opens", HOMOGENEITY: HOMOGENEITY, _WITHOUT: "without", _SHORT: "short",
    _LONG: "long",
}  # fmt: skip

_TABLES = (
    View(
        Table(
            "what carries homogeneity by {metric}", EMPTY, ("share",), name="carried",
            caption="share: of the n-grams that match captions of other images, those in the ten strongest phrases; "
            "without: homogeneity if they did not match; short, long: of the shortest and longest third of captions",
        ),
        pl.col("phrase").is_null(), pivot=("column", "dataset", "value"),
    ),
    View(
        Table(
            "strongest phrases: what matches captions of other images", EMPTY, ("share",), "dataset", name="phrases",
            caption="share: of the matched n-grams ({metric}), those in the phrase; opens: the share of its matches at "
            "the start of a caption",
        ),
        pl.col("phrase").is_not_null() & (pl.col("column") != "without"),
        pivot=("column", ("dataset", "phrase"), "value"),
    ),
)  # fmt: skip

_FIGURES = (
    View(
        Figure(
            "carried", "Homogeneity by {metric}: all n-grams, and without the ten strongest phrases", "bars", EMPTY,
            "dataset", "value", "column", y_label=HOMOGENEITY,
        ),
        pl.col("phrase").is_null() & pl.col("statistic").is_in([HOMOGENEITY, _WITHOUT]), ("dataset", "value", "column"),
    ),
)  # fmt: skip


def shown(rows: pl.DataFrame) -> tuple[tuple[Table, ...], tuple[Figure, ...]]:
    """Return tables and figures of what carries homogeneity; `rows` have column `label`."""
    rows = rows.with_columns(dataset="label", column=pl.col("statistic").replace_strict(_COLUMNS))
    return tuple(filled(_TABLES, rows)), tuple(filled(_FIGURES, rows))


def sentence(rows: pl.DataFrame, top: str | None) -> tuple[Sentence, ...]:
    """Report which phrases carry the homogeneity of the first dataset, and homogeneity without them.

    If other datasets have as large a share in their phrases, more than chance aside, none is named.
    """
    whole = rows.filter(pl.col("phrase").is_null()).pivot("statistic", index="label", values="value")
    if _WITHOUT not in whole.columns:
        return ()
    ordered = whole.drop_nulls(_WITHOUT).sort(pl.col("label") == (top or ""), HOMOGENEITY, descending=True)
    of, others = ordered.row(0, named=True), ordered[1:]
    ends = dict.fromkeys(f"{share:.0%}" for share in sorted(others[_SHARE].to_list())[:: max(others.height - 1, 1)])
    carried = f"{of[_SHARE]:.0%} of the n-grams that match captions of other images"
    carried += f" (elsewhere {' to '.join(ends)})" if ends else ""
    is_own, shares = pl.col("label") == of["label"], rows.filter(statistic=_SHARE)
    own, elsewhere = shares.filter(is_own), shares.filter(~is_own)
    larger = [row for row in own.iter_rows(named=True) if _is_larger(row, elsewhere)]
    named = [row for row in larger if row["phrase"]]
    if not named or len(larger) == len(named):  # some are larger, but not all phrases together
        said = f"No phrase stands out in {of['label']}: its strongest phrases carry {carried}"
    else:
        phrases = [f"“{row['phrase']}”" for row in named[:3]]
        phrases += [f"{own.height - 1 - len(phrases)} others"] if own.height - 1 > len(phrases) else []
        said = f"In {of['label']}, {joined(phrases)} carry {carried}"
        alone = [row for row in named if row["phrase"] not in elsewhere["phrase"]][:3]
        if others.height and alone:
            these = joined([f"“{row['phrase']}”" for row in alone])
            said += f", among them {these} only there ({math.fsum(row['value'] for row in alone):.0%})"
    return (Sentence(f"{said}. {_without(of, others)}.", "why"),)


def _is_larger(row: Mapping[str, Any], elsewhere: pl.DataFrame) -> bool:
    """Return whether a share is larger than in every other dataset by more than chance, by both standard errors.

    A phrase that is not listed there has at most the share of the least that is.
    """
    for there in elsewhere.partition_by("label"):
        same = there.filter(pl.col("phrase").eq_missing(row["phrase"]))
        other = (same if same.height else there.sort("value")).row(0, named=True)
        apart, error = row["value"] - other["value"], math.hypot(row["se"], other["se"])
        if apart <= 0 or (error and students_p(apart / error, math.inf) >= _LEVEL):
            return False
    return True


def _without(of: Mapping[str, Any], others: pl.DataFrame) -> str:
    """Report homogeneity without the phrases; of the first dataset, its lead: the ratio to the next dataset."""
    next_best = [max(others[name].to_list(), default=0.0) for name in (HOMOGENEITY, _WITHOUT)]
    if of[HOMOGENEITY] <= next_best[0] or not next_best[1]:
        return f"Without them, its homogeneity is {digits(of[_WITHOUT])} instead of {digits(of[HOMOGENEITY])}"
    before, after = of[HOMOGENEITY] / next_best[0], of[_WITHOUT] / next_best[1]
    lead = "not first" if after <= 1 else f"first, {'with a smaller lead' if after < before else 'and no less ahead'}"
    return f"Without the ten strongest phrases of each dataset, {of['label']} is {lead}"


class Phrases(NamedTuple):
    """The strongest phrases of a dataset by the n-grams of a BLEU, and the counting of their matches."""

    metric: MetricRequest
    words: Sequence[str]
    counting: CountSpec


def strongest(captions: Captions, requested: Sequence[MetricRequest]) -> Phrases | None:
    """Choose the strongest phrases, without parts of a stronger one that do not occur twice as often.

    They have the n-grams of the BLEU with the longest ones, of tokens as they are. Without BLEU there are none.
    """
    bleus = {int(one.metric.fixed["n"]): one for one in requested if one.counting == CountSpec("bleu")}
    if not bleus:
        return None
    workspace, order = captions.workspace(), max(bleus)
    ngrams.provide(captions, workspace, "selection_frequency")
    size, images = workspace.query("select count(*), count(distinct image_no) from reference").row(0)
    of = {"of_captions": size, "of_references": max(1.0, size / max(1, images) - 1), "most_words": order}
    chosen = dict[str, tuple[str, float]]()
    for gram, phrase, expected in workspace.rows("strong_ngram", **of).iter_rows():
        inside = [most for one, (_, most) in chosen.items() if f" {phrase} " in f" {one} "]
        if len(chosen) < _TEN and all(expected >= 2 * most for most in inside):
            chosen[phrase] = gram, expected
    grams = {"phrases": tuple(gram for gram, _ in chosen.values())}
    return Phrases(bleus[order], [*chosen], CountSpec("phrase_match", grams))


def explained(label: str, phrases: Phrases, collected: Collected, signature: str) -> pl.DataFrame:
    """Return a row for each statistic of a dataset, and of its phrases."""
    metric, order = phrases.metric, int(phrases.metric.metric.fixed["n"])
    columns = [f"matches_{n}" for n in range(1, order + 1)]
    counted = pl.concat(collected[metric.counting]).filter(pl.col("candidate").is_in(["human", "intra"]))
    counts = counted.with_row_index("row")
    found = pl.concat(collected[phrases.counting]).join(counts.select("row", *_KEYS), on=_KEYS)
    matches = np.zeros((counts.height, len(phrases.words)), np.uint16)
    matches[found["row"], found["place"]] = found["matches"]
    times: dict[str, dict[int, int]] = {}
    for place, words in enumerate(phrase.split(" ") for phrase in phrases.words):
        for part in (" ".join(words[at : at + n]) for n in range(1, order + 1) for at in range(len(words) - n + 1)):
            of_part = times.setdefault(part, {})
            of_part[place] = of_part.get(place, 0) + 1
    is_intra, scores = (counts["candidate"] == "intra").to_numpy(), metric.scores(counts).to_numpy()
    every = counts.filter(is_intra).select("image", n=pl.sum_horizontal(columns).cast(pl.Int64))
    image = every["image"].rank("dense").to_numpy() - 1
    wholes = np.bincount(image, every["n"].to_numpy())
    matched = float(wholes.sum())
    numbers = counts.drop(*_KEYS, "row").with_columns(image=pl.lit(0))

    def inside(places: Collection[int]) -> Any:
        """Count the matches in some phrases, what two phrases have in common once, as if they overlapped."""
        found = np.zeros((counts.height, order), np.uint32)
        for part, of_part in times.items():
            if held := [matches[:, place] * of_part[place] for place in of_part if place in places]:
                found[:, part.count(" ")] += np.max(held, axis=0)
        return found

    def share(phrase: str | None, within: Any) -> tuple[Any, ...]:
        """Return the row of a share, with its standard error over images."""
        parts = np.bincount(image, within[is_intra].sum(axis=1))
        value, n = float(parts.sum() / matched), len(wholes)
        return (
            _SHARE,
            phrase,
            value,
            float(np.sqrt(((parts - value * wholes) ** 2).sum() * n / max(n - 1, 1)) / matched),
        )

    made: list[tuple[Any, ...]] = [(HOMOGENEITY, None, _homogeneity(scores, is_intra), None)]
    if matched and phrases.words:
        opens = dict(found.filter(candidate="intra").group_by("place").agg(pl.col("opens").mean()).iter_rows())
        shares = [share(phrase, inside([at])) for at, phrase in enumerate(phrases.words)]
        order_of = sorted(range(len(shares)), key=lambda at: (-shares[at][2], at))
        made += [shares[at] for at in order_of]
        made += [("phrase-opening", phrases.words[at], opens.get(at), None) for at in order_of]
        for phrase, places in ((phrases.words[order_of[0]], order_of[:1]), (None, range(_TEN))):
            without = inside(places)
            less = numbers.with_columns(pl.col(name) - pl.Series(without[:, n]) for n, name in enumerate(columns))
            made += [(_WITHOUT, phrase, _homogeneity(metric.scores(less).to_numpy(), is_intra), None)]
        made += [share(None, without)]
    short, long = (counts.filter(~is_intra)["length"].quantile(part, "nearest") for part in (1 / 3, 2 / 3))
    if short != long:
        thirds = {_SHORT: counts["length"] <= short, _LONG: counts["length"] >= long}
        made += [(name, None, _homogeneity(scores[third], is_intra[third]), None) for name, third in thirds.items()]
    rows = [(label, metric.label, statistic, phrase, signature, *rest) for statistic, phrase, *rest in made]
    return pl.DataFrame(rows, schema=NONE.schema, orient="row").drop_nulls("value")


def _homogeneity(scores: Any, is_intra: Any) -> float | None:
    """Divide the mean score of captions of other images by that of human captions; sums are of whole numbers."""
    units, intra = np.rint(scores * UNIT).astype(np.int64), int(is_intra.sum())
    own, other = int(units[~is_intra].sum()) * intra, int(units[is_intra].sum()) * (len(units) - intra)
    return other / own if own else None
