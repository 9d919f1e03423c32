"""Tables, a figure and findings of `agree` for one dataset.

Also the captions on which a metric and raters disagree: rated high and scored low, or the reverse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

import polars as pl

from auditor.model import pictured
from auditor.result import Figure, Finding, Said, Table, counted, digits, interval, listed
from auditor.result import about as about_selection
from auditor.scoring.registry import MetricRequest
from auditor.statistics.significance import SMALLEST_P
from auditor.studies.agree.ratings import Rated, densities
from auditor.studies.agree.rows import ALL, PEOPLE, STATISTICS, WITHOUT, Resampling

#: Metrics whose scores are drawn by rating, from the closest on.
_SHOWN = 6

#: A p from here on is not significant.
_UNSURE = 0.05


def lead(rated: Rated, rows: pl.DataFrame, confidence: float) -> list[str]:
    """Return which metric agrees most with human ratings, pooled, by Spearman's rho; also without copied references."""
    of_metrics = rows.filter(pl.col("metric").is_in(rated.labels), statistic="spearman", protocol="pooled")
    best = of_metrics.drop_nulls("value").sort("value", descending=True, maintain_order=True)
    copies = rated.scores.filter("is_reference").height
    sentences = {
        ALL: f"{rated.annotated.label}: {{}} agrees most with human ratings: Spearman's rho {{}}.",
        WITHOUT: f"Rated captions that copy a reference of their image: {copies:,} of {rated.scores.height:,}. "
        "Without them, {} agrees most: rho {}.",
    }
    lead = [
        sentence.format(row["metric"], digits(row["value"]) + interval(row["low"], row["high"], confidence))
        for candidates, sentence in sentences.items()
        for row in best.filter(candidates=candidates).head(1).iter_rows(named=True)
    ]
    first = best.filter(candidates=ALL)["metric"].head(1)
    pair = rows.filter(pl.col("p_holm") > _UNSURE, statistic="difference").select("metric", "other")
    rivals = [b if a in first else a for a, b in pair.iter_rows() if a in first or b in first]
    if rivals:
        lead[0] += f" It is not separated from {listed(rivals, 3)} (p > {_UNSURE:g}, corrected for all pairs)."
    return lead


def disagreement_tables(rated: Rated, metric: MetricRequest, most: int) -> list[Table]:
    """List the lowest scores among the captions with the highest mean rating, and the reverse.

    The captions with the largest disagreement come first.
    """
    if not most:
        return []
    rows = rated.beside_scores("mean")
    best, worst = rows["human"].max(), rows["human"].min()
    if best == worst:
        return []
    down = metric.metric.lower_is_better
    praised = rows.filter(pl.col("human") == best).sort(metric.label, "image", "slot", descending=[down, False, False])
    rejected = rows.filter(pl.col("human") == worst).sort(
        metric.label, "image", "slot", descending=[not down, False, False]
    )
    label = rated.annotated.label
    titles = (
        (f"rated highest, scored lowest: {label} by {metric.label}", praised),
        (f"rated lowest, scored highest: {label} by {metric.label}", rejected),
    )
    listed = [(title, _with_texts(rated, rows.head(most), metric.label)) for title, rows in titles]
    described = rated.references.version.dataset
    return [
        Table(title, rows, name="disagreements", pictured=pictured(rows, described, "image")) for title, rows in listed
    ]


def _with_texts(rated: Rated, rows: pl.DataFrame, label: str) -> pl.DataFrame:
    shown = rows.select("image", "slot", label, rating="human")
    rated.workspace.bind_rows("chosen_caption", shown.select("image", "slot"))
    texts = rated.workspace.rows("nearest_reference")
    return shown.join(texts, on=["image", "slot"], how="left", maintain_order="left").rename(
        {"text": "caption", "reference": "nearest reference"}
    )


_TESTED = ("difference", "williams", "steiger")

#: The columns of a comparison in which missing scores count as the lowest.
_EMPTY = ("empty_difference", "empty_p")


def ranked(rated: Rated, rows: pl.DataFrame) -> pl.DataFrame:
    """Rank the metrics by the first coefficient of the first protocol, with the sign of error metrics inverted.

    Columns: those of `rows`. A metric without a coefficient is left out.
    """
    lower = [metric.label for metric in rated.metrics if metric.metric.lower_is_better]
    towards = pl.when(pl.col("metric").is_in(lower)).then(-pl.col("value")).otherwise(pl.col("value"))
    return _first(rows).filter(pl.col("value").is_not_null()).sort(towards, descending=True, maintain_order=True)


def _first(rows: pl.DataFrame) -> pl.DataFrame:
    of_metrics = rows.filter(pl.col("metric") != PEOPLE, pl.col("statistic").is_in(STATISTICS), candidates=ALL)
    return of_metrics.filter(statistic=of_metrics["statistic"].first(), protocol=of_metrics["protocol"].first())


def tables(
    rated: Rated, rows: pl.DataFrame, resampling: Resampling, threshold: float, *, has_gaps: bool
) -> list[Table]:
    """Return the tables of a dataset: metrics by rank, raters among themselves, tests of neighbors, kappa.

    If metrics lack the scores of some captions, `has_gaps`.
    """
    order = ranked(rated, rows)
    label, judges = rated.annotated.label, len(rated.judges)
    about = f"{rated.ratings.height:,} ratings of {rated.scores.height:,} captions by {judges:,} judge" + "s" * (
        judges > 1
    )
    made = [
        Table(
            f"metrics against human ratings, {label}: {about}",
            _metrics(order, rows, ["n", "own_value"] if has_gaps else []),
            caption=_intervals(resampling),
            name="metrics-against-people",
        )
    ]
    of_metrics = rows.filter(pl.col("statistic").is_in(STATISTICS), pl.col("metric") != PEOPLE)
    if of_metrics["statistic"].n_unique() > 1:
        made.append(
            Table(
                f"every coefficient of {label}, {order.item(0, 'protocol')}",
                _coefficients(order, rows),
                name="coefficients",
            )
        )
    people = rows.filter(metric=PEOPLE)
    if people.height:
        known = [name for name in ("low", "high", "p") if people[name].is_not_null().any()]
        shown = people.select("statistic", "protocol", "value", *known, "n")
        made.append(Table(f"agreement between raters, {label}", shown, name="people"))
    neighbors = _neighbors(order["metric"].to_list(), rows)
    if neighbors.height:
        made.append(
            Table(
                f"differences between neighboring metrics of {label}, by protocol {neighbors['protocol'][0]}",
                neighbors.drop("protocol"),
                caption="difference of the coefficients, with an interval over images. p decides: it is corrected for "
                "all pairs of metrics (Holm), the interval is not. t: Williams, z: Steiger; both treat captions as "
                "independent, with uncorrected p",
                name="differences",
            )
        )
    halves = rows.filter(statistic="kappa", candidates=ALL)
    if halves["value"].is_not_null().any():
        made.append(
            Table(
                f"Cohen's kappa, {label}",
                halves.sort("value", descending=True, nulls_last=True).select("metric", kappa="value", cut="threshold"),
                caption=f"mean ratings of at least {threshold:g}, scores of the cut or better. The cut maximizes "
                "kappa, unless you set --cut. It is chosen on these captions, so kappa is an upper limit",
                name="kappa",
            )
        )
    return made


def _metrics(order: pl.DataFrame, rows: pl.DataFrame, further: Sequence[str]) -> pl.DataFrame:
    """Return the first coefficient by every protocol, and without the captions that are references.

    `further` are more columns of the first protocol.
    """
    statistic, first = order.item(0, "statistic"), order.item(0, "protocol")
    of_statistic = rows.filter(statistic=statistic)
    interval = ["low", "high"] if order["low"].is_not_null().any() else []
    value = pl.col("value").alias(f"{statistic}, {first}")
    shown = order.select("metric", value, *interval, "p", "strength", *further)
    for protocol in of_statistic.filter(pl.col("metric") != PEOPLE, candidates=ALL)["protocol"].unique(
        maintain_order=True
    ):
        if protocol != first:
            of = of_statistic.filter(protocol=protocol, candidates=ALL).select(
                "metric", pl.col("value").alias(protocol)
            )
            shown = shown.join(of, on="metric", how="left", maintain_order="left")
    without = of_statistic.filter(protocol=first, candidates=WITHOUT)
    if without.height:
        of = without.select("metric", pl.col("value").alias("without own reference"))
        shown = shown.join(of, on="metric", how="left", maintain_order="left")
    return shown


def _coefficients(order: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    of_statistic = rows.filter(
        pl.col("statistic").is_in(STATISTICS), protocol=order["protocol"].first(), candidates=ALL
    )
    shown = order.select("metric")
    for statistic in of_statistic["statistic"].unique(maintain_order=True):
        of = of_statistic.filter(statistic=statistic).select(
            "metric", pl.col("value").alias(statistic), pl.col("p").alias(f"p of {statistic}")
        )
        shown = shown.join(of, on="metric", how="left", maintain_order="left")
    return shown


def _neighbors(order: Sequence[str], rows: pl.DataFrame) -> pl.DataFrame:
    """Return each metric with the next. If a pair has its rows in the reverse order, their signs change."""
    tests = rows.filter(pl.col("statistic").is_in(_TESTED))
    by_pair = {(row["metric"], row["other"], row["statistic"]): row for row in tests.iter_rows(named=True)}
    made = []
    for a, b in pairwise(order):
        turned = (a, b, "difference") not in by_pair
        pair, sign = ((b, a), -1) if turned else ((a, b), 1)
        if (*pair, "difference") not in by_pair:
            continue
        apart, t, z = (by_pair[*pair, statistic] for statistic in _TESTED)
        ends = [None if apart[end] is None else sign * apart[end] for end in ("low", "high")]
        made.append(
            {
                "protocol": apart["protocol"],
                "metric": a,
                "next": b,
                "difference": sign * apart["value"],
                "low": ends[turned],
                "high": ends[not turned],
                "p": apart["p_holm"],
                "empty_difference": None if apart["empty_difference"] is None else sign * apart["empty_difference"],
                "empty_p": apart["empty_p"],
                "t": None if t["value"] is None else sign * t["value"],
                "p of t": t["p"],
                "z": None if z["value"] is None else sign * z["value"],
                "p of z": z["p"],
            }
        )
    numbers = dict.fromkeys(("low", "high", "p", "t", "p of t", "z", "p of z", *_EMPTY), pl.Float64)
    shown = pl.DataFrame(made, schema_overrides=numbers, infer_schema_length=None)
    return shown.drop(name for name in _EMPTY if made and not shown[name].count())


def _intervals(resampling: Resampling) -> str:
    strength = "p treats ratings as independent; strength: Dancey & Reidy, of the coefficient rounded to two decimals"
    if not resampling.resamples:
        return strength
    return (
        f"low, high: {resampling.confidence:.0%} confidence interval (bootstrap over images, "
        f"{resampling.resamples:,} resamples); {strength}"
    )


def figures(rated: Rated, rows: pl.DataFrame) -> list[Figure]:
    """Draw the first coefficient of every metric with its interval, and the scores of each by rating."""
    order = ranked(rated, rows)
    if order.is_empty():
        return []
    statistic = order["statistic"][0]
    return [
        Figure(
            "agreement",
            f"{statistic} with human ratings, {rated.annotated.label}",
            "points",
            order.select("metric", "value", "low", "high"),
            x="metric",
            y="value",
            low="low",
            high="high",
            x_label="metric",
            y_label=f"{statistic}, {order['protocol'][0]}",
        ),
        *_densities(rated, order.head(_SHOWN)),
    ]


def _densities(rated: Rated, order: pl.DataFrame) -> Iterator[Figure]:
    scores = rated.beside_scores(order["protocol"][0])
    for place, (metric, statistic, value) in enumerate(order.select("metric", "statistic", "value").iter_rows(), 1):
        yield Figure(
            f"scores-by-rating-{place}",
            f"{metric} by human rating, {rated.annotated.label}: {statistic} {value:.3f}",
            "heatmap",
            densities(scores.select("human", score=metric)),
            x="score",
            y="rating",
            value="share",
            x_label="score",
            y_label="human rating",
            caption="A cell has the share of a rating's captions with about this score.",
        )


def messages(rated: Rated, rows: pl.DataFrame) -> list[Said]:
    """Return the closest metric, the correlations that are not significant, and notes on references and errors."""
    label, order = rated.annotated.label, ranked(rated, rows)
    notes = own_references(rated)
    if order.height > 1:
        first, last = order.row(0, named=True), order.row(-1, named=True)
        notes.append(
            Finding(
                "closest-metric",
                f"{label}: {first['metric']} is closest to human ratings ({first['statistic']} {first['value']:.3f}, "
                f"{first['strength']}), {last['metric']} least close ({last['value']:.3f}, {last['strength']})",
                about_selection(rated.annotated, statistic=first["statistic"]),
                {
                    "most": first["metric"],
                    "value": first["value"],
                    "least": last["metric"],
                    "least_value": last["value"],
                },
                order.height,
            )
        )
    of_metrics = rows.filter(pl.col("statistic").is_in(STATISTICS), pl.col("metric") != PEOPLE)
    largest = of_metrics["p"].max()
    if isinstance(largest, float):
        high = of_metrics.filter(pl.col("p") >= _UNSURE).height
        words = (
            f"{label}: "
            + (
                f"{high:,} of {of_metrics['p'].count():,} correlations with human ratings are not significant "
                f"(p ≥ {_UNSURE:g})"
                if high
                else f"every correlation with human ratings has p ≤ {largest:.2g}"
            )
            + (", the smallest p that a double can hold" if largest == SMALLEST_P else "")
            + ". The p-value treats ratings as independent, which they are not. Rely on the intervals"
        )
        tested = int(of_metrics["p"].count())
        notes.append(
            Finding(
                "unsure-correlations",
                words,
                about_selection(rated.annotated),
                {"unsure": high, "largest_p": largest},
                tested,
                "notice" if high else "info",
            )
        )
    errors = [metric.label for metric in rated.metrics if metric.metric.lower_is_better]
    if errors:
        notes.append(f"{', '.join(errors)}: counts errors, so agreement with human ratings is a negative correlation")
    return notes


def own_references(rated: Rated) -> list[Said]:
    """Return how many rated captions are a reference of their image."""
    own, label = rated.scores.filter("is_reference").height, rated.annotated.label
    if not own:
        return []
    subject = counted(own, "caption is", "captions are")
    sentence = (
        f"{label}: {subject} identical to a reference of the image in {rated.references.label}. "
        "Rows with candidates = without-references exclude such captions"
    )
    where = about_selection(rated.annotated, against=rated.references.label)
    return [Finding("own-references", sentence, where, {"captions": own}, rated.scores.height, "warning")]
