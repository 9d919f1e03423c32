"""The statistics of objects in captions, as ratios of sums over images, with intervals and tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import polars as pl

from auditor.model import Progress
from auditor.statistics.common_items import Items
from auditor.statistics.intervals import POSITIVE, SHARE
from auditor.statistics.paired_systems import Resampling, measured, p_of_difference, score_of
from auditor.statistics.resampling import Floats
from auditor.statistics.studentized import estimates
from auditor.store.captions import Captions

#: A number of objects is a class if each system has this many captions with it. Larger numbers share the last class.
_FEWEST, _CLASSES = 30, 8

#: The statistics of whole captions: the column that is counted, and that which it is a share of.
_RATIOS = {
    "chair-s": ("wrong", "captions"),
    "chair-i": ("wrong_mentions", "mentions"),
    "objects": ("objects", "captions"),
    "object-recall": ("found", "listed"),
}

_EQUAL = "chair-s-at-equal-objects"

_SCHEMA = {
    "statistic": pl.String, "object": pl.String, "n": pl.Int64,
    **dict.fromkeys(("value", "low", "high"), pl.Float64),
    "against": pl.String, **dict.fromkeys(("difference", "p"), pl.Float64),
}  # fmt: skip


@dataclass(frozen=True)
class System:
    """Captions with their objects: `described` by caption, `counts` by image and object, and all `mentions`."""

    captions: Captions
    described: pl.DataFrame = field(repr=False)
    counts: pl.DataFrame = field(repr=False)
    mentions: pl.DataFrame = field(repr=False)

    @property
    def label(self) -> str:
        """The name in tables."""
        return self.captions.label

    @property
    def images(self) -> pl.DataFrame:
        """The listed images, sorted."""
        return self.described.select("image").unique().sort("image")

    def on(self, images: Items) -> System:
        """Return the captions of some images; null for all."""
        some = pl.lit(value=True) if images is None else pl.col("image").is_in(images)
        return replace(self, described=self.described.filter(some), counts=self.counts.filter(some))

    def filled(self, systems: Sequence[System]) -> System:
        """Add an empty caption of each image that only others of the systems describe."""
        every = pl.concat(other.counts for other in systems).filter(pl.col("listed") > 0)
        images = pl.concat(other.images for other in systems).unique().sort("image")
        lacks = images.join(self.images, on="image", how="anti")
        listed = every.select("image", "object").unique().sort("image", "object").join(lacks, on="image", how="semi")
        listed = listed.with_columns(listed=pl.lit(1, self.counts.schema["listed"]))
        described, counts = (
            pl.concat(both, how="diagonal").with_columns(pl.exclude("image", "object").fill_null(0))
            for both in ((self.described, lacks), (self.counts, listed))
        )
        return replace(self, described=described, counts=counts)


@dataclass(frozen=True)
class _Ratio:
    """A weighted sum of ratios: by image, the numerators `top 0`, … and the denominators `of 0`, …."""

    sums: pl.DataFrame
    weights: Floats

    def __call__(self, totals: pl.DataFrame) -> pl.Series:
        """Return the value for each row of totals."""
        places = range(len(self.weights))
        tops, of = (totals.select(f"{side} {n}" for n in places).to_numpy() for side in ("top", "of"))
        with np.errstate(invalid="ignore", divide="ignore"):
            return pl.Series("value", (tops / of) @ self.weights)

    @property
    def n(self) -> int:
        """What the value is a share of."""
        return int(self.sums.select(pl.sum_horizontal(pl.col("^of .*$").sum())).item())


def rows_of(systems: Sequence[System], resampling: Resampling, progress: Progress) -> pl.DataFrame:
    """Return the rows of each system, then those of its objects. Systems are compared with the first."""
    first = systems[0]
    weights = _weights(systems)
    of_first = _of_captions(first, weights)
    parts = []
    for system in systems:
        ratios = {(name, None): ratio for name, ratio in _of_captions(system, weights).items()} | _of_objects(system)
        ends = {name: POSITIVE if name == "objects" else SHARE for name in (*_RATIOS, _EQUAL)}
        values = [measured(ratio.sums, ratio, ends[name]) for (name, _), ratio in ratios.items()]
        key = (resampling.seed, *system.captions.selection.content)
        drawn = estimates(values, resampling.times, key, progress, system.label) if resampling.times else []
        rows = []
        for place, ((name, item), ratio) in enumerate(ratios.items()):
            row: dict[str, object] = {"statistic": name, "object": item, "n": ratio.n, "value": values[place].value}
            if drawn and (found := drawn[place].interval(resampling.confidence)):
                row |= {"low": found[0], "high": found[1]}
            if item is None and system is not first:
                theirs = of_first[name]
                apart = score_of(ratio.sums, ratio) - score_of(theirs.sums, theirs)
                row |= {"against": first.label, "difference": apart}
                if resampling.times:
                    row["p"] = p_of_difference(ratio.sums, theirs.sums, ratio, resampling.times, (*key, name))
            rows.append(row)
        stamped = system.captions.stamp(pl.DataFrame(rows, schema=_SCHEMA))
        parts.append(stamped.with_columns(label=pl.lit(system.label)))
    return pl.concat(parts).with_columns(pl.col(pl.Float64).fill_nan(None))


def _weights(systems: Sequence[System]) -> Floats:
    """Return the share of the first system's captions with 1, 2, … objects; the last class has all with more.

    Every system has captions in each class. A single system has none.
    """
    numbers = [system.described["objects"].to_numpy() for system in systems] if len(systems) > 1 else []
    classes = 0
    while numbers and classes < _CLASSES and min((of > classes).sum() for of in numbers) >= _FEWEST:
        if classes and min((of == classes).sum() for of in numbers) < _FEWEST:
            break
        classes += 1
    return np.array([(np.minimum(numbers[0], classes) == n).mean() for n in range(1, classes + 1)])


def _of_captions(system: System, weights: Floats) -> dict[str, _Ratio]:
    wrong = (pl.col("wrong_mentions") > 0).cast(pl.Float64)
    classes = range(1, len(weights) + 1)
    is_in = [pl.col("objects").clip(upper_bound=len(weights)) == n for n in classes]
    by_class = {f"top {n}": (wrong * is_n).sum() for n, is_n in enumerate(is_in)}
    by_class |= {f"of {n}": is_n.sum().cast(pl.Float64) for n, is_n in enumerate(is_in)}
    sizes = {"captions": pl.len().cast(pl.Float64), "objects": pl.col("objects").sum().cast(pl.Float64)}
    described = system.described.group_by("image").agg(wrong=wrong.sum(), **sizes, **by_class)
    counts = system.counts.group_by("image").agg(pl.col(pl.Int64).sum().cast(pl.Float64))
    sums = described.join(counts, on="image", how="left").fill_null(0.0).sort("image")
    ratios = {name: _ratio(sums, top, of) for name, (top, of) in _RATIOS.items()}
    return ratios | ({_EQUAL: _Ratio(sums.select("image", *by_class), weights)} if len(weights) else {})


def _of_objects(system: System) -> dict[tuple[str, str | None], _Ratio]:
    """Return chair-i and object-recall of each object."""
    images = system.images
    ratios: dict[tuple[str, str | None], _Ratio] = {}
    for (item,), counts in system.counts.sort("object", "image").group_by("object", maintain_order=True):
        sums = images.join(counts.drop("object"), on="image", how="left", maintain_order="left").fill_null(0)
        for name in ("chair-i", "object-recall"):
            top, of = _RATIOS[name]
            if sums[of].sum():
                ratios[name, str(item)] = _ratio(sums, top, of)
    return ratios


def _ratio(sums: pl.DataFrame, top: str, of: str) -> _Ratio:
    sides = {"top 0": pl.col(top).cast(pl.Float64), "of 0": pl.col(of).cast(pl.Float64)}
    return _Ratio(sums.select("image", **sides), np.ones(1))
