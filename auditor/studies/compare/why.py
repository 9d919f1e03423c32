"""Why captions fit other images: the phrases that match captions of other images, and the lengths of captions.

The strongest phrases follow from n-gram frequencies. Their matches are counted with those of BLEU, so that homogeneity
without them is BLEU's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from auditor.metrics.card import CountSpec
from auditor.result import Figure, Sentence, Table, digits
from auditor.result.portraits import HOMOGENEITY
from auditor.result.views import EMPTY, View, filled
from auditor.scoring.registry import MetricRequest
from auditor.scoring.scores import Collected
from auditor.store import ngrams
from auditor.store.captions import Captions

#: The number of phrases.
_TEN = 10

_KEYS = ("candidate", "image", "slot", "draw")

#: The ratio of homogeneity of short and long captions, or the reverse, from which a sentence names both.
_TELLING = 1.1

#: The statistic of homogeneity without the phrases.
WITHOUT = "homogeneity-without"

#: No rows.
NONE = pl.DataFrame(
    schema={
        **dict.fromkeys(("label", "metric", "statistic", "phrase"), pl.String), "value": pl.Float64,
        "signature": pl.String,
    }
)  # fmt: skip


#: The names of statistics in the tables.
_COLUMNS = {
    "phrase-share": "share", "phrase-share-rouge": "rouge", "phrase-share-cider": "cider", "phrase-opening": "opens",
    "phrase-without": "without", "phrases-share": "share", HOMOGENEITY: HOMOGENEITY, WITHOUT: "without",
    "homogeneity-short": "short", "homogeneity-long": "long",
}  # fmt: skip

_NAMED = pl.col("statistic").replace_strict(_COLUMNS)

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
            "strongest phrases: what matches in captions of other images", EMPTY, ("share",), "dataset", name="phrases",
            caption="share: of the matched n-grams ({metric}), those in the phrase; rouge, cider: the share to expect "
            "as these metrics weigh n-grams, in any two captions of different images; opens: the share of its matches "
            "at the start of a caption; without: homogeneity if the phrase did not match",
        ),
        pl.col("phrase").is_not_null(), pivot=("column", ("dataset", "phrase"), "value"),
    ),
)  # fmt: skip

_FIGURES = (
    View(
        Figure(
            "carried", "Homogeneity by {metric} with and without the ten strongest phrases", "bars", EMPTY, "dataset",
            "homogeneity", "matches", y_label="homogeneity",
        ),
        pl.col("statistic").is_in([HOMOGENEITY, WITHOUT]),
        ("dataset", pl.col("statistic").replace({HOMOGENEITY: "all", WITHOUT: "without"}).alias("matches"),
         pl.col("value").alias("homogeneity")),
    ),
)  # fmt: skip


def tables(rows: pl.DataFrame) -> tuple[Table, ...]:
    """Show what carries homogeneity, and each phrase; `rows` have column `label`."""
    return tuple(filled(_TABLES, rows.with_columns(dataset="label", column=_NAMED)))


def figures(rows: pl.DataFrame) -> tuple[Figure, ...]:
    """Draw homogeneity with and without the phrases."""
    return tuple(filled(_FIGURES, rows.with_columns(dataset="label")))


def sentence(rows: pl.DataFrame, top: str | None) -> tuple[Sentence, ...]:
    """Report which phrases carry the homogeneity of the first dataset, and homogeneity without them."""
    of = {
        name: dict(rows.filter(statistic=name).select("label", "value").iter_rows())
        for name in (HOMOGENEITY, WITHOUT, "phrases-share", "homogeneity-short", "homogeneity-long")
    }
    whole, rest = of[HOMOGENEITY], of[WITHOUT]
    if not rest:
        return ()
    label = top if top in rest else max(rest, key=lambda one: whole[one])
    first, *others = rows.filter(label=label, statistic="phrase-share")["phrase"]
    more = f" and {len(others)} other {'phrases' if others[1:] else 'phrase'} carry" if others else " carries"
    now, before, elsewhere = rest[label], whole[label], [rest[one] for one in rest if one != label]
    change = "falls from" if now < before else "changes from"
    still = "still " if before == max(whole.values()) else ""
    place = f", {still}the highest" if elsewhere and now > max(elsewhere) else ""
    ends = " to ".join(dict.fromkeys(map(digits, (min(elsewhere), max(elsewhere))))) if elsewhere else ""
    said = (
        f"In {label}, “{first}”{more} {of['phrases-share'][label]:.0%} of the n-grams that match captions of other "
        f"images. Without them, its homogeneity by {rows['metric'][0]} {change} {digits(before)} to {digits(now)}"
        f"{place}{ends and f' (elsewhere {ends})'}."
    )
    short, long = (of[f"homogeneity-{name}"].get(label) for name in ("short", "long"))
    if short and long and max(short, long) > _TELLING * min(short, long):
        words = ("short", "long") if short > long else ("long", "short")
        said += f" Its {words[0]} captions fit other images better than its {words[1]} ones"
        said += f" ({digits(max(short, long))}, {digits(min(short, long))})."
    return (Sentence(said, "why"),)


def metric_of(requested: Sequence[MetricRequest]) -> MetricRequest | None:
    """Return the BLEU with the longest n-grams, of tokens as they are: its matches are explained."""
    known = [one for one in requested if one.counting == CountSpec("bleu")]
    return max(known, key=lambda one: int(one.metric.fixed["n"]), default=None)


@dataclass(frozen=True)
class Phrases:
    """The strongest phrases of a dataset by the n-grams of one metric, in words and packed, the strongest first.

    `expected` has the shares of two families of metrics for each: of the n-grams that two captions have in common, of
    different images, as ROUGE and as CIDEr weigh them.
    """

    metric: MetricRequest
    words: tuple[str, ...]
    grams: tuple[str, ...]
    expected: Mapping[str, Sequence[float]]

    @property
    def order(self) -> int:
        """The longest n-grams that the metric counts."""
        return int(self.metric.metric.fixed["n"])

    @property
    def counting(self) -> CountSpec:
        """The counting of their matches."""
        return CountSpec("phrase_match", {"phrases": self.grams})

    def to_collect(self) -> Collected:
        """Return the counts that `explained` reads, none of them yet."""
        return {self.metric.counting: [], self.counting: []}


def strongest(captions: Captions, metric: MetricRequest) -> Phrases:
    """Choose phrases one by one: the one that adds most matched n-grams to those in phrases that were chosen before."""
    workspace, order = captions.workspace(), int(metric.metric.fixed["n"])
    ngrams.provide(captions, workspace, "selection_frequency")
    size, images = workspace.query("select count(*), count(distinct image_no) from reference").row(0)
    of = {"of_captions": size, "of_images": images, "of_references": max(1.0, size / max(1, images) - 1)}
    known = {row["phrase"]: row for row in workspace.rows("strong_ngram", **of, most_words=order).to_dicts()}
    parts = {phrase: _parts(phrase, order) for phrase in known}
    left = {phrase: row["expected"] for phrase, row in known.items()}

    def added(phrase: str) -> dict[str, float]:
        most = known[phrase]["expected"]
        return {part: min(times * most, left.get(part, most)) for part, times in parts[phrase].items()}

    chosen = list[str]()
    while len(chosen) < min(_TEN, len(known)):
        chosen.append(
            max((phrase for phrase in known if phrase not in chosen), key=lambda one: sum(added(one).values()))
        )
        left |= {part: left.get(part, much) - much for part, much in added(chosen[-1]).items()}
    shares: dict[str, list[float]] = {"rouge": [], "cider": []}
    for phrase in chosen:
        own = known[phrase]
        idf = [times * (at := known.get(part, own))["weight"] / at["pairs"] for part, times in parts[phrase].items()]
        shares["rouge"].append(parts[phrase].total() * own["pairs"] / own["every_pair"])
        shares["cider"].append(sum(idf) * own["pairs"] / (own["every_weight"] or 1))
    return Phrases(metric, tuple(chosen), tuple(known[phrase]["gram"] for phrase in chosen), shares)


def _parts(phrase: str, order: int) -> Counter[str]:
    """Count the n-grams in a phrase."""
    words = phrase.split(" ")
    return Counter(
        " ".join(words[first : first + n]) for n in range(1, order + 1) for first in range(len(words) - n + 1)
    )


def explained(label: str, phrases: Phrases, collected: Collected, signature: str) -> pl.DataFrame:
    """Return a row for each statistic of a dataset, and of its phrases."""
    metric = phrases.metric
    counts, found = pl.concat(collected[metric.counting]), pl.concat(collected[phrases.counting])
    scores = counts.select("candidate", "length", score=metric.scores(counts))
    columns = [f"matches_{n}" for n in range(1, phrases.order + 1)]
    matched = counts.filter(candidate="intra").select(pl.sum_horizontal(pl.col(columns).sum())).item()
    intra = found.filter(candidate="intra")

    def without(places: Sequence[int]) -> tuple[float, float | None]:
        """Return the share of the matches that some phrases carry, and homogeneity without them."""
        inside = _inside(found.filter(pl.col("place").is_in(places)), phrases)
        joined = counts.join(inside, on=_KEYS, how="left", suffix="_inside", maintain_order="left")
        less = joined.with_columns(pl.col(name) - pl.col(f"{name}_inside").fill_null(0) for name in columns)
        carried = inside.filter(candidate="intra").select(pl.sum_horizontal(pl.col(columns).sum())).item()
        return carried / matched, _homogeneity(less.select("candidate", score=metric.scores(less)))

    made = list[tuple[str, str | None, float | None]]()
    if matched and phrases.words:
        opens = dict(intra.group_by("place").agg(pl.col("opens").mean()).iter_rows())
        for place, phrase in enumerate(phrases.words):
            share, rest = without([place])
            made += [("phrase-share", phrase, share), ("phrase-opening", phrase, opens.get(place))]
            made += [(f"phrase-share-{family}", phrase, of[place]) for family, of in phrases.expected.items()]
            made += [("phrase-without", phrase, rest)]
        share, rest = without(range(len(phrases.words)))
        made += [("phrases-share", None, share), (WITHOUT, None, rest)]
    lengths = scores.filter(candidate="human")["length"]
    short, long = (lengths.quantile(part, "nearest") for part in (1 / 3, 2 / 3))
    made += [(HOMOGENEITY, None, _homogeneity(scores))]
    if short != long:
        made += [("homogeneity-short", None, _homogeneity(scores.filter(pl.col("length") <= short)))]
        made += [("homogeneity-long", None, _homogeneity(scores.filter(pl.col("length") > long)))]
    rows = [(label, metric.label, statistic, phrase, value, signature) for statistic, phrase, value in made]
    return pl.DataFrame(rows, schema=NONE.schema, orient="row").drop_nulls("value")


def _homogeneity(scores: pl.DataFrame) -> float | None:
    """Divide the mean score of captions of other images by that of human captions."""
    human, intra = (scores.filter(candidate=name)["score"].mean() for name in ("human", "intra"))
    return intra / human if isinstance(intra, float) and isinstance(human, float) and human else None


def _inside(found: pl.DataFrame, phrases: Phrases) -> pl.DataFrame:
    """Count the matches of each candidate that are phrases or in them, by the order of the n-gram, as BLEU does.

    What two phrases of a candidate have in common counts once, as if they overlapped.
    """
    parts = [
        (place, f"matches_{part.count(' ') + 1}", part, times)
        for place, phrase in enumerate(phrases.words)
        for part, times in _parts(phrase, phrases.order).items()
    ]
    schema = {"place": pl.UInt8, "column": pl.String, "part": pl.String, "times": pl.UInt32}
    return (
        found.join(pl.DataFrame(parts, schema=schema, orient="row"), on="place")
        .group_by(*_KEYS, "column", "part").agg((pl.col("matches") * pl.col("times")).max())
        .group_by(_KEYS)
        .agg(
            pl.col("matches").filter(column=f"matches_{n}").sum().alias(f"matches_{n}")
            for n in range(1, phrases.order + 1)
        )
    )  # fmt: skip
