"""How do you name a version, add a note to it, or delete it?"""

from __future__ import annotations

import re
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.called import call
from auditor.errors import UsageError
from auditor.model import Confirm, Selection, Version, unasked
from auditor.result import Result, Table, counted
from auditor.store import upkeep, versions
from auditor.store.connection import Store

_TAG = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")

_VERSION = re.compile(r"[vV]\d+|[0-9a-fA-F]+")

Named = Annotated[
    str, p.Parameter("Version: flickr8k, flickr8k@v2, flickr8k@camera-ready.", metavar="DATASET", completes="dataset")
]

TagName = Annotated[str | None, p.Parameter("Tag for the version: camera-ready.", metavar="NAME")]

Text = Annotated[str | None, p.Parameter('Replace the note of the version; "" removes it.')]

Delete = Annotated[bool, p.Parameter("Delete the tag; the version stays.")]

Take = Annotated[bool, p.Parameter("Move the tag from another version.")]


@face(writes=True)
@question
def tag(
    store: Store, ref: Named, name: TagName = None, *, note: Text = None, delete: Delete = False, force: Take = False
) -> Result:
    """Tag a version, or replace its note.

    All commands accept the tag, as in flickr8k@camera-ready. `--delete` deletes the tag but not the version; `--force`
    moves the tag from another version. `auditor datasets NAME` lists tags and notes.

    How to read it: one row with the version, its tag and its new note.

    Limits: tags belong to the store; they are not part of the version and not in an exported bundle. A tag cannot look
    like @v2, a date, or the hash of a version. Only the last note is kept.

    Raises `UsageError` for an invalid tag, a tag of another version, and a note that is not UTF-8.

    Example: auditor store tag flickr8k@v2 camera-ready --note "as sent", then auditor bounds flickr8k@camera-ready
    """
    if name is None and (note is None or delete or force):
        raise UsageError(f"{ref}: set a tag, or a note with --note TEXT")
    selection = versions.resolve(store, ref, vectors=True)
    if selection.split is not None:
        raise UsageError(f"{ref}: tags and notes belong to whole versions; leave out :{selection.split}")
    version, facts = selection.version, dict[str, object]()
    if note is not None:
        try:
            note.encode()
        except UnicodeEncodeError as error:
            raise UsageError(f"the note is not UTF-8 (character {error.start + 1})") from error
    if name is not None:
        version, done = _named(store, version, ref, name, delete=delete, force=force)
        facts |= {"tag": name, "status": done}
    if note is not None:
        versions.set_note(store, version, note or None)
        version = versions.resolve(store, version.label, vectors=True).version
        facts |= {"note": version.note}
    facts = {"dataset": version.dataset, "seq": version.seq, "version": version.version, **facts}
    rows = pl.DataFrame([facts], schema_overrides={"note": pl.String} if "note" in facts else None)
    shown = rows.with_columns(pl.col("version").str.head(12))
    return Result("store-tag", rows, selections=(Selection(version),), tables=(Table("tag", shown, name="tag"),))


def _named(store: Store, version: Version, ref: str, name: str, *, delete: bool, force: bool) -> tuple[Version, str]:
    """Set or delete a tag; return the version that has or had it, and the status."""
    named = versions.tags_of(store, version.dataset).get(name)
    if delete:
        if named is None:
            raise UsageError(f"{version.dataset} has no tag {name}; `{call('datasets', version.dataset)}` lists tags")
        if "@" in ref and named != version.seq:
            raise UsageError(f"{version.dataset}@{name} is {version.dataset}@v{named}, not @v{version.seq}")
        versions.remove_tag(store, version.dataset, name)
        return versions.resolve(store, f"{version.dataset}@v{named}", vectors=True).version, "deleted"
    if not _TAG.fullmatch(name):
        raise UsageError(f"{name}: invalid tag; use a letter, then letters, digits, '.', '_' and '-'")
    if _VERSION.fullmatch(name):
        raise UsageError(f"{name}: invalid tag; it looks like the number or hash of a version")
    if named not in (None, version.seq) and not force:
        raise UsageError(f"{version.dataset}@{name} is already {version.dataset}@v{named}; --force moves the tag")
    if named != version.seq:
        versions.set_tag(store, version, name)
    return version, "unchanged" if named == version.seq else "new" if named is None else f"moved from v{named}"


Unwanted = Annotated[
    str, p.Parameter("Dataset, or one version: mine, mine@v2.", metavar="DATASET", completes="dataset")
]

Yes = Annotated[bool, p.Parameter("Do not ask for confirmation.")]

Tagged = Annotated[bool, p.Parameter("Also remove tagged versions, with their tags.")]


@face(writes=True)
@question
def drop(store: Store, ref: Unwanted, *, yes: Yes = False, force: Tagged = False, confirm: Confirm = unasked) -> Result:
    """Remove a dataset, or one of its versions.

    `mine` removes the dataset with all versions, tags and rejected records; `mine@v2` removes one version. It asks for
    confirmation, except with `--yes`. Other datasets and versions do not change, even if they share texts. A tagged
    version is removed only with `--force`.

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
    named = {seq: tag for tag, seq in versions.tags_of(store, dataset).items()}
    tagged = [f"@v{version.seq} is {named[version.seq]}" for version in going if version.seq in named]
    if tagged and not force:
        raise UsageError(f"{dataset}{', '.join(tagged)}: tagged versions are removed only with --force")
    size = f"{counted(going[0].images, 'image', 'images')} and {counted(going[0].captions, 'caption', 'captions')}"
    number = counted(len(going), "version", "versions")
    if not yes and not confirm(f"Remove {ref}: {number}, the newest with {size}?"):
        raise UsageError(f"{ref}: nothing was removed; --yes removes it without confirmation")
    if "@" in ref:
        upkeep.drop(store, selection.version)
    else:
        upkeep.drop_dataset(store, going)
    columns = ("dataset", "seq", "version", "images", "captions")
    gone = [{name: getattr(version, name) for name in columns} for version in going]
    rows = pl.DataFrame(gone).with_columns(status=pl.lit("dropped"))
    shown = rows.with_columns(pl.col("version").str.head(12))
    left = versions.log(store, dataset)
    remaining = f"{dataset} is now {left[0].label}" if left else f"{dataset} was removed"
    note = f"{remaining}; `{call('store gc')}` frees the space"
    return Result("store-drop", rows, tables=(Table("dropped", shown, name="dropped"),), notes=(note,))
