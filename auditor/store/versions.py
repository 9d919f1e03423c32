"""Versions: resolving references, the log, differences, tags and notes. `store.ingestion` adds versions."""

from __future__ import annotations

import dataclasses
import datetime
import re
from collections import Counter
from collections.abc import Sequence
from difflib import get_close_matches

import polars as pl

from auditor.errors import UsageError
from auditor.model import Selection, Version
from auditor.store.connection import Store
from auditor.store.workspace import Workspace

_REF = re.compile(r"(?P<dataset>[^@:]+)(@(?P<at>[^:]+))?(:(?P<split>.+))?")


def resolve(store: Store, ref: str, split: str | None = None, *, vectors: bool = False) -> Selection:
    """Resolve a reference such as `name`, `name@v7`, `name@2026-05-01`, `name@tag` or `name@3f9c1a:split`.

    Raises `UsageError`, with the valid names, for a reference that names nothing. A dataset of vectors is an error too,
    unless `vectors` is set.
    """
    match = _REF.fullmatch(ref)
    if match is None:
        raise UsageError(f"{ref}: expected NAME, NAME@v7, NAME@TAG, NAME@HASH or NAME@DATE, optionally with :SPLIT")
    versions = log(store, match["dataset"])
    if not versions:
        known = store.query("select dataset from dataset order by all")["dataset"].to_list()
        name = match["dataset"]
        if known and re.fullmatch(r"v\d+", name):
            raise UsageError(f"{name}: a version is written with its dataset, such as {known[0]}@{name}")
        there = f"the store holds {', '.join(known)}" if known else "the store is empty"
        how = [f"did you mean {each}?" for each in get_close_matches(name, known, 1)]
        how.append(f"`auditor ingest {name}` imports what datasets.toml declares, and a file with --from FILE")
        raise UsageError(f"{name}: not in {store.path}; {there}; {how[0]}")
    version = _at(store, ref, versions, match["at"]) if match["at"] else versions[0]
    if version.kind == "vectors" and not vectors:
        raise UsageError(f"{ref}: holds vectors, not captions; name the dataset with the captions of its images")
    split = match["split"] or split
    if split is not None:
        named = splits(store, version)
        if split not in named:
            there = f"splits are {', '.join(named)}" if named else "it has no splits"
            raise UsageError(f"{ref}: {version.dataset} has no split {split!r}; {there}")
    return Selection(version, split)


def resolve_all(store: Store, refs: Sequence[str], split: str | None = None) -> tuple[Selection, ...]:
    """Resolve several references. If two name the same dataset and split, their labels show the version.

    Raises `UsageError` if two name the same captions.
    """
    selections = [resolve(store, ref, split) for ref in refs]
    named = Counter(selection.label for selection in selections)
    labeled = tuple(
        dataclasses.replace(selection, shows_version=named[selection.label] > 1) for selection in selections
    )
    if len({selection.label for selection in labeled}) < len(refs):
        raise UsageError(f"{' '.join(refs)}: two of these name the same captions; name each once")
    return labeled


def _at(store: Store, ref: str, versions: list[Version], at: str) -> Version:
    named = tags_of(store, versions[0].dataset)
    if re.fullmatch(r"v\d+", at):
        matches = [version for version in versions if version.seq == int(at[1:])]
    elif re.fullmatch(r"\d{4}-\d\d-\d\d", at):
        try:
            end = datetime.datetime.fromisoformat(at).replace(tzinfo=datetime.UTC) + datetime.timedelta(days=1)
        except (ValueError, OverflowError) as error:
            raise UsageError(f"{ref}: {at} is not a date") from error
        matches = [version for version in versions if version.created_at < end]
    elif at in named:
        matches = [version for version in versions if version.seq == named[at]]
    else:
        matches = [version for version in versions if version.version.startswith(at.lower())]
        if len({version.version for version in matches}) > 1:
            raise UsageError(f"{ref}: more than one version begins with {at}; type more of the hash")
    if not matches:
        existing = ", ".join(f"@v{version.seq} ({version.version[:12]})" for version in versions)
        tagged = f"; tags are {', '.join(named)}" if named else ""
        raise UsageError(f"{ref}: no such version; there are {existing}{tagged}")
    return matches[0]


def log(store: Store, dataset: str | None = None) -> list[Version]:
    """Return every version of a dataset, the newest first; without a name, of all datasets."""
    rows = store.known_rows("logged_version", dataset=dataset).to_dicts()
    return [Version(**row | {"tokenizers": tuple(row["tokenizers"])}) for row in rows]


def nearest(store: Store, version: Version) -> list[Version]:
    """Return the three nearest versions of the same dataset: what was counted of them may still hold."""
    others = (other for other in log(store, version.dataset) if other.seq != version.seq)
    return sorted(others, key=lambda other: abs(other.seq - version.seq))[:3]


def log_rows(store: Store, dataset: str | None = None) -> pl.DataFrame:
    """Return the log as rows."""
    return store.known_rows("log", dataset=dataset)


def difference(
    store: Store, a: Selection, b: Selection, depth: str = "difference", tokenizer: str | None = None
) -> pl.DataFrame:
    """Return the changes from `a` to `b`, comparing texts or, with a tokenizer, tokens.

    `depth` counts by kind of change (`difference`: change, images, captions), by image (`image_change`: image, added,
    removed, edited, moved, rated) or lists captions (`change`: change, image, slot, old_text, new_text, old_split,
    new_split).
    """
    both = Workspace(store)
    name = "content_as_of" if tokenizer is None else "content_tokens"
    for side, selection in (("a", a), ("b", b)):
        both.append("content_of_side", name, of=annotated(store, selection, tokenizer), side=side)
    return both.rows(depth)


def images(store: Store, selection: Selection) -> pl.DataFrame:
    """Return all images of a selection, sorted, without sampling. Columns: image, split, captions.

    If each text counts once per image, the tokens must exist.
    """
    if selection.distinct is None:
        every = store.known_rows("image", **params_of(selection))
        return every if selection.images is None else every.filter(pl.col("image").is_in(selection.images))
    workspace = Workspace(store, **params_of(selection), tokenizer=selection.distinct)
    workspace.bind("every_reference", "reference")
    every = workspace.rows("image_texts")
    return every if selection.images is None else every.filter(pl.col("image").is_in(selection.images))


def related(store: Store, dataset: str) -> list[str]:
    """List the datasets in the store that are declared to share images or captions with a dataset."""
    return store.known_rows("related", dataset=dataset)["dataset"].to_list()


def language(store: Store, dataset: str) -> str:
    """Return the language of a dataset's captions, BCP 47, as declared or detected at its ingest."""
    rows = store.query("select language from dataset where dataset = $dataset", {"dataset": dataset})
    return str(rows["language"].item())


#: The SELECTs that return captions as they were read.
CONTENT = ("content_as_of", "annotation_as_of", "vote_text")


def content(store: Store, selection: Selection) -> pl.DataFrame:
    """Return the captions of a selection, in any order. Columns: image, slot, split, text, votes."""
    return annotated(store, selection).rows("content_as_of")


def annotated(store: Store, selection: Selection, tokenizer: str | None = None) -> Workspace:
    """Open a workspace over a selection, with relation `annotated`: its annotations."""
    workspace = Workspace(store, **params_of(selection), tokenizer=tokenizer)
    workspace.bind("annotated", "annotation_as_of")
    return workspace


def splits(store: Store, version: Version) -> list[str]:
    """Return the splits of a version."""
    return store.rows("split", dataset=version.dataset, seq=version.seq)["split"].to_list()


def content_hash(store: Store, selection: Selection) -> tuple[str, int, int]:
    """Hash the stored captions of a version: (version, images, captions)."""
    return hash_of(content_at_work(store, selection))


def content_at_work(store: Store, selection: Selection) -> Workspace:
    """Open a workspace with the captions of a selection, `content`, and their annotations, `annotated`."""
    workspace = annotated(store, selection)
    workspace.bind("content", "content_as_of")
    return workspace


def hash_of(workspace: Workspace) -> tuple[str, int, int]:
    """Hash the rows of relation `content`: (version, images, captions)."""
    row = workspace.rows("version_hash").row(0, named=True)
    return row["version"], row["images"], row["captions"]


def params_of(selection: Selection) -> dict[str, str | int | None]:
    """Return the parameters of the SELECTs that read a selection, and of those that draw a sample of it."""
    version, draw = selection.version, selection.draw
    params: dict[str, str | int | None] = {"dataset": version.dataset, "seq": version.seq, "split": selection.split}
    if draw is not None:
        params |= {"drawn": draw.captions, "fewest": draw.fewest, "draw_seed": draw.seed, "drawn_images": draw.images}
        params |= {"mirrored": draw.fewest if draw.mirrored else 0}
    return params


def tags_of(store: Store, dataset: str) -> dict[str, int]:
    """Return the tags of a dataset, sorted, each with the number of the version it names."""
    rows = store.query("select tag, seq from tag where dataset = $dataset order by tag", {"dataset": dataset})
    return dict(rows.iter_rows())


def set_tag(store: Store, version: Version, tag: str) -> None:
    """Set a tag to a version, replacing an earlier tag of this name."""
    with store.transaction():
        store.execute(
            "insert or replace into tag values ($dataset, $tag, $seq, now())",
            {"dataset": version.dataset, "tag": tag, "seq": version.seq},
        )


def remove_tag(store: Store, dataset: str, tag: str) -> None:
    """Delete a tag; the version stays."""
    with store.transaction():
        store.execute("delete from tag where dataset = $dataset and tag = $tag", {"dataset": dataset, "tag": tag})


def set_note(store: Store, version: Version, note: str | None) -> None:
    """Replace the note of a version; null removes it."""
    with store.transaction():
        store.execute(
            "update version set note = $note where dataset = $dataset and seq = $seq",
            {"dataset": version.dataset, "seq": version.seq, "note": note},
        )
