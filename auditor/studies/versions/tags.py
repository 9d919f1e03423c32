"""How do you name a version, and add a note to it?"""

from __future__ import annotations

import re
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Selection, Version
from auditor.result import Result, Table
from auditor.store import versions
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


def tag(
    store: Store,
    ref: Named,
    name: TagName = None,
    *,
    note: Text = None,
    delete: Delete = False,
    force: Take = False,
) -> Result:
    """Tag a version, or replace its note.

    All commands accept the tag, as in flickr8k@camera-ready. `delete` deletes the tag but not the version; `force`
    moves the tag from another version. `auditor datasets NAME` lists tags and notes.

    How to read it: one row with the version, its tag and its new note.

    Limits: tags belong to the store; they are not part of the version and not in an exported bundle. A tag cannot look
    like @v2, a date, or the hash of a version. Only the last note is kept.

    Raises `UsageError` for an invalid tag, a tag of another version, and a note that is not UTF-8.

    Example: auditor store tag flickr8k@v2 camera-ready --note "as sent", then auditor bounds flickr8k@camera-ready
    """
    if name is None and (note is None or delete or force):
        raise UsageError(f"{ref}: set a tag, or a note with --note TEXT")
    version = _whole(store, ref)
    facts: dict[str, object] = {}
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
    return _result(version, {"dataset": version.dataset, "seq": version.seq, "version": version.version, **facts})


def _named(store: Store, version: Version, ref: str, name: str, *, delete: bool, force: bool) -> tuple[Version, str]:
    """Set or delete a tag; return the version that has or had it, and the status."""
    named = versions.tags_of(store, version.dataset).get(name)
    if delete:
        _check_deletable(version, ref, name, named)
        versions.remove_tag(store, version.dataset, name)
        return versions.resolve(store, f"{version.dataset}@v{named}", vectors=True).version, "deleted"
    _check_valid(name)
    if named not in (None, version.seq) and not force:
        raise UsageError(f"{version.dataset}@{name} is already {version.dataset}@v{named}; --force moves the tag")
    if named != version.seq:
        versions.set_tag(store, version, name)
    return version, "unchanged" if named == version.seq else "new" if named is None else f"moved from v{named}"


def _whole(store: Store, ref: str) -> Version:
    selection = versions.resolve(store, ref, vectors=True)
    if selection.split is not None:
        raise UsageError(f"{ref}: tags and notes belong to whole versions; leave out :{selection.split}")
    return selection.version


def _check_valid(name: str) -> None:
    if not _TAG.fullmatch(name):
        raise UsageError(f"{name}: invalid tag; use a letter, then letters, digits, '.', '_' and '-'")
    if _VERSION.fullmatch(name):
        raise UsageError(f"{name}: invalid tag; it looks like the number or hash of a version")


def _check_deletable(version: Version, ref: str, name: str, named: int | None) -> None:
    if named is None:
        raise UsageError(f"{version.dataset} has no tag {name}; `auditor datasets {version.dataset}` lists tags")
    if "@" in ref and named != version.seq:
        raise UsageError(f"{version.dataset}@{name} is {version.dataset}@v{named}, not @v{version.seq}")


def _result(version: Version, facts: dict[str, object]) -> Result:
    rows = pl.DataFrame([facts], schema_overrides={"note": pl.String} if "note" in facts else None)
    shown = rows.with_columns(pl.col("version").str.head(12))
    return Result("store-tag", rows, selections=(Selection(version),), tables=(Table("tag", shown, name="tag"),))
