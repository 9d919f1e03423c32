"""What is in the store, how did it come there, what changed?"""

from __future__ import annotations

from dataclasses import replace

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.result import Result, Table
from auditor.scoring.writing import text_profile_of
from auditor.store import tokens, versions
from auditor.store.connection import Store
from auditor.studies.versions import drift
from auditor.text import tokenizer

_SHORT = pl.col("version").str.head(12)

#: How deep `diff` looks, and the SELECT that does.
_DEPTHS = {"totals": "difference", "images": "image_change", "text": "change"}


def datasets(store: Store) -> Result:
    """List every dataset with its newest version."""
    columns = ["dataset", "kind", "seq", "version", "images", "captions", "created_at", "rejected", "format"]
    newest = versions.log_rows(store).unique("dataset", keep="first", maintain_order=True).select(columns)
    notes = () if newest.height else ("the store is empty; fill it with `auditor ingest NAME`",)
    return Result("datasets", newest, tables=(Table("datasets", newest.with_columns(_SHORT)),), notes=notes)


def log(store: Store, dataset: str) -> Result:
    """List every version of one dataset, the newest first, with its tags and note."""
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
    ref_a: str,
    ref_b: str,
    depth: str = "totals",
    text_profile: str = "auto",
    *,
    as_tokens: bool = False,
    progress: Progress = silent,
) -> tuple[Result, bool]:
    """Say what changed from one selection to another, and whether anything did.

    At depth `totals` by kind of change, `images` by image, `text` by caption, with the old and the new text; with
    `as_tokens`, captions whose tokens are equal have not changed. At depth `vocabulary` by word, at `lengths` and
    `drift` by statistic, in tokens of the text profile, whatever the datasets.
    Raises `UsageError` for another depth or an unknown profile.
    """
    moves = (*drift.DEPTHS, drift.SUMMARY)
    known = (*_DEPTHS, *moves)
    if depth not in known:
        raise UsageError(f"{depth}: no such depth; known are {', '.join(known)}")
    tokenised = [ref_a, ref_b] if as_tokens or depth in moves else []
    text_profile, said = text_profile_of(store, tokenised, named=text_profile)
    tokenize = tokenizer(text_profile)
    a, b = versions.resolve(store, ref_a), versions.resolve(store, ref_b)
    if tokenised:
        tokens.provide(store, (a, b), text_profile, tokenize, progress)
    title = f"{ref_a} → {ref_b}"
    if depth in moves:
        moved, changed = drift.drift(store, a, b, depth, text_profile, title)
        return replace(moved, notes=(*said, *moved.notes)), changed
    rows = versions.difference(store, a, b, _DEPTHS[depth], text_profile if as_tokens else None)
    changed = bool(rows["captions"].sum() if depth == "totals" else rows.height)
    if depth == "totals":
        sides = [versions.images(store, selection) for selection in (a, b)]
        held = {
            "change": [f"in {ref_a}", f"in {ref_b}"],
            "images": [side.height for side in sides],
            "captions": [side["captions"].sum() for side in sides],
        }
        rows = pl.concat([pl.DataFrame(held, schema=rows.schema), rows])
    same = [] if changed else [f"{ref_a} and {ref_b} hold the same captions"]
    return Result("diff", rows, selections=(a, b), tables=(Table(title, rows),), notes=(*said, *same)), changed
