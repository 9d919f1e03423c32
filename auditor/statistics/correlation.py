"""Correlation of scores with each other: Kendall's tau-b and tau-c, Spearman's rho, Pearson's r, with two-tailed p.

Wang & Gaizauskas 2016, section 4.2; Elliott & Keller 2014, section 2.3; tau-c: Stuart 1953. Counts and sums
are integers, so that the order of rows and the number of threads change no bit of a value.

Two tests compare two correlations that share a variable, such as human ratings: Williams' t (Williams 1959; Steiger
1980, equation 7), which Steiger recommends, and Steiger's Z̄₁* (his equations 3, 10 and 14). Both assume independent
rows; for ranks they are an approximation (Myers & Sirois 2006).

Statistics of diversity are correlated over systems (van Miltenburg et al. 2018, figure 2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from auditor.arrays import np, scipy
from auditor.statistics import significance
from auditor.statistics.significance import Ties, held
from auditor.statistics.summary import exact, image_means

if TYPE_CHECKING:
    from auditor.statistics.kernels.discordance import Discordance, Ranking
from auditor.result import Figure

STATISTICS = ("kendall-b", "spearman", "pearson")

LEVELS = ("image", "caption")

#: Fewer rows have no correlation: two are always in perfect order, or its reverse.
FEWEST = 3

#: Scores have 12 decimals. Means of up to thousands of them are equal if 10 decimals are, so that images whose true
#: means are equal (thirds that add up to 1, and a half twice) stay tied.
_MEAN_DECIMALS = 10

_NUMBERS = {"value": pl.Float64, "p": pl.Float64, "n": pl.Int64}

_SCHEMA = {**dict.fromkeys(("metric_a", "metric_b", "statistic"), pl.String), **_NUMBERS}

#: Fewer rows leave Williams' t without a degree of freedom.
_FEWEST_TESTED = 4


class Correlation(NamedTuple):
    """A coefficient from -1 to 1, and the probability of one as far from 0 among independent rankings or scores."""

    value: float
    p: float


def at_level(scores: pl.DataFrame, level: str) -> pl.DataFrame:
    """Return scores (columns image, and one for each metric) unchanged, or their means by image, to 10 decimals."""
    if level == "caption":
        return scores.drop("image")
    return image_means(scores).select(pl.exclude("image").round(_MEAN_DECIMALS))


def constants(scores: pl.DataFrame) -> list[str]:
    """List the columns with a single value, which have no correlation."""
    same = scores.select(pl.all().min() == pl.all().max())
    return [column.name for column in same if column.item()]


def correlate(
    scores: pl.DataFrame,
    statistics: Sequence[str] = STATISTICS,
    pairs: Sequence[tuple[str, str]] | None = None,
) -> pl.DataFrame:
    """Correlate pairs of columns, by default all; each is a metric's scores, multiples of 10^-12, none null.

    `statistics` are some of `STATISTICS` and `kendall-c`, which is for columns of unequally many values.

    Columns: metric_a, metric_b, statistic, value, p, n. Value and p are null for a constant column, and for fewer than
    three rows. A p too small for a double is `significance.SMALLEST_P`, its upper bound.
    """
    metrics, rows = scores.columns, scores.height
    absent = set(metrics) if rows < FEWEST else set(constants(scores))
    wanted = list(combinations(metrics, 2) if pairs is None else pairs)
    possible = [pair for pair in wanted if not absent.intersection(pair)]
    known: dict[tuple[str, str, str], Correlation] = {}
    if possible:
        measured = _measure(scores.drop(absent), possible, statistics)
        known = {
            (*pair, name): correlation
            for name, correlations in measured.items()
            for pair, correlation in zip(possible, correlations, strict=True)
        }
    return pl.DataFrame(
        [
            (a, b, statistic, *known.get((a, b, statistic), (None, None)), rows)
            for a, b in wanted
            for statistic in statistics
        ],
        schema=_SCHEMA,
        orient="row",
    )


def _measure(
    scores: pl.DataFrame, pairs: Sequence[tuple[str, str]], statistics: Sequence[str]
) -> Mapping[str, list[Correlation]]:
    measured = {}
    rankings = {} if tuple(statistics) == ("pearson",) else _rankings(scores)
    for name in sorted({"kendall-b", "kendall-c"}.intersection(statistics)):
        measured[name] = kendall(rankings, pairs, name)
    if "spearman" in statistics:
        # twice the mean rank, from 0, of the rows that share one
        ranks = {name: (ranking.starts[:-1] + ranking.starts[1:])[ranking.rank] for name, ranking in rankings.items()}
        rhos = _product_moments(pl.DataFrame(ranks).cast(pl.Int128), pairs)
        measured["spearman"] = [Correlation(rho, significance.spearman(rho, scores.height)) for rho in rhos]
    if "pearson" in statistics:
        moments = _product_moments(scores.select(exact(pl.all())), pairs)
        measured["pearson"] = [Correlation(r, significance.pearson(r, scores.height)) for r in moments]
    return measured


def _rankings(scores: pl.DataFrame) -> dict[str, Ranking]:
    from auditor.statistics.kernels.discordance import ranking  # noqa: PLC0415

    return {column.name: ranking(column.to_numpy()) for column in scores}


def kendall(
    rankings: Mapping[str, Ranking], pairs: Sequence[tuple[str, str]], variant: str = "kendall-b"
) -> list[Correlation]:
    """Return tau-b, or tau-c, of pairs of rankings. In each ranking at least two rows differ."""
    from auditor.statistics.kernels.discordance import discordances  # noqa: PLC0415

    number_of = {name: number for number, name in enumerate(rankings)}
    counts = discordances(list(rankings.values()), [(number_of[a], number_of[b]) for a, b in pairs])
    ties = {name: significance.ties(ranking.group_sizes) for name, ranking in rankings.items()}
    return [
        _kendall(rankings[a], rankings[b], ties[a], ties[b], count, variant)
        for (a, b), count in zip(pairs, counts, strict=True)
    ]


def _kendall(a: Ranking, b: Ranking, ties_a: Ties, ties_b: Ties, count: Discordance, variant: str) -> Correlation:
    """Return tau by the same operations as `scipy.stats.kendalltau`, which therefore gives the same bits.

    tau-b divides concordant minus discordant pairs by the pairs that are not tied in each ranking. tau-c (Stuart 1953)
    divides them by the largest possible number, given the fewest values of the two. As in scipy, p is the same for
    both. It is exact without ties for at most 33 rows, or if at most one pair is out of order.
    """
    rows = len(a.rank)
    total = rows * (rows - 1) // 2
    surplus = total - ties_a.pairs - ties_b.pairs + count.tied_in_both - 2 * count.discordant
    if variant == "kendall-c":
        fewest = min(len(a.group_sizes), len(b.group_sizes))
        tau = 2 * surplus / (rows**2 * (fewest - 1) / fewest)
    else:
        tau = surplus / math.sqrt(total - ties_a.pairs) / math.sqrt(total - ties_b.pairs)
    untied = not ties_a.pairs and not ties_b.pairs
    if untied and (rows <= 33 or min(count.discordant, total - count.discordant) <= 1):
        p = significance.kendall_exactly(rows, total - count.discordant)
    else:
        p = significance.kendall(surplus, rows, ties_a, ties_b)
    return Correlation(min(1.0, max(-1.0, tau)), p)


def _product_moments(columns: pl.DataFrame, pairs: Sequence[tuple[str, str]]) -> list[float]:
    """Return Pearson's r of pairs of integer columns: sums are exact; only the last division rounds."""
    own = [(name, name) for name in columns.columns]
    products = columns.select((pl.col(a) * pl.col(b)).sum().alias(f"{a} {b}") for a, b in [*own, *pairs]).row(0)
    sums = dict(zip(columns.columns, columns.sum().row(0), strict=True))
    moments = {
        (a, b): columns.height * int(product) - int(sums[a]) * int(sums[b])
        for (a, b), product in zip([*own, *pairs], products, strict=True)
    }
    return [_quotient(moments[a, b], moments[a, a], moments[b, b]) for a, b in pairs]


def _quotient(covariance: int, variance_a: int, variance_b: int) -> float:
    if covariance**2 == variance_a * variance_b:
        return math.copysign(1.0, covariance)
    return min(1.0, max(-1.0, covariance / (math.sqrt(variance_a) * math.sqrt(variance_b))))


class Difference(NamedTuple):
    """A test's statistic, positive if the first correlation is greater, and its two-tailed p."""

    value: float
    p: float


def williams(r_a: float, r_b: float, r_ab: float, rows: int) -> Difference | None:
    """Test whether a and b correlate equally with the shared variable; null if a and b are the same ranking.

    `r_a`, `r_b` are correlations with the shared variable, `r_ab` is that of a and b; t has n - 3 degrees of freedom.
    """
    if rows < _FEWEST_TESTED:
        return None
    determinant = 1 - r_a**2 - r_b**2 - r_ab**2 + 2 * r_a * r_b * r_ab
    mean = (r_a + r_b) / 2
    spread = 2 * (rows - 1) / (rows - 3) * determinant + mean**2 * (1 - r_ab) ** 3
    if spread <= 0:
        return None
    t = (r_a - r_b) * math.sqrt((rows - 1) * (1 + r_ab) / spread)
    return Difference(t, held(2 * scipy.special.stdtr(rows - 3, -abs(t))))


def steiger(r_a: float, r_b: float, r_ab: float, rows: int) -> Difference | None:
    """Test the same by Fisher's z of both, with their covariance at the mean of the two correlations."""
    mean = (r_a + r_b) / 2
    if rows < _FEWEST_TESTED or max(abs(r_a), abs(r_b)) >= 1:
        return None
    covariance = (r_ab * (1 - 2 * mean**2) - mean**2 * (1 - 2 * mean**2 - r_ab**2) / 2) / (1 - mean**2) ** 2
    if covariance >= 1:
        return None
    z = (math.atanh(r_a) - math.atanh(r_b)) * math.sqrt(rows - 3) / math.sqrt(2 - 2 * covariance)
    return Difference(z, held(2 * scipy.special.ndtr(-abs(z))))


_PAIRED = {**dict.fromkeys(("statistic_a", "statistic_b"), pl.String), **_NUMBERS, "reason": pl.String}


def correlate_statistics(values: pl.DataFrame, statistics: Sequence[str] | None = None) -> pl.DataFrame:
    """Correlate statistics over datasets by rank; ties have the mean of their ranks.

    `values` has columns dataset, statistic, value. Columns returned: statistic_a, statistic_b, value (rho), p (two-
    tailed, Student's t with n - 2 degrees of freedom), n (datasets with both), reason (why a value is null). A pair is
    correlated over the datasets with a value of both. `statistics` names those to correlate, in order; default: all, in
    row order.
    """
    wide = values.pivot("statistic", index="dataset", values="value", maintain_order=True)
    rows = []
    for a, b in combinations(statistics or [name for name in wide.columns if name != "dataset"], 2):
        both = wide.select(a, b).drop_nulls()
        reason = _absent(both)
        rows.append((a, b, *((None, None) if reason else _spearman(both)), both.height, reason))
    return pl.DataFrame(rows, schema=_PAIRED, orient="row")


def _spearman(both: pl.DataFrame) -> tuple[float, float]:
    """Return rho and p by the operations of `scipy.stats.spearmanr`, whose import takes most of a second."""
    rho = np.corrcoef(both.select(pl.all().rank()).to_numpy(), rowvar=False)[1, 0]
    freedom = both.height - 2
    with np.errstate(divide="ignore"):  # a rho of 1
        t = rho * np.sqrt((freedom / ((rho + 1.0) * (1.0 - rho))).clip(0))
    return float(rho), float(2 * scipy.special.stdtr(freedom, -abs(t)))


def _absent(both: pl.DataFrame) -> str | None:
    if both.height < FEWEST:
        return f"fewer than {FEWEST} datasets have both"
    constant = [column.name for column in both if column.n_unique() == 1]
    return f"{constant[0]} is equal for all datasets" if constant else None


def matrix(correlations: pl.DataFrame) -> pl.DataFrame:
    """Return the whole square of absolute rho: each pair in both orders, and each statistic with itself."""
    names = list(
        dict.fromkeys(name for pair in correlations.select("statistic_a", "statistic_b").rows() for name in pair)
    )
    mirrored = correlations.rename({"statistic_a": "statistic_b", "statistic_b": "statistic_a"})
    itself = pl.DataFrame({"statistic_a": names, "statistic_b": names, "value": [1.0] * len(names)})
    order = pl.Enum(names)
    columns = ("statistic_a", "statistic_b", "value")
    return (
        pl.concat([part.select(columns) for part in (correlations, mirrored, itself)])
        .with_columns(pl.col("value").abs())
        .sort(pl.col("statistic_a").cast(order), pl.col("statistic_b").cast(order))
    )


def heatmap(correlations: pl.DataFrame, name: str = "diversity-correlation") -> Figure:
    """Draw the square of absolute correlations."""
    return Figure(
        name,
        "Absolute Spearman correlation of diversity statistics over systems",
        "heatmap",
        matrix(correlations),
        x="statistic_b",
        y="statistic_a",
        value="value",
        span=(0.0, 1.0),
        caption="As van Miltenburg et al. 2018, figures 2 and 6.",
    )
