"""Tables, figures and findings of outliers: swapped, misplaced and unusual captions, and difficult images."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import polars as pl

from auditor.model import Selection, pictured
from auditor.result import Figure, Finding, Sentence, Severity, Table, about, counted, folded
from auditor.result.views import EMPTY, View, filled
from auditor.studies.outliers.by_sight import Sight
from auditor.studies.outliers.likelihood import Claims

_SHOWN, _BIN = 10, 0.05

#: The kind of finding on captions that appear to be at the wrong image.
SWAPPED = "swapped-captions"


def _listing(
    name: str, title: str, caption: str, columns: Sequence[str | pl.Expr], where: pl.Expr | None = None
) -> View[Table]:
    shown = Table(f"captions of {{label}} {title}", EMPTY, caption=caption, name=name)
    return View(shown, where=where, columns=columns, top=_SHOWN)


_SWAPPED = _listing(
    "swapped",
    "that appear to be swapped",
    "both captions fit the other's image better; pair_evidence: bits of both together",
    ("image", "slot", "text", "other_image", "other_slot", "other_text", "pair_evidence"),
    where=(pl.col("finding") == "swapped") & (pl.col("image") < pl.col("other_image")),
)

_ELSEWHERE = _listing(
    "elsewhere",
    "that appear to belong to another image",
    "lead: advantage of the other image over all further images, in bits, by the words of the caption",
    ("image", "slot", "value", "text", "other_image", "evidence", "lead"),
    where=pl.col("finding") == "elsewhere",
)

_UNFIT = _listing(
    "unfit",
    "with the worst fit to their image",
    "fit: evidence that the caption belongs to its image, in bits, by vectors and words; other_fit: the same for the "
    "best other image (below 0: it belongs to neither)",
    ("image", "slot", "fit", "text", "other_image", (pl.col("fit") + pl.col("evidence")).alias("other_fit")),
)

_UNLIKE = _listing(
    "unlike",
    "least similar to the others of their image",
    "value: mean score against the other captions of the image; others: mean score of these among themselves",
    ("image", "slot", "value", "others", "text"),
)

_UNFIT_IMAGES, _DIFFICULT = View(
    Table(
        "the images of {label} with the worst match to their captions", EMPTY, name="unfit-images",
        caption="match: how much better the captions match the vector of their image than those of other images, in "
        "standard deviations (mean); text: the caption most similar to the others",
    ),
    columns=("image", "n", "match", "text"),
), View(
    Table(
        "the most difficult images of {label}", EMPTY, name="difficult-images",
        caption="difficulty: 1 - mean score; consensus: slot of the caption most similar to the others (the first of "
        "ties)",
    ),
    columns=("image", "n", "difficulty", "sd", "consensus", "consensus_value", "ties", "text"),
)  # fmt: skip


def tables(
    selections: Sequence[Selection], captions: Sequence[pl.DataFrame], by_image: Sequence[pl.DataFrame]
) -> tuple[Table, ...]:
    """Return the tables of `outliers`, from a frame for each selection; without `captions`, only those of images."""
    listed = []
    for index, (selection, images) in enumerate(zip(selections, by_image, strict=True)):
        shown = list(_of_captions(selection.label, captions[index])) if captions else []
        if "match" in images.columns:
            worst = images.drop_nulls("match").sort("match", "image")
            shown += filled([_UNFIT_IMAGES], worst.head(_SHOWN), selection.label)
        shown += filled([_DIFFICULT], images.head(_SHOWN), selection.label)
        for table in shown:
            columns = [name for name in ("image", "other_image") if name in table.frame.columns]
            listed.append(replace(table, pictured=pictured(table.frame, selection.version.dataset, *columns)))
    return folded(listed)


def _of_captions(label: str, rows: pl.DataFrame) -> Iterator[Table]:
    yield from filled([_SWAPPED, _ELSEWHERE], _with_other_texts(rows, rows), label)
    if "fit" in rows.columns:
        yield from filled([_UNFIT], rows.drop_nulls("fit").sort("fit", "image", "slot"), label)
    lowest = rows.drop_nulls("value").sort("value", "others", descending=[False, True], maintain_order=True)
    yield from filled([_UNLIKE], lowest, label)


def lead(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return the number of captions that appear to be at the wrong image, with a caution."""
    swapped = [finding for finding in findings if finding.kind == SWAPPED]
    caution = Sentence("Check the images: almost identical images can also cause such findings.")
    is_any = any(finding.values["captions"] for finding in swapped)
    return (*map(Sentence.of, swapped), *([caution] if is_any else []))


def finding(selection: Selection, rows: pl.DataFrame, scored: int, claims: Claims, sight: Sight | None) -> Finding:
    """Return the finding on captions that appear to belong to another image."""
    pairs, alone = claims.pairs, claims.alone
    if rows.is_empty():
        same = f"{selection.label}: every caption has the same score, so none is an outlier"
        return Finding("scores-all-equal", same, about(selection), n=scored, severity="notice")
    results, checked, basis = [], ", were checked", "text alone is"
    if sight is not None:
        checked = f" or with the worst fit to it, were checked by words and the vectors of {sight.vectors.dataset}"
        basis = f"text and the vectors of {sight.vectors.dataset} are"
    if pairs:
        swapped = counted(pairs.claims, "pair appears to be swapped", "pairs appear to be swapped")
        results.append(f"{swapped} (estimated true ones: {pairs.right:,.0f})")
    if alone:
        verb = counted(alone.claims, "caption appears", "captions appear")
        results.append(f"{verb} to belong to another image (estimated true ones: {alone.right:,.0f})")
    results = results or [f"None is reported as swapped: {basis} not reliable enough on this dataset"]
    one_of_each_pair = (pl.col("finding") == "elsewhere") | (pl.col("image") < pl.col("other_image"))
    examples = misplaced(rows).filter(one_of_each_pair).drop("finding").head(3)
    sentence = (
        f"{selection.label}: {rows.height:,} of {scored:,} captions, those least similar to the others of their "
        f"image{checked}. {'. '.join(results)}"
    )
    values = {
        "captions": claims.claims, "swapped_pairs": pairs.claims if pairs else 0,
        "elsewhere": alone.claims if alone else 0, "expected_right": round(claims.right),
        "looked_into": rows.height, "pair_bits": pairs.bits if pairs else None,
        "lead_bits": alone.bits if alone else None, "found": alone.found if alone else None,
    }  # fmt: skip
    severity: Severity = "warning" if pairs or alone else "info"
    headline = f"{claims.claims:,} of {scored:,} captions"
    where, listed = about(selection), tuple(examples.to_dicts())
    return Finding(SWAPPED, sentence, where, values, scored, severity, listed, headline)


def misplaced(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of captions that appear to be at the wrong image, of swapped ones both, as findings list them.

    `rows` are those of one dataset. Columns: finding, image, slot, text, why, other_image, other_slot, other_text.
    """
    wrong = rows.filter(pl.col("finding").is_in(["swapped", "elsewhere"]))
    bits = pl.coalesce("pair_evidence", "evidence").round(0).cast(pl.Int64)
    why = pl.format("fits {} better, by {} bits", "other_image", bits).alias("why")
    listed = _with_other_texts(wrong, rows)
    return listed.select("finding", "image", "slot", "text", why, "other_image", "other_slot", "other_text")


def _with_other_texts(rows: pl.DataFrame, every: pl.DataFrame) -> pl.DataFrame:
    texts = every.select(other_image="image", other_slot="slot", other_text="text")
    return rows.join(texts, on=["other_image", "other_slot"], how="left", maintain_order="left")


def figures(selections: Sequence[Selection], by_image: Sequence[pl.DataFrame]) -> tuple[Figure, ...]:
    """Return the figure of the share of images by difficulty."""
    bins = pl.DataFrame({"bin": range(round(1 / _BIN))})
    of_bin = (pl.col("difficulty") / _BIN).floor().clip(0, 1 / _BIN - 1).cast(pl.Int64)
    difficulty, shares = ((pl.col("bin") + 0.5) * _BIN).round(3), []
    for selection, rows in zip(selections, by_image, strict=True):
        counts = bins.join(rows.group_by(bin=of_bin).len("images"), on="bin", how="left", maintain_order="left")
        share, dataset = pl.col("images").fill_null(0) / rows.height, pl.lit(selection.label)
        shares.append(counts.select(difficulty=difficulty, share=share, dataset=dataset))
    drawn = Figure("difficulty", "Difficulty of images", "lines", pl.concat(shares), "difficulty", "share", "dataset")
    x_label, caption = "difficulty: 1 - mean score of the image's captions", f"In bins of {_BIN:g}."
    return (replace(drawn, x_label=x_label, y_label="share of images", caption=caption),)
