"""Find slots with a different style: the first, the second, … caption of each image, compared with the others.

A slot may be an annotator, the order of submission, or an accident of the file. Each caption is compared with the
others of the same image, which cancels out the content of the images.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import polars as pl

from auditor.errors import MetricError
from auditor.model import Progress, Selection
from auditor.result import Finding, Said, Sentence, about
from auditor.scoring.candidates import HUMAN
from auditor.scoring.image_vectors import pinned
from auditor.scoring.registry import DECIMALS, References, request
from auditor.scoring.scores import score_candidates
from auditor.statistics.intervals import around
from auditor.statistics.summary import CONFIDENCE, exact
from auditor.store.captions import Captions
from auditor.store.workspace import Workspace

#: An effect is reported if its whole interval is beyond a small effect (Cohen 1988).
_SMALL = 0.2

#: Captions count as sorted if this share of the images is, above chance.
_SORTED = 0.5

#: Fewest images for a statement about sorting, and a number of captions that is never sorted by chance.
_IMAGES, _MANY = 20, 100


def slot_effects(
    captions: Captions, metric_name: str, workspace: Workspace, progress: Progress
) -> tuple[pl.DataFrame, dict[str, str], Sequence[Said]]:
    """Compare slots. Return the rows, the signatures of the scores by label, and the findings and notes.

    `slot-length`, `slot-opening` (the share that begin with one of the ten most frequent openings of three tokens) and
    `slot-score` (mean leave-one-out score) have these columns: `value`, the slot's mean; `difference`, the mean
    difference from the other captions of the image; `effect`, the same in standard deviations of all captions (Cohen's
    d); `low` and `high`, the 95% interval of the effect over images, by Student's t. `slot-types`: different tokens of
    the slot. `sorted-by-length` (characters) and `sorted-by-spelling`: the share of `n` images whose captions are
    sorted by slot; images with two equally long (or equal) neighbors do not count.
    """
    selection = captions.selection
    vocabulary = workspace.rows("slot_vocabulary")
    slot_captions = workspace.rows("slot_caption")
    value = pl.col("types").cast(pl.Float64)
    types = vocabulary.select(pl.lit("slot-types").alias("statistic"), "slot", "captions", value=value)
    if vocabulary.height < 2:
        single = f"{selection.label}: every image has a single caption, so slots cannot be compared"
        return types, {}, [Finding("one-caption-per-image", single, about(selection), severity="notice")]
    measures, signed, notes = {"slot-length": "length", "slot-opening": "common"}, {}, list[Said]()
    requested = request(metric_name)
    try:
        (metric,) = pinned(captions, [requested])
        scores = score_candidates(captions, [HUMAN], [metric], progress)
    except MetricError as error:
        notes.append(Sentence(f"skipped slot-score: {error}", "skipped"))
    else:
        measures["slot-score"] = "score"
        signed[metric.label] = str(metric.signature(captions.tokenizer, References("loo")))
        of_caption = scores.select("image", "slot", score=metric.label)
        slot_captions = slot_captions.join(of_caption, on=["image", "slot"], how="left", maintain_order="left")
    made = pl.concat(_effect(slot_captions, name, column) for name, column in measures.items())
    notes.append(_unlike(selection, made))
    workspace.bind("slot_order")
    order = _order(workspace.query("from slot_order order by image_no"), workspace.rows("slot_order_apart"))
    notes += _sorted(captions, order, workspace.query(_FIRST))
    return pl.concat([made, types, order.drop("chance")], how="diagonal_relaxed"), signed, notes


def _effect(captions: pl.DataFrame, name: str, column: str) -> pl.DataFrame:
    """Compare each slot with the others of its image. Sums are of integers, so their order changes no digit."""
    n = pl.len().over("image").cast(pl.Int128)
    units = exact(pl.col(column))
    apart = ((n * units - units.sum().over("image")).cast(pl.Float64) / (n - 1)).round()
    known = captions.select("image", "slot", column).drop_nulls(column)
    of_image = known.select("slot", units=units, apart=apart, n=n)
    sd = _sd(of_image.select(total=pl.col("units").sum(), squares=(pl.col("units") ** 2).sum(), n=pl.len()).row(0))
    several = of_image.filter(pl.col("n") > 1).with_columns(apart=pl.col("apart").cast(pl.Int128))
    by_slot = several.group_by("slot").agg(
        captions=pl.len(),
        value=pl.col("units").sum().cast(pl.Float64) / 10.0**DECIMALS / pl.len(),
        total=pl.col("apart").sum(),
        squares=(pl.col("apart") ** 2).sum(),
    )
    rows = []
    for slot, number, value, total, squares in by_slot.sort("slot").rows():
        mean, spread = int(total) / number / 10.0**DECIMALS, _sd((total, squares, number))
        scaled = None if not sd else mean / sd
        error = None if not sd or spread is None else spread / math.sqrt(number) / sd
        bounds = None if scaled is None else around(scaled, error, number, CONFIDENCE)
        rows.append((name, slot, number, value, mean, scaled, *(bounds or (None, None))))
    schema = {
        "statistic": pl.String, "slot": pl.Int64, "captions": pl.Int64,
        **dict.fromkeys(("value", "difference", "effect", "low", "high"), pl.Float64),
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


def _sd(sums: tuple[int, int, int]) -> float | None:
    """Return the sample standard deviation by a sum, a sum of squares and a number; null for fewer than two."""
    total, squares, n = (int(value) for value in sums)
    return None if n < 2 else math.sqrt((squares * n - total * total) / (n * (n - 1))) / 10.0**DECIMALS


def _unlike(selection: Selection, effects: pl.DataFrame) -> Finding:
    """Return the finding on the slots that differ significantly from the others: on the largest effect."""
    words = {
        "slot-length": ("is longer", "is shorter"),
        "slot-opening": ("has more captions with a frequent opening", "has fewer captions with a frequent opening"),
        "slot-score": tuple(f"is {way} similar to the other captions of the image" for way in ("more", "less")),
    }
    sure = effects.filter((pl.col("low") > _SMALL) | (pl.col("high") < -_SMALL)).to_dicts()
    if not sure:
        same = f"{selection.label}: no slot differs from the others by more than a small effect ({_SMALL:g})"
        return Finding("slots-alike", same, about(selection), {"least_effect": _SMALL})
    first = max(sure, key=lambda row: abs(row["effect"]))
    name, slot, effect = first["statistic"], first["slot"], first["effect"]
    what, values = f"slot {slot} {words[name][effect < 0]} (effect {effect:+.2f})", {"effect": effect}
    values |= {end: first[end] for end in ("low", "high")}
    if sure[1:]:
        what, values["findings"] = f"slots differ in {len(sure)} ways; the largest: {what}", len(sure)
    sentence, where = f"{selection.label}: {what}", about(selection, slot=slot, statistic=name)
    return Finding("unlike-slot", sentence, where, values, first["captions"], "notice", headline=f"slot {slot}")


def _order(by_image: pl.DataFrame, apart: pl.DataFrame) -> pl.DataFrame:
    """Compute the share of images with sorted captions, by order; images with equally long captions do not count.

    Captions of different images show how often they would be sorted if only the styles of the slots differed.
    """
    orders = {number: 1 / math.factorial(min(number, _MANY)) for number in by_image["captions"].unique()}
    by_image = by_image.with_columns(chance=pl.col("captions").replace_strict(orders, return_dtype=pl.Float64))
    rows = []
    for name, pattern, column, way in (
        ("sorted-by-length", "longer", "by_length", 1),
        ("sorted-by-length", "shorter", "by_length", -1),
        ("sorted-by-spelling", "a to z", "by_spelling", 1),
    ):
        clear = by_image.filter(pl.col(column).is_not_null())
        shares = [clear["chance"].mean()]
        if column in apart.columns:
            shares.append((apart[column].drop_nulls() == way).mean())
        chance = max((share for share in shares if isinstance(share, float)), default=None)
        rows.append((name, pattern, clear.height, (clear[column] == way).mean(), chance))
    schema = {
        "statistic": pl.String, "pattern": pl.String, "n": pl.Int64, "value": pl.Float64, "chance": pl.Float64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


#: The captions of the first image with each order.
_FIRST = """
select o.by_length, o.by_spelling, r.image, r.slot from slot_order as o join reference as r using (image_no)
where image_no in (select min(image_no) from slot_order group by by_length, by_spelling) order by image_no, slot"""

#: Each order in sentences, and in the columns of `_FIRST`.
_ORDERS = {
    "longer": ("by length (longest last)", pl.col("by_length") == 1),
    "shorter": ("by length (longest first)", pl.col("by_length") == -1),
    "a to z": ("alphabetically (a to z)", pl.col("by_spelling") == 1),
}


def _sorted(captions: Captions, order: pl.DataFrame, first: pl.DataFrame) -> Iterator[Finding]:
    """Yield a finding for each order of most images, with the captions of an image, at most three."""
    for name, pattern, n, share, chance in order.rows():
        if n >= _IMAGES and share > chance and share - chance >= _SORTED * (1 - chance):
            (how, has_order), images = _ORDERS[pattern], f"{share:.0%} of images"
            sentence = f"{captions.label}: captions are sorted {how} in {images} ({chance:.0%} expected by chance). "
            sentence += "Slots do not correspond to annotators"
            where = about(captions.selection, statistic=name)
            values = {"share": share, "by_chance": chance, "order": pattern}
            image = first.filter(has_order).filter(pl.col("image") == pl.col("image").first()).head(3)
            size = pl.col("text").str.len_chars()
            by_length = pl.format("{} character{}", size, pl.when(size > 1).then(pl.lit("s")).otherwise(pl.lit("")))
            why = pl.lit(pattern) if name == "sorted-by-spelling" else by_length
            examples = tuple(captions.with_texts(image.select("image", "slot")).with_columns(why=why).to_dicts())
            images += f", {how.partition(' (')[0]}"
            yield Finding("sorted-captions", sentence, where, values, n, "warning", examples, images)
