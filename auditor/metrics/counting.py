"""Counting candidates against the captions of their image, bucket by bucket; what is kept comes from the cache."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from auditor.compiled import is_kept
from auditor.metrics import idf
from auditor.metrics.candidates import CandidateSet, bind_candidates, keep_drawn
from auditor.metrics.normalization import bind_text_tokens
from auditor.metrics.vectors import learning
from auditor.model import Progress, Selection, silent
from auditor.store import kept, ngrams
from auditor.store.connection import Store
from auditor.store.sqlfiles import catalogue
from auditor.store.workspace import Workspace

#: Counts of one set of candidates that are larger in memory are not kept. The captions themselves are counted again
#: and again; what a seed has drawn in their place is looked at once, and there are seven such sets of every dataset.
_KEPT_BYTES = 128 << 20

_KEPT_BYTES_OF_SUBSTITUTES = 8 << 20

_LAST = (1 << 32) - 1


@dataclass(frozen=True)
class Kernel:
    """What aligns tokens where SQL cannot.

    Its counts are kept under `name`. `run` gets the rows of the SELECT and of the further `relations`, by name, for one
    bucket of images, and the counting parameters; it gives counts, one row per candidate (candidate, image, slot
    first). A change of what it counts is a new `version`. Where it does not keep, its counts are made anew each time.
    `compiles` names what its first use compiles, as `kernels.compiled` does.
    """

    name: str
    run: Callable[[Mapping[str, pl.DataFrame], Mapping[str, Any]], pl.DataFrame]
    relations: tuple[str, ...] = ()
    version: int = 1
    keeps: bool = True
    compiles: str | None = None

    @property
    def is_compiled(self) -> bool:
        """Whether it need not be compiled first, which takes seconds."""
        return self.compiles is None or is_kept(self.compiles)


@dataclass(frozen=True)
class CountSpec:
    """One counting: a SELECT, by name, and what changes its counts: parameters, kernel, normalization of tokens."""

    relation: str
    params: Mapping[str, Any] = field(default_factory=dict)
    kernel: Kernel | None = None
    normalization: str | None = None

    @property
    def relations(self) -> tuple[str, ...]:
        """Every SELECT that it runs."""
        return (self.relation, *(self.kernel.relations if self.kernel else ()))

    @property
    def table(self) -> str:
        """What its counts are kept under."""
        return self.kernel.name if self.kernel else self.relation

    @property
    def keeps(self) -> bool:
        """Whether its counts may be kept."""
        return self.kernel is None or self.kernel.keeps

    @property
    def idf_mode(self) -> str:
        """Which document frequencies it weighs n-grams by, if it does."""
        return str(self.params.get("idf", idf.DATASET))

    @property
    def background(self) -> tuple[str, frozenset[tuple[str, Any]]]:
        """What is made once for all buckets before it counts: document frequencies, and models of vectors."""
        learnt = self.params.items() if learning.are_read_by(self.relations) else ()
        return self.idf_mode, frozenset(learnt)

    def __hash__(self) -> int:
        return hash((self.table, frozenset(self.params.items())))


Counts = dict[tuple[str, CountSpec], pl.DataFrame]


def count(
    store: Store,
    selection: Selection,
    tokenizer: str,
    candidates: Sequence[CandidateSet],
    specs: Sequence[CountSpec],
    progress: Progress = silent,
) -> Counts:
    """Count every spec for every set of candidates, and hold all of it.

    Gives frames by (candidate, spec), sorted by image and slot; a candidate without references has no rows.
    """
    parts: dict[CountSpec, list[pl.DataFrame]] = {spec: [] for spec in specs}
    for spec, counts in count_in_parts(store, selection, tokenizer, candidates, specs, progress):
        parts[spec].append(counts)
    whole = {spec: pl.concat(frames) for spec, frames in parts.items()}
    return {
        (candidate.name, spec): whole[spec].filter(pl.col("candidate") == candidate.name).sort("image", "slot")
        for candidate in candidates
        for spec in specs
    }


def count_in_parts(
    store: Store,
    selection: Selection,
    tokenizer: str,
    candidates: Sequence[CandidateSet],
    specs: Sequence[CountSpec],
    progress: Progress = silent,
) -> Iterator[tuple[CountSpec, pl.DataFrame]]:
    """Count every spec for every set of candidates, and give the counts as they come, in no order.

    All rows of a spec have the same columns (candidate, image, slot first), and there is at least one frame of it. A
    candidate without references has no rows.
    """
    wanted = [
        (candidate, spec, _key(selection, tokenizer, candidate, spec)) for candidate in candidates for spec in specs
    ]
    of = {key: spec for _, spec, key in wanted}
    known = set()
    for key, counts in kept.each(store, {key: spec.table for key, spec in of.items() if spec.keeps}):
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
            (spec, one.name): kept.Draft.of_entry(store, selection, spec.table, keys[spec][one.name], _most_bytes(one))
            for spec in some
            for one in together
            if spec.keeps and one.name in keys[spec]
        }
        for spec, frame in _count(store, selection, tokenizer, together, some, progress):
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
    """Say how many bytes of counts are worth keeping."""
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
    store: Store,
    selection: Selection,
    tokenizer: str,
    candidates: Sequence[CandidateSet],
    specs: Sequence[CountSpec],
    progress: Progress,
) -> Iterator[tuple[CountSpec, pl.DataFrame]]:
    """Count candidates that meet the same references; where these are changed, a set stands alone."""
    workspace = ngrams.workspace(store, selection, tokenizer)
    bind_candidates(store, workspace, candidates)
    keep_drawn(store, workspace, selection, tokenizer, candidates)
    changed = candidates[0].references
    if changed:
        ngrams.bind_references(workspace, selection, "untouched_reference")
    loads = workspace.rows("pairing_count")
    buckets = ngrams.buckets(workspace, loads)
    workspace.params["most_words"] = ngrams.MOST_WORDS
    if any(bucket.parts > 1 for bucket in buckets) or (loads["longest_candidate"] > ngrams.MOST_WORDS).any():
        workspace.bind("every_candidate", "candidate")
        _bind_whole(workspace)
    steps, done = sum(bucket.parts for bucket in buckets) * len(specs), 0
    for normalization in dict.fromkeys(spec.normalization for spec in specs):
        bind_text_tokens(store, workspace, normalization)
        for background in dict.fromkeys(spec.background for spec in specs if spec.normalization == normalization):
            alike = [spec for spec in specs if (spec.normalization, spec.background) == (normalization, background)]
            alike.sort(key=lambda spec: spec.kernel is None)  # kernels, before the engine's memory is full of n-grams
            if any(idf.is_read_by(spec.relations) for spec in alike):
                progress(f"{selection.label}: document frequency", done, steps)
                idf.bind(store, workspace, selection, tokenizer, normalization, alike[0].idf_mode)
            elif any(idf.counts_documents(spec.relations) for spec in alike):
                idf.bind_collection(workspace)
            if learning.are_read_by(alike[0].relations):
                progress(f"{selection.label}: learning from captions and vectors", done, steps)
                learning.bind(store, workspace, alike[0].params)
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


def _key(selection: Selection, tokenizer: str, candidate: CandidateSet, spec: CountSpec) -> str:
    """Name counts by all that they depend on; candidates and metrics may call different settings by one name."""
    facts = {
        "candidate": candidate.facts,
        "counting": spec.params,
        "kernel": spec.kernel and (spec.kernel.name, spec.kernel.version),
        "normalization": spec.normalization,
        "most_words": ngrams.MOST_WORDS,
    }
    weights = idf.files(spec.idf_mode) if idf.is_read_by(spec.relations) else ()
    return kept.key(selection, tokenizer, (*spec.relations, *weights, *candidate.files), facts)
