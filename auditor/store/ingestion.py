"""Writing a version: staged records become captions, tokens, membership and n-gram frequencies, or nothing at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from auditor.errors import SourceError
from auditor.model import Batches, Progress, Selection, Source, Version, place, silent
from auditor.store import ngrams, versions
from auditor.store.connection import Store
from auditor.store.workspace import Workspace

_TEXTS_AT_ONCE = 200_000
_STAGED = "source varchar, line uinteger, image varchar, slot uinteger, text varchar, reason varchar, raw varchar"


@dataclass(frozen=True)
class Ingest:
    """What an ingest did.

    `added` and `removed` count rows of membership; `rejected` is one row per refused record; `listed_missing` counts
    images that a split list names and no caption has, `unlisted` images that are in no list.
    """

    version: Version
    is_new: bool
    read: int
    added: int
    removed: int
    rejected: pl.DataFrame
    listed_missing: int
    unlisted: int


def write(
    store: Store,
    source: Source,
    batches: Batches,
    splits: Mapping[str, list[str]],
    tokenizers: Mapping[str, Callable[[pl.Series], pl.Series]],
    source_sha256: str,
    note: str | None = None,
    progress: Progress = silent,
) -> Ingest:
    """Ingest one dataset in one transaction.

    Content equal to the newest version adds none. Raises `SourceError`, with the store unchanged, where no record is
    accepted or the split lists contradict each other.
    """
    with store.transaction():
        _stage(store, source, batches, splits, progress)
        workspace = Workspace(store, empty_allowed=source.kind == "candidates", dataset=source.dataset)
        workspace.bind("judged", "judged")
        workspace.bind("content", "content_accepted")
        content = workspace.rows("version_hash").row(0, named=True)
        rejected = store.query(
            "select source, line, reason, raw from judged where reason is not null order by source, line"
        )
        read = store.query("select count(*) as records from staged").item()
        if not content["captions"]:
            first = rejected.row(0, named=True)
            where = place(source.format, source.path, first["line"])
            raise SourceError(f"{where}: {first['reason']}; all {read} records were refused")
        previous = next(iter(versions.log(store, source.dataset)), None)
        is_new = previous is None or previous.version != content["version"]
        seq = (previous.seq if previous else 0) + is_new
        added = removed = 0
        _describe(store, source)
        if is_new:
            workspace.params["seq"] = seq
            _log(store, source, {"seq": seq, "source_sha256": source_sha256, "note": note, **content}, list(tokenizers))
            _add_texts(store, workspace, tokenizers, progress)
            removed = _close(store, workspace, source.dataset, seq)
            added = workspace.insert("membership", "opened")
        _keep_rejected(store, source.dataset, seq, rejected)
        version = versions.log(store, source.dataset)[0]
        for profile in tokenizers:
            progress(f"{source.dataset}: counting n-grams", 0, 1)
            ngrams.keep(store, Selection(version), profile)
        unmatched = store.rows("unmatched_split").row(0, named=True)
    return Ingest(version, is_new, read, added, removed, rejected, **unmatched)


def _stage(store: Store, source: Source, batches: Batches, splits: Mapping[str, list[str]], progress: Progress) -> None:
    store.execute(f"create or replace temp table staged ({_STAGED})")
    read = 0
    for batch in batches:
        with store.registered("batch", batch):
            store.execute("insert into staged by name from batch")
        read += batch.height
        progress(f"{source.dataset}: reading captions", read, source.captions or read)
    lists = [pl.DataFrame({"image": images, "split": split}) for split, images in splits.items()]
    schema = pl.Schema({"image": pl.String, "split": pl.String})
    frame = pl.concat([pl.DataFrame(schema=schema), *(one.cast(schema) for one in lists)]).unique(maintain_order=True)
    if frame["image"].is_duplicated().any():
        image = frame.filter(pl.col("image").is_duplicated())["image"][0]
        both = frame.filter(pl.col("image") == image)["split"].to_list()
        raise SourceError(f"{source.splits[both[1]]}: image {image} is in split {both[0]} already")
    with store.registered("lists", frame):
        store.execute("create or replace temp table split_list as from lists")


def _describe(store: Store, source: Source) -> None:
    store.execute(
        "insert or replace into dataset values ($dataset, $kind, $language, $related)",
        {
            "dataset": source.dataset,
            "kind": source.kind,
            "language": source.language,
            "related": list(source.related),
        },
    )


def _log(store: Store, source: Source, facts: dict[str, Any], profiles: list[str]) -> None:
    store.execute(
        "insert into version values ($dataset, $seq, $version, now(), $source_sha256, $format, $profiles,"
        " $images, $captions, $note)",
        {"dataset": source.dataset, "format": source.format, "profiles": profiles, **facts},
    )


def _add_texts(
    store: Store,
    workspace: Workspace,
    tokenizers: Mapping[str, Callable[[pl.Series], pl.Series]],
    progress: Progress,
) -> None:
    new = workspace.rows("new_caption")
    for start in range(0, new.height, _TEXTS_AT_ONCE):
        texts = new.slice(start, _TEXTS_AT_ONCE)
        progress("tokenising", start, new.height)
        with store.registered("texts", texts):
            store.execute("insert into caption by name from texts")
        for profile, tokenizer in tokenizers.items():
            _add_tokens(store, texts.select("caption_id", tokens=tokenizer(texts["text"])), profile)


def _add_tokens(store: Store, tokens: pl.DataFrame, profile: str) -> None:
    """Encode the token lists of new texts, growing the vocabulary as needed. `tokens`: caption_id, tokens."""
    tokenised = tokens.explode("tokens", empty_as_null=True).rename({"tokens": "token"})
    with store.registered("tokenised", tokenised):
        new = store.rows("new_token")
        with store.registered("new_tokens", new):
            store.execute("insert into vocabulary by name from new_tokens")
    vocabulary = store.query("from vocabulary")
    encoded = (
        tokenised.join(vocabulary, on="token", how="left", maintain_order="left")
        .group_by("caption_id", maintain_order=True)
        .agg(tokens=pl.col("token_id").drop_nulls())
        .with_columns(profile=pl.lit(profile))
    )
    with store.registered("encoded", encoded):
        store.execute("insert into caption_tokens by name from encoded")


def _close(store: Store, workspace: Workspace, dataset: str, seq: int) -> int:
    gone = workspace.rows("closed")
    with store.registered("gone", gone):
        store.execute(
            "update membership as m set to_seq = $seq from gone as g"
            " where m.dataset = $dataset and m.to_seq is null and m.image = g.image and m.slot = g.slot",
            {"seq": seq, "dataset": dataset},
        )
    return gone.height


def _keep_rejected(store: Store, dataset: str, seq: int, rejected: pl.DataFrame) -> None:
    """Record refused records once: reading the same again, under whatever name, adds nothing."""
    with store.registered("refused", rejected):
        store.execute(
            "insert into rejected by name select $dataset as dataset, $seq as seq, * from refused as f"
            " anti join rejected as r on r.dataset = $dataset and r.seq = $seq and r.line = f.line"
            " and r.reason = f.reason and r.raw is not distinct from f.raw",
            {"dataset": dataset, "seq": seq},
        )
