"""What is not wanted any more? A dataset, or a version of one, is forgotten."""

from __future__ import annotations

from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Confirm, Version, unasked
from auditor.result import Result, Table, counted
from auditor.store import dropping, tags, versions
from auditor.store.connection import Store

Unwanted = Annotated[
    str, p.Parameter("Dataset, or a version of it: mine, mine@v2.", metavar="DATASET", completes="dataset")
]

Yes = Annotated[bool, p.Parameter("Do not ask.")]

Tagged = Annotated[bool, p.Parameter("Also what a tag names; the tag goes with it.")]


def drop(
    store: Store,
    ref: Unwanted,
    *,
    yes: Yes = False,
    force: Tagged = False,
    confirm: Confirm = unasked,
) -> Result:
    """Remove a dataset, or one of its versions.

    `mine` is the dataset with all its versions, tags and refused records, `mine@v2` one version. Asks first, unless
    `yes`. What other datasets and versions hold stays, to the letter: texts that they share, too. A version that a tag
    names goes only with `force`.

    How to read it: one row for each version that went.

    Limits: there is no way back but to ingest again. The file keeps its size until `auditor store gc`. datasets.lock
    still names what was ingested. Where the newest version goes, the next ingest takes its number again.

    Raises `UsageError` for what a tag names, and where nobody said yes.

    Example: auditor store drop mine@v2
    """
    selection = versions.resolve(store, ref, vectors=True)
    if selection.split is not None:
        raise UsageError(f"{ref}: a split is no version; name the dataset, or one of its versions")
    dataset = selection.version.dataset
    going = [selection.version] if "@" in ref else versions.log(store, dataset)
    _refuse_tagged(store, dataset, going, force=force)
    if not yes and not confirm(f"Forget {_said(ref, going)}?"):
        raise UsageError(f"{ref}: nothing was dropped; --yes drops it without a question")
    if "@" in ref:
        dropping.drop(store, selection.version)
    else:
        dropping.drop_dataset(store, going)
    rows = pl.DataFrame(
        [
            {"dataset": version.dataset, "seq": version.seq, "version": version.version, "images": version.images}
            | {"captions": version.captions, "status": "dropped"}
            for version in going
        ]
    )
    shown = rows.with_columns(pl.col("version").str.head(12))
    left = versions.log(store, dataset)
    stays = f"{dataset} is {left[0].label} now" if left else f"{dataset} is gone"
    note = f"{stays}; `auditor store gc` gives the room back"
    return Result("store-drop", rows, tables=(Table("dropped", shown, name="dropped"),), notes=(note,))


def _said(ref: str, going: list[Version]) -> str:
    size = f"{going[0].images:,} images and {going[0].captions:,} captions"
    return f"{ref}: {counted(len(going), 'version', 'versions')}, the newest of {size}"


def _refuse_tagged(store: Store, dataset: str, going: list[Version], *, force: bool) -> None:
    named = {seq: tag for tag, seq in tags.of(store, dataset).items()}
    tagged = [f"@v{version.seq} is {named[version.seq]}" for version in going if version.seq in named]
    if tagged and not force:
        raise UsageError(f"{dataset}{', '.join(tagged)}: what a tag names is dropped with --force")
