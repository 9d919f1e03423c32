"""Do tests err as often as their level says, do intervals cover as often as they say? Simulations, and planted truth.

`python benchmarks/levels.py [PART…] [--data DIR] [-o FILE]` writes a page; PART is one of `means`, `corpora`, `pairs`,
`several`, `shares`, `swaps` (simulated cells: `levels_cells.py`), `choices`, `agree`, `intervals`, `halves`,
`mixtures`, `equalized`. The last four read Flickr8k and ABSTRACT-50S. *Before* is another common way, written out here.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from pathlib import Path

import levels_cells
import levels_planted
import numpy as np
import polars as pl
from levels_cells import RUNS
from measuring import table, versions
from numpy.typing import NDArray

from auditor.statistics import cluster_bootstrap
from auditor.statistics.correlation import correlate, steiger, williams
from auditor.statistics.forced_choice import against_best, difference
from auditor.statistics.intervals import POSITIVE, SHARE
from auditor.statistics.resampling import drawn_times
from auditor.statistics.studentized import Measured, estimates

Floats = NDArray[np.float64]

#: A test at this level, an interval of the rest.
LEVEL, CONFIDENCE = 0.05, 0.95

RESAMPLES = 999

#: Numbers of images at which intervals are tried.
IMAGES = (8, 10, 20, 30, 100)


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
        (20, 30, 100, 500),
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
    called = [(one.p is not None and one.p < LEVEL, one.value < 0) for one in (before, now)]
    return tuple(sure and lower is side for side in (True, False) for sure, lower in called)


# Agreement with ratings.

_AGREED = max(RUNS // 5, 1)


def agree() -> Iterator[str]:
    """Test metrics that agree equally with ratings, of captions that share images; cover coefficients."""
    yield "## `agree`: captions that share images"
    yield ""
    yield (
        "Two metrics with the same true correlation with ratings from 1 to 4, or 1 to 2, of six captions an image; "
        f"what an image adds to a metric is shared by its captions. Share of {_AGREED:,} datasets called different at "
        f"{LEVEL:g} by Spearman; "
        f"and how often {CONFIDENCE:.0%} intervals of one coefficient cover it, before by percentiles. 300 resamples."
    )
    yield ""
    rows = []
    for highest in (4, 2):
        truth = dict(zip(("spearman", "pearson"), _coefficients(_rated(100_000, 0, highest)), strict=True))
        for images in IMAGES:
            found = np.nanmean([_agreed(images, seed, truth, highest) for seed in range(_AGREED)], axis=0)
            rows.append((f"1 to {highest}", str(images), *(f"{value:.3f}" for value in found)))
    header = (
        "ratings",
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


def _rated(images: int, seed: int, highest: int) -> pl.DataFrame:
    draw = np.random.default_rng([2014, images, seed])
    caption, image = (images, 6), (images, 1)
    good = 0.7 * draw.normal(size=caption) + 0.7 * draw.normal(size=image)
    metrics = [0.6 * good + 0.7 * draw.normal(size=image) + 0.6 * draw.normal(size=caption) for _ in range(2)]
    return pl.DataFrame(
        {
            "image": np.repeat(np.arange(images), 6),
            "human": np.clip(np.round(good + (1 + highest) / 2), 1, highest).ravel(),
            **{name: np.round(scores, 9).ravel() for name, scores in zip("ab", metrics, strict=True)},
        }
    )


def _coefficients(rated: pl.DataFrame) -> list[float]:
    found = correlate(rated.drop("image"), ("spearman", "pearson"), [("human", "a")])
    return found["value"].to_list()


def _agreed(images: int, seed: int, truth: Mapping[str, float], highest: int) -> tuple[float, ...]:
    rated = _rated(images, seed + 1, highest)
    pairs = [("human", "a"), ("human", "b"), ("a", "b")]
    values = correlate(rated.drop("image"), list(truth), pairs)
    r_a, r_b, r_ab = values.filter(statistic="spearman")["value"]
    drawn = cluster_bootstrap.resampled(rated, "human", ["a", "b"], list(truth), 300, (images, seed))
    apart = drawn["a", "spearman"] - drawn["b", "spearman"]
    tests = [williams(r_a, r_b, r_ab, rated.height), steiger(r_a, r_b, r_ab, rated.height)]
    tests.append(cluster_bootstrap.difference(r_a - r_b, apart, images, CONFIDENCE))
    rejected = [np.nan if one is None else float(one.p <= LEVEL) for one in tests]
    covered = []
    for statistic, true in truth.items():
        value = values.filter(statistic=statistic)["value"][0]
        resamples = drawn["a", statistic]
        before = np.quantile(resamples, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2])
        now = cluster_bootstrap.interval(value, resamples, images, CONFIDENCE)
        covered += [_covers(before, true), _covers(now, true)]
    return (*rejected, *covered)


# Intervals of Flickr8k.


def intervals() -> Iterator[str]:
    """Cover true values by intervals of few images of Flickr8k."""
    yield "## Intervals of few images of Flickr8k"
    yield ""
    yield (
        f"How often a {CONFIDENCE:.0%} interval holds the true value, over {RUNS:,} datasets of images drawn from all, "
        "whose value is the truth; left of the arrow, percentiles of the bootstrap."
    )
    yield ""
    rows = []
    for metric, human, intra in levels_planted.scores_of_images():
        for name, part, whole in (("upper", human, None), ("intra", intra, None), ("homogeneity", intra, human)):
            rows.append((f"{name} by {metric}", *(_sample_coverage(part, whole, n) for n in IMAGES)))
    yield from table(("interval", *(f"{images} images" for images in IMAGES)), rows)


def _sample_coverage(part: Floats, whole: Floats | None, images: int) -> str:
    places = np.random.default_rng([2016, images]).integers(0, len(part), (images, RUNS))
    truth = part.mean() / (1 if whole is None else whole.mean())
    some, of = part[places], np.ones((images, RUNS)) if whole is None else whole[places]
    times = drawn_times(images, RESAMPLES, (images,)).astype(float)
    resampled = (times @ some) / (times @ of)
    before = np.quantile(resampled, [(1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2], axis=0).T
    tops, bottoms = some.sum(axis=0), of.sum(axis=0)
    without = (tops - some) / (bottoms - of)
    ends = SHARE if whole is None else POSITIVE
    values = [Measured(float(value), without[:, n], ends) for n, value in enumerate(tops / bottoms)]
    now = [one.interval(CONFIDENCE) for one in estimates(values, RESAMPLES, (images,))]
    shares = [_share(_covers(ends, truth) for ends in some if ends is not None) for some in (before, now)]
    none = sum(one is None for one in now)
    return f"{shares[0]} → {shares[1]}" + (f" ({none} without)" if none else "")


def _covers(ends: Sequence[float] | Floats | None, truth: float) -> float:
    return np.nan if ends is None else float(ends[0] <= truth <= ends[1])


def _share(some: object) -> str:
    return f"{np.mean(list(some)):.3f}"  # type: ignore[call-overload]


PARTS: Mapping[str, Callable[[], Iterator[str]]] = {
    "means": levels_cells.means,
    "corpora": levels_cells.corpora,
    "pairs": levels_cells.pairs,
    "several": levels_cells.several,
    "shares": levels_cells.shares,
    "swaps": levels_cells.swaps,
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
