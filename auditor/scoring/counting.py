"""Counting candidates against the captions of their image, bucket by bucket; kept counts come from the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from auditor.metrics.card import CountSpec, Kernel
from auditor.model import Progress, silent
from auditor.scoring import frequencies, image_vectors
from auditor.scoring.candidates import HUMAN, CandidateSet, bind_candidates, keep_drawn
from auditor.scoring.first_use import compiled_meanwhile
from auditor.scoring.whole_draw import bind_occurrences
from auditor.store import kept, ngrams
from auditor.store.captions import Captions, bind_references
from auditor.store.sqlfiles import catalogue
from auditor.store.versions import nearest
from auditor.store.workspace import Workspace, is_read
from auditor.text.normalization import NORMALIZATIONS

#: Larger counts of one set of candidates are not kept.
_KEPT_BYTES = 128 << 20

_NORMALIZED_AT_ONCE = 1 << 16

#: No image has a higher number.
LAST_IMAGE = (1 << 32) - 1

#: The SELECTs that every count needs, whatever it counts.
_OF_EVERY = ("pairing_count", "candidate_text", "reference_text")

#: Relations of all captions of a version: counts that read them are not those of an image alone.
_OF_ALL = ("document_frequency", "vector_as_of", "content_word", "selection_frequency")

#: The SELECT of the content words that metrics read.
_CONTENT = "content_word_of_metric"

Counts = dict[tuple[str, CountSpec], pl.DataFrame]

_Background = tuple[str, frozenset[tuple[str, Any]]]


def count(
    captions: Captions, candidates: Sequence[CandidateSet], specs: Sequence[CountSpec], progress: Progress = silent
) -> Counts:
    """Count every spec for every set of candidates, and return all counts in memory.

    Returns frames by (candidate, spec), sorted by image and slot. A candidate without references has no rows.
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
    captions: Captions, candidates: Sequence[CandidateSet], specs: Sequence[CountSpec], progress: Progress = silent
) -> Iterator[tuple[CountSpec, pl.DataFrame]]:
    """Count every spec for every set of candidates, and yield the counts as they come, in no fixed order.

    All rows of a spec have the same columns (candidate, image, slot first). Each spec has at least one frame. A
    candidate without references has no rows.
    """
    captions.store.record(*_OF_EVERY)
    wanted = [(candidate, spec, _key(captions, candidate, spec)) for candidate in candidates for spec in specs]
    of = {key: spec for _, spec, key in wanted}
    known = set()
    for key, counts in kept.each(captions.store, {key: spec.table for key, spec in of.items() if spec.keeps}):
        if of[key].kernel is None and tuple(counts.columns) != catalogue()[of[key].relation].returns:
            continue  # columns that no release keeps
        known.add(key)
        yield of[key], counts
    for key, counts in _of_other_version(captions, [each for each in wanted if each[-1] not in known], progress):
        known.add(key)
        yield of[key], counts
    missing = [each for each in wanted if each[-1] not in known]
    todo = list({candidate.name: candidate for candidate, _, _ in missing}.values())
    kernels = {spec.kernel.name: spec.kernel for _, spec, _ in missing if spec.kernel}
    with compiled_meanwhile([*kernels.values()]) as wait_for:
        for together, counted in _parted(todo, list({spec: None for _, spec, _ in missing})):
            names = {candidate.name for candidate in together}
            keys = {
                spec: {candidate.name: key for candidate, of, key in missing if of == spec and candidate.name in names}
                for spec in counted
            }
            yield from _count_and_keep(captions, together, keys, wait_for, progress)


def _of_other_version(
    captions: Captions, missing: Sequence[tuple[CandidateSet, CountSpec, str]], progress: Progress
) -> Iterator[tuple[str, pl.DataFrame]]:
    """Yield counts of human captions, by key, that another version has for all images with the same captions.

    The other images are counted. Counts that depend on other images are not yielded.
    """
    store, selection = captions.store, captions.selection
    asked = {
        spec: key
        for candidate, spec, key in missing
        if candidate == HUMAN and spec.keeps and not any(is_read(each, spec.relations) for each in _OF_ALL)
    }
    is_whole = selection == replace(selection, split=None, draw=None, distinct=None, images=None)
    for other in nearest(store, selection.version) if asked and is_whole else ():
        with store.unnoted():
            there = captions.like(replace(selection, version=other))
            keys = {_key(there, HUMAN, spec): spec for spec in asked}
            written = kept.written(store, {key: spec.table for key, spec in keys.items()})
            there_too = {key: table for table, of_table in written.items() for key in of_table}
            if not there_too:
                continue
            params = {"dataset": other.dataset, "seq": selection.version.seq, "other_seq": other.seq}
            images = store.rows("unchanged_image", **params)
            same, changed = images.filter("is_same"), images.filter(~pl.col("is_same"))["image"]
            here = captions.like(replace(selection, images=tuple(changed)))
            specs = [keys[key] for key in there_too]
            counted = count(here, [replace(HUMAN, once=True)], specs, progress) if len(changed) else {}
        for key, rows in kept.each(store, there_too):
            of_changed = [counted[HUMAN.name, keys[key]].select(rows.columns)] if counted else []
            whole = pl.concat([rows.join(same, on="image", how="semi"), *of_changed])
            kept.put(store, selection, keys[key].table, asked[keys[key]], whole)
            yield asked[keys[key]], whole
        return


def _count_and_keep(
    captions: Captions,
    together: Sequence[CandidateSet],
    keys: Mapping[CountSpec, Mapping[str, str]],
    wait_for: Callable[[Kernel], None],
    progress: Progress,
) -> Iterator[tuple[CountSpec, pl.DataFrame]]:
    """Count candidates that can be counted at once, and keep the counts; `keys` has those asked for, by name."""
    draw = captions.selection.draw
    is_sampled = draw is not None and draw.images is not None  # counts of sampled images are read once
    drafts = {
        (spec, candidate.name): kept.Draft(
            captions.store,
            kept.Entry(
                captions.selection,
                spec.table,
                asked[candidate.name],
                written=not candidate.is_drawn and candidate.makes is None,  # others are many and large
            ),
            _KEPT_BYTES,
        )
        for spec, asked in keys.items()
        for candidate in together
        if spec.keeps and not (is_sampled or candidate.once) and candidate.name in asked
    }
    for spec, frame in _count(captions, together, [*keys], wait_for, progress):
        of_each: Mapping[tuple[Any, ...], pl.DataFrame] = {}
        if frame.height and any(of == spec for of, _ in drafts):
            is_single = len(together) == 1  # then there is nothing to separate
            of_each = {(together[0].name,): frame} if is_single else frame.partition_by("candidate", as_dict=True)
        for (name,), rows in of_each.items():
            if (spec, name) in drafts:
                drafts[spec, name].add(rows)
        is_whole = len(keys[spec]) == len(together)
        yield spec, frame if is_whole else frame.filter(pl.col("candidate").is_in(list(keys[spec])))
    for draft in drafts.values():
        draft.keep()


def _parted(
    candidates: Sequence[CandidateSet], specs: Sequence[CountSpec]
) -> Iterator[tuple[Sequence[CandidateSet], Sequence[CountSpec]]]:
    """Yield candidates and specs that can be counted at once; those with separate frequencies or references first."""
    own = [spec for spec in specs if frequencies.by_items(spec.idf_mode)]
    shared = [spec for spec in specs if spec not in own]
    for candidate in candidates:  # first: too many folds raise an error before anything is counted
        separate = own if candidate.references is None else specs
        if separate:
            yield [candidate], separate
    unchanged = [candidate for candidate in candidates if candidate.references is None]
    if unchanged and shared:
        yield unchanged, shared


def _count(
    captions: Captions,
    candidates: Sequence[CandidateSet],
    specs: Sequence[CountSpec],
    wait_for: Callable[[Kernel], None],
    progress: Progress,
) -> Iterator[tuple[CountSpec, pl.DataFrame]]:
    """Count candidates that share their references; a set with changed references is counted alone."""
    workspace = captions.workspace(most_words=ngrams.MOST_WORDS)
    bind_candidates(workspace, candidates)
    keep_drawn(captions, workspace, candidates)
    changed = candidates[0].references
    loads = workspace.rows("pairing_count")
    buckets = ngrams.buckets(workspace, loads)
    if any(bucket.parts > 1 for bucket in buckets) or (loads["longest_candidate"] > ngrams.MOST_WORDS).any():
        workspace.take("every_candidate", workspace, "candidate")
        _bind_whole(workspace)
    steps, done = sum(bucket.parts for bucket in buckets) * len(specs), 0

    def begin(what: str) -> None:
        progress(f"{captions.label}: {what}", done, steps)

    groups: dict[str | None, dict[_Background, list[CountSpec]]] = {}
    for spec in specs:
        groups.setdefault(spec.normalization, {}).setdefault(_background(spec), []).append(spec)
    for normalization, by_background in groups.items():
        bind_text_tokens(workspace, normalization)
        for group in by_background.values():
            group.sort(key=lambda spec: spec.kernel is None)  # kernels, before the engine's memory is full of n-grams
            _bind_background(captions, workspace, group, begin)
            if changed:  # after document frequencies, which are those of the unchanged references
                workspace.bind("reference", changed)
            for at_work, is_last in _bucket_by_bucket(workspace, buckets):
                bind_occurrences(at_work, normalization, [relation for spec in group for relation in spec.relations])
                if any(map(_reads_content, group)):
                    at_work.bind("content_word", _CONTENT)
                aligned: dict[str, pl.DataFrame] = {}  # rows that several kernels read
                for number, spec in enumerate(group, start=1):
                    what = spec.table.replace("_", " ")
                    if spec.kernel and not spec.kernel.is_compiled:
                        begin(f"{what} (compiling for the first use, takes seconds)")
                        wait_for(spec.kernel)
                    else:
                        begin(what)
                    rows = {relation: _rows(at_work, relation, spec, aligned) for relation in spec.relations}
                    if is_last:
                        workspace.release(relation for later in group[number:] for relation in later.relations)
                    yield spec, spec.kernel.run(rows, spec.params) if spec.kernel else rows[spec.relation]
                    done += 1
            if changed:
                bind_references(workspace, captions.selection)
    progress(f"{captions.label}: counted", 1, 1)


def _bind_background(
    captions: Captions, workspace: Workspace, group: Sequence[CountSpec], begin: Callable[[str], None]
) -> None:
    """Bind what a group of specs needs once for all buckets."""
    first = group[0]
    if any(is_read("document_frequency", spec.relations) for spec in group):
        begin("document frequency")
        frequencies.bind(captions, workspace, first.normalization, first.idf_mode)
    if is_read("vector_as_of", first.relations):
        begin("training on captions and vectors")
        image_vectors.bind(captions.store, workspace, first.params)


def _reads_content(spec: CountSpec) -> bool:
    return is_read("content_word", spec.relations)


def _background(spec: CountSpec) -> _Background:
    """Return what a spec needs once for all buckets: document frequencies, and models of vectors."""
    learnt = spec.params.items() if is_read("vector_as_of", spec.relations) else ()
    return spec.idf_mode, frozenset(learnt)


def _rows(workspace: Workspace, relation: str, spec: CountSpec, aligned: dict[str, pl.DataFrame]) -> pl.DataFrame:
    """Run a SELECT; one that depends on no setting runs once for all kernels of a bucket."""
    if spec.kernel is None or workspace.changes_with(relation) & spec.params.keys():
        return workspace.rows(relation, **spec.params)
    if relation not in aligned:
        aligned[relation] = workspace.rows(relation)
    return aligned[relation]


def _bucket_by_bucket(workspace: Workspace, buckets: Sequence[ngrams.Bucket]) -> Iterator[tuple[Workspace, bool]]:
    """Yield the workspace of each bucket of images; if it is too large, one part of its candidates after another.

    With each comes whether this is the whole bucket, or its last part.
    """
    for bucket in buckets:
        at_work = workspace.given(first_image=bucket.first, last_image=bucket.last)
        if bucket.parts == 1:
            yield at_work, True
            continue
        for part in range(bucket.parts):
            first = part * bucket.at_once + 1
            last = first + bucket.at_once - 1
            at_work.bind("candidate", "candidate_part", first_candidate=first, last_candidate=last)
            yield at_work, part == bucket.parts - 1
        _bind_whole(workspace)


def _bind_whole(workspace: Workspace) -> None:
    """Select all candidates that are not too long."""
    workspace.bind(
        "candidate", "candidate_part", first_image=0, last_image=LAST_IMAGE, first_candidate=None, last_candidate=None
    )


def _key(captions: Captions, candidate: CandidateSet, spec: CountSpec) -> str:
    """Return the key of counts: all that they depend on; candidates and metrics may use one name for two settings."""
    facts = {
        "candidate": candidate.facts,
        "counting": spec.params,
        "kernel": spec.kernel and (spec.kernel.name, spec.kernel.version),
        "normalization": spec.normalization,
        "most_words": ngrams.MOST_WORDS,
    }
    weights = frequencies.files(spec.idf_mode) if is_read("document_frequency", spec.relations) else ()
    words = (_CONTENT,) if _reads_content(spec) else ()
    relations = (*spec.relations, *weights, *words, *candidate.files)
    return kept.key(captions.store, captions.selection, captions.tokenizer, relations, facts)


def bind_text_tokens(workspace: Workspace, normalization: str | None) -> None:
    """Bind relation `text_tokens` to the tokens of the selected texts, normalized if a metric requires it.

    Words are numbered by spelling, from 1. These numbers hold for one counting only. Relation `word` (word, word_id)
    spells the numbers of normalized words. The vocabulary spells those of tokens.
    """
    workspace.bind("text_tokens")
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
    normalized = (
        part.explode("tokens", empty_as_null=True)
        .select("caption_id", tokens=pl.lit(lists).gather(pl.col("tokens")))
        .explode("tokens", empty_as_null=True)
        .group_by("caption_id", maintain_order=True)
        .agg(pl.col("tokens").drop_nulls())
        for part in texts.iter_slices(_NORMALIZED_AT_ONCE)
    )
    made = pl.concat([texts.clear(), *normalized])
    del texts
    workspace.bind_rows("text_tokens", made)
    spelled = words.select("word", word_id=numbered["word"]).drop_nulls().unique()
    workspace.bind_rows("word", spelled)
