"""Why captions fit other images: the phrases that match captions of other images, and the lengths of captions.

The strongest phrases follow from n-gram frequencies. Their matches are counted with those of BLEU.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import polars as pl

from auditor.metrics.card import CountSpec
from auditor.result import Figure, Sentence, Table, digits, joined
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
        pl.col("phrase").is_null() & pl.col("statistic").is_in([HOMOGENEITY, _WITHOUT]), ("dataset", "value", "column"),
    ),
)  # fmt: skip


def shown(rows: pl.DataFrame) -> tuple[tuple[Table, ...], tuple[Figure, ...]]:
    """Return tables and figures of what carries homogeneity; `rows` have column `label`."""
    rows = rows.with_columns(dataset="label", column=pl.col("statistic").replace_strict(_COLUMNS))
    return tuple(filled(_TABLES, rows)), tuple(filled(_FIGURES, rows))


def sentence(rows: pl.DataFrame, top: str | None) -> tuple[Sentence, ...]:
    """Report which phrases carry the homogeneity of the first dataset, and homogeneity without them."""
    whole = rows.filter(pl.col("phrase").is_null()).pivot("statistic", index="label", values="value")
    if _WITHOUT not in whole.columns:
        return ()
    ordered = whole.drop_nulls(_WITHOUT).sort(pl.col("label") == (top or ""), HOMOGENEITY, descending=True)
    of, others = ordered.row(0, named=True), sorted(ordered[_WITHOUT][1:])
    phrases = rows.filter(pl.col("phrase").is_not_null(), label=of["label"], statistic=_SHARE)["phrase"]
    named = [f"“{phrase}”" for phrase in phrases[:3]] + ([f"{len(phrases) - 3} others"] if len(phrases) > 3 else [])
    place = ", still the highest" if others and of[_WITHOUT] > others[-1] else ""
    ends = " to ".join(dict.fromkeys(map(digits, others[:: len(others) - 1 or 1])))
    lengths = f" Short captions have {digits(of[_SHORT])}, long ones {digits(of[_LONG])}." if of.get(_SHORT) else ""
    said = (
        f"In {of['label']}, {joined(named)} carry {of[_SHARE]:.0%} of the n-grams that match captions of other images. "
        f"Without them, its homogeneity by {rows['metric'][0]} changes from {digits(of[HOMOGENEITY])} to "
        f"{digits(of[_WITHOUT])}{place}{ends and f' (elsewhere {ends})'}.{lengths}"
    )
    return (Sentence(said, "why"),)


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
    metric = phrases.metric
    counts, found = pl.concat(collected[metric.counting]), pl.concat(collected[phrases.counting])
    columns = [f"matches_{n}" for n in range(1, int(metric.metric.fixed["n"]) + 1)]

    def carried(rows: pl.DataFrame) -> int:
        return int(rows.filter(candidate="intra").select(pl.sum_horizontal(pl.col(columns).sum())).item())

    # what two phrases of a candidate have in common counts once, as if they overlapped
    parts = [
        (place, columns[n - 1], " ".join(words[at : at + n]))
        for place, words in enumerate(phrase.split(" ") for phrase in phrases.words)
        for n in range(1, len(columns) + 1)
        for at in range(len(words) - n + 1)
    ]
    schema = {"place": pl.UInt8, "column": pl.String, "part": pl.String}
    times = pl.DataFrame(parts, schema=schema, orient="row").group_by(pl.all()).len("times")
    inner = found.join(times, on="place")

    def without(*places: int) -> tuple[float, float | None]:
        """Return the share of the matches that some phrases carry, and homogeneity without them."""
        each = inner.filter(pl.col("place").is_in(places)).group_by(*_KEYS, "column", "part")
        most = each.agg((pl.col("matches") * pl.col("times")).max()).group_by(_KEYS)
        inside = most.agg(pl.col("matches").filter(column=name).sum().alias(name) for name in columns)
        both = counts.join(inside, on=_KEYS, how="left", suffix="_inside", maintain_order="left")
        less = both.with_columns(pl.col(name) - pl.col(f"{name}_inside").fill_null(0) for name in columns)
        return carried(inside) / carried(counts), _homogeneity(metric, less)

    made: list[tuple[str, str | None, float | None]] = [(HOMOGENEITY, None, _homogeneity(metric, counts))]
    if carried(counts) and phrases.words:
        opens = dict(found.filter(candidate="intra").group_by("place").agg(pl.col("opens").mean()).iter_rows())
        for phrase, *places in [*((phrase, at) for at, phrase in enumerate(phrases.words)), (None, *range(_TEN))]:
            share, rest = without(*places)
            made += [(_SHARE, phrase, share), (_WITHOUT, phrase, rest)]
            made += [("phrase-opening", phrase, opens.get(places[0]))] if phrase else []
    lengths = counts.filter(candidate="human")["length"]
    short, long = (lengths.quantile(part, "nearest") for part in (1 / 3, 2 / 3))
    if short != long:
        thirds = {_SHORT: pl.col("length") <= short, _LONG: pl.col("length") >= long}
        made += [(statistic, None, _homogeneity(metric, counts.filter(third))) for statistic, third in thirds.items()]
    rows = [(label, metric.label, statistic, phrase, signature, value) for statistic, phrase, value in made]
    return pl.DataFrame(rows, schema=NONE.schema, orient="row").drop_nulls("value")


def _homogeneity(metric: MetricRequest, counts: pl.DataFrame) -> float | None:
    """Divide the mean score of captions of other images by that of human captions."""
    scores = counts.select("candidate", score=metric.scores(counts))
    human, intra = (scores.filter(candidate=name)["score"].mean() for name in ("human", "intra"))
    return intra / human if isinstance(intra, float) and isinstance(human, float) and human else None
