"""Tables, figures and findings of outliers: swapped, misplaced and unusual captions, and difficult images."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Pictured, Selection, pictured
from auditor.result import Figure, Finding, Sentence, Table, about, counted, folded
from auditor.studies.outliers.by_sight import Sight
from auditor.studies.outliers.likelihood import Claims

_SHOWN = 10

_BIN = 0.05

#: The kind of finding on captions that appear to be at the wrong image.
SWAPPED = "swapped-captions"

_CAPTIONS = {
    "swapped": "both captions fit the other's image better; pair_evidence: bits of both together",
    "elsewhere": "lead: advantage of the other image over all further images, in bits, by the words of the caption",
    "unfit": "fit: evidence that the caption belongs to its image, in bits, by vectors and words; other_fit: the same "
    "for the best other image (below 0: it belongs to neither)",
    "unlike": "value: mean score against the other captions of the image; others: mean score of these among themselves",
}


def tables(
    selections: Sequence[Selection], captions: Sequence[pl.DataFrame], by_image: Sequence[pl.DataFrame]
) -> tuple[Table, ...]:
    """Return the tables of `outliers`, from a frame for each selection; without `captions`, only those of images."""
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
                f"the most difficult images of {selection.label}",
                shown,
                caption="difficulty: 1 - mean score; consensus: slot of the caption most similar to the others (the "
                "first of ties)",
                name="difficult-images",
                pictured=pictured(shown, selection.version.dataset, "image"),
            )
        )
    return folded(made)


def lead(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return the number of captions that appear to be at the wrong image, with a caution."""
    sentences = [Sentence.of(finding) for finding in findings if finding.kind == SWAPPED]
    if any(finding.values["captions"] for finding in findings if finding.kind == SWAPPED):
        sentences.append(Sentence("Check the images: almost identical images can also cause such findings."))
    return tuple(sentences)


def _unfit(selection: Selection, by_image: pl.DataFrame) -> Table:
    seen = by_image.filter(pl.col("match").is_not_null()).sort("match", "image")
    worst = seen.select("image", "n", "match", "text").head(_SHOWN)
    return Table(
        f"the images of {selection.label} with the worst match to their captions",
        worst,
        caption="match: how much better the captions match the vector of their image than those of other images, in "
        "standard deviations (mean); text: the caption most similar to the others",
        name="unfit-images",
        pictured=_pictured(selection, worst),
    )


def _of_captions(selection: Selection, rows: pl.DataFrame) -> list[Table]:
    pairs = (
        _with_other_texts(rows.filter(finding="swapped"), rows)
        .filter(pl.col("image") < pl.col("other_image"))
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
        (f"captions of {selection.label} that appear to be swapped", pairs, "swapped"),
        (f"captions of {selection.label} that appear to belong to another image", elsewhere, "elsewhere"),
        (f"captions of {selection.label} with the worst fit to their image", unfit, "unfit"),
        (f"captions of {selection.label} least similar to the others of their image", unlike, "unlike"),
    )
    return [
        Table(title, shown, caption=_more(_CAPTIONS[kind], frame), name=kind, pictured=_pictured(selection, shown))
        for title, frame, kind in listed
        if (shown := frame.head(_SHOWN)).height
    ]


def _pictured(selection: Selection, shown: pl.DataFrame) -> tuple[Pictured, ...]:
    columns = [name for name in ("image", "other_image") if name in shown.columns]
    return pictured(shown, selection.version.dataset, *columns)


def _more(caption: str, rows: pl.DataFrame) -> str:
    hidden = rows.height - _SHOWN
    return f"{caption}; {hidden:,} more: -o FILE writes all" if hidden > 0 else caption


def finding(selection: Selection, rows: pl.DataFrame, scored: int, claims: Claims, sight: Sight | None) -> Finding:
    """Return the finding on captions that appear to belong to another image."""
    pairs, alone = claims.pairs, claims.alone
    if rows.is_empty():
        same = f"{selection.label}: every caption has the same score, so none is an outlier"
        return Finding("scores-all-equal", same, about(selection), n=scored, severity="notice")
    results = []
    if pairs:
        swapped = counted(pairs.claims, "pair appears to be swapped", "pairs appear to be swapped")
        results.append(f"{swapped} (estimated true ones: {pairs.right:,.0f})")
    if alone:
        verb = counted(alone.claims, "caption appears", "captions appear")
        results.append(f"{verb} to belong to another image (estimated true ones: {alone.right:,.0f})")
    if not results:
        basis = "text alone is" if sight is None else f"text and the vectors of {sight.vectors.dataset} are"
        results.append(f"None is reported as swapped: {basis} not reliable enough on this dataset")
    checked = "those least similar to the others of their image"
    if sight is not None:
        checked += f" or with the worst fit to it, were checked by words and the vectors of {sight.vectors.dataset}"
    else:
        checked += ", were checked"
    return Finding(
        SWAPPED,
        f"{selection.label}: {rows.height:,} of {scored:,} captions, {checked}. {'. '.join(results)}",
        about(selection),
        {
            "captions": claims.claims,
            "swapped_pairs": pairs.claims if pairs else 0,
            "elsewhere": alone.claims if alone else 0,
            "expected_right": round(claims.right),
            "looked_into": rows.height,
            "pair_bits": pairs.bits if pairs else None,
            "lead_bits": alone.bits if alone else None,
            "found": alone.found if alone else None,
        },
        scored,
        "warning" if pairs or alone else "info",
        _examples(rows),
        headline=f"{claims.claims:,} of {scored:,} captions",
    )


def misplaced(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of captions that appear to be at the wrong image, of swapped ones both, as findings list them.

    `rows` are those of one dataset. Columns: finding, image, slot, text, why, other_image, other_slot, other_text.
    """
    wrong = rows.filter(pl.col("finding").is_in(["swapped", "elsewhere"]))
    why = pl.format("{} bits for {}", pl.coalesce("pair_evidence", "evidence").round(0).cast(pl.Int64), "other_image")
    return _with_other_texts(wrong, rows).select(
        "finding", "image", "slot", "text", why.alias("why"), "other_image", "other_slot", "other_text"
    )


def _with_other_texts(rows: pl.DataFrame, every: pl.DataFrame) -> pl.DataFrame:
    texts = every.select(other_image="image", other_slot="slot", other_text="text")
    return rows.join(texts, on=["other_image", "other_slot"], how="left", maintain_order="left")


def _examples(rows: pl.DataFrame) -> tuple[dict[str, str | int | None], ...]:
    """Return a few of them, one of each swapped pair."""
    listed = misplaced(rows)
    shown = listed.filter((pl.col("finding") == "elsewhere") | (pl.col("image") < pl.col("other_image")))
    return tuple(shown.drop("finding").head(3).to_dicts())


def figures(selections: Sequence[Selection], by_image: Sequence[pl.DataFrame]) -> tuple[Figure, ...]:
    """Return the figure of the share of images by difficulty."""
    shares = [
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
            "Difficulty of images",
            "lines",
            pl.concat(shares),
            x="difficulty",
            y="share",
            series="dataset",
            x_label="difficulty: 1 - mean score of the image's captions",
            y_label="share of images",
            caption=f"In bins of {_BIN:g}.",
        ),
    )
