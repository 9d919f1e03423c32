"""Votes on two captions of an image: the pairs and triplets of a dataset, in one form."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import NamedTuple

import polars as pl

from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Said, counted
from auditor.scoring.candidates import CandidateSet, output_of
from auditor.scoring.registry import MetricRequest
from auditor.store.captions import Captions

#: The kinds of Vedantam et al. 2015, section 6, in their order: two human captions, both of the image or one of
#: another image; one human and one machine caption; two machine captions.
KINDS = ("HC", "HI", "HM", "MM")


@dataclass(frozen=True)
class PairVotes:
    """Pairs of captions with their votes.

    `rows` are those of `sql/consensus/pairwise_preference.sql`; `notes` are for the user.
    """

    captions: Captions
    rows: pl.DataFrame
    notes: tuple[str, ...] = ()

    @property
    def selection(self) -> Selection:
        """The selection of the compared captions."""
        return self.captions.selection

    @property
    def truth(self) -> str:
        """The name of the votes in tables."""
        votes, form = self.rows.select(pl.col("votes").max(), pl.col("form").first()).row(0)
        what = "decision" if votes == 1 else "triplets" if form == "triplet" else "votes"
        return f"{self.selection.label}, {votes} {what} a pair"

    @property
    def candidates(self) -> CandidateSet:
        """The compared captions, each once per image, as candidates."""
        return replace(output_of(self.selection), file="candidate_compared")


class Prepared(NamedTuple):
    """The votes and references of one dataset, checked: what is scored, with how many references, by which metrics."""

    votes: PairVotes
    references: Captions
    most: int
    metrics: list[MetricRequest]
    notes: tuple[Said, ...]


def pair_votes(captions: Captions, progress: Progress = silent) -> PairVotes:
    """Read the votes on captions. Raises `UsageError` without pairs or triplets, or without a decision."""
    rows = captions.tokenize(progress).annotated().rows("pairwise_preference")
    if rows.is_empty():
        none = f"has no compared pairs or triplets (it is of kind {captions.selection.version.kind})"
        raise UsageError(f"{captions.label}: {none}; ingest comparisons as kind pairs or triplets")
    label, decided = captions.selection.label, rows["winner"].count()
    silent_pairs = rows.filter(pl.col("votes") == 0).height
    even = rows.height - decided - silent_pairs
    if silent_pairs == rows.height:
        raise UsageError(f"{label}: none of its {rows.height:,} pairs has votes, so no caption is preferred")
    if not decided:
        raise UsageError(f"{label}: votes are even on all {even:,} pairs, so no caption is preferred")
    notes = []
    if even:
        pairs = counted(even, "pair", "pairs")
        notes.append(f"{label}: votes are even on {pairs} of {rows.height:,}, left out of every accuracy")
    if silent_pairs:
        notes.append(f"{label}: {counted(silent_pairs, 'pair', 'pairs')} without votes, left out")
    same = rows.filter(pl.col("tokens_b") == pl.col("tokens_c")).height
    if same:
        pairs = counted(same, "pair", "pairs")
        notes.append(f"{label}: {pairs} with two captions of the same words, which every metric ties")
    return PairVotes(captions, rows, tuple(notes))


def with_kinds(votes: PairVotes, references: Captions) -> PairVotes:
    """Infer missing kinds from the pairs of an image, if possible; a note explains how."""
    kindless = votes.rows["kind"].null_count()
    if not kindless:
        return votes
    workspace = references.tokenize().workspace()
    workspace.bind_rows("pairwise_preference", votes.rows.select("pair", "image", "kind", "tokens_b", "tokens_c"))
    inferred = workspace.rows("inferred_kind")
    label = votes.selection.label
    if inferred.is_empty():
        note = f"{label}: {counted(kindless, 'pair', 'pairs')} without a kind, counted only under all"
        return replace(votes, notes=(*votes.notes, note))
    rows = votes.rows.join(inferred.select("pair", inferred="kind"), on="pair", how="left", maintain_order="left")
    shared = inferred.filter(pl.col("evidence") == "shared").height
    close = inferred.filter(pl.col("evidence") == "words", pl.col("margin") < _CLOSE).height
    note = (
        f"{label}: kinds HC and HI are inferred, because the source does not state them. An image has two pairs that "
        f"share one caption. HI is the pair whose other caption is the shared caption of another image ({shared:,} "
        "pairs), or has words that are less likely in the image's references "
        f"({inferred.height - shared:,} pairs, {close:,} of them close calls)"
    )
    rows = rows.with_columns(kind=pl.coalesce("kind", "inferred")).drop("inferred")
    return replace(votes, rows=rows, notes=(*votes.notes, note))


#: A smaller difference of log-likelihoods is a close call: odds below e^3, 20 to 1.
_CLOSE = 3.0
