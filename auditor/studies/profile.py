"""How large is a dataset, how long are its captions, how many words has it, what repeats?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated

import polars as pl
import polars.selectors as cs

from auditor import parameters as p
from auditor.model import Progress, Selection, silent
from auditor.result import Figure, Finding, Result, Table, about
from auditor.scoring.signs import bind_signs
from auditor.scoring.writing import chooses_tokenizer, fact_tokenizer
from auditor.store import ngrams, tokens, versions
from auditor.store.connection import Store
from auditor.text import AUTO, tokenizer_of

Examples = Annotated[
    int, p.Parameter("Captions to show of each count of hygiene; rows are then all such captions.", least=0)
]

_MEANS = ("captions-per-image-mean", "asl", "sdsl")

#: The figure of how long captions are.
LENGTHS = "lengths"

#: The kind of finding on what may be wrong with single captions.
DIRT = "signs-of-dirt"

#: The statistics that may be signs of dirt, and how they are said.
_SIGNS: Mapping[str, str] = {
    "captions-without-word": "captions without a word",
    "images-with-one-caption": "images with one caption only, which has no reference",
    "captions-repeated-within-image": "captions that repeat another of their image",
    "captions-on-several-images": "captions whose text occurs at several images",
    "captions-in-several-splits": "captions in several splits",
    "images-in-several-splits": "images that are in several splits",
    "captions-of-unusual-length": "captions of unusual length",
    "captions-with-markup": "captions with markup",
    "captions-that-look-encoded-twice": "captions that look encoded twice",
    "captions-with-replacement-characters": "captions with replacement characters",
    "captions-with-unprintable-characters": "captions with unprintable characters",
    "captions-with-line-breaks": "captions with line breaks",
    "captions-of-mixed-scripts": "captions of mixed scripts",
    "images-with-captions-sorted-by-length": "images whose captions are sorted by length",
    "rejected": "records that the ingest refused",
}


@chooses_tokenizer("refs")
def profile(
    store: Store,
    *refs: p.Refs,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    examples: Examples = 0,
    progress: Progress = silent,
) -> Result:
    """Count size, lengths, vocabulary and repeated captions.

    Counts by SQL over the captions and their tokens: how many images, captions, tokens (words of the running text) and
    types (different words), mean length `asl` and its standard deviation `sdsl` in tokens, how often a caption occurs
    again, which records were refused, and signs of dirt: blanks, mark-up, mixed scripts, captions sorted by length.

    How to read it: many types for as many tokens is a rich vocabulary; hundreds of captions on several images are
    copied or written from a pattern. Zero is the good value for nearly all of hygiene.

    Limits: types grow with the number of tokens, so compare them between datasets of about equal size, or ask `auditor
    diversity`. A sign of dirt is a reason to look, no proof.

    Columns: dataset, version, statistic, value, split. With --examples a row for each caption that a count of hygiene
    counts: dataset, version, split, statistic, image, slot, text; the image of images, which has several rows, and the
    texts of texts.

    Raises `UsageError` for a dataset, version or split that is not there.

    Examples: auditor profile flickr8k coco-val2017 · auditor profile mine --examples 3 -o dirt.csv
    """
    tokenize = tokenizer_of(tokenizer)
    selections = versions.resolve_all(store, refs, split)
    tokens.provide(store, selections, tokenizer, tokenize, progress)
    measured = [_describe(store, selection, tokenizer) for selection in selections]
    described = [parts for *parts, _ in measured]
    sizes, hygiene, noted = (_side_by_side(selections, parts) for parts in zip(*described, strict=True))
    order = hygiene.select("statistic").with_row_index("place")
    listed = pl.concat(_listed(store, selection, tokenizer, order) for selection in selections) if examples else None
    is_mean = pl.col("statistic").is_in(_MEANS)
    return Result(
        "profile",
        pl.concat(
            _rows(selection, part) for selection, parts in zip(selections, described, strict=True) for part in parts
        )
        if listed is None
        else listed,
        selections=selections,
        tables=(
            Table("size, vocabulary, repetition", _whole(sizes.filter(~is_mean)), name="sizes"),
            Table(f"lengths in tokens of tokenizer {tokenizer}", sizes.filter(is_mean), name="lengths"),
            Table("hygiene", _whole(hygiene), name="hygiene"),
            *([] if listed is None else [_shown(listed, examples)]),
            *([Table("annotations and related datasets", _whole(noted), name="annotations")] if noted.height else []),
        ),
        figures=(_figure(selections, [lengths for *_, lengths in measured]),),
        findings=tuple(
            found for one, parts in zip(selections, described, strict=True) for found in _dirt(one, pl.concat(parts))
        ),
    )


def said_of(signs: Mapping[str, str | float | None]) -> list[str]:
    """Say how many there are of each sign, which is a statistic's name."""
    return [f"{_SIGNS[name]}: {value:,.0f}" for name, value in signs.items()]


def _dirt(selection: Selection, described: pl.DataFrame) -> list[Finding]:
    """Say what is to be looked at, the most frequent first."""
    value = dict(described.select("statistic", "value").iter_rows())
    signs = {name: value[name] for name in sorted(_SIGNS, key=lambda one: -value.get(one, 0)) if value.get(name, 0)}
    said = f"{selection.label}, to be looked at: {'; '.join(said_of(signs))}"
    where = about(selection, label=selection.label)
    return [Finding(DIRT, said, where, signs, int(value["captions"]), "notice")] if signs else []


def _describe(store: Store, selection: Selection, tokenizer: str) -> tuple[pl.DataFrame, ...]:
    """Give size, hygiene and annotations of one selection (columns: statistic, value), and its lengths."""
    version = selection.version
    logged = versions.log_rows(store, version.dataset).filter(pl.col("seq") == version.seq)
    refused = logged.select(statistic=pl.lit("rejected"), value=pl.col("rejected").cast(pl.Float64))
    workspace = ngrams.workspace(store, selection, tokenizer, key=fact_tokenizer(store, selection))
    bind_signs(workspace)
    workspace.bind("annotated", "annotation_as_of")
    noted = [workspace.rows("annotations")]
    for other in versions.related(store, version.dataset):
        workspace.params["other"] = other
        noted.append(workspace.rows("overlap_with_related"))
    return (
        pl.concat([workspace.rows("profile"), refused]),
        workspace.rows("hygiene"),
        pl.concat(noted),
        workspace.rows("caption_length_count"),
    )


def _listed(store: Store, selection: Selection, tokenizer: str, order: pl.DataFrame) -> pl.DataFrame:
    """Give every caption that a count of hygiene counts, in the order of the counts."""
    at_work = ngrams.workspace(store, selection, tokenizer)
    bind_signs(at_work)
    return (
        at_work.rows("sign_of_dirt")
        .join(order, on="statistic")
        .sort("place", pl.when(pl.col("statistic").str.starts_with("texts-")).then("folded"), "image_no", "slot")
        .select(
            pl.lit(selection.version.dataset).alias("dataset"),
            pl.lit(selection.version.version).alias("version"),
            "split", "statistic", "image", "slot", "text",
        )
    )  # fmt: skip


def _shown(listed: pl.DataFrame, examples: int) -> Table:
    """Show a few captions of each count."""
    few = listed.group_by("dataset", "statistic", maintain_order=True).head(examples)
    shown = few.select("dataset", "statistic", "image", "slot", "text")
    return Table(f"captions of each count, {examples} of each", shown, sections="statistic", name="examples")


def _figure(selections: Sequence[Selection], lengths: Sequence[pl.DataFrame]) -> Figure:
    """Draw how many of the captions have how many tokens."""
    rows = [
        counted.select(
            "length",
            "captions",
            share=pl.col("captions") / pl.col("captions").sum(),
            dataset=pl.lit(selection.label),
        )
        for selection, counted in zip(selections, lengths, strict=True)
    ]
    return Figure(
        LENGTHS, "Lengths of captions", "lines", pl.concat(rows), x="length", y="share", series="dataset",
        x_label="tokens of a caption", y_label="share of captions",
    )  # fmt: skip


def _rows(selection: Selection, described: pl.DataFrame) -> pl.DataFrame:
    return described.select(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        "statistic",
        "value",
        pl.lit(selection.split, pl.String).alias("split"),
    )


def _side_by_side(selections: Sequence[Selection], parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Put the values of every selection beside each other; null where one has no such statistic."""
    known = pl.concat([part.select("statistic") for part in parts]).unique(maintain_order=True)
    for selection, part in zip(selections, parts, strict=True):
        known = known.join(part.rename({"value": selection.label}), on="statistic", how="left", maintain_order="left")
    return known


def _whole(counts: pl.DataFrame) -> pl.DataFrame:
    return counts.cast({cs.numeric(): pl.Int64})
