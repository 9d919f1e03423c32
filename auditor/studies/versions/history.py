"""What is in the store, how did it come there, what changed?"""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import VOLATILE, Progress, silent
from auditor.result import Finding, Result, Table, about
from auditor.store import versions
from auditor.store.captions import Captions, tokenize
from auditor.store.connection import Store
from auditor.store.scripts import chosen_tokenizer
from auditor.studies.versions import drift
from auditor.text import AUTO, tokenizer_of

_SHORT = pl.col("version").str.head(12)

#: How deep `diff` looks, and the SELECT that does.
_DEPTHS = {"totals": "difference", "images": "image_change", "text": "change"}


Dataset = Annotated[
    str | None,
    p.Parameter("List the versions of this dataset; default: all datasets.", metavar="NAME", completes="dataset"),
]

Before = Annotated[str, p.Parameter("Before: flickr8k@v1.", metavar="DATASET")]

After = Annotated[str, p.Parameter("After: flickr8k@v2.", metavar="DATASET")]

Depth = Annotated[str, p.Parameter("totals, images, text (every caption), vocabulary, lengths or drift.")]

AsTokens = Annotated[bool, p.Parameter("Compare captions by their tokens: case and punctuation do not count.")]


def datasets(store: Store, name: Dataset = None) -> Result:
    """List the datasets of the store, or the versions of one.

    One row a dataset with its newest version, in order of names; with NAME one row a version, the newest first, with
    its tags and note.

    How to read it: `seq` is the number of a version (3 is written NAME@v3), `version` the name of its content: equal
    values are equal captions. Going back to an earlier state gives a new line with the old name, and finds what was
    counted for it. `kind` says what it holds: captions, candidates (a system's output), judgements (ratings), pairs,
    triplets, choices, a corpus or a word list.

    Limits: what is in this store; what could be fetched or ingested is in datasets.toml. A version has the time when it
    was read, not when or by whom the file was changed.

    Raises `UsageError` for a dataset that is not there.

    Examples: auditor datasets · auditor datasets flickr8k
    """
    if name is not None:
        return _versions(store, name)
    columns = ["dataset", "kind", "seq", "version", "images", "captions", "created_at", "rejected", "format"]
    newest = versions.log_rows(store).unique("dataset", keep="first", maintain_order=True).select(columns)
    notes = () if newest.height else ("the store is empty; fill it with `auditor ingest NAME`",)
    return Result(
        "datasets",
        newest,
        tables=(Table("datasets", newest.with_columns(_SHORT), name="datasets"),),
        notes=notes,
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
    """Compare two versions: captions, words, lengths.

    At `depth` totals it counts by kind of change, at images by image, at text it shows every caption, old and new; with
    `as_tokens`, captions whose tokens are equal have not changed. At depth vocabulary it compares words, at lengths and
    drift statistics of the words, whatever the two datasets are. Drift is one number each: Jensen-Shannon divergence of
    words, of bigrams and of openings, lengths, new words and words that are gone.

    How to read it: `edited` is another text at the same image and slot; `moved` the same text elsewhere. A divergence
    is 0 for equal frequencies and 1 for no word in common.

    Limits: at the depths of captions both must name their images alike. Divergence grows when texts are few, so compare
    it with what two halves of one dataset give.

    Raises `UsageError` for another depth or an unknown tokenizer.

    Examples: auditor diff flickr8k@v1 flickr8k@v2 --depth text · auditor diff flickr8k flickr30k --depth vocabulary
    """
    moves = (*drift.DEPTHS, drift.SUMMARY)
    known = (*_DEPTHS, *moves)
    if depth not in known:
        raise UsageError(f"{depth}: no such depth; known are {', '.join(known)}")
    tokenized = [a, b] if as_tokens or depth in moves else []
    tokenizer, said = chosen_tokenizer(store, tokenized, named=tokenizer)
    tokenizer_of(tokenizer)  # an unknown one is refused at every depth
    sides = versions.resolve(store, a), versions.resolve(store, b)
    if tokenized:
        tokenize(store, sides, tokenizer, progress)
    title = f"{a} → {b}"
    if depth in moves:
        before, after = (Captions(store, side, tokenizer) for side in sides)
        moved = drift.drift(before, after, depth, title)
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
    same = Finding("unchanged", f"{a} and {b} hold the same captions", about(sides[0], against=sides[1].pinned_name))
    return Result(
        "diff",
        rows,
        selections=sides,
        tables=(Table(title, rows, beside=("old_text", "new_text") if depth == "text" else None, name="changes"),),
        notes=tuple(said),
        holds=not changed,
        findings=() if changed else (same,),
    )
