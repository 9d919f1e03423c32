"""Do tests err as often as their level says, do intervals cover as often as they say? Simulations, and planted truth.

`python benchmarks/levels.py [PART…] [--data DIR] [-o FILE]` writes a page; PART is one of `differences`, `choices`,
`agree`, `intervals`, `halves`, `mixtures`, `equalized`. The last three and a part of `intervals` read Flickr8k and
ABSTRACT-50S. *Before* is how it was computed until 0.1.0: written out here, for the comparison.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import levels_planted
import numpy as np
import polars as pl
from measuring import table, versions
from numpy.random import Generator
from numpy.typing import NDArray

from auditor.statistics import cluster_bootstrap
from auditor.statistics.correlation import correlate, steiger, williams
from auditor.statistics.forced_choice import against_best, difference, share
from auditor.statistics.permutation import permutation_ps
from auditor.statistics.resampling import drawn_times
from auditor.statistics.studentized import Measured, estimates

Floats = NDArray[np.float64]

#: A test at this level, an interval of the rest.
LEVEL, CONFIDENCE = 0.05, 0.95

DEALS, RESAMPLES = 399, 999

#: The mean of scores, and one standard deviation of the narrower side.
MEAN, SD = 5.0, 1.0

SIZES, SPREADS = ((50, 500), (200, 200), (500, 50)), (1, 2, 3)

#: Numbers of images at which intervals are tried.
IMAGES = (10, 20, 30, 100)


def normal(draw: Generator, spread: float, shape: tuple[int, int]) -> Floats:
    """Draw scores that spread evenly."""
    return draw.normal(MEAN, spread * SD, shape)


def skewed(draw: Generator, spread: float, shape: tuple[int, int]) -> Floats:
    """Draw scores of the same mean and deviation, none below 0, with a tail above."""
    form = (MEAN / (spread * SD)) ** 2
    return draw.gamma(form, MEAN / form, shape)


# Differences between datasets: a column is a pair of datasets.


def differences() -> Iterator[str]:
    """Test pairs of datasets with equal means, or equal homogeneity; then pairs that differ."""
    yield "## `compare`: differences of means and of homogeneity"
    yield ""
    yield (
        f"Share of 1,000 pairs of datasets called different at {LEVEL:g}, {DEALS} deals each. The second dataset has so"
        " many times the spread. Power: equal spreads, the second mean 2.5 standard errors higher."
    )
    yield ""
    header = ("scores", "images", "spread", "mean, before", "mean", "homogeneity, before", "homogeneity")
    rows = []
    for scores, spread, sizes in product((normal, skewed), SPREADS, SIZES):
        rows.append(
            (scores.__name__, f"{sizes[0]} and {sizes[1]}", f"× {spread}", *_called(scores, spread, sizes, 0.0))
        )
    yield from table(header, rows)
    yield ""
    rows = []
    for scores, sizes in product((normal, skewed), SIZES):
        away = 2.5 * SD * (1 / sizes[0] + 1 / sizes[1]) ** 0.5
        rows.append((scores.__name__, f"{sizes[0]} and {sizes[1]}", "power", *_called(scores, 1, sizes, away)))
    yield from table(header, rows)


def _called(scores: Callable[..., Floats], spread: float, sizes: tuple[int, int], away: float) -> tuple[str, ...]:
    draw, key = np.random.default_rng([1997, *sizes, spread]), (scores.__name__, spread, *sizes, away)
    a, b = (scores(draw, by, (images, 1000)) for by, images in zip((1, spread), sizes, strict=True))
    b += away
    uppers = [5 + scores(draw, by, side.shape) for by, side in ((1, a), (spread, b))]
    means = [_pseudo(side) for side in (a, b)]
    ratios = [_pseudo(side, upper) for side, upper in zip((a, b), uppers, strict=True)]
    ps = [bare(a, b, draw), permutation_ps(*means, DEALS, key, paired=False)]
    ps += [bare(*ratios, draw), permutation_ps(*ratios, DEALS, key, paired=False)]
    return tuple(_share(p <= LEVEL for p in some) for some in ps)


def bare(a: Floats, b: Floats, draw: Generator) -> Floats:
    """Compute p as before: differences of means in random deals, without their standard errors."""
    pooled = np.vstack([a, b])
    taken = np.zeros((DEALS, len(pooled)))
    for row in taken:
        row[draw.permutation(len(pooled))[: len(a)]] = 1
    first = taken @ pooled
    apart = np.abs(first / len(a) - (pooled.sum(axis=0) - first) / len(b))
    observed = np.abs(a.mean(axis=0) - b.mean(axis=0))
    return (1 + (apart >= observed - 1e-12).sum(axis=0)) / (1 + DEALS)


def _pseudo(part: Floats, whole: Floats | None = None) -> Floats:
    """Return pseudo-values of the means of columns, or of their ratios to others, as `compare` has them."""
    return np.stack([one.pseudo for one in estimates(_measured(part, whole), 0, ())], axis=1)


def _measured(part: Floats, whole: Floats | None = None) -> list[Measured]:
    sums = part.sum(axis=0)
    divisor = np.full(part.shape[1], float(len(part))) if whole is None else whole.sum(axis=0)
    without = (sums - part) / (divisor - (1 if whole is None else whole))
    positive = (part >= 0).all(axis=0) & (True if whole is None else (whole >= 0).all(axis=0))
    return [Measured(float(value), without[:, n], bool(positive[n])) for n, value in enumerate(sums / divisor)]


# Forced choice: 13 blind scorers, one that is tested.


def choices() -> Iterator[str]:
    """Test a scorer against the best of 13 blind ones."""
    yield "## `choices`: against the best blind scorer"
    yield ""
    yield (
        "Share of 500 benchmarks, one to four items an image, on which a scorer is called below, or above, the best of "
        f"13 blind scorers at {LEVEL:g}. Nine of the blind ones agree with each other more often than not. Before: a "
        "paired t test against the one that is best on these items."
    )
    yield ""
    rows = []
    for images, (says, own, best) in product(
        (30, 100, 500),
        (("chance, as all are", 0.5, 0.5), ("as good as one blind at .6", 0.6, 0.6), ("better than all: .6", 0.6, 0.5)),
    ):
        found = np.array([_chosen(images, own, best, seed) for seed in range(500)])
        rows.append((str(images), says, *(f"{value:.3f}" for value in found.mean(axis=0))))
    yield from table(("images", "the scorer", "below, before", "below", "above, before", "above"), rows)


def _chosen(images: int, own: float, best: float, seed: int) -> tuple[bool, ...]:
    draw = np.random.default_rng([2000, images, seed, int(100 * own), int(100 * best)])
    image = np.repeat(np.arange(images), draw.integers(1, 5, images))
    chance = np.full(13, 0.5)
    chance[0] = best
    blind = (draw.random((len(image), 13)) < chance).astype(float)
    alike = draw.random((len(image), 8)) < 0.8
    blind[:, 5:] = np.where(alike, blind[:, [4]], blind[:, 5:])
    marks = (draw.random(len(image)) < own).astype(float)
    before = difference(marks, blind[:, blind.mean(axis=0).argmax()], image)
    (now,) = against_best([(marks, blind)], image, (seed,))
    assert now is not None
    called = [(one.p < LEVEL, one.value < 0) for one in (before, now)]
    return tuple(sure and lower is side for side in (True, False) for sure, lower in called)


# Agreement with ratings.


def agree() -> Iterator[str]:
    """Test metrics that agree equally with ratings, of captions that share images; cover coefficients."""
    yield "## `agree`: captions that share images"
    yield ""
    yield (
        "Two metrics with the same true correlation with ratings from 1 to 4, of six captions an image; what an image "
        f"adds to a metric is shared by its captions. Share of 400 datasets called different at {LEVEL:g} by Spearman; "
        f"and how often {CONFIDENCE:.0%} intervals of one coefficient cover it, before by percentiles. 300 resamples."
    )
    yield ""
    truth = dict(zip(("spearman", "pearson"), _coefficients(_rated(100_000, 0)), strict=True))
    rows = []
    for images in (*IMAGES, 300):
        found = np.nanmean([_agreed(images, seed, truth) for seed in range(400)], axis=0)
        rows.append((str(images), *(f"{value:.3f}" for value in found)))
    header = (
        "images",
        "Williams",
        "Steiger",
        "by images",
        "Spearman, before",
        "Spearman",
        "Pearson, before",
        "Pearson",
    )
    yield from table(header, rows)


def _rated(images: int, seed: int) -> pl.DataFrame:
    draw = np.random.default_rng([2014, images, seed])
    caption, image = (images, 6), (images, 1)
    good = 0.7 * draw.normal(size=caption) + 0.7 * draw.normal(size=image)
    metrics = [0.6 * good + 0.7 * draw.normal(size=image) + 0.6 * draw.normal(size=caption) for _ in range(2)]
    return pl.DataFrame(
        {
            "image": np.repeat(np.arange(images), 6),
            "human": np.clip(np.round(good + 2.5), 1, 4).ravel(),
            **{name: np.round(scores, 9).ravel() for name, scores in zip("ab", metrics, strict=True)},
        }
    )


def _coefficients(rated: pl.DataFrame) -> list[float]:
    found = correlate(rated.drop("image"), ("spearman", "pearson"), [("human", "a")])
    return found["value"].to_list()


def _agreed(images: int, seed: int, truth: Mapping[str, float]) -> tuple[float, ...]:
    rated = _rated(images, seed + 1)
    pairs = [("human", "a"), ("human", "b"), ("a", "b")]
    values = correlate(rated.drop("image"), list(truth), pairs)
    r_a, r_b, r_ab = values.filter(statistic="spearman")["value"]
    drawn = cluster_bootstrap.resampled(rated, "human", ["a", "b"], list(truth), 300, (images, seed))
    apart = drawn["a", "spearman"] - drawn["b", "spearman"]
    tests = [williams(r_a, r_b, r_ab, rated.height), steiger(r_a, r_b, r_ab, rated.height)]
    tests.append(cluster_bootstrap.difference(r_a - r_b, apart, images, CONFIDENCE))
    rejected = [float(one.p <= LEVEL) for one in tests if one is not None]
    covered = []
    for statistic, true in truth.items():
        value = values.filter(statistic=statistic)["value"][0]
        resamples = drawn["a", statistic]
        before = np.quantile(resamples, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        now = cluster_bootstrap.interval(value, resamples, images, CONFIDENCE)
        covered += [_covers(before, true), _covers(now, true)]
    return (*rejected, *covered)


# Intervals of means, ratios and shares.


def intervals() -> Iterator[str]:
    """Cover true values by intervals of few images."""
    yield "## Intervals of few images"
    yield ""
    yield (
        f"How often a {CONFIDENCE:.0%} interval holds the true value, over 2,000 datasets of so many images; left of "
        "the arrow, percentiles of the bootstrap. Flickr8k: images drawn from all, whose value is the truth."
    )
    yield ""
    rows = [
        (f"mean of {name} scores", *(_mean_coverage(scores, images, truth) for images in IMAGES))
        for name, scores, truth in (
            ("normal", lambda draw, shape: normal(draw, 1, shape), MEAN),
            ("skewed (gamma, skewness 1.4)", lambda draw, shape: draw.gamma(2, 1, shape), 2.0),
            ("skewed (exponential, skewness 2)", lambda draw, shape: draw.exponential(1, shape), 1.0),
            ("very skewed (log-normal, skewness 6)", lambda draw, shape: draw.lognormal(0, 1, shape), np.exp(0.5)),
        )
    ]
    for metric, human, intra in levels_planted.scores_of_images():
        for name, part, whole in (("upper", human, None), ("intra", intra, None), ("homogeneity", intra, human)):
            rows.append((f"{name} by {metric}, Flickr8k", *(_sample_coverage(part, whole, n) for n in IMAGES)))
    for accuracy, alike in product((0.5, 0.7, 0.9), (0.0, 0.3)):
        said = (
            f"share of {accuracy:g}, one to four items an image, intraclass correlation {alike:g} (Wilson, as before)"
        )
        rows.append((said, *(_share_coverage(accuracy, alike, images) for images in IMAGES)))
    yield from table(("interval", *(f"{images} images" for images in IMAGES)), rows)


def _mean_coverage(scores: Callable[[Generator, tuple[int, int]], Floats], images: int, truth: float) -> str:
    drawn = scores(np.random.default_rng([1993, images]), (images, 2000))
    return _coverage(drawn, None, truth)


def _sample_coverage(part: Floats, whole: Floats | None, images: int) -> str:
    places = np.random.default_rng([2016, images]).integers(0, len(part), (images, 2000))
    truth = part.mean() / (1 if whole is None else whole.mean())
    return _coverage(part[places], None if whole is None else whole[places], truth)


def _coverage(part: Floats, whole: Floats | None, truth: float) -> str:
    images = len(part)
    times = drawn_times(images, RESAMPLES, (images,)).astype(float)
    resampled = (times @ part) / (images if whole is None else times @ whole)
    before = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0).T
    now = [one.interval(CONFIDENCE) for one in estimates(_measured(part, whole), RESAMPLES, (images,))]
    none = sum(one is None for one in now)
    shares = [_share(_covers(ends, truth) for ends in some if ends is not None) for some in (before, now)]
    return f"{shares[0]} → {shares[1]}" + (f" ({none} without)" if none else "")


def _share_coverage(accuracy: float, alike: float, images: int) -> str:
    draw, covered = np.random.default_rng([1927, images, int(100 * accuracy), int(10 * alike)]), []
    for _ in range(2000):
        image = np.repeat(np.arange(images), draw.integers(1, 5, images))
        of_image = draw.beta(accuracy * (1 / alike - 1), (1 - accuracy) * (1 / alike - 1), images) if alike else None
        chance = np.full(len(image), accuracy) if of_image is None else of_image[image]
        found = share((draw.random(len(image)) < chance).astype(float), image, CONFIDENCE)
        covered.append(_covers((found.low, found.high), accuracy))
    return _share(covered)


def _covers(ends: Sequence[float] | Floats | None, truth: float) -> float:
    return np.nan if ends is None else float(ends[0] <= truth <= ends[1])


def _share(some: object) -> str:
    return f"{np.mean(list(some)):.3f}"  # type: ignore[call-overload]


PARTS: Mapping[str, Callable[[], Iterator[str]]] = {
    "differences": differences,
    "choices": choices,
    "agree": agree,
    "intervals": intervals,
    "halves": levels_planted.halves,
    "mixtures": levels_planted.mixtures,
    "equalized": levels_planted.equalized,
}


def main(arguments: Sequence[str]) -> None:
    """Run the parts, and write what they found."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", default=list(PARTS), choices=[*PARTS, list(PARTS)])
    parser.add_argument("--data", type=Path, metavar="DIR", help="folder of the datasets; default: AUDITOR_DATA")
    parser.add_argument("-o", "--output", type=Path, help="default: standard output")
    asked = parser.parse_args(arguments)
    if asked.data:
        os.environ["AUDITOR_DATA"] = str(asked.data.resolve())
    command = "python benchmarks/levels.py -o benchmarks/levels.md"
    lines = ["# Levels, power, coverage", "", f"Written by `{command}`.", "", versions("scipy"), ""]
    lines += [*(__doc__ or "").splitlines()[2:], ""]
    for part in asked.parts:
        lines += [*PARTS[part](), ""]
    text = "\n".join(lines)
    if asked.output:
        asked.output.write_text(text, encoding="utf-8")
    else:
        print(text)


if __name__ == "__main__":
    main(sys.argv[1:])
