"""Tables, a figure and findings of `agree` for one dataset.

Also the captions on which a metric and raters disagree: rated high and scored low, or the reverse.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from auditor.model import pictured
from auditor.result import Figure, Finding, Said, Severity, Table, about, counted, digits, interval, listed
from auditor.result.views import with_values
from auditor.scoring.registry import MetricRequest
from auditor.statistics.paired_systems import Resampling
from auditor.statistics.significance import SMALLEST_P
from auditor.studies.agree.ratings import Rated, densities
from auditor.studies.agree.rows import ALL, PEOPLE, STATISTICS, WITHOUT

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
        if copies or candidates == ALL
        for row in best.filter(candidates=candidates).head(1).iter_rows(named=True)
    ]
    first = best.filter(candidates=ALL)["metric"].head(1)
    pair = rows.filter(pl.col("p_holm") > _UNSURE, statistic="difference").select("metric", "other")
    rivals = [b if a in first else a for a, b in pair.iter_rows() if a in first or b in first]
    if rivals:
        lead[0] += f" It is not separated from {listed(rivals, 3)} (p > {_UNSURE:g}, corrected for all pairs)."
    return lead or [f"{rated.annotated.label}: no metric correlates with human ratings."]


def disagreement_tables(rated: Rated, metric: MetricRequest, most: int) -> Iterator[Table]:
    """Yield the lowest scores among the captions with the highest mean rating, and the reverse."""
    rows = rated.beside_scores("mean")
    best, worst = rows["human"].max(), rows["human"].min()
    if not most or best == worst:
        return
    lower, key = metric.metric.lower_is_better, ["image", "slot"]
    extremes = (("rated highest, scored lowest", best, lower), ("rated lowest, scored highest", worst, not lower))
    for what, rating, descending in extremes:
        chosen = rows.filter(pl.col("human") == rating).sort(metric.label, *key, descending=[descending, False, False])
        shown = chosen.head(most).select(*key, metric.label, rating="human")
        rated.workspace.bind_rows("chosen_caption", shown.select(key))
        texts = rated.workspace.rows("nearest_reference").rename({"text": "caption", "reference": "nearest reference"})
        frame = shown.join(texts, on=key, how="left", maintain_order="left")
        images = pictured(frame, rated.references.version.dataset, "image")
        title = f"{what}: {rated.annotated.label} by {metric.label}"
        yield Table(title, frame, name="disagreements", pictured=images)


def ranked(rated: Rated, rows: pl.DataFrame) -> pl.DataFrame:
    """Rank the metrics by the first coefficient of the first protocol, with the sign of error metrics inverted.

    Columns: those of `rows`. A metric without a coefficient is left out.
    """
    lower = [metric.label for metric in rated.metrics if metric.metric.lower_is_better]
    towards = pl.when(pl.col("metric").is_in(lower)).then(-pl.col("value")).otherwise(pl.col("value"))
    every = _of_metrics(rows).filter(candidates=ALL)
    first = every.filter(statistic=every["statistic"].first(), protocol=every["protocol"].first())
    return first.drop_nulls("value").sort(towards, descending=True, maintain_order=True)


def _of_metrics(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("metric") != PEOPLE, pl.col("statistic").is_in(STATISTICS))


def tables(
    rated: Rated, rows: pl.DataFrame, resampling: Resampling, threshold: float, *, has_gaps: bool
) -> Iterator[Table]:
    """Yield the tables of a dataset; `has_gaps` if metrics lack the scores of some captions."""
    order, of_metrics, label = ranked(rated, rows), _of_metrics(rows), rated.annotated.label
    judges = counted(len(rated.judges), "rater", "raters")
    of = f"{rated.ratings.height:,} ratings of {rated.scores.height:,} captions by {judges}"
    caption = "p treats ratings as independent; strength: Dancey & Reidy, of the coefficient rounded to two decimals"
    if resampling.times:
        drawn = f"confidence interval (bootstrap over images, {resampling.times:,} resamples)"
        caption = f"low, high: {resampling.confidence:.0%} {drawn}; {caption}"
    title, metrics = f"metrics against human ratings, {label}: {of}", _metrics(order, of_metrics, has_gaps=has_gaps)
    yield Table(title, metrics, caption=caption, name="metrics-against-people")
    if of_metrics["statistic"].n_unique() > 1:
        first = of_metrics.filter(protocol=order.item(0, "protocol"), candidates=ALL)
        columns = dict[str, str]()
        for name in first["statistic"].unique(maintain_order=True):
            columns |= {name: f"value_{name}", f"p of {name}": f"p_{name}"}
        wide = first.pivot("statistic", index="metric", values=["value", "p"])
        frame = order.select("metric").join(wide, on="metric", how="left", maintain_order="left")
        title = f"every coefficient of {label}, {order.item(0, 'protocol')}"
        yield Table(title, frame.select("metric", **columns), name="coefficients")
    people = rows.filter(metric=PEOPLE).select("statistic", "protocol", "value", "low", "high", "p", "n")
    if people.height:
        yield Table(f"agreement between raters, {label}", with_values(people, "low", "high", "p"), name="people")
    neighbors = _neighbors(order["metric"].to_list(), rows)
    if neighbors.height:
        title = f"differences between neighboring metrics of {label}, by protocol {neighbors['protocol'][0]}"
        caption = (
            "difference of the coefficients, with an interval over images. p decides: it is corrected for all pairs of "
            "metrics (Holm), the interval is not. t: Williams, z: Steiger; both treat captions as independent, with "
            "uncorrected p"
        )
        yield Table(title, neighbors.drop("protocol"), caption=caption, name="differences")
    halves = rows.filter(statistic="kappa", candidates=ALL).sort("value", descending=True, nulls_last=True)
    if halves["value"].count():
        cuts = halves.select("metric", kappa="value", cut="threshold")
        caption = (
            f"mean ratings of at least {threshold:g}, scores of the cut or better. The cut maximizes kappa, unless you "
            "set --cut. It is chosen on these captions, so kappa is an upper limit"
        )
        yield Table(f"Cohen's kappa, {label}", cuts, caption=caption, name="kappa")


def _metrics(order: pl.DataFrame, of_metrics: pl.DataFrame, *, has_gaps: bool) -> pl.DataFrame:
    """Return the first coefficient by every protocol, and without the captions that are references."""
    statistic, first = order.item(0, "statistic"), order.item(0, "protocol")
    is_first, is_without = pl.col("protocol") == first, pl.col("candidates") == WITHOUT
    title = pl.when(is_without).then(pl.lit("without own reference")).otherwise("protocol")
    others = of_metrics.filter(is_first == is_without, statistic=statistic).sort(is_without, maintain_order=True)
    others = others.with_columns(title=title).pivot("title", index="metric", values="value")
    value, gaps = pl.col("value").alias(f"{statistic}, {first}"), ["n", "own_value"] if has_gaps else []
    shown = order.select("metric", value, "low", "high", "p", "strength", *gaps)
    return with_values(shown, "low", "high").join(others, on="metric", how="left", maintain_order="left")


def _neighbors(order: Sequence[str], rows: pl.DataFrame) -> pl.DataFrame:
    """Return each metric with the next. If a pair has its rows in the reverse order, their signs change."""
    key, minus = ("metric", "next"), -pl.col("value", "low", "high", "empty_difference")
    tests = rows.filter(pl.col("statistic").is_in(["difference", "williams", "steiger"])).rename({"other": "next"})
    turned = tests.with_columns(minus).rename({"metric": "next", "next": "metric", "low": "high", "high": "low"})
    both = pl.concat([tests, turned.select(tests.columns)])
    empty = ("empty_difference", "empty_p")  # with missing scores as the lowest
    difference = both.filter(statistic="difference").select(
        *key, "protocol", pl.col("value").alias("difference"), "low", "high", pl.col("p_holm").alias("p"), *empty
    )
    pairs = pl.DataFrame({"metric": order[:-1], "next": order[1:]}, schema=dict.fromkeys(key, pl.String))
    shown = pairs.join(difference, on=key, maintain_order="left")
    for name, statistic in (("t", "williams"), ("z", "steiger")):
        test = both.filter(statistic=statistic).select(*key, **{name: "value", f"p of {name}": "p"})
        shown = shown.join(test, on=key, how="left", maintain_order="left")
    return with_values(shown, *empty)


def figures(rated: Rated, rows: pl.DataFrame) -> Iterator[Figure]:
    """Draw the first coefficient of every metric with its interval, and the scores of each by rating."""
    order, label = ranked(rated, rows), rated.annotated.label
    if order.is_empty():
        return
    protocol, statistic = order.item(0, "protocol"), order.item(0, "statistic")
    title, shown = f"{statistic} with human ratings, {label}", order.select("metric", "value", "low", "high")
    drawn = Figure("agreement", title, "points", shown, x="metric", y="value", low="low", high="high")
    yield replace(drawn, x_label="metric", y_label=f"{statistic}, {protocol}")
    scores = rated.beside_scores(protocol)
    caption = "A cell has the share of a rating's captions with about this score."
    for place, (metric, value) in enumerate(order.head(_SHOWN).select("metric", "value").iter_rows(), 1):
        name, title = f"scores-by-rating-{place}", f"{metric} by human rating, {label}: {statistic} {value:.3f}"
        cells = densities(scores.select("human", score=metric))
        drawn = Figure(name, title, "heatmap", cells, x="score", y="rating", value="share", caption=caption)
        yield replace(drawn, x_label="score", y_label="human rating")


def messages(rated: Rated, rows: pl.DataFrame) -> list[Said]:
    """Return the closest metric, the correlations that are not significant, and notes on references and errors."""
    label, order = rated.annotated.label, ranked(rated, rows)
    notes = own_references(rated)
    if order.height > 1:
        first, last = order.row(0, named=True), order.row(-1, named=True)
        sentence = (
            f"{label}: {first['metric']} is closest to human ratings ({first['statistic']} {first['value']:.3f}, "
            f"{first['strength']}), {last['metric']} least close ({last['value']:.3f}, {last['strength']})"
        )
        where = about(rated.annotated, statistic=first["statistic"])
        ends = {"most": first["metric"], "value": first["value"], "least": last["metric"], "least_value": last["value"]}
        notes.append(Finding("closest-metric", sentence, where, ends, order.height))
    tested = _of_metrics(rows)["p"].drop_nulls()
    largest = tested.max()
    if isinstance(largest, float):
        high = int((tested >= _UNSURE).sum())
        unsure = f"{high:,} of {len(tested):,} correlations with human ratings are not significant (p ≥ {_UNSURE:g})"
        sentence = unsure if high else f"every correlation with human ratings has p ≤ {largest:.2g}"
        smallest = ", the smallest p that a double can hold" if largest == SMALLEST_P else ""
        end = "The p-value treats ratings as independent, which they are not. Rely on the intervals"
        sentence = f"{label}: {sentence}{smallest}. {end}"
        values = {"unsure": high, "largest_p": largest}
        severity: Severity = "notice" if high else "info"
        notes.append(Finding("unsure-correlations", sentence, about(rated.annotated), values, len(tested), severity))
    if errors := [metric.label for metric in rated.metrics if metric.metric.lower_is_better]:
        notes.append(f"{', '.join(errors)}: counts errors, so agreement with human ratings is a negative correlation")
    return notes


def own_references(rated: Rated) -> list[Said]:
    """Return how many rated captions are a reference of their image."""
    copies, against = rated.scores.filter("is_reference").height, rated.references.label
    subject = counted(copies, "caption is", "captions are")
    sentence = (
        f"{rated.annotated.label}: {subject} identical to a reference of the image in {against}. "
        "Rows with candidates = without-references exclude such captions"
    )
    where = about(rated.annotated, against=against)
    found = Finding("own-references", sentence, where, {"captions": copies}, rated.scores.height, "warning")
    return [found] if copies else []
