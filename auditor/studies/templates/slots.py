"""Are the captions of one slot (the first, the second … of each image) unlike those of the others?

The slot of a caption may be an annotator, an order of arrival, or an accident of the file. Each caption is compared
with the others of its own image, so that what the images show cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from auditor.errors import MetricError
from auditor.model import Progress, Selection
from auditor.result import Finding, Said, about
from auditor.scoring.candidates import HUMAN
from auditor.scoring.image_vectors import pinned
from auditor.scoring.registry import DECIMALS, References, request
from auditor.scoring.scores import score_candidates
from auditor.statistics.significance import students_quantile
from auditor.statistics.summary import exact
from auditor.store.captions import Captions
from auditor.store.workspace import Workspace

#: Effects are told where the whole interval is beyond what Cohen (1988) calls small.
_SMALL = 0.2

#: A file is said to be sorted where so many of its images are.
_SORTED = 0.5

#: Fewer images say nothing of sorting; so many captions are never sorted by chance.
_IMAGES, _MANY = 20, 100


def slot_effects(
    captions: Captions, metric_name: str, workspace: Workspace, progress: Progress
) -> tuple[pl.DataFrame, dict[str, str], Sequence[Said]]:
    """Compare slots; with the signature of the scores, by label, and what has to be said.

    `slot-length`, `slot-opening` (the share whose first three tokens are one of the ten most frequent openings),
    `slot-score` (mean leave-one-out score): `value` is the slot's mean, `difference` the mean difference from the other
    captions of the image, `effect` that in standard deviations of all captions (Cohen's d), `low` and `high` the 95 %
    interval of the effect over images, by Student's t. `slot-types`: different tokens of the slot. `sorted-by-length`
    (characters) and `sorted-by-spelling`: the share of `n` images whose captions go that way by slot, of those whose
    captions are not all alike.
    """
    store, selection, tokenizer = captions.store, captions.selection, captions.tokenizer
    vocabulary = workspace.rows("slot_vocabulary")
    placed = workspace.rows("slot_caption")
    types = vocabulary.select(
        pl.lit("slot-types").alias("statistic"), "slot", "captions", value=pl.col("types").cast(pl.Float64)
    )
    if vocabulary.height < 2:
        single = Finding(
            "one-caption-per-image",
            f"{selection.label}: one caption an image: there are no slots to compare",
            about(selection),
            severity="notice",
        )
        return types, {}, [single]
    measures, signed, notes = {"slot-length": "length", "slot-opening": "common"}, {}, list[Said]()
    asked = request(metric_name)
    try:
        (metric,) = pinned(store, selection, [asked])
        scores = score_candidates(Captions(store, selection, tokenizer), [HUMAN], [metric], progress)
    except MetricError as error:
        notes.append(f"no slot-score: {error}")
    else:
        measures["slot-score"] = "score"
        signed[metric.label] = str(metric.signature(tokenizer, References("loo")))
        placed = placed.join(
            scores.select("image", "slot", score=metric.label), on=["image", "slot"], how="left", maintain_order="left"
        )
    made = pl.concat(_effect(placed, name, column) for name, column in measures.items())
    notes += _told(selection, made)
    order = _order(workspace.rows("slot_order"))
    notes += _sorted(selection, order)
    return pl.concat([made, types, order.drop("chance")], how="diagonal_relaxed"), signed, notes


def _effect(captions: pl.DataFrame, name: str, column: str) -> pl.DataFrame:
    """Compare each slot with the others of its image. Sums are of integers, so that no order changes a digit."""
    n = pl.len().over("image").cast(pl.Int128)
    units = exact(pl.col(column))
    of_image = captions.filter(pl.col(column).is_not_null()).with_columns(
        units=units, apart=((n * units - units.sum().over("image")).cast(pl.Float64) / (n - 1)).round(), n=n
    )
    sd = _sd(of_image.select(total=pl.col("units").sum(), squares=(pl.col("units") ** 2).sum(), n=pl.len()).row(0))
    by_slot = (
        of_image.filter(pl.col("n") > 1)
        .with_columns(apart=pl.col("apart").cast(pl.Int128))
        .group_by("slot")
        .agg(
            captions=pl.len(),
            value=pl.col("units").sum().cast(pl.Float64) / 10.0**DECIMALS / pl.len(),
            total=pl.col("apart").sum(),
            squares=(pl.col("apart") ** 2).sum(),
        )
        .sort("slot")
    )
    rows = []
    for slot, number, value, total, squares in by_slot.rows():
        mean, spread = int(total) / number / 10.0**DECIMALS, _sd((total, squares, number))
        reach = students_quantile(number - 1) * spread / math.sqrt(number) if spread is not None else None
        scaled = None if not sd else mean / sd
        bounds = (
            (None, None) if scaled is None or reach is None or not sd else (scaled - reach / sd, scaled + reach / sd)
        )
        rows.append((name, slot, number, value, mean, scaled, *bounds))
    schema = {
        "statistic": pl.String, "slot": pl.Int64, "captions": pl.Int64,
        **dict.fromkeys(("value", "difference", "effect", "low", "high"), pl.Float64),
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _sd(sums: tuple[int, int, int]) -> float | None:
    """Return the sd (of the sample) by a sum, a sum of squares and a number; none for fewer than two."""
    total, squares, n = (int(value) for value in sums)
    return None if n < 2 else math.sqrt((squares * n - total * total) / (n * (n - 1))) / 10.0**DECIMALS


def _told(selection: Selection, effects: pl.DataFrame) -> list[Finding]:
    """Name the slots that are surely unlike the others."""
    words = {
        "slot-length": ("longer", "shorter"),
        "slot-opening": ("more often with a frequent opening", "less often with a frequent opening"),
        "slot-score": ("more like the other captions of the image", "less like the other captions of the image"),
    }
    sure = effects.filter((pl.col("low") > _SMALL) | (pl.col("high") < -_SMALL))
    told = [
        Finding(
            "unlike-slot",
            f"{selection.label}: slot {slot} is {words[name][effect < 0]} (effect {effect:+.2f})",
            about(selection, slot=slot, statistic=name),
            {"effect": effect, "low": low, "high": high},
            captions,
            "notice",
            headline=f"slot {slot}",
        )
        for name, slot, effect, low, high, captions in sure.select(
            "statistic", "slot", "effect", "low", "high", "captions"
        ).rows()
    ]
    alike = f"{selection.label}: no slot is unlike the others by more than a small effect ({_SMALL:g})"
    return told or [Finding("slots-alike", alike, about(selection), {"least_effect": _SMALL})]


def _order(by_image: pl.DataFrame) -> pl.DataFrame:
    """Count in how many images captions go by each order, of those whose captions are not all alike."""
    orders = {number: 1 / math.factorial(min(number, _MANY)) for number in by_image["captions"].unique()}
    by_image = by_image.with_columns(chance=pl.col("captions").replace_strict(orders, return_dtype=pl.Float64))
    rows = []
    for name, pattern, column, way in (
        ("sorted-by-length", "longer", "by_length", 1),
        ("sorted-by-length", "shorter", "by_length", -1),
        ("sorted-by-spelling", "a to z", "by_spelling", 1),
    ):
        clear = by_image.filter(pl.col(column).is_not_null())
        rows.append((name, pattern, clear.height, (clear[column] == way).mean(), clear["chance"].mean()))
    schema = {
        "statistic": pl.String, "pattern": pl.String, "n": pl.Int64, "value": pl.Float64, "chance": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


#: How an order is said, where it is not as rows have it.
_SAID = {"longer": "the longest last", "shorter": "the longest first"}


def _sorted(selection: Selection, order: pl.DataFrame) -> list[Finding]:
    return [
        Finding(
            "sorted-captions",
            f"{selection.label}: captions are {name.replace('-', ' ')} ({_SAID.get(pattern, pattern)}) "
            f"in {share:.0%} of the images ({chance:.0%} by chance): "
            "there the place of a caption says nothing of who wrote it",
            about(selection, statistic=name),
            {"share": share, "by_chance": chance, "order": pattern},
            n,
            "warning",
            headline=f"{share:.0%} of images",
        )
        for name, pattern, n, share, chance in order.rows()
        if n >= _IMAGES and share - chance >= _SORTED * (1 - chance)
    ]
