"""Which metric can be trusted where? Metrics and raters at several judgement sets, against the same truth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import polars as pl

from auditor import parameters as p
from auditor.arrays import np
from auditor.model import Progress, Selection
from auditor.result import LEAST_P, Result, Said, Table, joined
from auditor.scoring.registry import References
from auditor.scoring.scores import signatures
from auditor.statistics import cluster_bootstrap as bootstrap
from auditor.statistics.correlation import correlate
from auditor.statistics.paired_systems import Resampling
from auditor.statistics.resampling import drawn_times
from auditor.statistics.significance import holm
from auditor.store.captions import Captions
from auditor.studies import consensus as compared_pairs
from auditor.studies.agree.ratings import Rated
from auditor.studies.agree.rows import ALL, PEOPLE, beside_others
from auditor.studies.agree.tables import own_references
from auditor.studies.consensus import ConsensusSettings

#: A metric is trusted from this share of the human ceiling on, unless another one is significantly better.
_TRUSTED, _LEVEL = 0.5, 0.05

#: Changes of places that a table lists.
_SHOWN = 5

#: Expected parts are added as whole numbers of this unit, so that a sum does not depend on its order.
_UNIT = 2.0**30

_TEXTS, _NUMBERS = pl.String(), pl.Float64()

#: The names of sets in tables, which distinguish splits and versions of a dataset.
_LABELS = {"label": _TEXTS, "other_label": _TEXTS}

ROWS: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("dataset", "kind", "metric", "statistic"), _TEXTS),
    **dict.fromkeys(("value", "low", "high"), _NUMBERS),
    "n": pl.Int64(),
    **dict.fromkeys(("ceiling", "share", "share_low", "share_high"), _NUMBERS),
    "is_trusted": pl.Boolean(),
    **dict.fromkeys(("other", "other_dataset", "other_kind"), _TEXTS),
    **dict.fromkeys(("p", "p_holm"), _NUMBERS),
    **dict.fromkeys(("version", "split", "against", "signature"), _TEXTS),
}


@dataclass(frozen=True)
class Place:
    """One set of ratings, or one kind of pairs: values of metrics and raters (`human`), and their resamples.

    All of them predict the same truth: `n` single ratings, or halves of the votes. A value is larger for a better
    metric, `chance` if it guesses. With a single rater, the value of raters is missing.
    """

    selection: Selection
    against: Selection
    kind: str | None
    statistic: str
    chance: float
    n: int
    images: int
    values: Mapping[str, float | None]
    drawn: Mapping[str, bootstrap.Floats]
    signatures: Mapping[str, str]

    def rows(self, confidence: float) -> list[dict[str, Any]]:
        """Return the row of each metric and of raters, with the share of the human ceiling and whether it is trusted.

        Trusted metrics surely reach half of the ceiling, and are not significantly worse than the best one.
        """
        version, ceiling, chance, rows = self.selection.version, self.values.get(PEOPLE), self.chance, []
        for label, value in self.values.items():
            drawn, share, part = self.drawn.get(label), None, None
            of_value = bootstrap.difference if chance else bootstrap.interval
            ends = None if value is None else of_value(value, drawn, self.images, confidence)
            if ceiling is not None and ceiling > chance and value is not None and label != PEOPLE:
                share = (value - chance) / (ceiling - chance)
                part = None if drawn is None else (drawn - chance) / (self.drawn[PEOPLE] - chance)
            reach = None if share is None else bootstrap.difference(share, part, self.images, confidence)
            rows.append({
                "dataset": version.dataset, "kind": self.kind, "metric": label, "statistic": self.statistic,
                "value": value, "low": ends and ends.low, "high": ends and min(ends.high, 1.0), "n": self.n,
                "ceiling": None if label == PEOPLE else ceiling, "share": share, "share_low": reach and reach.low,
                "share_high": reach and reach.high, "is_trusted": None if label == PEOPLE else False,
                "version": version.version, "split": self.selection.split, "against": self.against.pinned_name,
                "signature": self.signatures.get(label), "label": self.selection.label,
            })  # fmt: skip
        shared: list[dict[str, Any]] = [row for row in rows if row["share"] is not None]
        best = max(shared, key=lambda row: row["share"], default=None)
        apart = [self.apart(best["metric"], row["metric"])[1] for row in shared if best]
        for row, worse in zip(shared, holm(apart), strict=True):
            row["is_trusted"] = worse >= _LEVEL and (row["share_low"] or 0.0) >= _TRUSTED
        return rows

    def apart(self, a: str, b: str) -> tuple[float, float]:
        """Return how much better a metric is than another, and the p of the paired test over images; else 0 and 1."""
        values, drawn = [self.values.get(label) for label in (a, b)], [self.drawn.get(label) for label in (a, b)]
        if a == b or values[0] is None or values[1] is None or drawn[0] is None or drawn[1] is None:
            return 0.0, 1.0
        value = values[0] - values[1]
        found = bootstrap.difference(value, drawn[0] - drawn[1], self.images, 1 - _LEVEL)
        return value, found.p if found else 1.0


def of_ratings(
    rated: Rated, captions: Captions, statistic: str, resampling: Resampling
) -> tuple[list[Place], Sequence[Said]]:
    """Correlate metrics, and the mean of other ratings of a caption, with single ratings; or with votes, of shares."""
    caption = ["image", "slot"]
    votes = captions.annotated().rows("rating_vote").join(rated.ratings, on=caption, how="semi", maintain_order="left")
    is_share = len(rated.judges) == 1 and votes.select(caption).n_unique() == rated.ratings.height
    ratings = votes if is_share else rated.ratings
    several = beside_others(ratings).rename({"others": PEOPLE})
    truth, labels = (several, [*rated.labels, PEOPLE]) if several.height else (ratings, rated.labels)
    rows = truth.join(rated.scores, on=caption, maintain_order="left").sort(*caption, "judge")
    named = correlate(rows.select("score", *labels), [statistic], [("score", label) for label in labels])
    sign = {metric.label: -1.0 for metric in rated.metrics if metric.metric.lower_is_better}
    correlations = named.select("metric_b", "value").rows()
    values = {label: value and sign.get(label, 1.0) * value for label, value in correlations}
    known, key = [label for label in labels if values[label] is not None], rated.key(resampling.seed, ALL)
    drawn = bootstrap.resampled(rows, "score", known, [statistic], resampling.times, key)
    return [
        Place(rated.annotated, rated.references, None, statistic, 0.0, rows.height, rows["image"].n_unique(), values,
              {label: sign.get(label, 1.0) * of for (label, _), of in drawn.items()}, rated.signatures)
    ], [*rated.notes, *own_references(rated)]  # fmt: skip


def of_pairs(
    captions: Captions, metrics: p.Metrics, against: str | None, settings: ConsensusSettings, resampling: Resampling,
    progress: Progress,
) -> tuple[list[Place], Sequence[Said]]:  # fmt: skip
    """Compare metrics, and half of the votes, with the other half: for each kind of pairs, if they have kinds."""
    ready = compared_pairs.prepared(compared_pairs.pair_votes(captions, progress), metrics, against, settings)
    scores = compared_pairs.scored(ready, settings, progress)
    preferred = compared_pairs.preferences(ready.votes.rows, scores, ready.metrics)
    labels = [metric.label for metric in ready.metrics]
    marks = compared_pairs.half_marks(preferred, labels, settings.ties)
    labels = [*labels, PEOPLE] if marks[PEOPLE].null_count() == 0 else labels
    signed = signatures(ready.metrics, captions.tokenizer, References("all", ready.most, settings.seed))
    key, places = (settings.seed, *captions.selection.content), []
    for (kind,), pairs in (
        marks.drop_nulls(labels).sort("kind", maintain_order=True).group_by("kind", maintain_order=True)
    ):
        units = [(pl.col(name) * _UNIT).round().sum() for name in ("whole", *labels)]
        sums = pairs.group_by("image", maintain_order=True).agg(*units).drop("image").to_numpy()
        drawn = drawn_times(len(sums), resampling.times * (len(sums) > 1), key).astype(np.float64) @ sums
        whole = sums.sum(axis=0)
        drawn_values = {label: drawn[:, at] / drawn[:, 0] for at, label in enumerate(labels, 1) if len(drawn)}
        values = {label: float(whole[at] / whole[0]) for at, label in enumerate(labels, 1)}
        places.append(Place(captions.selection, ready.references.selection, kind, "half-accuracy", 0.5, pairs.height,
                            len(sums), values, drawn_values, signed))  # fmt: skip
    return places, ready.notes


def compared(places: Sequence[Place], said: Sequence[Said], confidence: float) -> Result:
    """Compare the metrics of all places in one table and one sentence."""
    labels = list(dict.fromkeys(label for place in places for label in place.values if label != PEOPLE))
    changes = _changes(places, labels)
    rows = [*(row for place in places for row in place.rows(confidence)), *changes]
    frame = pl.DataFrame(rows, schema={**ROWS, **_LABELS}, orient="row")
    metrics = frame.filter(pl.col("is_trusted").is_not_null(), pl.col("metric") != PEOPLE)
    unique = dict.fromkeys(said)
    return Result(
        "agree",
        frame.drop(*_LABELS),
        selections=tuple(dict.fromkeys(one for place in places for one in (place.selection, place.against))),
        signatures={label: text for place in places for label, text in place.signatures.items()},
        tables=(_table(metrics, changes, confidence),),
        lead=(_answer(metrics, labels),),
        said=unique,
    )


def _changes(places: Sequence[Place], labels: Sequence[str]) -> list[dict[str, Any]]:
    """Test whether two metrics change places: one better somewhere, the other elsewhere; the surest first.

    Range test of Piantadosi & Gail 1993, with the bound of Bonferroni, which holds if places share images: p is the
    larger of both sides' smallest one-sided p, times the number of places.
    """
    rows, ps = dict[int, dict[str, Any]](), []
    for number, (a, b) in enumerate(combinations(labels, 2)):
        tests = [(*place.apart(a, b), place) for place in places]
        sides = [[(p, at) for at, (value, p, _) in enumerate(tests) if sign * value > 0] for sign in (1, -1)]
        ps.append(1.0)
        if all(sides):
            ps[-1] = min(1.0, max(min(side)[0] for side in sides) / 2 * len(places))
            here, there = (places[min(side)[1]] for side in sides)
            rows[number] = {"dataset": here.selection.version.dataset, "kind": here.kind, "metric": a, "p": ps[-1],
                            "statistic": "changes-places", "other": b, "other_kind": there.kind,
                            "other_dataset": there.selection.version.dataset, "label": here.selection.label,
                            "other_label": there.selection.label}  # fmt: skip
    corrected = holm(ps)
    return sorted((row | {"p_holm": corrected[at]} for at, row in rows.items()), key=lambda row: row["p_holm"])


def _table(metrics: pl.DataFrame, changes: Sequence[Mapping[str, Any]], confidence: float) -> Table:
    sure = [row for row in changes if row["p_holm"] < _LEVEL]
    written = [f"< {LEAST_P:g}" if row["p_holm"] < LEAST_P else f"{row['p_holm']:.1g}" for row in sure[:_SHOWN]]
    told = [
        f"{row['metric']} is better on {_named([(row['label'], row['kind'])])}, {row['other']} on "
        f"{_named([(row['other_label'], row['other_kind'])])} (p {p})"
        for row, p in zip(sure, written, strict=False)
    ]
    share, *ends = ((100 * pl.col(name)).round().cast(pl.Int64) for name in ("share", "share_low", "share_high"))
    shown = metrics.with_columns(
        set=pl.concat_str("label", "kind", separator=" ", ignore_nulls=True),
        cell=pl.coalesce(pl.format("{}% ({}–{})", share, *ends), pl.format("{}%", share)),
        ceiling=pl.format("{}", pl.col("ceiling").round(3)).fill_null("unknown"),
    )
    order = shown.group_by("metric", maintain_order=True).agg(pl.col("share").mean()).sort("share", descending=True)
    wide = shown.pivot("metric", index=["set", "ceiling"], values="cell", maintain_order=True)
    sets = {name: at for at, name in enumerate(wide["set"])}
    return Table(
        "share of the human ceiling that each metric reaches",
        wide.select("set", pl.col("ceiling").alias("human ceiling"), *order["metric"]),
        caption=f"Share of what raters reach beyond chance, with its {confidence:.0%} confidence interval. Raters and "
        "metrics predict the same: one rating of a caption (correlation), or half of the votes on a pair (accuracy). "
        f"Marked: surely {_TRUSTED:.0%} or more, and not significantly worse than the best metric. Metrics change "
        "places if each is significantly better somewhere (range test, corrected for all pairs of metrics): "
        + ("; ".join([*told, *(["…"] if len(sure) > _SHOWN else [])]) or "none do here"),
        best=tuple((sets[name], label) for name, label in shown.filter("is_trusted").select("set", "metric").rows()),
        name="trust",
    )


def _answer(metrics: pl.DataFrame, labels: Sequence[str]) -> str:
    """Answer in one sentence which metric can be trusted where, with as few metrics as possible."""
    left: dict[tuple[str, str | None], set[str]] = {}
    for row in metrics.drop_nulls("share").iter_rows(named=True):
        left.setdefault((row["label"], row["kind"]), set()).update([row["metric"]] if row["is_trusted"] else [])
    none, parts = [place for place, trusted in left.items() if not trusted], []
    while left := {place: trusted for place, trusted in left.items() if trusted}:
        most = max(labels, key=lambda label: sum(label in trusted for trusted in left.values()))
        parts.append(f"{most} on {_named([place for place, trusted in left.items() if most in trusted])}")
        left = {place: trusted for place, trusted in left.items() if most not in trusted}
    answers = [f"Trust {'; '.join(parts)}"] if parts else []
    answers += [f"no metric surely reaches half of the human ceiling on {_named(none)}"] if none else []
    answered = "; ".join(answers) or "no set has a second rater, so the human ceiling is unknown"
    return f"{answered[0].upper()}{answered[1:]}."


def _named(places: Sequence[tuple[str, str | None]]) -> str:
    """Name places, with the kinds of a dataset together."""
    kinds: dict[str, list[str]] = {}
    for dataset, kind in places:
        kinds.setdefault(dataset, []).extend(filter(None, [kind]))
    return joined([f"{dataset} ({', '.join(of)})" if of else dataset for dataset, of in kinds.items()])
