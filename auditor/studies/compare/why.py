"""Why captions fit other images: the phrases that match captions of other images, and the lengths of captions.

The strongest phrases follow from n-gram frequencies. Their matches are counted with those of BLEU.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from auditor.metrics.card import CountSpec
from auditor.result import Figure, Sentence, Table, digits
from auditor.result.portraits import HOMOGENEITY
from auditor.result.views import EMPTY, View, filled
from auditor.scoring.registry import MetricRequest
from auditor.scoring.scores import Collected
from auditor.store import ngrams
from auditor.store.captions import Captions

_TEN = 10  # phrases

_KEYS = ("candidate", "image", "slot", "draw")

_TEXTS = ("label", "metric", "statistic", "phrase", "signature")

#: No rows.
NONE = pl.DataFrame(schema={**dict.fromkeys(_TEXTS, pl.String), "value": pl.Float64})

_WITHOUT, _SHORT, _LONG = "homogeneity-without", "homogeneity-short", "homogeneity-long"

#: The names of statistics in tables.
_COLUMNS = {
    "phrase-share": "share", "phrase-opening": "opens", "phrase-without": "without", "phrases-share": "share",
    HOMOGENEITY: HOMOGENEITY, _WITHOUT: "without", _SHORT: "short", _LONG: "long",
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
            "the start of a caption; without: homogeneity if it did not match",
        ),
        pl.col("phrase").is_not_null(), pivot=("column", ("dataset", "phrase"), "value"),
    ),
)  # fmt: skip

_FIGURES = (
    View(
        Figure(
            "carried", "Homogeneity by {metric}: all n-grams, and without the ten strongest phrases", "bars", EMPTY,
            "dataset", "value", "column", y_label=HOMOGENEITY,
        ),
        pl.col("statistic").is_in([HOMOGENEITY, _WITHOUT]), ("dataset", "value", "column"),
    ),
)  # fmt: skip


def shown(rows: pl.DataFrame) -> tuple[tuple[Table, ...], tuple[Figure, ...]]:
    """Return tables and figures of what carries homogeneity; `rows` have column `label`."""
    rows = rows.with_columns(dataset="label", column=pl.col("statistic").replace_strict(_COLUMNS))
    return tuple(filled(_TABLES, rows)), tuple(filled(_FIGURES, rows))


def sentence(rows: pl.DataFrame, top: str | None) -> tuple[Sentence, ...]:
    """Report which phrases carry the homogeneity of the first dataset, and homogeneity without them."""
    of = {name: dict(rows.filter(statistic=name).select("label", "value").iter_rows()) for name in _COLUMNS}
    whole, rest = of[HOMOGENEITY], of[_WITHOUT]
    if not rest:
        return ()
    label = top if top in rest else max(rest, key=lambda one: whole[one])
    first, *others = rows.filter(label=label, statistic="phrase-share")["phrase"]
    more = f" and {len(others)} other phrases carry" if others else " carries"
    elsewhere = sorted(rest[one] for one in rest if one != label)
    place = ", still the highest" if elsewhere and rest[label] > elsewhere[-1] else ""
    ends = f" (elsewhere {' to '.join(dict.fromkeys(map(digits, elsewhere[:: len(elsewhere) - 1 or 1])))})"
    said = (
        f"In {label}, “{first}”{more} {of['phrases-share'][label]:.0%} of the n-grams that match captions of other "
        f"images. Without them, its homogeneity by {rows['metric'][0]} changes from {digits(whole[label])} to "
        f"{digits(rest[label])}{place}{ends if elsewhere else ''}."
    )
    if label in of[_SHORT]:
        said += f" Short captions have {digits(of[_SHORT][label])}, long ones {digits(of[_LONG][label])}."
    return (Sentence(said, "why"),)


def metric_of(requested: Sequence[MetricRequest]) -> MetricRequest | None:
    """Return the BLEU with the longest n-grams, of tokens as they are: its matches are explained."""
    known = [one for one in requested if one.counting == CountSpec("bleu")]
    return max(known, key=lambda one: int(one.metric.fixed["n"]), default=None)


class Phrases(NamedTuple):
    """The strongest phrases of a dataset by the n-grams of a BLEU, with the numbers of the n-grams in each."""

    metric: MetricRequest
    parts: Mapping[str, Counter[str]]
    counting: CountSpec


def strongest(captions: Captions, metric: MetricRequest) -> Phrases:
    """Choose the strongest phrases, without parts of a stronger one that do not occur twice as often."""
    workspace, order = captions.workspace(), int(metric.metric.fixed["n"])
    ngrams.provide(captions, workspace, "selection_frequency")
    size, images = workspace.query("select count(*), count(distinct image_no) from reference").row(0)
    of = {"of_captions": size, "of_references": max(1.0, size / max(1, images) - 1), "most_words": order}
    chosen = dict[str, tuple[str, float]]()
    for gram, phrase, expected in workspace.rows("strong_ngram", **of).iter_rows():
        inside = [most for one, (_, most) in chosen.items() if f" {phrase} " in f" {one} "]
        if len(chosen) < _TEN and all(expected >= 2 * most for most in inside):
            chosen[phrase] = gram, expected
    counting = CountSpec("phrase_match", {"phrases": tuple(gram for gram, _ in chosen.values())})
    return Phrases(metric, {phrase: _parts(phrase.split(" "), order) for phrase in chosen}, counting)


def _parts(words: Sequence[str], order: int) -> Counter[str]:
    return Counter(" ".join(words[at : at + n]) for n in range(1, order + 1) for at in range(len(words) - n + 1))


def explained(label: str, phrases: Phrases, collected: Collected, signature: str) -> pl.DataFrame:
    """Return a row for each statistic of a dataset, and of its phrases."""
    metric = phrases.metric
    counts, found = pl.concat(collected[metric.counting]), pl.concat(collected[phrases.counting])
    columns = [f"matches_{n}" for n in range(1, int(metric.metric.fixed["n"]) + 1)]

    def carried(rows: pl.DataFrame) -> int:
        return int(rows.filter(candidate="intra").select(pl.sum_horizontal(pl.col(columns).sum())).item())

    def without(*places: int) -> tuple[float, float | None]:
        """Return the share of the matches that some phrases carry, and homogeneity without them."""
        inside = _inside(found.filter(pl.col("place").is_in(places)), phrases, columns)
        joined = counts.join(inside, on=_KEYS, how="left", suffix="_inside", maintain_order="left")
        less = joined.with_columns(pl.col(name) - pl.col(f"{name}_inside").fill_null(0) for name in columns)
        return carried(inside) / carried(counts), _homogeneity(metric, less)

    made: list[tuple[str, str | None, float | None]] = [(HOMOGENEITY, None, _homogeneity(metric, counts))]
    if carried(counts) and phrases.parts:
        opens = dict(found.filter(candidate="intra").group_by("place").agg(pl.col("opens").mean()).iter_rows())
        for place, phrase in enumerate(phrases.parts):
            share, rest = without(place)
            made += [("phrase-share", phrase, share), ("phrase-opening", phrase, opens.get(place))]
            made += [("phrase-without", phrase, rest)]
        share, rest = without(*range(len(phrases.parts)))
        made += [("phrases-share", None, share), (_WITHOUT, None, rest)]
    lengths = counts.filter(candidate="human")["length"]
    short, long = (lengths.quantile(part, "nearest") for part in (1 / 3, 2 / 3))
    if short != long:
        parts = {_SHORT: pl.col("length") <= short, _LONG: pl.col("length") > long}
        made += [(statistic, None, _homogeneity(metric, counts.filter(part))) for statistic, part in parts.items()]
    rows = [(label, metric.label, statistic, phrase, signature, value) for statistic, phrase, value in made]
    return pl.DataFrame(rows, schema=NONE.schema, orient="row").drop_nulls("value")


def _homogeneity(metric: MetricRequest, counts: pl.DataFrame) -> float | None:
    """Divide the mean score of captions of other images by that of human captions."""
    scores = counts.select("candidate", score=metric.scores(counts))
    human, intra = (scores.filter(candidate=name)["score"].mean() for name in ("human", "intra"))
    return intra / human if isinstance(intra, float) and isinstance(human, float) and human else None


def _inside(found: pl.DataFrame, phrases: Phrases, columns: Sequence[str]) -> pl.DataFrame:
    """Count the matches of each candidate that are phrases or in them, as BLEU does.

    What two phrases of a candidate have in common counts once, as if they overlapped.
    """
    parts = [
        (place, columns[part.count(" ")], part, times)
        for place, inside in enumerate(phrases.parts.values())
        for part, times in inside.items()
    ]
    schema = {"place": pl.UInt8, "column": pl.String, "part": pl.String, "times": pl.UInt32}
    matches = found.join(pl.DataFrame(parts, schema=schema, orient="row"), on="place")
    each = matches.group_by(*_KEYS, "column", "part").agg((pl.col("matches") * pl.col("times")).max())
    return each.group_by(_KEYS).agg(pl.col("matches").filter(column=name).sum().alias(name) for name in columns)
