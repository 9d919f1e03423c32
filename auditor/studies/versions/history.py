"""Which datasets and versions are in the store, and what changed between two of them?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Literal, get_args

import polars as pl

from auditor import parameters as p
from auditor.asking import question
from auditor.called import call
from auditor.model import VOLATILE, Progress, Selection, silent
from auditor.result import Finding, Result, Table, about, counted
from auditor.store import versions
from auditor.store.captions import Captions, chosen_tokenizer
from auditor.store.connection import Store
from auditor.store.matching import match
from auditor.store.tokens import tokenize
from auditor.studies.versions import drift
from auditor.text import AUTO

_SHORT = pl.col("version").str.head(12)

#: The depths of `diff` that compare captions, with their SELECTs.
_DEPTHS = {"totals": "difference", "images": "image_change", "text": "change"}


Dataset = Annotated[
    str | None,
    p.Parameter("List the versions of this dataset; default: all datasets.", metavar="NAME", completes="dataset"),
]

Before = Annotated[str, p.Parameter("Old version: flickr8k@v1.", metavar="DATASET")]

After = Annotated[str, p.Parameter("New version: flickr8k@v2.", metavar="DATASET")]

DEPTH = p.Parameter("quality, totals, images, text, vocabulary, lengths or drift.")

OfCaptions = Annotated[Literal["totals", "images", "text"], DEPTH]

OfLanguage = Annotated[Literal["vocabulary", "lengths", "drift"], DEPTH]

OfTokens = Annotated[str, replace(get_args(p.Tokenizer)[1], needs="as_tokens")]

AsTokens = Annotated[bool, p.Parameter("Compare captions by tokens: ignore case and punctuation.")]


@question
def datasets(store: Store, name: Dataset = None) -> Result:
    """List the datasets in the store, or the versions of one.

    Lists one row per dataset with its newest version, sorted by name. With NAME, it lists one row per version with tags
    and note, the newest first.

    How to read it: `seq` is the number of a version (version 3 is NAME@v3). `version` identifies the content: equal
    values mean equal captions. If you go back to an earlier state, the new row has the earlier `version`, and cached
    results are reused. `kind` is captions, candidates (the output of a system), judgements (ratings), pairs, triplets,
    choices, a corpus or a word list.

    Limits: it lists only this store; datasets.toml lists what you can fetch or ingest. A version has the time of its
    import, not the time or author of the change to the file.

    Raises `UsageError` for a dataset that is not in the store.

    Examples: auditor datasets · auditor datasets flickr8k
    """
    if name is not None:
        return _versions(store, name)
    columns = ["dataset", "kind", "seq", "version", "images", "captions", "created_at", "rejected", "format"]
    newest = versions.log_rows(store).unique("dataset", keep="first", maintain_order=True).select(columns)
    notes = () if newest.height else (f"the store is empty; import a dataset with `{call('ingest', 'NAME')}`",)
    return Result(
        "datasets",
        newest,
        tables=(Table("datasets", newest.with_columns(_SHORT), name="datasets"),),
        notes=notes,
        lead=(f"The store has {counted(newest.height, 'dataset', 'datasets')}.",),
        volatile=("created_at",),
    )


def _versions(store: Store, dataset: str) -> Result:
    """List every version of a dataset, the newest first."""
    selection = versions.resolve(store, dataset, vectors=True)
    rows = versions.log_rows(store, selection.version.dataset).with_columns(pl.col("tags").list.join(" "))
    table = rows.drop("dataset", "kind", "tokenizers").with_columns(_SHORT, pl.col("source_sha256").str.head(12))
    return Result(
        "datasets",
        rows.with_columns(pl.col("tokenizers").list.join(" ")),
        selections=(selection,),
        tables=(Table(f"versions of {dataset}", table, name="versions"),),
        lead=(f"{selection.label} is version {selection.version.seq} of {rows.height} in the store.",),
        volatile=VOLATILE,
    )


@question
def changes(
    store: Store,
    a: Before,
    b: After,
    *,
    depth: OfCaptions = "totals",
    as_tokens: AsTokens = False,
    tokenizer: OfTokens = AUTO,
    progress: Progress = silent,
) -> Result:
    """Compare the captions of two versions, for `auditor diff`."""
    sides, title = (versions.resolve(store, a), versions.resolve(store, b)), f"{a} → {b}"
    match(store, sides[1], sides[0], required=False)
    tokenizer, reason = chosen_tokenizer(store, sides if as_tokens else [], named=tokenizer)
    if as_tokens:
        tokenize(store, sides, tokenizer, progress)
    rows = versions.difference(store, *sides, _DEPTHS[depth], tokenizer if as_tokens else None)
    changed = bool(rows["captions"].sum() if depth == "totals" else rows.height)
    lead: tuple[str, ...] = ()
    if depth == "totals":
        images = [versions.images(store, side) for side in sides]
        lead = _of_two_datasets(sides, images, rows)
        totals = {
            "change": [f"in {a}", f"in {b}"],
            "images": [side.height for side in images],
            "captions": [side["captions"].sum() for side in images],
        }
        rows = pl.concat([pl.DataFrame(totals, schema=rows.schema), rows])
    same = Finding("unchanged", f"{a} and {b} contain the same captions", about(sides[0], against=sides[1].pinned_name))
    return Result(
        "diff",
        rows,
        selections=sides,
        tables=(Table(title, rows, beside=("old_text", "new_text") if depth == "text" else None, name="changes"),),
        lead=lead,
        notes=tuple(reason),
        holds=not changed,
        findings=() if changed else (same,),
    )


@question
def drifted(
    store: Store, a: Before, b: After, *, depth: OfLanguage, tokenizer: p.Tokenizer = AUTO, progress: Progress = silent
) -> Result:
    """Compare the language of two versions or datasets, for `auditor diff`."""
    sides = versions.resolve(store, a), versions.resolve(store, b)
    tokenizer, reason = chosen_tokenizer(store, sides, named=tokenizer)
    tokenize(store, sides, tokenizer, progress)
    before, after = (Captions(store, side, tokenizer) for side in sides)
    moved = drift.drift(before, after, depth, f"{a} → {b}")
    return replace(moved, notes=(*reason, *moved.notes))


def _of_two_datasets(sides: Sequence[Selection], images: Sequence[pl.DataFrame], rows: pl.DataFrame) -> tuple[str, ...]:
    """Report how many captions of two datasets are equal, as of two prompts or two models: none was edited."""
    first, second = sides
    if first.version.dataset == second.version.dataset:
        return ()
    shared = images[0].join(images[1], on="image", how="semi")
    captions, counts = int(shared["captions"].sum()), dict(rows.select("change", "captions").iter_rows())
    gone = int(images[0]["captions"].sum()) - captions
    equal = captions - counts["edited"] - (counts["removed"] - gone)
    common = counted(shared.height, "image", "images")
    said = f"{first.label} and {second.label} are two datasets with {common} in common"
    if shared.height:
        of = counted(captions, "caption", "captions")
        said += f". Of {of} of these images in {first.label}, {equal:,} are equal in {second.label}"
    return (
        f"{said}.",
        f"How words, openings and lengths differ: `{call('diff', first.label, second.label, depth=drift.SUMMARY)}`.",
    )
