"""Which caption of an image says what people agree on? An image's own captions, each against the others, in order.

Vedantam, Zitnick & Parikh 2015, appendices II and IV (figures 5 and 6): what a metric puts first, and whether that is
long or short.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.metrics.candidates import HUMAN
from auditor.model import Progress, Selection, silent
from auditor.registry import MetricRequest, References, requests
from auditor.result import Finding, Result, Table, about
from auditor.scoring.references import as_references
from auditor.scoring.scores import scorable, score_candidates, signatures, too_few_captions, too_long
from auditor.scoring.single_captions import without_references
from auditor.scoring.writing import chooses_tokenizer
from auditor.statistics.summary import exact
from auditor.store import ngrams
from auditor.store.connection import Store
from auditor.store.versions import content, resolve
from auditor.text import AUTO

#: The metrics whose rankings the paper shows; its ROUGE-1 is recall over all references (eq. 9).
PUBLISHED = ("cider", "bleu-1", "bleu-1:bp=none", "rouge-1:measure=recall", "cider:n=1", "cider-d:n=1")

#: Correlations leave with so many decimals, so that their means are sums of whole numbers.
_DECIMALS = 12

_UNIT = 10.0**_DECIMALS

_LONGEST_IMAGE = 60


Images = Annotated[Sequence[str], p.Parameter("Only this image; repeat for more.", "image")]


@chooses_tokenizer("ref")
def ranked_captions(
    store: Store,
    ref: p.Described,
    *,
    images: Images = (),
    metrics: p.Metrics = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Rank the captions of each image, the one that people agree on first.

    Each caption of an image is scored against the others of the image, and the image's captions are put in order.

    How to read it: `rank` 1 is the caption most like the others: what people agree on. The last is what one person saw,
    or an error. Equal scores share the lowest rank; `length` is in tokens.

    Limits: metrics prefer certain lengths, so look whether first ranks are short or long. With two captions an image,
    both have nearly the same score.

    Source: Vedantam, Zitnick & Parikh 2015, appendices II and IV.

    Raises `UsageError` for an image that has no ranked captions.

    Example: auditor rank pascal50s --image 2008_000008.jpg -m cider
    """
    selection = resolve(store, ref, split)
    odd = as_references(selection)
    against = References("loo", references, seed)
    requested, unscored = scorable(store, against.of(selection), requests(metrics or list(PUBLISHED)), metrics)
    scores = score_candidates(store, against.of(selection), tokenizer, [HUMAN], requested, progress)
    places = _ranks(store, selection, tokenizer, scores, requested)
    shown = _of_images(selection, places, images)
    labels = [metric.label for metric in requested]
    frame = pl.concat(_rows(selection, shown, label) for label in labels).sort(
        "image", pl.col("metric").cast(pl.Enum(labels)), "rank", "slot"
    )
    summary = _summary(shown, labels)
    texts = content(store, selection).select("image", "slot", "text")
    first = images or shown["image"].unique().sort().head(1).to_list()
    return Result(
        "rank",
        frame,
        selections=(selection,),
        signatures=signatures(requested, tokenizer, against),
        tables=(
            _summary_table(selection, summary, labels),
            *(_image_table(image, shown, texts, labels) for image in first),
        ),
        notes=(*odd, *unscored),
        findings=(
            *too_few_captions(store, selection, against),
            *too_long(store, [selection], tokenizer),
            *(without_references(store, selection) if references is None and not images else ()),
            *_favours(selection, summary),
        ),
    )


def _ranks(
    store: Store, selection: Selection, tokenizer: str, scores: pl.DataFrame, metrics: Sequence[MetricRequest]
) -> pl.DataFrame:
    """Add to the scores the length of each caption, its split, and a column `rank LABEL` for each metric."""
    lengths = ngrams.workspace(store, selection, tokenizer).rows("reference").select("image", "slot", "split", "length")
    return scores.join(lengths, on=["image", "slot"], maintain_order="left").with_columns(
        pl.col(one.label)
        .rank("min", descending=not one.metric.lower_is_better)
        .over("image")
        .cast(pl.UInt32)
        .alias(f"rank {one.label}")
        for one in metrics
    )


def _of_images(selection: Selection, places: pl.DataFrame, images: Sequence[str]) -> pl.DataFrame:
    for image in images:
        if not (places["image"] == image).any():
            known = ", ".join(places["image"].unique().sort().head(3))
            raise UsageError(
                f"--image {image}: {selection.label} has no captions to rank for it; it has those of {known}, …"
            )
    return places.filter(pl.col("image").is_in(images)) if images else places


def _rows(selection: Selection, places: pl.DataFrame, label: str) -> pl.DataFrame:
    return places.select(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        *("split", "image", "slot", "candidate"),
        pl.lit(label).alias("metric"),
        pl.col(label).alias("value"),
        pl.col(f"rank {label}").alias("rank"),
        "length",
    )


def _summary(places: pl.DataFrame, labels: Sequence[str]) -> pl.DataFrame:
    """Say of each metric whether it puts long captions first.

    Columns: metric, images (with a correlation), length_rho (Spearman's rho within an image between a caption's place
    and its length, mean over images; above 0: the longer, the better), like_first (the same with the ranks of the first
    metric), first_length (mean length of the captions of rank 1), mean_length.
    """
    rows = []
    for label in labels:
        by_length = _rho(places, pl.col("length"), -pl.col(f"rank {label}").cast(pl.Int64))
        alike = _rho(places, pl.col(f"rank {labels[0]}"), pl.col(f"rank {label}"))
        firsts = places.filter(pl.col(f"rank {label}") == 1)["length"]
        rows.append((label, len(by_length), _mean(by_length), _mean(alike), firsts.mean(), places["length"].mean()))
    schema = {
        "metric": pl.String,
        "images": pl.UInt32,
        **dict.fromkeys(("length_rho", "like_first", "first_length", "mean_length"), pl.Float64),
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _rho(places: pl.DataFrame, x: pl.Expr, y: pl.Expr) -> pl.Series:
    """Give Spearman's rho of each image, in order of images, without those where either is constant."""
    doubled = {name: (2 * one.rank("average")).cast(pl.Int64).over("image") for name, one in (("x", x), ("y", y))}
    n = pl.len().cast(pl.Int64)
    sums = (
        places.select("image", **doubled)
        .group_by("image")
        .agg(
            (n * (pl.col(a) * pl.col(b)).sum() - pl.col(a).sum() * pl.col(b).sum()).alias(f"{a}{b}")
            for a, b in (("x", "y"), ("x", "x"), ("y", "y"))
        )
        .sort("image")
        .filter(pl.col("xx") > 0, pl.col("yy") > 0)
    )
    product = pl.col("xx").cast(pl.Float64).sqrt() * pl.col("yy").cast(pl.Float64).sqrt()
    return sums.select((pl.col("xy") / product).clip(-1, 1).round(_DECIMALS).alias("rho")).to_series()


def _mean(values: pl.Series) -> float | None:
    if values.is_empty():
        return None
    total: int = values.to_frame("value").select(exact(pl.col("value")).sum()).item()
    return total / _UNIT / len(values)


def _summary_table(selection: Selection, summary: pl.DataFrame, labels: Sequence[str]) -> Table:
    return Table(
        f"what each metric puts first among the captions of an image of {selection.label}",
        summary,
        caption="length_rho: Spearman's rho of rank and length within an image, mean over images; above 0 the longer "
        f"captions come first; like_first: the same with the ranks by {labels[0]}; lengths in tokens",
        name="first-captions",
    )


def _image_table(image: str, places: pl.DataFrame, texts: pl.DataFrame, labels: Sequence[str]) -> Table:
    own = places.filter(pl.col("image") == image).join(texts, on=["image", "slot"], maintain_order="left")
    ordered = own.sort(f"rank {labels[0]}", "slot")
    return Table(
        f"captions of {image}, ranked by {labels[0]}",
        ordered.select(pl.col(f"rank {label}").alias(label) for label in labels)
        .hstack(ordered.select("length", "slot", pl.col("text").str.strip_chars()))
        .head(_LONGEST_IMAGE),
        caption="ranks, 1 is the best; --image ID shows another image",
        name="ranked-captions",
    )


def _favours(selection: Selection, summary: pl.DataFrame) -> list[Finding]:
    """Say which metric favours long captions most, and which short ones."""
    told = summary.drop_nulls("length_rho").sort("length_rho", maintain_order=True)
    ends = (
        ("long", told.tail(1).filter(pl.col("length_rho") > 0)),
        ("short", told.head(1).filter(pl.col("length_rho") < 0)),
    )
    return [
        Finding(
            "favours-length",
            f"{metric} favours {which} captions most (rho of rank and length {rho:+.2f})",
            about(selection, metric=metric),
            {"favours": which, "length_rho": rho},
            images,
            "notice",
        )
        for which, end in ends
        for metric, rho, images in end.select("metric", "length_rho", "images").iter_rows()
    ]
