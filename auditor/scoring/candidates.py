"""Candidates to score against the captions of an image: these captions, their substitutes, a system's output.

Only the SELECT that fills relation `candidate` differs. Every metric reads the same relations.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from auditor.model import Selection
from auditor.store import kept
from auditor.store.captions import NO_TEXT, Captions
from auditor.store.workspace import Workspace

_DRAWN = "drawn_candidate"

_KEPT_AT_ONCE = 1 << 17

_POOL = {"dataset": pl.String, "seq": pl.Int32, "split": pl.String}


@dataclass(frozen=True)
class CandidateSet:
    """The source of candidates: `name` is the value of column `candidate`, `file` the SELECT of the captions.

    `drawn_from` are further selections that the captions come from. `left_out` are those that were named but not used,
    because they are related. `binds` maps relations that the file reads to SELECTs. `makes` is the SELECT whose texts,
    which are not in the store, become relation `made_text`. `given` are relations that these files read and that
    Python computed: words, not their numbers. `references` is the SELECT that replaces relation `reference` if
    generated texts are references instead of candidates; it reads the original `reference`. Substitutes that are
    scored `against_all` captions of their image hold none out. If a set is read `once`, neither its captions nor their
    counts are kept.
    """

    name: str
    file: str
    params: Mapping[str, Any] = field(default_factory=dict)
    drawn_from: tuple[Selection, ...] = ()
    binds: Mapping[str, str] = field(default_factory=dict)
    makes: str | None = None
    given: Mapping[str, pl.DataFrame] = field(default_factory=dict, compare=False)
    references: str | None = None
    against_all: bool = False
    left_out: tuple[Selection, ...] = field(default=(), compare=False)
    once: bool = field(default=False, compare=False)

    @property
    def files(self) -> tuple[str, ...]:
        """The SELECTs that its captions depend on."""
        return (self.file, *self.binds.values(), *filter(None, (self.makes, self.references)))

    @property
    def facts(self) -> dict[str, Any]:
        """What its captions depend on in addition to the SELECTs and the scored selection."""
        drawn_from = [
            (selection.version.dataset, selection.version.version, selection.split) for selection in self.drawn_from
        ]
        given = {"given": {name: digest(rows) for name, rows in self.given.items()}} if self.given else {}
        whole = {"against_all": True} if self.against_all else {}
        return {**self.params, "drawn_from": drawn_from, "binds": dict(self.binds), **given, **whole}

    @property
    def source(self) -> str | None:
        """The versions that its captions are drawn from, other than the selection itself: `brown@460aeb30273d`.

        Datasets that were left out follow by name: `coco-val2017@d71dd05ff68e without flickr30k`.
        """
        taken = " ".join(selection.pinned_name for selection in self.drawn_from)
        without = " ".join(selection.version.dataset for selection in self.left_out)
        return (f"{taken} without {without}" if without else taken) or None

    @property
    def is_drawn(self) -> bool:
        """Whether its captions are drawn by a seed."""
        return "seed" in self.params and self.references is None


#: The captions themselves, each against the others of its image.
HUMAN = CandidateSet("human", "candidate_human")


def output_of(system: Selection, *, filled: bool = False) -> CandidateSet:
    """Return the captions of another dataset, such as a system's output, as candidates for images of the same ID.

    If it is `filled`, images without a caption get an empty one.
    """
    params = {"system": system.version.dataset, "system_seq": system.version.seq, "system_split": system.split}
    makes = "absent_text" if filled else None
    return CandidateSet(system.version.dataset, "candidate_system", params, drawn_from=(system,), makes=makes)


def bind_candidates(workspace: Workspace, candidates: Sequence[CandidateSet]) -> None:
    """Bind relation `candidate` to the captions of all sets, and `made_text` to the texts generated for them.

    All sets hold a caption out, or none does.
    """
    workspace.bind_rows("made_text", NO_TEXT)
    workspace.forget("candidate_at_work")
    asked = [candidate.params["words"] for candidate in candidates if "words" in candidate.params]
    # all texts of drawn words begin with the same words
    drawn = {"most_drawn": max(filter(None, asked), default=0), "draws_mean": None in asked}
    bound: tuple[object, ...] | None = None
    for candidate in candidates:
        own = workspace.given(**{**drawn, **candidate.params, "label": candidate.name})
        for relation, rows in candidate.given.items():
            workspace.bind_rows(relation, rows)
        sources = (candidate.drawn_from, candidate.binds, {**candidate.params, "words": None})
        if candidate.given or sources != bound:  # else what is made of them stays
            _bind_sources(own, candidate)
        bound = sources
        if candidate.makes:
            own = own.given(last_text=_last_text(workspace))
            own.append("made_text", candidate.makes)
        own.append("candidate_at_work", candidate.file)
    workspace.forget("gibberish_word")  # large
    workspace.bind("candidate", against_all=any(candidate.against_all for candidate in candidates))
    workspace.bind("text_at_work", "reference_text", "candidate_text")


def _bind_sources(workspace: Workspace, candidate: CandidateSet) -> None:
    if candidate.drawn_from:
        places = [
            (selection.version.dataset, selection.version.seq, selection.split) for selection in candidate.drawn_from
        ]
        workspace.bind_rows("pool", pl.DataFrame(places, schema=_POOL, orient="row"))
    for relation, file in candidate.binds.items():
        workspace.bind(relation, file)


def text_changes(captions: Captions, candidates: Sequence[CandidateSet]) -> pl.DataFrame:
    """Return the changes of generated texts, compared with the captions that they replace.

    Columns: candidate, image, slot, changed (at all), replaced (positions with another word), words (after the change).
    """
    workspace = captions.workspace()
    bind_candidates(workspace, candidates)
    return workspace.rows("text_change")


def keep_drawn(captions: Captions, workspace: Workspace, candidates: Sequence[CandidateSet]) -> None:
    """Keep the drawn substitutes in table `drawn_candidate` of the cache, so that users can inspect them.

    Keeps nothing if images were drawn too, or if each text counts once per image: these rows would look like those of
    all images and captions. Keeps nothing if the store keeps no drawn captions, as for `reproduce`: its seven sets
    would be the largest part of the file.
    """
    store, selection = captions.store, captions.selection
    drawn = [candidate for candidate in candidates if candidate.is_drawn and not candidate.once]
    is_partial = selection.distinct is not None or selection.images is not None
    is_partial |= selection.draw is not None and selection.draw.images is not None
    if not drawn or not store.keeps_drawn or is_partial:
        return
    rows = workspace.rows(_DRAWN)
    for candidate in drawn:
        key = kept.key(store, selection, captions.tokenizer, (_DRAWN, *candidate.files), candidate.facts)
        draft = kept.Draft(store, kept.Entry(selection, _DRAWN, key))
        for part in rows.filter(candidate=candidate.name).iter_slices(_KEPT_AT_ONCE):
            facts = captions.stamp(part).select(
                "dataset",
                "version",
                "split",
                pl.lit(captions.tokenizer).alias("tokenizer"),
                pl.lit(selection.draw and selection.draw.captions - 1, pl.UInt32).alias("references"),
                pl.col("candidate"),
                pl.lit(candidate.params["seed"], pl.Int64).alias("seed"),
                pl.lit(candidate.source, pl.String).alias("drawn_from"),
                pl.exclude("dataset", "version", "split", "candidate"),
            )
            draft.add(facts)
        draft.keep()


def digest(rows: pl.DataFrame) -> str:
    """Hash the values of rows, in their order."""
    return hashlib.sha256(rows.write_ndjson().encode()).hexdigest()


def _last_text(workspace: Workspace) -> int:
    """Return the highest number of a stored or generated text: the next text gets a higher one."""
    last = "select greatest(max(caption_id), (select max(caption_id) from made_text)) from caption"
    return int(workspace.query(last).item() or 0)
