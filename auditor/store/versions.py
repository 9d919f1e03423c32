"""Versions: resolving what a user types, the log, what changed. Reads only; `store.ingestion` writes."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections import Counter
from collections.abc import Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Selection, Version
from auditor.store import tags
from auditor.store.connection import Store
from auditor.store.workspace import Workspace

_REF = re.compile(r"(?P<dataset>[^@:]+)(@(?P<at>[^:]+))?(:(?P<split>.+))?")


def resolve(store: Store, ref: str, split: str | None = None, *, vectors: bool = False) -> Selection:
    """Find what `name`, `name@v7`, `name@2026-05-01`, `name@tag` or `name@3f9c1a` names, with `:split` or without.

    Raises `UsageError` that names what there is instead, and, unless `vectors` may be meant, for what has no captions.
    """
    match = _REF.fullmatch(ref)
    if match is None:
        raise UsageError(f"{ref}: expected NAME, NAME@v7, NAME@TAG, NAME@HASH or NAME@DATE, with :SPLIT or without")
    versions = log(store, match["dataset"])
    if not versions:
        known = store.query("select dataset from dataset order by all")["dataset"].to_list()
        there = f"the store holds {', '.join(known)}" if known else "the store is empty"
        raise UsageError(f"{match['dataset']}: not in {store.path}; {there}; try `auditor ingest {match['dataset']}`")
    version = _at(store, ref, versions, match["at"])
    if version.kind == "vectors" and not vectors:
        raise UsageError(f"{ref}: holds vectors and no captions; name the captions of its images")
    split = match["split"] or split
    if split is not None:
        splits = store.rows("split", dataset=version.dataset, seq=version.seq)["split"].to_list()
        if split not in splits:
            there = f"splits are {', '.join(splits)}" if splits else "it has no splits"
            raise UsageError(f"{ref}: {version.dataset} has no split {split!r}; {there}")
    return Selection(version, split)


def resolve_all(store: Store, refs: Sequence[str], split: str | None = None) -> tuple[Selection, ...]:
    """Resolve several references; where two are of one dataset and split, their labels show the version.

    Raises `UsageError` where two name the same captions.
    """
    selections = [resolve(store, ref, split) for ref in refs]
    named = Counter(selection.label for selection in selections)
    told_apart = tuple(
        dataclasses.replace(selection, shows_version=named[selection.label] > 1) for selection in selections
    )
    if len({selection.label for selection in told_apart}) < len(refs):
        raise UsageError(f"{' '.join(refs)}: two of these are the same captions; name each once")
    return told_apart


def _at(store: Store, ref: str, versions: list[Version], at: str | None) -> Version:
    if at is None:
        return versions[0]
    named = tags.of(store, versions[0].dataset)
    if re.fullmatch(r"v\d+", at):
        found = [version for version in versions if version.seq == int(at[1:])]
    elif re.fullmatch(r"\d{4}-\d\d-\d\d", at):
        try:
            end = datetime.datetime.fromisoformat(at).replace(tzinfo=datetime.UTC) + datetime.timedelta(days=1)
        except (ValueError, OverflowError) as error:
            raise UsageError(f"{ref}: {at} is no date") from error
        found = [version for version in versions if version.created_at < end]
    elif at in named:
        found = [version for version in versions if version.seq == named[at]]
    else:
        found = [version for version in versions if version.version.startswith(at.lower())]
        if len({version.version for version in found}) > 1:
            raise UsageError(f"{ref}: more than one version begins with {at}; type more of the hash")
    if not found:
        there = ", ".join(f"@v{version.seq} ({version.version[:12]})" for version in versions)
        tagged = f"; tags are {', '.join(named)}" if named else ""
        raise UsageError(f"{ref}: no such version; there are {there}{tagged}")
    return found[0]


def log(store: Store, dataset: str | None = None) -> list[Version]:
    """Return every version of a dataset, the newest first; of all datasets without a name."""
    fields = [field.name for field in dataclasses.fields(Version)]
    rows = log_rows(store, dataset).select(fields).to_dicts()
    return [Version(**row | {"tokenizers": tuple(row["tokenizers"])}) for row in rows]


def log_rows(store: Store, dataset: str | None = None) -> pl.DataFrame:
    """Return the log as rows."""
    return store.rows("log", dataset=dataset)


def difference(
    store: Store, a: Selection, b: Selection, depth: str = "difference", tokenizer: str | None = None
) -> pl.DataFrame:
    """Return what changed from `a` to `b`, letter for letter or, with a tokenizer, token for token.

    By kind of change (`difference`: change, images, captions), by image (`image_change`: image, added, removed, edited,
    moved, rated) or by caption (`change`: change, image, slot, old_text, new_text, old_split, new_split).
    """
    both = Workspace(store)
    bind_content(both, "content_a", store, a, tokenizer)
    bind_content(both, "content_b", store, b, tokenizer)
    return both.rows(depth)


def images(store: Store, selection: Selection) -> pl.DataFrame:
    """Return the images of a selection, sorted, whatever is drawn of them. Columns: image, split, captions.

    Where each text counts once per image, its tokens must be there.
    """
    if selection.distinct is None:
        return store.rows("image", **_place(selection))
    workspace = Workspace(store, **_place(selection), tokenizer=selection.distinct)
    workspace.bind("every_reference", "reference")
    return workspace.rows("image_texts")


def related(store: Store, dataset: str) -> list[str]:
    """Name the datasets in the store that share images or captions with one, as it was declared."""
    return store.rows("related", dataset=dataset)["dataset"].to_list()


def language(store: Store, dataset: str) -> str:
    """Return the language of a dataset's captions, BCP 47, as it was declared."""
    found = store.query("select language from dataset where dataset = $dataset", {"dataset": dataset})
    return str(found["language"].item())


def content(store: Store, selection: Selection) -> pl.DataFrame:
    """Return the captions of a selection, in any order. Columns: image, slot, split, text, votes."""
    return _at_work(store, selection).rows("content_as_of")


def bind_content(
    workspace: Workspace, relation: str, store: Store, selection: Selection, tokenizer: str | None = None
) -> None:
    """Let a relation stand for the captions of a selection; with a tokenizer, for their tokens."""
    own = _at_work(store, selection, tokenizer)
    workspace.bind(relation, "content_as_of" if tokenizer is None else "content_tokens", of=own)


def _at_work(store: Store, selection: Selection, tokenizer: str | None = None) -> Workspace:
    workspace = Workspace(store, **_place(selection), tokenizer=tokenizer)
    workspace.bind("annotated", "annotation_as_of")
    return workspace


def content_hash(store: Store, selection: Selection) -> tuple[str, int, int]:
    """Hash what a version holds now: (version, images, captions)."""
    return hash_of(content_at_work(store, selection))


def content_at_work(store: Store, selection: Selection) -> Workspace:
    """Open a workspace over the captions of a selection, relation `content`, and what is known of them, `annotated`."""
    workspace = _at_work(store, selection)
    workspace.bind("content", "content_as_of")
    return workspace


def hash_of(workspace: Workspace) -> tuple[str, int, int]:
    """Hash what relation `content` holds: (version, images, captions)."""
    row = workspace.rows("version_hash").row(0, named=True)
    return row["version"], row["images"], row["captions"]


def _place(selection: Selection) -> dict[str, str | int | None]:
    return {"dataset": selection.version.dataset, "seq": selection.version.seq, "split": selection.split}
