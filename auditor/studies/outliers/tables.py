"""Outliers as people read them: which captions are swapped, misplaced or alone, and which images are difficult."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Pictured, Selection, pictured
from auditor.result import Figure, Finding, Table, about, folded
from auditor.studies.outliers.by_sight import Sight
from auditor.studies.outliers.likelihood import Told

_SHOWN = 10

_BIN = 0.05

#: The kind of finding on captions that seem to be at the wrong image.
SWAPPED = "swapped-captions"

_CAPTIONS = {
    "swapped": "each speaks rather for the other's image; evidence in bits, of the two together",
    "elsewhere": "lead: bits by which the words of the caption speak rather for the other image than for any other",
    "unfit": "fit: bits by which the caption rather belongs to its image than not, by vectors and words; other_fit: "
    "those of the other image that it fits best: below 0 it belongs to neither",
    "unlike": "value: mean score against the other captions of the image; others: of these among themselves",
}


def tables(
    selections: Sequence[Selection], captions: Sequence[pl.DataFrame], by_image: Sequence[pl.DataFrame]
) -> tuple[Table, ...]:
    """Arrange the rows of `outliers`, a frame for each selection; without `captions`, the images alone."""
    made = []
    for index, selection in enumerate(selections):
        if captions:
            made += _of_captions(selection, captions[index])
        hardest = by_image[index].select(
            "image", "n", "difficulty", "sd", "consensus", "consensus_value", "ties", "text"
        )
        if "match" in by_image[index].columns:
            made.append(_unfit(selection, by_image[index]))
        shown = hardest.head(_SHOWN)
        made.append(
            Table(
                f"the images of {selection.label} that people describe most differently",
                shown,
                caption="difficulty: 1 - mean score; consensus: the caption most like the others, the first of ties",
                name="difficult-images",
                pictured=pictured(shown, selection.version.dataset, "image"),
            )
        )
    return folded(made)


def lead(found: Sequence[Finding]) -> tuple[str, ...]:
    """Return how many captions seem to be at the wrong image, with a word of caution."""
    led = [f"{finding.sentence}." for finding in found if finding.kind == SWAPPED]
    seems = any(finding.values["captions"] for finding in found if finding.kind == SWAPPED)
    return (*led, *(["Images that are almost the same bring such findings too: look at them."] if seems else []))


def _unfit(selection: Selection, by_image: pl.DataFrame) -> Table:
    seen = by_image.filter(pl.col("match").is_not_null()).sort("match", "image")
    worst = seen.select("image", "n", "match", "text").head(_SHOWN)
    return Table(
        f"the images of {selection.label} that their captions match worst",
        worst,
        caption="match: standard deviations by which captions match the image's vector better than those of other "
        "images, their mean; text: the caption most like the others",
        name="unfit-images",
        pictured=_pictured(selection, worst),
    )


def _of_captions(selection: Selection, rows: pl.DataFrame) -> list[Table]:
    pairs = (
        rows.filter(finding="swapped")
        .filter(pl.col("image") < pl.col("other_image"))
        .join(
            rows.select(other_image="image", other_slot="slot", other_text="text"),
            on=["other_image", "other_slot"],
            how="left",
            maintain_order="left",
        )
        .select("image", "slot", "text", "other_image", "other_slot", "other_text", "pair_evidence")
    )
    elsewhere = rows.filter(finding="elsewhere").select(
        "image", "slot", "value", "text", "other_image", "evidence", "lead"
    )
    compared = rows.filter(pl.col("value").is_not_null())
    unlike = compared.sort("value", pl.col("others"), descending=[False, True], maintain_order=True).select(
        "image", "slot", "value", "others", "text"
    )
    unfit = rows.clear()
    if "fit" in rows.columns:
        unfit = (
            rows.filter(pl.col("fit").is_not_null())
            .sort("fit", "image", "slot")
            .select("image", "slot", "fit", "text", "other_image", other_fit=pl.col("fit") + pl.col("evidence"))
        )
    listed = (
        (f"captions of {selection.label} that seem to have changed places", pairs, "swapped"),
        (f"captions of {selection.label} that seem to be of another image", elsewhere, "elsewhere"),
        (f"captions of {selection.label} that fit their image worst", unfit, "unfit"),
        (f"captions of {selection.label} least like the others of their image", unlike, "unlike"),
    )
    return [
        Table(title, shown, caption=_more(_CAPTIONS[kind], some), name=kind, pictured=_pictured(selection, shown))
        for title, some, kind in listed
        if (shown := some.head(_SHOWN)).height
    ]


def _pictured(selection: Selection, shown: pl.DataFrame) -> tuple[Pictured, ...]:
    columns = [name for name in ("image", "other_image") if name in shown.columns]
    return pictured(shown, selection.version.dataset, *columns)


def _more(said: str, rows: pl.DataFrame) -> str:
    hidden = rows.height - _SHOWN
    return f"{said}; {hidden:,} more: -o FILE has them all" if hidden > 0 else said


def finding(selection: Selection, rows: pl.DataFrame, scored: int, told: Told, sight: Sight | None) -> Finding:
    """Say in plain words what was found among the captions least like the others of their image."""
    pairs, alone = told.pairs, told.alone
    if rows.is_empty():
        same = f"{selection.label}: every caption has the same score: none is an outlier"
        return Finding("scores-all-equal", same, about(selection), n=scored, severity="notice")
    said = []
    if pairs:
        said.append(
            f"{pairs.claims:,} pairs seem to have changed places, of which about {pairs.right:,.0f} should be right"
        )
    if alone:
        said.append(f"{alone.claims:,} seem to be of another image, of which about {alone.right:,.0f} should be right")
    if not said:
        by = "words alone" if sight is None else f"words and the vectors of {sight.vectors.dataset}"
        said.append(f"none is told as of another image: held back, since {by} cannot tell here")
    elif sight is not None:
        said[-1] += f", by words and the vectors of {sight.vectors.dataset}"
    return Finding(
        SWAPPED,
        f"{selection.label}: of the {rows.height:,} captions (of {scored:,}) least like the others of their image"
        f"{', or that fit it worst' if sight else ''}, " + " and ".join(said),
        about(selection),
        {
            "captions": told.claims,
            "swapped_pairs": pairs.claims if pairs else 0,
            "elsewhere": alone.claims if alone else 0,
            "expected_right": round(told.right),
            "looked_into": rows.height,
            "pair_bits": pairs.bits if pairs else None,
            "lead_bits": alone.bits if alone else None,
            "found": alone.found if alone else None,
        },
        scored,
        "warning" if pairs or alone else "info",
        headline=f"{told.claims:,} of {scored:,} captions",
    )


def figures(selections: Sequence[Selection], by_image: Sequence[pl.DataFrame]) -> tuple[Figure, ...]:
    """Draw how difficult images are: the share of images by difficulty."""
    counted = [
        rows.group_by(bin=(pl.col("difficulty") / _BIN).floor().clip(0, 1 / _BIN - 1).cast(pl.Int64))
        .agg(images=pl.len())
        .join(pl.DataFrame({"bin": range(round(1 / _BIN))}), on="bin", how="right")
        .select(
            difficulty=((pl.col("bin") + 0.5) * _BIN).round(3),
            share=pl.col("images").fill_null(0) / rows.height,
            dataset=pl.lit(selection.label),
        )
        .sort("difficulty")
        for selection, rows in zip(selections, by_image, strict=True)
    ]
    return (
        Figure(
            "difficulty",
            "How differently people describe an image",
            "lines",
            pl.concat(counted),
            x="difficulty",
            y="share",
            series="dataset",
            x_label="difficulty: 1 - mean score of the image's captions",
            y_label="share of images",
            caption=f"In bins of {_BIN:g}.",
        ),
    )
