"""Bootstrap and jackknife over images, for the uncertainty of means over captions.

Captions of one image are not independent, so whole images are sampled (cluster bootstrap: Davison & Hinkley 1997,
section 3.8; percentile interval: Efron & Tibshirani 1993, section 13.3; jackknife: their section 11.2).

Results do not depend on machine, threads or releases of numpy: images are sampled by the raw words of Philox, whose
stream is fixed, and sums are of integers, which BLAS adds exactly in any order.
"""

from __future__ import annotations

import functools
import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from auditor.arrays import NDArray, np
from auditor.model import Progress, silent

Floats = NDArray["np.float64"]

Integers = NDArray["np.int64"]

#: Scores are multiples of 10^-12 (see `registry.DECIMALS`).
UNIT = 10.0**12

#: The column with the image that a substitute comes from.
GIVER = "from_image"

#: A double represents whole numbers of this many bits exactly.
_EXACT_BITS = 53

#: Numbers in memory at a time, resamples × images: 64 MiB. With larger blocks BLAS threads wait less between products.
AT_A_TIME = 1 << 23

#: A kernel is faster for at most this many columns, and from this many draws on saves the time to import numba.
_FEW_COLUMNS, _MANY_DRAWS = 20, 1 << 25

#: Words at a time for the kernel, so that they stay in the cache of the processor.
_WORDS = 1 << 17


@dataclass(frozen=True)
class ImageSums:
    """Scores of a dataset, added up by image; images are sorted by id.

    `sums` (images × columns) are in units of 10^-12, `counts` (images × candidates) are numbers of captions. `columns`
    names the columns, each by candidate and metric; `candidate_of` has the column of `counts` for each. `given` has the
    sums and counts of captions of an image that are substitutes for other images.
    """

    columns: tuple[tuple[str, str], ...]
    sums: Integers
    counts: Integers
    candidate_of: Integers
    given: tuple[Integers, Integers] | None = None

    @property
    def images(self) -> int:
        """The number of images with a score."""
        return len(self.sums)

    @property
    def means(self) -> Floats:
        """Return the mean over captions of each column; NaN without captions."""
        return self.ratios(self.digits.sum(axis=0))

    @functools.cached_property
    def by_image(self) -> Floats:
        """Compute the mean of each column for each image, images × columns; NaN without captions."""
        return self.ratios(self.digits)

    @functools.cached_property
    def digits(self) -> Floats:
        """Return sums and counts as digits that are small enough to add up exactly over all images.

        Images × (digits of the sums, the lowest first and the last with the sign, then counts).
        """
        return self._cut(self.sums, self.counts)

    @property
    def touched(self) -> Floats:
        """Return the digits of all scores that involve an image, as the described one or a source of substitutes."""
        return self.digits if self.given is None else self.digits + self._cut(*self.given)

    def _cut(self, sums: Integers, counts: Integers) -> Floats:
        bits = _EXACT_BITS - self.images.bit_length()
        largest = max(int(np.abs(part).max(initial=0)) for part in (self.sums, *(self.given or ())[:1]))
        digits, rest = [], sums
        while largest >> bits:
            digits.append(rest & ((1 << bits) - 1))
            rest, largest = rest >> bits, largest >> bits
        return np.hstack([*digits, rest, counts]).astype(np.float64)

    def ratios(self, totals: Floats) -> Floats:
        """Compute means from sums of rows of `digits`, dividing by units first, then by captions, as `summary` does."""
        bits, width = _EXACT_BITS - self.images.bit_length(), self.sums.shape[1]
        digits, captions = np.split(totals, [-self.counts.shape[1]], axis=-1)
        total = np.zeros((*totals.shape[:-1], width))
        for digit in reversed(np.split(digits, digits.shape[-1] // width, axis=-1)):
            total = total * 2.0**bits + digit
        with np.errstate(invalid="ignore", divide="ignore"):
            means: Floats = total / UNIT / captions[..., self.candidate_of]
        return means


def image_sums(scores: pl.DataFrame) -> ImageSums:
    """Add up scores by image. `scores` has columns candidate, image, slot, and one for each metric.

    Column `from_image`, if present, has the image that a substitute comes from; null for other captions.
    """
    metrics = [column for column in scores.columns if column not in ("candidate", "image", "slot", GIVER)]
    candidates = scores["candidate"].unique(maintain_order=True).to_list()
    images = scores.select("image").unique().sort("image")
    exact = [(pl.col(metric) * UNIT).round().cast(pl.Int64).sum() for metric in metrics]

    def added(by: str) -> tuple[Integers, Integers]:
        by_image = scores.group_by("candidate", image=by).agg(*exact, captions=pl.len().cast(pl.Int64))
        parts = [
            images.join(by_image.filter(pl.col("candidate") == name), on="image", how="left", maintain_order="left")
            .select("captions", *metrics)
            .fill_null(0)
            .to_numpy()
            for name in candidates
        ]
        return np.hstack([part[:, 1:] for part in parts]), np.stack([part[:, 0] for part in parts], axis=1)

    return ImageSums(
        tuple((name, metric) for name in candidates for metric in metrics),
        *added("image"),
        np.repeat(np.arange(len(candidates)), len(metrics)),
        added(GIVER) if GIVER in scores.columns else None,
    )


def drawn_times(images: int, resamples: int, key: Sequence[object]) -> NDArray[np.uint16]:
    """Count how often each image is drawn in each resample, resamples × images.

    Each resample has as many images as the data, with replacement. `key` determines the resamples. A word of 32 bits
    times the number of images, shifted by 32, is a position: none is more likely by more than images / 2^32.
    """
    stream = stream_of(key)
    times = np.empty((resamples, images), np.uint16)
    for row in times:
        row[:] = np.bincount(_places(stream, images), minlength=images)
    return times


def resampled_means(sums: ImageSums, resamples: int, key: Sequence[object], progress: Progress = silent) -> Floats:
    """Return the mean of each column in each resample, resamples × columns.

    All columns use the same images, so that they stay paired. A mean is NaN if a resample has no caption of a column.
    """
    return sums.ratios(resampled_totals(sums.digits, resamples, key, progress))


def resampled_totals(
    columns: Floats, resamples: int, key: Sequence[object], progress: Progress = silent, what: str = "resampling"
) -> Floats:
    """Add up the columns of the sampled images (images × columns, whole numbers), resamples × columns.

    Exact if totals are below 2^53. The images are those of `drawn_times`.
    """
    stream, images = stream_of(key), len(columns)
    totals = np.empty((resamples, columns.shape[1]))
    if columns.shape[1] <= _FEW_COLUMNS and images * resamples >= _MANY_DRAWS and np.isfinite(columns).all():
        from auditor.statistics.kernels.drawn_sums import add_drawn  # noqa: PLC0415  numba

        whole = np.ascontiguousarray(columns.T, np.int64)
        for start in range(0, resamples, block := max(_WORDS // images, 1)):
            progress(what, start, resamples)
            part = totals[start : start + block]
            add_drawn(stream.random_raw(len(part) * images), whole, part)
        return totals
    block = max(AT_A_TIME // max(images, 1), 1)
    for start in range(0, resamples, block):
        progress(what, start, resamples)
        times = np.empty((min(block, resamples - start), images))
        for row in times:
            row[:] = np.bincount(_places(stream, images), minlength=images)
        totals[start : start + block] = times @ columns
    return totals


def whole_numbers(columns: Floats) -> tuple[Floats, Floats]:
    """Round columns to the largest whole numbers that add up exactly. Returns them, and the unit of each."""
    largest = np.abs(columns).max(axis=0)
    unit = np.ldexp(1.0, np.frexp(largest)[1] - (_EXACT_BITS - len(columns).bit_length()))
    return np.rint(columns / unit), unit


def left_out_means(sums: ImageSums) -> Floats:
    """Compute the mean of each column without each image and its substitutes in turn; images × columns."""
    return sums.ratios(sums.digits.sum(axis=0) - sums.touched)


def percentile_interval(values: Floats, confidence: float) -> tuple[float, float] | None:
    """Compute the interval between two quantiles of resampled values, with linear interpolation.

    None if a resample has no value, or an end is not finite.
    """
    if not len(values) or np.isnan(values).any():
        return None
    with np.errstate(invalid="ignore"):
        low, high = np.quantile(values, [(1 - confidence) / 2, (1 + confidence) / 2])
    return (float(low), float(high)) if np.isfinite([low, high]).all() else None


def jackknife_error(values: Floats) -> float | None:
    """Return the standard error from the values without each image: sqrt((n - 1) / n · Σ (value - mean)²).

    None for fewer than two images, and if a value is missing.
    """
    n = len(values)
    if n < 2 or not np.isfinite(values).all():
        return None
    deviations = values - math.fsum(values) / n
    return math.sqrt((n - 1) / n * math.fsum(deviations * deviations))


def stream_of(key: Sequence[object]) -> np.random.Philox:
    """Return the stream of random words for a key."""
    digest = hashlib.sha256("\n".join(map(str, key)).encode()).digest()
    return np.random.Philox(key=int.from_bytes(digest[:16], "little"))


def _places(stream: np.random.Philox, images: int) -> Integers:
    words = stream.random_raw(images)
    words >>= np.uint64(32)
    words *= np.uint64(images)
    words >>= np.uint64(32)
    return words.view(np.int64)
