"""How often does a metric prefer the caption that raters prefer? Accuracy over pairs, with bootstrap intervals.

And which system do raters prefer, and which does a metric? Shares of wins: Vedantam et al. 2015, section 7.3.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from auditor.arrays import np
from auditor.model import Progress, silent
from auditor.scoring.registry import MetricRequest
from auditor.statistics.correlation import FEWEST, correlate
from auditor.statistics.forced_choice import resampled_interval
from auditor.statistics.resampling import image_sums, resampled_means
from auditor.studies.consensus.votes import KINDS

#: Kind of all pairs together.
ALL = "all"

_ROWS = {
    "kind": pl.String, "metric": pl.String, "n": pl.Int64, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64,
    "ties": pl.Int64,
}  # fmt: skip


def preferences(pairs: pl.DataFrame, scores: pl.DataFrame, metrics: Sequence[MetricRequest]) -> pl.DataFrame:
    """Return which caption of each pair every metric prefers: 1 for B, -1 for C, 0 for neither.

    `pairs` are rows of `pairwise_preference`, `scores` those of its captions (image, slot, one column for each metric).
    Returns the columns of `pairs`, one per metric, and the choice of the raters, null without votes. Pairs with an
    unscored caption are left out.
    """
    labels, scored = [metric.label for metric in metrics], pairs
    for side in "bc":
        named = {"slot": f"slot_{side}", **{label: f"{label} {side}" for label in labels}}
        values = scores.select("image", "slot", *labels).rename(named)
        scored = scored.join(values, on=["image", f"slot_{side}"], maintain_order="left")
    lower = [metric.label for metric in metrics if metric.metric.lower_is_better]
    ahead = {label: (pl.col(f"{label} b") - pl.col(f"{label} c")).sign().cast(pl.Int8) for label in labels}
    better = {label: -sign if label in lower else sign for label, sign in ahead.items()}
    return scored.select(*pairs.columns, people(), **better)


def people() -> pl.Expr:
    """Return the choice of the raters: 1 for B, -1 for C, 0 if votes are even, null without votes."""
    votes_b, votes_c = pl.col("votes_b").cast(pl.Int64), pl.col("votes_c").cast(pl.Int64)
    return pl.when(pl.col("votes") > 0).then((votes_b - votes_c).sign()).cast(pl.Int8).alias("people")


def credit(preferred: str, truth: str, ties: str) -> pl.Expr:
    """Return the credit of a pair: 1 if metric and truth agree, else 0; for a tie of the metric as `ties` sets."""
    agrees = (pl.col(preferred) == pl.col(truth)).cast(pl.Float64)
    return pl.when(pl.col(preferred) == 0).then(TIE_CREDIT[ties]).otherwise(agrees)


def accuracies(
    preferred: pl.DataFrame,
    labels: Sequence[str],
    ties: str,
    resamples: int,
    key: Sequence[object],
    truth: str = "people",
    progress: Progress = silent,
) -> pl.DataFrame:
    """Return the share of pairs on which each metric and the truth agree: of each kind, and of all.

    Pairs on which the truth is even, or has no vote, are left out. `ties` of a metric are counted. Low and high are
    Wilson's, for the number of independent pairs with the variance of resamples of images. They are null if a resample
    may hold no pair of the kind, for a single image, and without resamples.

    Columns: kind, metric, n, value, low, high, ties.
    """
    judged = preferred.filter(pl.col(truth) != 0)
    if judged.is_empty():
        return pl.DataFrame(schema=_ROWS)
    kinds = kinds_of(judged)
    agrees = {label: credit(label, truth, ties) for label in labels}
    tied = {f"{label} tied": pl.col(label) == 0 for label in labels}
    counted = judged.select("kind", "image", **agrees, **tied)
    by_kind = [counted.with_columns(candidate=pl.lit(ALL))]
    by_kind += [counted.filter(kind=kind).with_columns(candidate=pl.lit(kind)) for kind in kinds]
    sums = image_sums(pl.concat(by_kind).select("candidate", "image", *labels))
    drawn = resampled_means(sums, resamples, key, progress) if resamples and sums.images > 1 else None
    positions = {column: number for number, column in enumerate(sums.columns)}
    rows = []
    for part in by_kind:
        kind = part["candidate"][0]
        for label in labels:
            number = positions[kind, label]
            value, low, high = float(sums.means[number]), None, None
            if drawn is not None and np.isfinite(drawn[:, number]).all():
                images = part["image"].n_unique()
                ends = resampled_interval(value, drawn[:, number], images, part.height, CONFIDENCE)
                low, high = ends or (None, None)
            rows.append((kind, label, part.height, value, low, high, int(part[f"{label} tied"].sum())))
    return pl.DataFrame(rows, schema=_ROWS, orient="row")


def kinds_of(pairs: pl.DataFrame) -> list[str]:
    """List the kinds of pairs, the published ones first."""
    there = pairs["kind"].drop_nulls().unique().sort().to_list()
    return [*(kind for kind in KINDS if kind in there), *(kind for kind in there if kind not in KINDS)]


#: The kinds of datasets that hold comparisons by raters.
COMPARED = ("pairs", "triplets")

#: The confidence of intervals.
CONFIDENCE = 0.95

#: The credit of a pair that a metric ties.
TIE_CREDIT = {"half": 0.5, "wrong": 0.0, "right": 1.0}


@dataclass(frozen=True)
class ConsensusSettings:
    """All options for accuracy.

    `most` references per image; null: 48, or as many as every image has if some have fewer. `at` are further numbers of
    references, `curve` means all from 1 on. `draws` are consecutive seeds, from `seed` on. `ties` sets the credit of a
    metric's tie.
    """

    most: int | None = None
    at: Sequence[int] = ()
    curve: bool = False
    draws: int = 1
    ties: str = "half"
    seed: int = 1
    resamples: int = 1000
    tokenizer: str = "bare"
    split: str | None = None
    without_own_references: bool = False


#: The name of the raters' votes in column metric.
PEOPLE = "people"

_CORRELATIONS = ("pearson", "spearman")

_CORRELATED = {"kind": pl.String, "statistic": pl.String, "value": pl.Float64, "n": pl.Int64, "metric": pl.String}


@dataclass(frozen=True)
class League:
    """Wins of the authors of the compared captions.

    `wins`: kind, system, metric, n, value, rank, of each against all others; a tie is half a win. `duels` is the same
    for two systems (system, against). `correlations`: kind, metric, statistic, n (systems), value, between the shares
    by a metric and by raters; kinds with fewer than three systems are left out.
    """

    wins: pl.DataFrame
    duels: pl.DataFrame
    correlations: pl.DataFrame


def league(preferred: pl.DataFrame, labels: Sequence[str]) -> League | None:
    """Count wins over pairs whose captions have different authors; null if the source does not name authors."""
    judges = [PEOPLE, *labels]
    known = preferred.drop_nulls(["origin_b", PEOPLE])
    between = known.filter(pl.col("origin_b") != pl.col("origin_c"))
    if between.is_empty():
        return None
    parts = {kind: between.filter(kind=kind) for kind in kinds_of(between)}
    parts = parts if len(parts) == 1 else {ALL: between, **parts}
    kinds = [*parts]
    both = pl.concat(_sides(part, judges).with_columns(kind=pl.lit(kind)) for kind, part in parts.items())
    rank = pl.col("value").rank("min", descending=True).over("kind", "metric").cast(pl.Int64)
    wins = _shares(both, ["system"], kinds, judges).with_columns(rank=rank)
    duels = _shares(both.filter(pl.col("system") < pl.col("against")), ["system", "against"], kinds, judges)
    return League(wins, duels, _correlations(wins, kinds, judges))


def _sides(pairs: pl.DataFrame, judges: Sequence[str]) -> pl.DataFrame:
    """Return each pair twice, once per author, with the share of a win by each judge."""
    return pl.concat(
        pairs.select(
            system=pl.col(f"origin_{side}"),
            against=pl.col(f"origin_{other}"),
            **{judge: (pl.col(judge).cast(pl.Int64) * sign + 1) / 2 for judge in judges},
        )
        for side, other, sign in (("b", "c", 1), ("c", "b", -1))
    )


def _shares(sides: pl.DataFrame, by: Sequence[str], kinds: Sequence[str], judges: Sequence[str]) -> pl.DataFrame:
    means = sides.group_by("kind", *by, maintain_order=True).agg(pl.col(judges).mean(), n=pl.len().cast(pl.Int64))
    rows = means.unpivot(judges, index=["kind", *by, "n"], variable_name="metric", value_name="value")
    return rows.sort(pl.col("kind").cast(pl.Enum(kinds)), pl.col("metric").cast(pl.Enum(judges)), *by)


def _correlations(wins: pl.DataFrame, kinds: Sequence[str], judges: Sequence[str]) -> pl.DataFrame:
    parts = []
    for kind in kinds:
        table = wins.filter(kind=kind).pivot("metric", index="system", values="value", maintain_order=True)
        if table.height >= FEWEST:
            rows = correlate(table.select(judges), _CORRELATIONS).filter(metric_a=PEOPLE)
            parts.append(rows.select(pl.lit(kind).alias("kind"), "statistic", "value", "n", metric="metric_b"))
    return pl.concat([pl.DataFrame(schema=_CORRELATED), *parts])
