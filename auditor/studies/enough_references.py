"""How many references are enough? Captions of a dataset against one of the others, against two, … (leave-one-out).

How often a metric agrees with people's votes at each number of references is asked of `auditor consensus`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from statistics import fmean

import polars as pl

from auditor.errors import MetricError
from auditor.model import Progress, Result, Selection, silent
from auditor.registry import MetricRequest, References, left_out, requests
from auditor.statistics.correlation import at_level, correlate
from auditor.statistics.enough import detectable, knee, lasting, risen
from auditor.statistics.summary import exact
from auditor.store.connection import Store
from auditor.store.versions import images, resolve_all
from auditor.studies import enough_references_tables as tables
from auditor.studies.growing_references import ReferenceOrder, each_number
from auditor.studies.scores import scorable, signatures

#: At most so many captions of an image are held out: what more of them would add to the means is little.
_HELD_OUT = 5
#: Without `most`: as many references as nine images in ten have.
_LEFT_OUT = 0.1
#: Scores against some references rank captions as those against all do, to this Spearman's rho.
STABLE = 0.95
_PER_IMAGE = 1000

_SHARE = "detectable-share"

#: (metric, statistic) -> a value, null where there is none.
_Found = dict[tuple[str, str], float | None]
#: (metric, references or null, statistic) -> a value for each draw; null where there is none.
_Measured = dict[tuple[str, int | None, str], list[float | None]]


def enough_references(
    store: Store,
    refs: Sequence[str],
    most: int | None = None,
    draws: int = 3,
    metric_names: Sequence[str] | None = None,
    text_profile: str = "bare",
    split: str | None = None,
    seed: int = 1,
    progress: Progress = silent,
) -> Result:
    """Measure, for 1 … `most` references, how scores depend on their number and on which they are.

    The captions of an image stand in an order that a seed draws; each draw has the seed after the last. Statistics, by
    metric and number of references k, each the mean over the draws (low, high: least and greatest of them):

    `mean`: of the scores of held-out captions, at most five an image. `stability`: Spearman's rho of their scores with
    those against `most` references; `stability-image`: Kendall's tau-b of their means by image. `reliability`,
    `reliability-image`: the same coefficients between scores against k references and against k others (k up to half
    of `most`). `detectable`: the smallest difference between two systems that as many images show (two-sided 5 %,
    power 80 %), from two held-out captions of each image against the same k references; `detectable-1000`: that
    1,000 images show; `detectable-share`: the latter as a share of the mean. Without a number: `knee` of the mean, `enough`, the first k with 95 % of its rise, and `stable`,
    the first k from which stability is .95.

    Raises `MetricError` where no image has `most` + 1 captions.
    """
    metrics = requests(metric_names)
    selections = resolve_all(store, refs, split)
    parts, shown, notes = [], [], list(left_out(metric_names))
    for selection in selections:
        number, some_left_out = _most(store, selection, most)
        whole = ReferenceOrder(number, seed, "loo").first(selection, number)
        some, unscored = scorable(store, whole, metrics, metric_names)
        measured, counted = _measure(store, selection, text_profile, some, number, draws, seed, progress)
        signed = signatures(some, text_profile, References("loo", number, seed))
        rows = _rows(selection, some, measured, counted, draws, signed)
        parts.append(rows)
        shown.append((selection, rows, number))
        notes += [*some_left_out, *unscored, *tables.notes(selection, rows, number)]
    return Result(
        "references",
        pl.concat(parts),
        selections=selections,
        signatures=signatures(metrics, text_profile, References("loo", most, seed if most else None)),
        tables=tuple(table for one in shown for table in tables.tables(*one)),
        figures=tuple(figure for one, rows, _ in shown for figure in tables.figures(one, rows)),
        notes=tuple(notes),
    )


def _most(store: Store, selection: Selection, asked: int | None) -> tuple[int, list[str]]:
    """Decide on the number of references, and say how many images have too few captions for it."""
    captions = images(store, selection)["captions"].sort()
    greatest = int(captions[-1])
    if asked is None and greatest > 1:
        enough = captions.filter(captions > 1)
        most = int(enough[int(len(enough) * _LEFT_OUT)]) - 1
    else:
        most = asked or 1
    if greatest <= most:
        wanted = f"--most {asked} needs" if asked else "one to hold out and one to be scored against are"
        raise MetricError(
            f"{selection.label}: no image has {most + 1} captions, which {wanted}; the most that any has is {greatest}"
        )
    few = int((captions <= most).sum())
    subject = "1 image has" if few == 1 else f"{few:,} images have"
    note = f"{selection.label}: {subject} fewer than {most + 1} captions and no part in this"
    return most, [note] if few else []


def _measure(
    store: Store,
    selection: Selection,
    text_profile: str,
    metrics: Sequence[MetricRequest],
    most: int,
    draws: int,
    seed: int,
    progress: Progress,
) -> tuple[_Measured, dict[str, int]]:
    """Measure every draw. Gives the values, and how many captions and images they are of."""
    measured: _Measured = {}
    counted: dict[str, int] = {}
    labels = [metric.label for metric in metrics]

    def scored(order: ReferenceOrder, at: Sequence[int]) -> list[pl.DataFrame]:
        """Score by number; images and captions in the same order in each frame."""
        return list(each_number(store, selection, text_profile, [], metrics, order, at, progress))

    for draw in range(draws):
        order = ReferenceOrder(most, seed + draw, "loo", held_out=_HELD_OUT)
        frames = scored(order, range(1, most + 1))
        others = scored(ReferenceOrder(most, seed + draw, "loo", True, _HELD_OUT), range(1, most // 2 + 1))
        last = _last_two(order.places(store, selection, text_profile), order.captions)
        counted = {"captions": frames[-1].height, "images": frames[-1]["image"].n_unique()}
        for done, (k, scores) in enumerate(enumerate(frames, 1)):
            progress(f"{selection.label}: comparing numbers of references", done, most)
            found: _Found = dict(_means(scores, labels))
            if k < most:
                found |= _agreement("stability", scores, frames[-1], labels)
                found |= _detectable(scores, last, labels)
                found |= {(label, _SHARE): _share(found, label) for label in labels}
            if k <= len(others):
                found |= _agreement("reliability", scores, others[k - 1], labels)
            for (metric, statistic), value in found.items():
                measured.setdefault((metric, k, statistic), []).append(value)
        for metric in labels:
            for statistic, value in _sufficient(measured, metric, most, draw).items():
                measured.setdefault((metric, None, statistic), []).append(value)
    return measured, counted


def _means(scores: pl.DataFrame, labels: Sequence[str]) -> Iterator[tuple[tuple[str, str], float | None]]:
    sums = scores.select(exact(pl.col(labels)).sum().cast(pl.Float64) / 1e12 / pl.len())
    for label in labels:
        yield (label, "mean"), sums[label].item()


def _agreement(statistic: str, scores: pl.DataFrame, others: pl.DataFrame, labels: Sequence[str]) -> _Found:
    """Correlate scores with others of the same captions, and their means by image; null where either is constant."""
    found: _Found = {}
    for level, coefficient, name in (("caption", "spearman", statistic), ("image", "kendall-b", f"{statistic}-image")):
        ours, theirs = (at_level(one.select("image", *labels), level) for one in (scores, others))
        for label in labels:
            pair = pl.DataFrame({"ours": ours[label], "theirs": theirs[label]})
            found[label, name] = correlate(pair, (coefficient,))["value"].item()
    return found


def _last_two(places: pl.DataFrame, captions: int) -> pl.DataFrame:
    """Give the two captions of each image that stand last in the order. Columns: image, slot, side (0 or 1)."""
    side = captions - pl.col("place").cast(pl.Int64)
    return places.select("image", "slot", side=side).filter(pl.col("side").is_between(0, 1))


def _detectable(scores: pl.DataFrame, last: pl.DataFrame, labels: Sequence[str]) -> _Found:
    """Take two captions of each image, neither a reference of the other, for two systems that are equally good."""
    sides = scores.join(last, on=["image", "slot"]).sort("image", "side").partition_by("side", maintain_order=True)
    if len(sides) < 2:
        return {}
    one, other = sides
    found: _Found = {}
    for label in labels:
        differences = (one[label] - other[label]).to_numpy()
        found[label, "detectable"] = detectable(differences)
        found[label, f"detectable-{_PER_IMAGE}"] = detectable(differences, _PER_IMAGE)
    return found


def _share(found: _Found, label: str) -> float | None:
    """Divide a detectable difference by the mean, which makes numbers of references comparable; null for a mean of 0."""
    difference, mean = found.get((label, f"detectable-{_PER_IMAGE}")), found[label, "mean"]
    return difference / mean if difference is not None and mean else None


def _sufficient(measured: _Measured, metric: str, most: int, draw: int | None) -> dict[str, float | None]:
    """Say which numbers of references suffice, by one draw or by the means of all."""

    def curve(statistic: str, end: int) -> list[float]:
        each = [measured[metric, k, statistic] for k in range(1, end + 1)]
        known = [[value for value in values if value is not None] for values in each]
        if any(len(some) < len(values) for some, values in zip(known, each, strict=True)):
            return []
        return [some[draw] if draw is not None else fmean(some) for some in known]

    means, stability = curve("mean", most), curve("stability", most - 1)
    return {
        "knee": knee(means),
        "enough": risen(means),
        "stable": lasting([*stability, 1.0], STABLE) if stability else None,
    }


def _rows(
    selection: Selection,
    metrics: Sequence[MetricRequest],
    measured: _Measured,
    counted: Mapping[str, int],
    draws: int,
    signed: Mapping[str, str],
) -> pl.DataFrame:
    most = max(k for _, k, _ in measured if k is not None)
    rows = []
    for (metric, k, statistic), each in measured.items():
        values = [value for value in each if value is not None]
        mean = fmean(values) if len(values) == len(each) else None
        if k is None:
            mean = _sufficient(measured, metric, most, None)[statistic]
        of = "images" if statistic.endswith("-image") or statistic.startswith("detectable") else "captions"
        rows.append((metric, k, statistic, mean, min(values, default=None), max(values, default=None), counted[of]))
    order = {metric.label: place for place, metric in enumerate(metrics)}
    schema = dict(zip(("metric", "references", "statistic", "value", "low", "high", "n"), _TYPES, strict=True))
    made = pl.DataFrame(rows, schema=schema, orient="row")
    return made.sort(
        pl.col("metric").replace_strict(order, return_dtype=pl.Int64),
        pl.col("statistic").cast(pl.Enum(STATISTICS)),
        "references",
        nulls_last=True,
    ).select(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.all(),
        pl.lit(draws, pl.Int64).alias("draws"),
        pl.lit(selection.version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.col("metric").replace_strict(signed, return_dtype=pl.String).alias("signature"),
    )


STATISTICS = (
    "mean",
    "stability",
    "stability-image",
    "reliability",
    "reliability-image",
    "detectable",
    f"detectable-{_PER_IMAGE}",
    _SHARE,
    "knee",
    "enough",
    "stable",
)
_TYPES = (pl.String, pl.UInt32, pl.String, pl.Float64, pl.Float64, pl.Float64, pl.Int64)
