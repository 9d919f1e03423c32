"""The rows of `agree`: metrics against human ratings, metrics against each other, scores cut in two.

Also the agreement of raters with each other, which is the ceiling for a metric.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import polars as pl

from auditor.model import Progress, silent
from auditor.parameters import EMPTY
from auditor.result import counted
from auditor.statistics import cluster_bootstrap
from auditor.statistics.common_items import Coverage
from auditor.statistics.correlation import FEWEST, constants, correlate, steiger, williams
from auditor.statistics.paired_systems import Resampling
from auditor.statistics.rater_agreement import kappa, krippendorff, strength
from auditor.statistics.significance import holm
from auditor.store.captions import stamp
from auditor.studies.agree.ratings import FEW_JUDGES, MEAN_DECIMALS, Rated, protocol_of

#: The coefficients, in the order of rows and tables.
STATISTICS = ("spearman", "kendall-b", "kendall-c", "pearson")

#: The coefficients whose differences can be tested.
_TESTED = ("spearman", "pearson")

#: The rated candidates: every caption, or only those that are not a reference of their image.
ALL, WITHOUT = "all", "without-references"

_COMPARED_TWICE = ("pooled", "mean")

PEOPLE = "human"

SCHEMA: Mapping[str, pl.DataType] = {
    **dict.fromkeys(("metric", "statistic", "protocol"), pl.String()),
    **dict.fromkeys(("value", "low", "high", "p"), pl.Float64()),
    "n": pl.Int64(),
    **dict.fromkeys(("strength", "candidates", "other"), pl.String()),
    **dict.fromkeys(("p_holm", "threshold", "own_value", "empty_difference", "empty_p"), pl.Float64()),
}

Row = dict[str, Any]


@dataclass(frozen=True)
class ProtocolRows:
    """Rows of a protocol, with the coefficients of the resamples behind their intervals.

    `images` counts their images. `reason` explains missing rows. `flat` lists the metrics without a coefficient because
    all their scores are equal.
    """

    rows: list[Row]
    resamples: cluster_bootstrap.Resamples
    images: int
    reason: str | None
    flat: tuple[str, ...]


def correlations(
    rated: Rated,
    protocols: Sequence[str],
    statistics: Sequence[str],
    resampling: Resampling,
    progress: Progress = silent,
) -> dict[tuple[str, str], ProtocolRows]:
    """Correlate every metric with human ratings by protocol, for pooled and mean also without own references.

    The keys are protocol and candidates. Rows that would repeat those of all captions are left out.
    """
    has_references = bool(rated.scores["is_reference"].any())
    wanted = [(protocol, ALL) for protocol in protocols]
    wanted += [(protocol, WITHOUT) for protocol in protocols if has_references and protocol in _COMPARED_TWICE]
    made = {}
    for done, (protocol, candidates) in enumerate(wanted):
        progress(f"{rated.annotated.label}: correlating, {protocol}", done, len(wanted))
        made[protocol, candidates] = correlated(rated, protocol, candidates, statistics, resampling)
    return made


def correlated(
    rated: Rated, protocol: str, candidates: str, statistics: Sequence[str], resampling: Resampling
) -> ProtocolRows:
    """Correlate every metric with human ratings by one protocol; a missing coefficient is null, with a note."""
    labels = rated.labels
    rows = rated.beside_scores(protocol, without_references=candidates == WITHOUT).sort("image", "slot", "human")
    scores = rows.select(PEOPLE, *labels)
    values = correlate(scores, statistics, [(PEOPLE, label) for label in labels])
    reason = _reason(scores)
    flat = set() if reason else set(constants(scores))
    varied = [] if reason else [label for label in labels if label not in flat]
    key = rated.key(resampling.seed, candidates)
    drawn = cluster_bootstrap.resampled(rows, PEOPLE, varied, statistics, resampling.times, key)
    made, images = [], rows["image"].n_unique()
    for metric, statistic, value, chance, n in values.select("metric_b", "statistic", "value", "p", "n").iter_rows():
        interval = cluster_bootstrap.interval(value, drawn.get((metric, statistic)), images, resampling.confidence)
        ends = {"low": interval and interval.low, "high": interval and interval.high}
        facts = {"p": chance, "strength": strength(value), **ends}
        made.append(_row(metric, statistic, protocol, value, n, candidates, **facts))
    return ProtocolRows(made, drawn, images, reason, tuple(label for label in labels if label in flat))


def missing(label: str, made: Mapping[tuple[str, str], ProtocolRows], resampling: Resampling) -> list[str]:
    """Return why coefficients and intervals are missing, one sentence per reason."""
    reasons: dict[str, list[str]] = {}
    for (protocol, candidates), each in made.items():
        where = protocol if candidates == ALL else f"{protocol} without own references"
        if each.reason:
            reasons.setdefault(f"no correlations with human ratings: {each.reason}", []).append(where)
        if each.flat:
            reason = f"{', '.join(each.flat)}: no correlation, because every caption has the same score"
            reasons.setdefault(reason, []).append(where)
        bare = any(row["value"] is not None and row["low"] is None for row in each.rows)
        if bare and resampling.times:
            reason = "no interval: too few images, so some resamples have only one rating or score, or agree perfectly"
            reasons.setdefault(reason, []).append(where)
    return [f"{label}: {reason} ({', '.join(where)})" for reason, where in reasons.items()]


def _reason(scores: pl.DataFrame) -> str | None:
    """Return why the ratings cannot correlate with scores; null if they can."""
    if scores.height < FEWEST:
        return f"{counted(scores.height, 'rating', 'ratings')} with a score, at least {FEWEST} are needed"
    if scores[PEOPLE].n_unique() == 1:
        return f"every rating is {scores[PEOPLE][0]:g}"
    return None


def tests(rated: Rated, protocol: str, statistic: str, made: ProtocolRows, resampling: Resampling) -> list[Row]:
    """Test for every pair of metrics which correlates more with human ratings; errors change their sign.

    Returns for each pair the difference of the coefficients, with interval and p over images; `p_holm` is corrected for
    all pairs. Also Williams' t and Steiger's z, whose p treat captions as independent.
    """
    values = {row["metric"]: row["value"] for row in made.rows if row["statistic"] == statistic}
    labels = [label for label in rated.labels if values.get(label) is not None]
    if len(labels) < 2:
        return []
    sign = {metric.label: -1 if metric.metric.lower_is_better else 1 for metric in rated.metrics}
    scores = rated.beside_scores(protocol).select(labels)
    pairs = list(combinations(labels, 2))
    between = dict(zip(pairs, correlate(scores, [statistic], pairs)["value"], strict=True))
    rows, n = {}, scores.height
    for a, b in pairs:
        r_a, r_b, r_ab = sign[a] * values[a], sign[b] * values[b], sign[a] * sign[b] * between[a, b]
        drawn = [made.resamples.get((name, statistic)) for name in (a, b)]
        apart = None if drawn[0] is None or drawn[1] is None else sign[a] * drawn[0] - sign[b] * drawn[1]
        interval = cluster_bootstrap.difference(r_a - r_b, apart, made.images, resampling.confidence)
        told = interval._asdict() if interval else {"p": 1.0} if scores[a].equals(scores[b]) else {}
        rows["difference", a, b] = _row(a, "difference", protocol, r_a - r_b, n, ALL, other=b, **told)
        for name, test in (("williams", williams), ("steiger", steiger)):
            tested = test(r_a, r_b, r_ab, n)
            rows[name, a, b] = _row(a, name, protocol, tested and tested.value, n, ALL, other=b, p=tested and tested.p)
    over_images = [row for (test, *_), row in rows.items() if test == "difference" and "p" in row]
    for row, corrected in zip(over_images, holm([row["p"] for row in over_images]), strict=True):
        row["p_holm"] = corrected
    return list(rows.values())


def tested(protocols: Sequence[str], statistics: Sequence[str]) -> tuple[str, str] | None:
    """Choose the protocol and coefficient to test pairs of metrics on: one row per caption, if possible.

    Null if no selected coefficient has such a test.
    """
    chosen = next((tested for tested in _TESTED if tested in statistics), None)
    return None if chosen is None else ("mean" if "mean" in protocols else protocols[0], chosen)


def kappas(rated: Rated, threshold: float, cut: float | None) -> list[Row]:
    """Compute Cohen's kappa of scores and mean ratings, cut in two; ratings from `threshold` on are good."""
    rows = rated.beside_scores("mean")
    good = rows[PEOPLE] >= threshold
    made = []
    for metric in rated.metrics:
        best = kappa(rows[metric.label], good, cut, lower_is_better=metric.metric.lower_is_better)
        made.append(
            _row(metric.label, "kappa", "mean", best and best.kappa, rows.height, ALL, threshold=best and best.cut)
        )
    return made


def uncut(rated: Rated, threshold: float) -> list[str]:
    """Return why kappa is missing, if it is."""
    means = rated.beside_scores("mean")[PEOPLE]
    good = int((means >= threshold).sum())
    if 0 < good < len(means):
        return []
    which = f"{'every' if good else 'no'} caption has a mean rating of {threshold:g} or more"
    return [f"{rated.annotated.label}: no kappa: {which}; set another --threshold"]


def _row(metric: str, statistic: str, protocol: str, value: float | None, n: int, candidates: str, **more: Any) -> Row:
    return dict(metric=metric, statistic=statistic, protocol=protocol, value=value, n=n, candidates=candidates, **more)


def frame(rows: Sequence[Row]) -> pl.DataFrame:
    """Return rows as a table with every column of `SCHEMA`."""
    return pl.DataFrame([{name: row.get(name) for name in SCHEMA} for row in rows], schema=SCHEMA)


def described(rated: Rated, rows: pl.DataFrame, resampling: Resampling) -> pl.DataFrame:
    """Add the public columns: dataset, references, resampling and signature."""
    drawn = pl.col("low").is_not_null()
    rows = rows.with_columns(candidates=pl.lit(WITHOUT)) if rated.without_own else rows
    return stamp(rated.annotated, rows).select(
        "dataset",
        *SCHEMA,
        *("version", "split"),
        against=pl.lit(rated.references.pinned_name),
        resamples=pl.when(drawn).then(pl.lit(resampling.times, pl.Int64)),
        confidence=pl.when(drawn).then(pl.lit(resampling.confidence)),
        seed=pl.when(drawn).then(pl.lit(resampling.seed, pl.Int64)),
        signature=pl.col("metric").replace_strict(rated.signatures, default=None, return_dtype=pl.String),
    )


def agreement(rated: Rated) -> tuple[list[Row], list[str]]:
    """Return the rows of raters among themselves, and notes on missing rows.

    `spearman` of every two judges (protocol `judge-1 judge-2`); `krippendorff-ordinal` and `krippendorff-interval` of
    all; `ceiling`: Spearman of a judge with the mean of the others (protocol: the judge), and of all ratings with the
    mean of the others of the same caption, as metrics are compared by the pooled protocol.
    """
    label, judges = rated.annotated.label, rated.judges
    if len(judges) == 1:
        unknown = "the agreement of raters and the ceiling for metrics are unknown"
        return [], [f"{label}: only one rater ({judges[0]}), so {unknown}"]
    pairs = rated.workspace.rows("rating_coincidence")
    if pairs.is_empty():
        return [], [f"{label}: no caption was rated by two raters, so the agreement of raters is unknown"]
    paired = rated.ratings.filter(pl.len().over("image", "slot") > 1).height
    few = judges if len(judges) <= FEW_JUDGES else []
    of = {judge: rated.ratings.filter(judge=judge).select("image", "slot", "score") for judge in few}
    rows = []
    for a, b in combinations(few, 2):
        both = of[a].join(of[b], on=["image", "slot"], how="inner", maintain_order="left")
        rows.append(_spearman("spearman", f"{protocol_of(a)} {protocol_of(b)}", both.select("score", "score_right")))
    rows += [
        _row(PEOPLE, f"krippendorff-{level}", "pooled", krippendorff(pairs, level), paired, ALL)
        for level in ("ordinal", "interval")
    ]
    beside = beside_others(rated.ratings)
    of_protocol = {"pooled": beside} | {protocol_of(judge): beside.filter(judge=judge) for judge in few}
    rows += [_spearman("ceiling", protocol, own.select("score", "others")) for protocol, own in of_protocol.items()]
    return rows, [] if few else [f"{label}: {len(judges):,} raters, too many to compare one by one"]


def beside_others(ratings: pl.DataFrame) -> pl.DataFrame:
    """Return the ratings of captions that were rated more than once, each with `others`, the mean of the others."""
    caption = ["image", "slot"]
    others = (pl.col("score").sort().sum().over(caption) - pl.col("score")) / (pl.len().over(caption) - 1)
    return ratings.with_columns(others=others.round(MEAN_DECIMALS)).filter(pl.len().over(caption) > 1)


def _spearman(statistic: str, protocol: str, scores: pl.DataFrame) -> Row:
    value, p = correlate(scores, ["spearman"]).select("value", "p").row(0)
    return _row(PEOPLE, statistic, protocol, value, scores.height, ALL, p=p, strength=strength(value))


_KEY = ("metric", "statistic", "protocol", "candidates", "other")


def coverage_of(rated: Rated, missing: str) -> Coverage:
    """Return which of the rated captions each metric has scored."""
    keyed = rated.scores.with_columns(caption=pl.concat_str("image", pl.lit(" #"), "slot"))
    known = {label: {*keyed.drop_nulls(label)["caption"]} for label in rated.labels}
    return Coverage({*keyed["caption"]}, known, missing, "captions", "the lowest scores", together=True)


def on_known(rated: Rated, labels: Sequence[str], missing: str) -> Rated:
    """Keep the captions that all of some metrics have scored, or give missing ones the lowest score of the metric."""
    lowest = [pl.col(label).fill_null(pl.col(label).min()) for label in labels]
    scores = rated.scores.with_columns(lowest) if missing == EMPTY else rated.scores.drop_nulls(labels)
    ratings = rated.ratings.join(scores, on=["image", "slot"], how="semi", maintain_order="left")
    metrics = tuple(metric for metric in rated.metrics if metric.label in labels)
    return replace(rated, metrics=metrics, ratings=ratings, scores=scores)


def beside_whole(
    rows: Sequence[Row],
    whole: Rated,
    coverage: Coverage,
    protocols: Sequence[str],
    statistics: Sequence[str],
    resampling: Resampling,
) -> None:
    """Add the value on all captions of a metric, and differences with the lowest scores if many are missing."""
    own, empty, bare = dict[Any, Row](), dict[Any, Row](), replace(resampling, times=0)
    for label in whole.labels if coverage.has_gaps else ():
        made = correlations(on_known(whole, [label], coverage.missing), protocols, statistics, bare)
        own |= {tuple(map(row.get, _KEY)): row for each in made.values() for row in each.rows}
    if coverage.partial and (test := tested(protocols, statistics)):
        filled = on_known(whole, whole.labels, EMPTY)
        of_pooled = correlated(filled, test[0], ALL, statistics, resampling)
        made_up = tests(filled, *test, of_pooled, resampling)
        empty = {tuple(map(row.get, _KEY)): row for row in made_up if row["statistic"] == "difference"}
    for row in rows:
        place = tuple(map(row.get, _KEY))
        if row["statistic"] in STATISTICS:
            row["own_value"] = own.get(place, row)["value"]
        elif place in empty:
            row |= {"empty_difference": empty[place]["value"], "empty_p": empty[place].get("p")}
