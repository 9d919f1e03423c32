"""What is in the store, how did it come there, what changed?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.result import Result, Table
from auditor.scoring.writing import text_profile_of
from auditor.store import tokens, versions
from auditor.store.connection import Store
from auditor.studies.versions import drift
from auditor.text import AUTO, tokenizer_of

_SHORT = pl.col("version").str.head(12)

#: How deep `diff` looks, and the SELECT that does.
_DEPTHS = {"totals": "difference", "images": "image_change", "text": "change"}


Dataset = Annotated[str, p.Parameter("Dataset.", metavar="NAME")]

Before = Annotated[str, p.Parameter("Before: flickr8k@v1.", metavar="REF")]

After = Annotated[str, p.Parameter("After: flickr8k@v2.", metavar="REF")]

Depth = Annotated[str, p.Parameter("totals, images, text (every caption), vocabulary, lengths or drift.")]

AsTokens = Annotated[bool, p.Parameter("Compare captions by their tokens: case and punctuation do not count.")]


def datasets(
    store: Store,
) -> Result:
    """List the datasets of the store, each with its newest version.

    List every dataset with its newest version.
    """
    columns = ["dataset", "kind", "seq", "version", "images", "captions", "created_at", "rejected", "format"]
    newest = versions.log_rows(store).unique("dataset", keep="first", maintain_order=True).select(columns)
    notes = () if newest.height else ("the store is empty; fill it with `auditor ingest NAME`",)
    return Result("datasets", newest, tables=(Table("datasets", newest.with_columns(_SHORT)),), notes=notes)


def log(
    store: Store,
    dataset: Dataset,
) -> Result:
    """List every version of a dataset, the newest first.

    List every version of one dataset, the newest first, with its tags and note.
    """
    selection = versions.resolve(store, dataset)
    rows = versions.log_rows(store, selection.version.dataset).with_columns(pl.col("tags").list.join(" "))
    table = rows.drop("dataset", "kind", "text_profiles").with_columns(_SHORT, pl.col("source_sha256").str.head(12))
    return Result(
        "log",
        rows.with_columns(pl.col("text_profiles").list.join(" ")),
        selections=(selection,),
        tables=(Table(f"versions of {dataset}", table),),
    )


def diff(
    store: Store,
    a: Before,
    b: After,
    *,
    depth: Depth = "totals",
    tokenizer: p.Tokenizer = AUTO,
    as_tokens: AsTokens = False,
    progress: Progress = silent,
) -> Result:
    """Say what changed from one version to another: captions, words, lengths.

    Say what changed from one selection to another, and whether anything did: then it does not hold.

    At depth `totals` by kind of change, `images` by image, `text` by caption, with the old and the new text; with
    `as_tokens`, captions whose tokens are equal have not changed. At depth `vocabulary` by word, at `lengths` and
    `drift` by statistic, in tokens of the text profile, whatever the datasets. Raises `UsageError` for another depth or
    an unknown profile.

    At depth drift one number each: divergence of words, bigrams and openings, lengths, new and gone words.

    Examples: auditor diff flickr8k@v1 flickr8k@v2 --depth text · auditor diff flickr8k flickr30k --depth vocabulary
    """
    moves = (*drift.DEPTHS, drift.SUMMARY)
    known = (*_DEPTHS, *moves)
    if depth not in known:
        raise UsageError(f"{depth}: no such depth; known are {', '.join(known)}")
    tokenised = [a, b] if as_tokens or depth in moves else []
    tokenizer, said = text_profile_of(store, tokenised, named=tokenizer)
    tokenize = tokenizer_of(tokenizer)
    sides = versions.resolve(store, a), versions.resolve(store, b)
    if tokenised:
        tokens.provide(store, sides, tokenizer, tokenize, progress)
    title = f"{a} → {b}"
    if depth in moves:
        moved = drift.drift(store, *sides, depth, tokenizer, title)
        return replace(moved, notes=(*said, *moved.notes))
    rows = versions.difference(store, *sides, _DEPTHS[depth], tokenizer if as_tokens else None)
    changed = bool(rows["captions"].sum() if depth == "totals" else rows.height)
    if depth == "totals":
        held = [versions.images(store, side) for side in sides]
        totals = {
            "change": [f"in {a}", f"in {b}"],
            "images": [side.height for side in held],
            "captions": [side["captions"].sum() for side in held],
        }
        rows = pl.concat([pl.DataFrame(totals, schema=rows.schema), rows])
    notes = (*said, *([] if changed else [f"{a} and {b} hold the same captions"]))
    return Result("diff", rows, selections=sides, tables=(Table(title, rows),), notes=notes, holds=not changed)
