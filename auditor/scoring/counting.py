"""Counting candidates against the captions of their image, bucket by bucket; what is kept comes from the cache."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import polars as pl

from auditor.metrics import idf
from auditor.metrics.card import CountSpec
from auditor.model import Progress, silent
from auditor.scoring import frequencies, image_vectors
from auditor.scoring.candidates import CandidateSet, bind_candidates, keep_drawn
from auditor.store import kept, ngrams
from auditor.store.captions import Captions
from auditor.store.sqlfiles import catalogue
from auditor.store.workspace import Workspace
from auditor.text.normalization import NORMALIZATIONS

#: Counts of one set of candidates that are larger in memory are not kept. The captions themselves are counted again
#: and again; what a seed has drawn in their place is looked at once, and there are seven such sets of every dataset.
_KEPT_BYTES = 128 << 20

_KEPT_BYTES_OF_SUBSTITUTES = 8 << 20

_LAST = (1 << 32) - 1


Counts = dict[tuple[str, CountSpec], pl.DataFrame]


def count(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    specs: Sequence[CountSpec],
    progress: Progress = silent,
) -> Counts:
    """Count every spec for every set of candidates, and hold all of it.

    Gives frames by (candidate, spec), sorted by image and slot; a candidate without references has no rows.
    """
    parts: dict[CountSpec, list[pl.DataFrame]] = {spec: [] for spec in specs}
    for spec, counts in count_in_parts(captions, candidates, specs, progress):
        parts[spec].append(counts)
    whole = {spec: pl.concat(frames) for spec, frames in parts.items()}
    return {
        (candidate.name, spec): whole[spec].filter(pl.col("candidate") == candidate.name).sort("image", "slot")
        for candidate in candidates
        for spec in specs
    }


def count_in_parts(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    specs: Sequence[CountSpec],
    progress: Progress = silent,
) -> Iterator[tuple[CountSpec, pl.DataFrame]]:
    """Count every spec for every set of candidates, and give the counts as they come, in no order.

    All rows of a spec have the same columns (candidate, image, slot first), and there is at least one frame of it. A
    candidate without references has no rows.
    """
    wanted = [(candidate, spec, _key(captions, candidate, spec)) for candidate in candidates for spec in specs]
    of = {key: spec for _, spec, key in wanted}
    known = set()
    for key, counts in kept.each(captions.store, {key: spec.table for key, spec in of.items() if spec.keeps}):
        if of[key].kernel is None and tuple(counts.columns) != catalogue()[of[key].relation].returns:
            continue  # of another shape than any release keeps
        known.add(key)
        yield of[key], counts
    missing = [each for each in wanted if each[-1] not in known]
    todo = list({candidate.name: candidate for candidate, _, _ in missing}.values())
    for together, some in _parted(todo, list({spec: None for _, spec, _ in missing})):
        names = {candidate.name for candidate in together}
        keys = {spec: {one.name: key for one, of, key in missing if of == spec and one.name in names} for spec in some}
        drafts = {
            (spec, one.name): kept.Draft.of_entry(
                captions.store, captions.selection, spec.table, keys[spec][one.name], _most_bytes(one)
            )
            for spec in some
            for one in together
            if spec.keeps and one.name in keys[spec]
        }
        for spec, frame in _count(captions, together, some, progress):
            if len(together) == 1 and names == keys[spec].keys():  # the one there is, and nothing to part
                if (spec, together[0].name) in drafts and frame.height:
                    drafts[spec, together[0].name].add(frame)
                yield spec, frame
                continue
            for (name,), rows in frame.partition_by("candidate", as_dict=True).items():
                if (spec, name) in drafts:
                    drafts[spec, name].add(rows)
            yield spec, frame.filter(pl.col("candidate").is_in(list(keys[spec])))
        for draft in drafts.values():
            draft.keep()


def _most_bytes(candidate: CandidateSet) -> int:
    """Return how many bytes of counts are worth keeping."""
    return _KEPT_BYTES_OF_SUBSTITUTES if candidate.is_drawn or candidate.makes else _KEPT_BYTES


def _parted(
    candidates: Sequence[CandidateSet], specs: Sequence[CountSpec]
) -> Iterator[tuple[Sequence[CandidateSet], Sequence[CountSpec]]]:
    """Part what can be counted for all candidates at once from what has frequencies or references of its own."""
    own = [spec for spec in specs if idf.by_items(spec.idf_mode)]
    shared = [spec for spec in specs if spec not in own]
    for candidate in candidates:  # first, so that folds that are too many are refused before anything is counted
        some = own if candidate.references is None else specs
        if some:
            yield [candidate], some
    alike = [candidate for candidate in candidates if candidate.references is None]
    if alike and shared:
        yield alike, shared


def _count(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    specs: Sequence[CountSpec],
    progress: Progress,
) -> Iterator[tuple[CountSpec, pl.DataFrame]]:
    """Count candidates that meet the same references; where these are changed, a set stands alone."""
    selection = captions.selection
    workspace = captions.workspace()
    bind_candidates(workspace, candidates)
    keep_drawn(captions, workspace, candidates)
    changed = candidates[0].references
    loads = workspace.rows("pairing_count")
    buckets = ngrams.buckets(workspace, loads)
    workspace.params["most_words"] = ngrams.MOST_WORDS
    if any(bucket.parts > 1 for bucket in buckets) or (loads["longest_candidate"] > ngrams.MOST_WORDS).any():
        workspace.bind("every_candidate", "candidate")
        _bind_whole(workspace)
    steps, done = sum(bucket.parts for bucket in buckets) * len(specs), 0
    for normalization in dict.fromkeys(spec.normalization for spec in specs):
        bind_text_tokens(workspace, normalization)
        for background in dict.fromkeys(_background(spec) for spec in specs if spec.normalization == normalization):
            alike = [spec for spec in specs if (spec.normalization, _background(spec)) == (normalization, background)]
            alike.sort(key=lambda spec: spec.kernel is None)  # kernels, before the engine's memory is full of n-grams
            if any(frequencies.is_read_by(spec.relations) for spec in alike):
                progress(f"{selection.label}: document frequency", done, steps)
                frequencies.bind(captions, workspace, normalization, alike[0].idf_mode)
            elif any(frequencies.counts_documents(spec.relations) for spec in alike):
                frequencies.bind_collection(workspace)
            if image_vectors.are_read_by(alike[0].relations):
                progress(f"{selection.label}: learning from captions and vectors", done, steps)
                image_vectors.bind(captions.store, workspace, alike[0].params)
            if changed:  # only now: document frequencies are those of the untouched references
                workspace.bind("reference", changed)
            for is_last in _at_work(workspace, buckets):
                aligned: dict[str, pl.DataFrame] = {}  # by kernels, several of which read the same rows
                for place, spec in enumerate(alike, start=1):
                    first_use = spec.kernel and not spec.kernel.is_compiled
                    compiling = " (first use, compiling: this once takes seconds)" if first_use else ""
                    progress(f"{selection.label}: {spec.table}{compiling}", done, steps)
                    workspace.params |= spec.params
                    rows = {relation: _rows(workspace, relation, spec, aligned) for relation in spec.relations}
                    if is_last:
                        workspace.release(relation for later in alike[place:] for relation in later.relations)
                    yield spec, spec.kernel.run(rows, spec.params) if spec.kernel else rows[spec.relation]
                    done += 1
            if changed:
                ngrams.bind_references(workspace, selection)
    progress(f"{selection.label}: counted", 1, 1)


def _background(spec: CountSpec) -> tuple[str, frozenset[tuple[str, Any]]]:
    """Name what is made once for all buckets before it counts: document frequencies, and models of vectors."""
    learnt = spec.params.items() if image_vectors.are_read_by(spec.relations) else ()
    return spec.idf_mode, frozenset(learnt)


def _rows(workspace: Workspace, relation: str, spec: CountSpec, aligned: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Run a SELECT; one that changes with no setting is run once for all kernels of a bucket."""
    if spec.kernel is None or workspace.changes_with(relation) & spec.params.keys():
        return workspace.rows(relation)
    if relation not in aligned:
        aligned[relation] = workspace.rows(relation)
    return aligned[relation]


def _at_work(workspace: Workspace, buckets: Sequence[ngrams.Bucket]) -> Iterator[bool]:
    """Bring one bucket of images after another to work, and of one that is too large one part of its candidates.

    Says whether that is all of the bucket, or the last of it.
    """
    for bucket in buckets:
        workspace.params |= {"first_image": bucket.first, "last_image": bucket.last}
        if bucket.parts == 1:
            yield True
            continue
        for part in range(bucket.parts):
            first = part * bucket.at_once + 1
            workspace.params |= {"first_candidate": first, "last_candidate": first + bucket.at_once - 1}
            workspace.bind("candidate", "candidate_part")
            yield part == bucket.parts - 1
        _bind_whole(workspace)


def _bind_whole(workspace: Workspace) -> None:
    """Bring all candidates to work that are not too long."""
    workspace.params |= {"first_image": 0, "last_image": _LAST, "first_candidate": None, "last_candidate": None}
    workspace.bind("candidate", "candidate_part")


def _key(captions: Captions, candidate: CandidateSet, spec: CountSpec) -> str:
    """Name counts by all that they depend on; candidates and metrics may call different settings by one name."""
    facts = {
        "candidate": candidate.facts,
        "counting": spec.params,
        "kernel": spec.kernel and (spec.kernel.name, spec.kernel.version),
        "normalization": spec.normalization,
        "most_words": ngrams.MOST_WORDS,
    }
    weights = frequencies.files(spec.idf_mode) if frequencies.is_read_by(spec.relations) else ()
    return kept.key(captions.selection, captions.tokenizer, (*spec.relations, *weights, *candidate.files), facts)


def bind_text_tokens(workspace: Workspace, normalization: str | None) -> None:
    """Bind relation `text_tokens` to the tokens of the texts at work, rewritten where a metric asks for it.

    Words are numbered by spelling, from 1; these numbers are good for one counting only. Relation `word` (word,
    word_id) spells the numbers of rewritten words; those of tokens are in the vocabulary.
    """
    workspace.bind("text_tokens", "text_tokens")
    workspace.forget("word")
    if normalization is None:
        return
    vocabulary = workspace.query("select token_id, token from vocabulary order by token_id")
    words = vocabulary.select("token_id", word=NORMALIZATIONS[normalization](vocabulary["token"])).explode(
        "word", empty_as_null=True
    )
    numbered = words.select("token_id", word=pl.col("word").rank("dense").cast(pl.UInt32))
    by_number = pl.DataFrame(
        {"token_id": pl.int_range(vocabulary.height and vocabulary["token_id"][-1] + 1, eager=True, dtype=pl.UInt32)}
    )
    lists = by_number.join(
        numbered.group_by("token_id").agg(pl.col("word").drop_nulls()), on="token_id", how="left", maintain_order="left"
    )["word"]
    texts = workspace.query("select caption_id, tokens from text_tokens")
    rewritten = (
        texts.explode("tokens", empty_as_null=True)
        .select("caption_id", tokens=pl.lit(lists).gather(pl.col("tokens")))
        .explode("tokens", empty_as_null=True)
        .group_by("caption_id", maintain_order=True)
        .agg(pl.col("tokens").drop_nulls())
    )
    workspace.bind_rows("text_tokens", rewritten)
    spelled = words.select("word", word_id=numbered["word"]).drop_nulls().unique()
    workspace.bind_rows("word", spelled)
