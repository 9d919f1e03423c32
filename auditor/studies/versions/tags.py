"""What does a user call a version, and what is to be remembered of it?"""

from __future__ import annotations

import re
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Selection, Version
from auditor.result import Result, Table
from auditor.store import tags, versions
from auditor.store.connection import Store

_TAG = re.compile(r"[A-Za-z][A-Za-z0-9._-]*")

_VERSION = re.compile(r"[vV]\d+|[0-9a-fA-F]+")


Named = Annotated[str, p.Parameter("Version to name: flickr8k, flickr8k@v2.", metavar="DATASET", completes="dataset")]

TagName = Annotated[str, p.Parameter("Name to give it: camera-ready.", metavar="NAME")]

Delete = Annotated[bool, p.Parameter("Forget the name; the version stays.")]

Take = Annotated[bool, p.Parameter("Take the name from another version.")]

Noted = Annotated[
    str, p.Parameter("Version: flickr8k, flickr8k@v2, flickr8k@camera-ready.", metavar="DATASET", completes="dataset")
]

Text = Annotated[str, p.Parameter('What to remember; "" forgets the note.', metavar="TEXT")]


def tag(
    store: Store,
    ref: Named,
    name: TagName,
    *,
    delete: Delete = False,
    force: Take = False,
) -> Result:
    """Give a version a name that every command understands.

    With `delete`, the name is forgotten and the version stays; with `force`, it is taken from the version that it names
    now.

    How to read it: one row: the name and the version that it stands for from now on.

    Limits: a tag belongs to one store; it is no part of the version and not in an exported bundle. It cannot look like
    @v2, a date, or the letters of a version.

    Raises `UsageError` for a name that no tag can have, and one that names another version.

    Example: auditor tag flickr8k@v2 camera-ready, then auditor bounds flickr8k@camera-ready
    """
    version = _whole(store, ref)
    named = tags.of(store, version.dataset).get(name)
    if delete:
        _check_deletable(version, ref, name, named)
        tags.remove(store, version.dataset, name)
        done = "deleted"
    else:
        _check_valid(name)
        if named not in (None, version.seq) and not force:
            raise UsageError(f"{version.dataset}@{name} names {version.dataset}@v{named} already; --force moves it")
        if named != version.seq:
            tags.put(store, version, name)
        done = "unchanged" if named == version.seq else "new" if named is None else f"moved from v{named}"
    told = versions.resolve(store, f"{version.dataset}@v{named}", vectors=True).version if delete else version
    facts = {"dataset": told.dataset, "seq": told.seq, "version": told.version, "tag": name, "status": done}
    return _result("tag", told, facts)


def note(
    store: Store,
    ref: Noted,
    text: Text,
) -> Result:
    """Replace the note of a version, which `auditor log` shows.

    An empty text takes the note away.

    How to read it: one row: the version, and what is remembered of it now.

    Limits: only the last note is kept.

    Raises `UsageError` for a text that is not UTF-8.

    Example: auditor note flickr8k@v2 "without the five twins"
    """
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"the note is not UTF-8 (character {error.start + 1})") from error
    version = _whole(store, ref)
    tags.annotate(store, version, text or None)
    noted = versions.resolve(store, version.label, vectors=True).version
    facts = {"dataset": noted.dataset, "seq": noted.seq, "version": noted.version, "note": noted.note}
    return _result("note", noted, facts)


def _whole(store: Store, ref: str) -> Version:
    selection = versions.resolve(store, ref, vectors=True)
    if selection.split is not None:
        raise UsageError(f"{ref}: tags and notes are of whole versions; leave :{selection.split} out")
    return selection.version


def _check_valid(name: str) -> None:
    if not _TAG.fullmatch(name):
        raise UsageError(f"{name}: a tag begins with a letter, and has letters, digits, '.', '_' and '-' only")
    if _VERSION.fullmatch(name):
        raise UsageError(f"{name}: reads as a version's number or hash; a tag must not")


def _check_deletable(version: Version, ref: str, name: str, named: int | None) -> None:
    if named is None:
        raise UsageError(f"{version.dataset} has no tag {name}; `auditor log {version.dataset}` lists tags")
    if "@" in ref and named != version.seq:
        raise UsageError(f"{version.dataset}@{name} names {version.dataset}@v{named}, not @v{version.seq}")


def _result(command: str, version: Version, facts: dict[str, object]) -> Result:
    rows = pl.DataFrame([facts], schema_overrides={"note": pl.String} if "note" in facts else None)
    shown = rows.with_columns(pl.col("version").str.head(12))
    return Result(command, rows, selections=(Selection(version),), tables=(Table(command, shown, name=command),))
