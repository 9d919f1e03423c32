"""Simulated cells of `levels.py`: each is drawn many times, and only what the library gives is judged.

*Given* is the share of runs with an interval, or of pairs with a test. *Level* is the share of runs in which a pair of
equal datasets is called different, if one of them is tested; *power* the share of different pairs that are found.
*Coverage* is that of the intervals which are given.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations

import numpy as np
from measuring import table
from numpy.random import Generator
from numpy.typing import NDArray

from auditor.ranges import Ends
from auditor.statistics.decisions import decisions
from auditor.statistics.forced_choice import share
from auditor.statistics.intervals import ANY, POSITIVE, SHARE
from auditor.statistics.permutation import two_sided_p
from auditor.statistics.studentized import Measured, estimates

Floats = NDArray[np.float64]

Draw = Callable[[Generator, tuple[int, int]], Floats]

#: Runs of a cell; `LEVELS_RUNS` sets another number, to try something.
RUNS = int(os.environ.get("LEVELS_RUNS", "2000"))

#: Runs that share their resamples.
_BLOCK = 100

RESAMPLES, CONFIDENCE, LEVEL = 999, 0.95, 0.05

SIZES = (5, 8, 10, 15, 20, 30, 50)


def exponential(draw: Generator, shape: tuple[int, int]) -> Floats:
    """Draw scores of mean 1 with a long tail."""
    return draw.exponential(1, shape)


def narrow(draw: Generator, shape: tuple[int, int]) -> Floats:
    """Draw scores of mean 1 that hardly differ."""
    return draw.normal(1, 0.1, shape)


def tied(share_of_ties: float, scores: Draw) -> Draw:
    """Return a draw with so many zeros."""
    return lambda draw, shape: np.where(draw.random(shape) < share_of_ties, 0.0, scores(draw, shape))


def uniform(draw: Generator, shape: tuple[int, int]) -> Floats:
    """Draw scores between 0 and 1."""
    return draw.random(shape)


def ones(draw: Generator, shape: tuple[int, int]) -> Floats:
    """Draw ones."""
    del draw
    return np.ones(shape)


def gamma(mean: float, spread: float) -> Draw:
    """Return a draw of skewed scores with this mean and standard deviation."""
    form = (mean / spread) ** 2
    return lambda draw, shape: draw.gamma(form, mean / form, shape)


def normal(mean: float, spread: float) -> Draw:
    """Return a draw of normal scores."""
    return lambda draw, shape: draw.normal(mean, spread, shape)


def means_of(drawn: Floats, ends: Ends) -> list[Measured]:
    """Measure the mean of each column (images × runs)."""
    without = (drawn.sum(axis=0) - drawn) / (len(drawn) - 1)
    return [Measured(float(mean), without[:, n], ends) for n, mean in enumerate(drawn.mean(axis=0))]


# Intervals.

#: Mean scores: what is drawn, the true mean, the range.
MEANS: Mapping[str, tuple[Draw, float, Ends]] = {
    **{
        f"{ties:.0%} equal, others {name}": (tied(ties, scores), (1 - ties) * mean, ends)
        for ties in (0.7, 0.9, 0.95)
        for name, scores, mean, ends in (
            ("1", ones, 1.0, SHARE),
            ("uniform", uniform, 0.5, SHARE),
            ("exponential, no upper end", exponential, 1.0, POSITIVE),
        )
    },
    "exponential, no upper end": (exponential, 1.0, POSITIVE),
    "exponential, no end": (exponential, 1.0, ANY),
    "normal, no end": (normal(5, 1), 5.0, ANY),
    "beta (0.5, 2)": (lambda draw, shape: draw.beta(0.5, 2, shape), 0.2, SHARE),
    "beta (8, 0.8)": (lambda draw, shape: draw.beta(8, 0.8, shape), 8 / 8.8, SHARE),
}


def means() -> Iterator[str]:
    """Cover true means of few images."""
    yield "## Intervals of means"
    yield ""
    yield f"{RUNS:,} datasets a cell, {RESAMPLES} resamples: share of them with an interval, and coverage of those."
    yield ""
    rows = []
    for name, (scores, truth, ends) in MEANS.items():
        measure = partial(drawn_means, scores=scores, ends=ends)
        rows.append((name, *(_covered(measure, images, truth) for images in SIZES)))
    yield from table(("scores", *(f"{n} images" for n in SIZES)), rows)


def drawn_means(of: tuple[Generator, int, int], scores: Draw, ends: Ends) -> list[Measured]:
    """Draw datasets, and measure their means."""
    draw, images, runs = of
    return means_of(scores(draw, (images, runs)), ends)


def _covered(measure: Callable[[tuple[Generator, int, int]], list[Measured]], images: int, truth: float) -> str:
    draw, found = np.random.default_rng([62, images]), list[bool]()
    for block in range(0, RUNS, _BLOCK):
        made = estimates(measure((draw, images, _BLOCK)), RESAMPLES, ("levels", images, block))
        reached = [one.interval(CONFIDENCE) for one in made]
        found += [ends[0] <= truth <= ends[1] for ends in reached if ends is not None]
    return _given(len(found) / RUNS, found)


def _given(given: float, covered: Sequence[bool]) -> str:
    return f"{given:.0%} given: {np.mean(covered):.3f}" if covered else "none given"


# Scores of whole outputs, and ratios over images of very unequal sizes.


def _bleu(sums: Floats) -> Floats:
    """Score sums of matches and n-grams (… × 8) as BLEU-4 without a penalty."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.exp(np.log(sums[..., :4] / sums[..., 4:]).mean(axis=-1))


def _f(sums: Floats) -> Floats:
    """Score sums of matches, own and reference n-grams (… × 3) as F with β = 2, as chrF does."""
    matches, own, theirs = np.moveaxis(sums, -1, 0)
    return 5 * matches / (own + 4 * theirs)


def _meteor(sums: Floats) -> Floats:
    """Score sums of matches, own and reference words, and chunks (… × 4) as METEOR 1.5 does."""
    matches, own, theirs, chunks = np.moveaxis(sums, -1, 0)
    precision, recall = matches / own, matches / theirs
    mean = precision * recall / (0.85 * recall + 0.15 * precision)
    return mean * (1 - 0.6 * (chunks / matches) ** 0.2)


def _ratio(sums: Floats) -> Floats:
    return sums[..., 0] / sums[..., 1]


def _matches(draw: Generator, shape: tuple[int, int]) -> Floats:
    length, chance = draw.integers(8, 16, shape), draw.beta(6, 3, shape)
    grams = np.stack([length - n for n in range(4)], axis=-1)
    chances = np.stack([chance ** (1 + n / 2) for n in range(4)], axis=-1)
    return np.concatenate([draw.binomial(grams, chances), grams], axis=-1).astype(float)


def _parts(draw: Generator, shape: tuple[int, int]) -> Floats:
    own, theirs, chance = draw.integers(30, 70, shape), draw.integers(30, 70, shape), draw.beta(5, 5, shape)
    return np.stack([draw.binomial(np.minimum(own, theirs), chance), own, theirs], axis=-1).astype(float)


def _aligned(draw: Generator, shape: tuple[int, int]) -> Floats:
    own, theirs, chance = draw.integers(8, 16, shape), draw.integers(8, 16, shape), draw.beta(5, 3, shape)
    matches = np.maximum(draw.binomial(np.minimum(own, theirs), chance), 1)
    return np.stack([matches, own, theirs, 1 + draw.binomial(matches - 1, 0.4)], axis=-1).astype(float)


def _unequal(draw: Generator, shape: tuple[int, int]) -> Floats:
    items = np.ceil(draw.lognormal(1, 1, shape))
    return np.stack([draw.binomial(items.astype(int), draw.beta(4, 2, shape)), items], axis=-1).astype(float)


CORPORA: Mapping[str, tuple[Callable[..., Floats], Callable[[Floats], Floats], tuple[int, ...]]] = {
    "BLEU": (_matches, _bleu, (8, 11, 30)),
    "chrF": (_parts, _f, (8, 18, 30)),
    "METEOR": (_aligned, _meteor, (8, 21, 30)),
    "share of items, images of very unequal numbers": (_unequal, _ratio, (8, 20, 50)),
}


def corpora() -> Iterator[str]:
    """Cover true scores of whole outputs."""
    yield "## Intervals of scores of whole outputs"
    yield ""
    yield f"{RUNS:,} outputs a cell. The truth is the score of 300,000 images."
    yield ""
    rows = []
    for name, (drawn, score, sizes) in CORPORA.items():
        truth = float(score(drawn(np.random.default_rng(1), (300_000, 1))[:, 0].sum(axis=0)))

        def measure(of: tuple[Generator, int, int], drawn=drawn, score=score) -> list[Measured]:  # type: ignore[no-untyped-def]
            draw, images, runs = of
            sums = drawn(draw, (images, runs))
            whole = sums.sum(axis=0)
            values, without = score(whole), score(whole - sums)
            return [Measured(float(values[n]), without[:, n], SHARE) for n in range(runs)]

        rows += [(name, str(images), _covered(measure, images, truth)) for images in sizes]
    yield from table(("score", "images", "coverage"), rows)


# Decisions about pairs of datasets: each dataset is (draw, images, whether its true mean is the common one).

Sets = Sequence[tuple[Draw, int, float]]


def _several() -> Iterator[tuple[str, Sets, Ends]]:
    skewed = gamma(5, 3)
    yield "8 equal sets, 100 images", [(skewed, 100, 5.0)] * 8, POSITIVE
    yield "11 equal sets, 40 images", [(skewed, 40, 5.0)] * 11, POSITIVE
    unequal = [(20, 3.0), (50, 1.0), (200, 2.0), (100, 4.0)]
    same: Sets = [(gamma(5, spread), images, 5.0) for images, spread in unequal]
    apart: Sets = [(gamma(mean, 2), images, mean) for mean, images in ((9, 30), (14, 60), (20, 150), (28, 40))]
    yield "4 equal and 4 apart, unequal sizes and spreads", [*same, *apart], POSITIVE
    for name, scores in (("normal", normal), ("skewed", gamma)):
        for images in ((50, 500), (200, 200), (500, 50)):
            away = 2.5 * (1 / images[0] + 1 / images[1]) ** 0.5
            sets: Sets = [(scores(mean, 1), n, mean) for mean, n in zip((5, 5 + away), images, strict=True)]
            yield f"2.5 standard errors apart, {name}, {images[0]} and {images[1]} images", sets, POSITIVE


def _pairs() -> Iterator[tuple[str, Sets, Ends]]:
    for images in SIZES:
        yield f"exponential and narrow, {images} images", [(exponential, images, 1.0), (narrow, images, 1.0)], POSITIVE
    for images in (30, 50):
        yield f"the same without an end, {images} images", [(exponential, images, 1.0), (narrow, images, 1.0)], ANY
    for images in (8, 15, 50):
        yield f"exponential, {images} and 50 images", [(exponential, images, 1.0), (exponential, 50, 1.0)], POSITIVE
    for ties in (0.7, 0.9, 0.95):
        half = (1 - ties) / 2
        for images in (8, 15, 30, 50):
            some = tied(ties, uniform)
            yield f"{ties:.0%} equal, both, {images} images", [(some, images, half)] * 2, SHARE
            yield (
                f"{ties:.0%} equal and narrow, {images} images",
                [
                    (some, images, half),
                    (normal(half, half / 10), images, half),
                ],
                SHARE,
            )


def several() -> Iterator[str]:
    """Decide about pairs of several datasets, and of two that differ."""
    yield from _decided("## Decisions about several datasets", _several())


def pairs() -> Iterator[str]:
    """Decide about pairs of equal means."""
    yield from _decided("## Decisions about two datasets of equal means", _pairs())


def _decided(title: str, cells: Iterator[tuple[str, Sets, Ends]]) -> Iterator[str]:
    yield title
    yield ""
    yield f"{RUNS:,} runs a cell, {RESAMPLES} resamples, at {LEVEL:g}."
    yield ""
    rows = []
    for number, (name, sets, ends) in enumerate(cells):
        draw = np.random.default_rng([1997, number])
        every = [*combinations(range(len(sets)), 2)]
        equal = [pair for pair in every if sets[pair[0]][2] == sets[pair[1]][2]]
        given, wrong, found = 0, list[bool](), list[bool]()
        for block in range(0, RUNS, _BLOCK):
            made = [
                estimates(means_of(scores(draw, (images, _BLOCK)), ends), RESAMPLES, (number, block, at))
                for at, (scores, images, _) in enumerate(sets)
            ]
            for run in range(_BLOCK):
                decided = decisions([of[run] for of in made])
                sure = {pair for pair, one in decided.items() if one.is_sure(CONFIDENCE)}
                given += len(decided)
                wrong += [not sure.isdisjoint(equal)] if not decided.keys().isdisjoint(equal) else []
                found += [pair in sure for pair in every if pair not in equal and pair in decided]
        level, power = (f"{np.mean(some):.3f}" if some else "" for some in (wrong, found))
        rows.append((name, level, power, f"{given / RUNS / len(every):.0%}"))
    yield from table(("datasets", "level", "power", "given"), rows)


# Shares of items that share images, and the test that swaps two outputs.

_ITEMS: Mapping[str, Callable[[Generator, int], NDArray[np.int64]]] = {
    "one": lambda draw, images: np.ones(images, np.int64),
    "one to four": lambda draw, images: draw.integers(1, 5, images),
    "60 / rank": lambda draw, images: np.maximum(60 // np.arange(1, images + 1), 1),
}


def shares() -> Iterator[str]:
    """Test and cover shares of items that share images."""
    yield "## `choices`: shares of items"
    yield ""
    yield (
        f"{RUNS:,} benchmarks a cell, of so many items an image. Level: of the test against the true share; the "
        "coverage is 1 minus it."
    )
    yield ""
    rows = []
    for (name, items), truth, alike in (
        (of, truth, alike) for of in _ITEMS.items() for truth in (0.5, 0.9, 0.98) for alike in (0.0, 0.3)
    ):
        if name == "one" and alike:
            continue
        cells = []
        for images in (5, 8, 10, 20, 50):
            draw, given = np.random.default_rng([1927, images, int(100 * truth), int(10 * alike)]), []
            for _ in range(RUNS):
                image = np.repeat(np.arange(images), items(draw, images))
                form = (truth * (1 / alike - 1), (1 - truth) * (1 / alike - 1)) if alike else None
                chance = draw.beta(*form, images)[image] if form else truth
                one = share((draw.random(len(image)) < chance).astype(float), image, CONFIDENCE, truth)
                given += [one.p < LEVEL] if one.p is not None else []
            cells.append(f"{len(given) / RUNS:.0%} given: {np.mean(given):.3f}" if given else "none given")
        rows.append((f"{name}, share {truth:g}, intraclass correlation {alike:g}", *cells))
    yield from table(("items", *(f"{images} images" for images in (5, 8, 10, 20, 50))), rows)


def swaps() -> Iterator[str]:
    """Swap two outputs of equal true means on images."""
    yield "## `score`, `objects`: outputs that are swapped on images"
    yield ""
    yield f"Share of {RUNS:,} pairs of outputs of equal true means called different at {LEVEL:g}, 999 randomizations."
    yield ""
    rows = []
    for name, scores in (
        ("both exponential", lambda d, s: exponential(d, s) - exponential(d, s)),
        ("exponential and narrow", lambda d, s: exponential(d, s) - narrow(d, s)),
    ):
        cells = []
        for images in (10, 20, 30, 50, 100):
            draw, ps = np.random.default_rng([1989, images]), []
            for _ in range(0, RUNS, _BLOCK):
                apart = scores(draw, (images, _BLOCK))
                dealt = (draw.integers(0, 2, (999, images)) * 2.0 - 1) @ apart
                ps += [two_sided_p(float(apart[:, n].sum()), dealt[:, n]) for n in range(_BLOCK)]
            cells.append(f"{np.mean([p is not None and p <= LEVEL for p in ps]):.3f}")
        rows.append((name, *cells))
    yield from table(("scores", *(f"{images} images" for images in (10, 20, 30, 50, 100))), rows)
