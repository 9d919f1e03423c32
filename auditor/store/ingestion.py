"""Writing a version: staged records become captions, tokens and membership, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import polars as pl

from auditor.errors import SourceError
from auditor.model import Batches, Progress, Source, Version, location, silent
from auditor.store import tokens, versions
from auditor.store.connection import Store
from auditor.store.workspace import Workspace
from auditor.text import language

#: The language of captions in Latin letters without a declared language.
_ASSUMED = "en"

#: Records that are named at most.
_NAMED = 10


@dataclass(frozen=True)
class Terms:
    """The conditions under which an ingest is kept.

    `max_rejected` is the largest share of records that may be rejected. `version` is the hash that the content must
    have, with its counts if known. `named_by` names the source of that hash, `remedy` is the advice if it differs.
    With `if_other`, the advice for other data, a version must share an image, or half of its captions, with the last.
    """

    max_rejected: float = 1.0
    version: str | None = None
    images: int | None = None
    captions: int | None = None
    named_by: str = "the terms"
    remedy: str = "check the files"
    if_other: str = ""


#: Terms that every set of captions meets.
ANY = Terms()

#: The columns of a record that annotate its caption, and what a source without any makes of them.
_ANNOTATIONS = ("phrases", "judgements", "pair", "triplet", "occurrences")
_NO_VOTES = pl.DataFrame(schema={"image": pl.String, "slot": pl.UInt32, "votes": pl.String})

#: The beginning of a tag that names a script without a language.
_ONLY_SCRIPT = "und-"


@dataclass(frozen=True)
class Spoken:
    """The language of captions as a BCP 47 tag, and how it is known."""

    language: str
    why: str


@dataclass(frozen=True)
class Ingest:
    """The result of an ingest.

    `read` counts records, `left_out` further records that the user's options exclude. `normalized` counts accepted
    records with outer whitespace or line breaks: they are stored unchanged, and tokenizers read these as one space.
    `added` and `removed` count rows of membership; `rejected` has one row per rejected record. `listed_missing` counts
    images of split lists without captions, `unlisted` images that are in no list. `single_images` counts images with
    one caption; `single_names` names at most ten of them. `spoken` is the language; null for vectors. `is_other` is set
    if the version shares no text with the version before it.
    """

    version: Version
    is_new: bool
    read: int
    left_out: int
    normalized: int
    added: int
    removed: int
    rejected: pl.DataFrame
    listed_missing: int
    unlisted: int
    single_images: int
    single_names: tuple[str, ...]
    spoken: Spoken | None = None
    is_other: bool = False


def write(
    store: Store,
    source: Source,
    batches: Batches,
    splits: Mapping[str, list[str]],
    tokenizers: Mapping[str, Callable[[pl.Series], pl.Series]],
    source_sha256: str,
    note: str | None = None,
    terms: Terms = ANY,
    progress: Progress = silent,
) -> Ingest:
    """Ingest one dataset in one transaction.

    Content equal to the newest version adds none. Raises `SourceError`, with the store unchanged, where no record is
    accepted, the split lists contradict each other, or the content does not meet the terms.
    """
    with store.transaction():
        previous = next(iter(versions.log(store, source.dataset)), None)
        check_kind(source, previous)
        workspace = Workspace(store, empty_allowed=source.kind == "candidates", dataset=source.dataset)
        left_out, is_annotated = _stage(workspace, source, batches, splits, progress)
        workspace.bind("checked_record")
        if is_annotated:
            workspace.bind("annotated", "annotation_accepted")
        else:
            workspace.bind_rows("vote_text", _NO_VOTES)
        workspace.bind("content", "content_accepted")
        rejected = workspace.rows("refused")
        facts = workspace.rows("ingest_facts").row(0, named=True)
        is_plain = facts.pop("plain")
        check_terms(source, facts["read"], rejected, terms)
        content = workspace.rows("version_hash").row(0, named=True)
        check_version(source, content, terms)
        is_new = previous is None or previous.version != content["version"]
        seq = (previous.seq if previous else 0) + is_new
        workspace = workspace.given(seq=seq)
        added = removed = 0
        is_other = False
        spoken = _language(store, workspace, source, is_plain=is_plain)
        describe(store, source, spoken.language)
        if previous is None or is_new:
            _add_texts(store, workspace, tokenizers, progress)
            removed = 0 if previous is None else close(store, "membership", workspace, "membership_closed")
            added = workspace.insert("membership", "membership_opened")
            if previous is not None and added == content["captions"]:
                is_other = _is_other(source, previous, workspace, added, terms)
            logged = {"seq": seq, "source_sha256": source_sha256, "note": note, **content}
            made = tokens.of_every_text(store)
            version = log(store, source, logged, made or ())
            if made is None:
                tokens.note_tokenizers(store, source.dataset)
                version = versions.log(store, source.dataset)[0]
        else:
            version = replace(previous, kind=source.kind)
        if is_annotated and workspace.query("select count(*) from annotated").item():
            _annotate(store, workspace)
        elif is_new and previous is not None:  # a source without annotations keeps those of unchanged captions
            close(store, "annotation", workspace, "annotation_orphaned")
        keep_rejected(store, version, rejected, is_new=is_new)
        unmatched = {"listed_missing": 0, "unlisted": content["images"]}
        if splits:
            unmatched = workspace.rows("unmatched_split").row(0, named=True)
        single = workspace.query("select image from content group by image having count(*) = 1 order by image")
    names = tuple(single["image"].head(_NAMED))
    return Ingest(
        version, is_new, **facts, left_out=left_out, added=added, removed=removed, rejected=rejected, **unmatched,
        single_images=single.height, single_names=names, spoken=spoken, is_other=is_other,
    )  # fmt: skip


def checked(store: Store, source: Source, batches: Batches) -> pl.DataFrame:
    """Check records as an ingest does, and store nothing. Return all of them in order, with the reason of a rejection.

    Columns: source, line, image, slot, split, text, reason.
    """
    workspace = Workspace(store, empty_allowed=source.kind == "candidates", dataset=source.dataset)
    _stage(workspace, source, batches, {}, silent)
    workspace.bind("checked_record")
    return workspace.query(
        "select source, line, image, slot, split, text, reason from checked_record order by position"
    )


def _stage(
    workspace: Workspace, source: Source, batches: Batches, splits: Mapping[str, list[str]], progress: Progress
) -> tuple[int, bool]:
    """Stage the records and the split lists. Return how many records are left out, and if any other is annotated."""
    read = left_out = 0
    is_annotated = False
    for records in batches:
        batch = records.filter(pl.col("left_out").is_null()).drop("left_out")
        left_out += records.height - batch.height
        is_annotated = is_annotated or any(batch[name].null_count() < batch.height for name in _ANNOTATIONS)
        workspace.append_rows("staged", batch.with_row_index("position", offset=read + 1))
        read += batch.height
        progress(f"{source.dataset}: reading captions", read, max(source.captions or 0, read))
    lists = [pl.DataFrame({"image": images, "split": split}) for split, images in splits.items()]
    schema = pl.Schema({"image": pl.String, "split": pl.String})
    frame = pl.concat([pl.DataFrame(schema=schema), *(token_list.cast(schema) for token_list in lists)]).unique(
        maintain_order=True
    )
    if frame["image"].is_duplicated().any():
        image = frame.filter(pl.col("image").is_duplicated())["image"][0]
        both = frame.filter(pl.col("image") == image)["split"].to_list()
        raise SourceError(f"{source.splits[both[1]]}: image {image} is in split {both[0]} already")
    workspace.bind_rows("split_list", frame)
    return left_out, is_annotated


def _language(store: Store, workspace: Workspace, source: Source, *, is_plain: bool) -> Spoken:
    """Return the language of captions: the declared one, now or before, else the one detected, else English.

    A script of one language decides, for captions that are not all ASCII; else the words of a sample of them do.
    """
    if source.language:
        return Spoken(source.language, "as declared")
    before = store.query("select language from dataset where dataset = $dataset", {"dataset": source.dataset})
    if before.height and before.item() != _ASSUMED:
        return Spoken(str(before.item()), "as for earlier versions; --language sets another")
    found = () if is_plain else workspace.rows("seen_language").iter_rows()
    by_script, captions = next(((tag, some) for tag, some, every in found if 2 * some > every), (None, 0))
    detected = f"detected from the script of {captions:,} captions; --language sets another"
    if by_script is not None and not by_script.startswith(_ONLY_SCRIPT):
        return Spoken(by_script, detected)
    known = language.of_captions(workspace.rows("language_sample")["text"])
    if known.language is None and by_script is not None:
        return Spoken(by_script, detected)
    if known.language is None:
        return Spoken(_ASSUMED, f"assumed, since {known.why}; --language sets another")
    return Spoken(known.language, f"detected from the words of {known.why}; --language sets another")


def check_terms(source: Source, read: int, rejected: pl.DataFrame, terms: Terms) -> None:
    """Raise `SourceError`, with the first rejected records, if too many records are rejected."""
    shown = rejected.head(_NAMED)
    first = "; ".join(
        f"{location(*where)}: {reason}"
        for *where, reason in shown.select("source", "unit", "line", "reason").iter_rows()
    )
    if rejected.height == read:
        raise SourceError(f"{source.dataset}: all {read:,} records were rejected: {first}")
    if rejected.height / read > terms.max_rejected + 1e-12:
        raise SourceError(
            f"{source.dataset}: {rejected.height:,} of {read:,} records were rejected, more than "
            f"{terms.max_rejected:.2%} (--max-rejected); the store is unchanged; the first: {first}"
        )


def check_kind(source: Source, previous: Version | None) -> None:
    """Raise `SourceError` for vectors under the name of a dataset of captions, or the other way round."""
    if previous is not None and (previous.kind == "vectors") != (source.kind == "vectors"):
        raise SourceError(
            f"{source.dataset}: is a dataset of {previous.kind}, and the files hold {source.kind}; the store is "
            "unchanged; choose another name"
        )


def check_version(source: Source, content: Mapping[str, Any], terms: Terms) -> None:
    """Raise `SourceError`, with the different counts, if the content does not have the expected version."""
    expected = {"version": terms.version, "images": terms.images, "captions": terms.captions}
    if all(value in (None, content[key]) for key, value in expected.items()):
        return
    counts = (key for key in ("images", "captions") if expected[key] not in (None, content[key]))
    differences = "; ".join(f"{content[key]:,} {key}, not {expected[key]:,}" for key in counts)
    raise SourceError(
        f"{source.dataset}: the files hold version {content['version'][:12]}, but {terms.named_by} names "
        f"{str(terms.version)[:12]}: {differences or 'as many captions'}; the store is unchanged; {terms.remedy}"
    )


def _is_other(source: Source, previous: Version, workspace: Workspace, captions: int, terms: Terms) -> bool:
    """Return whether a new version shares no text with the one before.

    Raises `SourceError` if it also shares no image, and less than half of its captions: its name is that of other data.
    """
    texts, images = workspace.rows("shared_before").row(0)
    is_known = not terms.if_other or 2 * texts >= captions or source.kind in ("corpus", "wordlist", "synonyms")
    if not (is_known or images):
        raise SourceError(
            f"{source.dataset}: shares no image with {previous.label}; the store is unchanged; {terms.if_other}"
        )
    return bool(texts == 0)


def describe(store: Store, source: Source, language: str) -> None:
    """Store the declaration of a dataset."""
    store.execute(
        "insert or replace into dataset values ($dataset, $kind, $language, $related)",
        {"dataset": source.dataset, "kind": source.kind, "language": language, "related": list(source.related)},
    )


def log(store: Store, source: Source, facts: Mapping[str, Any], tokenizers: Sequence[str] = ()) -> Version:
    """Add a version to the log, and return it."""
    known = {"dataset": source.dataset, "format": source.format, "created_at": datetime.now(UTC), **facts}
    store.execute(
        "insert into version values ($dataset, $seq, $version, $created_at, $source_sha256, $format, $tokenizers,"
        " $images, $captions, $note)",
        {**known, "tokenizers": [*tokenizers]},
    )
    return Version(**known, tokenizers=tuple(tokenizers), kind=source.kind)


def _add_texts(
    store: Store, workspace: Workspace, tokenizers: Mapping[str, Callable[[pl.Series], pl.Series]], progress: Progress
) -> None:
    known = store.query("select coalesce(max(caption_id), 0) as last from caption").item()
    added = workspace.insert("caption", "new_caption")
    encoders = [(tokenizer, tokens.Encoder(store, profile)) for profile, tokenizer in tokenizers.items()]
    for first in range(known + 1, known + added + 1, tokens.TEXTS_AT_ONCE):
        progress("tokenizing", first - known - 1, added)
        texts = store.query(
            "select caption_id, text from caption where caption_id between $first and $last order by caption_id",
            {"first": first, "last": first + tokens.TEXTS_AT_ONCE - 1},
        )
        for tokenizer, encoder in encoders:
            encoder.add(texts.select("caption_id", tokens=tokenizer(texts["text"])))


def close(store: Store, table: str, workspace: Workspace, name: str, places: Sequence[str] = ("image", "slot")) -> int:
    """End the rows of a table at the places that a file of `sql/` selects. Return their number."""
    gone = workspace.rows(name)
    same = " and ".join(f"t.{place} is not distinct from g.{place}" for place in places)
    with store.registered("gone", gone):
        store.execute(
            f"update {table} as t set to_seq = $seq from gone as g"
            f" where t.dataset = $dataset and t.to_seq is null and {same}",
            {"seq": workspace.params["seq"], "dataset": workspace.params["dataset"]},
        )
    return gone.height


def _annotate(store: Store, workspace: Workspace) -> None:
    """Replace the annotations of a dataset by those of an annotated source."""
    close(store, "annotation", workspace, "annotation_closed")
    workspace.insert("annotation", "annotation_opened")
    # Unchanged captions keep their version: their earlier annotations in it are replaced.
    store.execute(
        "delete from annotation where dataset = $dataset and from_seq = to_seq",
        {"dataset": workspace.params["dataset"]},
    )


def keep_rejected(store: Store, version: Version, rejected: pl.DataFrame, *, is_new: bool) -> None:
    """Store the rejected records of the latest ingest of a version."""
    key = {"dataset": version.dataset, "seq": version.seq}
    if not is_new:
        store.execute("delete from rejected where dataset = $dataset and seq = $seq", key)
    if rejected.height:
        with store.registered("refusals", rejected):
            store.execute("insert into rejected by name select $dataset as dataset, $seq as seq, * from refusals", key)
