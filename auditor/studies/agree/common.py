"""The rated captions on which metrics are compared, if files have scores for a part of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from auditor.parameters import EMPTY
from auditor.statistics.common_items import Coverage
from auditor.statistics.paired_systems import Resampling
from auditor.studies.agree.ratings import Rated
from auditor.studies.agree.rows import ALL, STATISTICS, Row, correlated, correlations, tested, tests

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
