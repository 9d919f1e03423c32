"""How do you delete a dataset, or one of its versions?"""

from __future__ import annotations

from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Confirm, Version, unasked
from auditor.result import Result, Table, counted
from auditor.store import upkeep, versions
from auditor.store.connection import Store

Unwanted = Annotated[
    str, p.Parameter("Dataset, or one version: mine, mine@v2.", metavar="DATASET", completes="dataset")
]

Yes = Annotated[bool, p.Parameter("Do not ask for confirmation.")]

Tagged = Annotated[bool, p.Parameter("Also remove tagged versions, with their tags.")]


def drop(
    store: Store,
    ref: Unwanted,
    *,
    yes: Yes = False,
    force: Tagged = False,
    confirm: Confirm = unasked,
) -> Result:
    """Remove a dataset, or one of its versions.

    `mine` removes the dataset with all versions, tags and rejected records; `mine@v2` removes one version. It asks for
    confirmation, except with `yes`. Other datasets and versions do not change, even if they share texts. A tagged
    version is removed only with `force`.

    How to read it: one row for each removed version.

    Limits: you cannot undo this, except by ingesting again. The file keeps its size until `auditor store gc`.
    datasets.lock is not changed. After the newest version is removed, the next ingest reuses its number.

    Raises `UsageError` for a tagged version, and if you don't confirm.

    Example: auditor store drop mine@v2
    """
    selection = versions.resolve(store, ref, vectors=True)
    if selection.split is not None:
        raise UsageError(f"{ref}: a split cannot be removed; name the dataset, or one of its versions")
    dataset = selection.version.dataset
    going = [selection.version] if "@" in ref else versions.log(store, dataset)
    _refuse_tagged(store, dataset, going, force=force)
    if not yes and not confirm(f"Remove {_described(ref, going)}?"):
        raise UsageError(f"{ref}: nothing was removed; --yes removes it without confirmation")
    if "@" in ref:
        upkeep.drop(store, selection.version)
    else:
        upkeep.drop_dataset(store, going)
    rows = pl.DataFrame(
        [
            {"dataset": version.dataset, "seq": version.seq, "version": version.version, "images": version.images}
            | {"captions": version.captions, "status": "dropped"}
            for version in going
        ]
    )
    shown = rows.with_columns(pl.col("version").str.head(12))
    left = versions.log(store, dataset)
    remaining = f"{dataset} is now {left[0].label}" if left else f"{dataset} was removed"
    note = f"{remaining}; `auditor store gc` frees the space"
    return Result("store-drop", rows, tables=(Table("dropped", shown, name="dropped"),), notes=(note,))


def _described(ref: str, going: list[Version]) -> str:
    size = f"{going[0].images:,} images and {going[0].captions:,} captions"
    return f"{ref}: {counted(len(going), 'version', 'versions')}, the newest with {size}"


def _refuse_tagged(store: Store, dataset: str, going: list[Version], *, force: bool) -> None:
    named = {seq: tag for tag, seq in versions.tags_of(store, dataset).items()}
    tagged = [f"@v{version.seq} is {named[version.seq]}" for version in going if version.seq in named]
    if tagged and not force:
        raise UsageError(f"{dataset}{', '.join(tagged)}: tagged versions are removed only with --force")
