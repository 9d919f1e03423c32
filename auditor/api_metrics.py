"""Studies of metrics, as methods of an open store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor.studies import (
    agreement,
    bounds,
    comparison,
    consensus,
    correlation,
    enough_references,
    probe,
    published_agreement,
    ranked_captions,
    reproduction,
    scores,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from auditor.model import Result
    from auditor.store.connection import Store
    from auditor.studies.agreement import Question
    from auditor.studies.consensus_settings import Settings as ConsensusSettings


class MetricStudies:
    """What metrics say of captions, and whether they can be trusted."""

    store: Store

    def bounds(
        self,
        *refs: str,
        metrics: Sequence[str] | None = None,
        text_profile: str = "auto",
        split: str | None = None,
        seed: int = 1,
        references: int | None = None,
        candidates: Sequence[str] | None = None,
        others: Sequence[str] = (),
        corpus: str | None = None,
        draws: int = 1,
        pool_idf: bool = False,
    ) -> Result:
        """Give the upper bound and the lower bounds of each metric."""
        return bounds.bounds(
            self.store, refs, metrics, text_profile, split, seed, references, candidates, others, corpus, draws,
            pool_idf=pool_idf,
        )  # fmt: skip

    def score(
        self,
        ref: str,
        metrics: Sequence[str] | None = None,
        candidates: str | None = None,
        text_profile: str = "auto",
        split: str | None = None,
        references: int | None = None,
        seed: int = 1,
        without_own_references: bool = False,
    ) -> Result:
        """Score every caption, or every caption of a system's output."""
        return scores.score(
            self.store, ref, metrics, candidates, text_profile, split, references, seed,
            without_own_references=without_own_references,
        )  # fmt: skip

    def ranked(
        self,
        ref: str,
        *images: str,
        metrics: Sequence[str] | None = None,
        text_profile: str = "auto",
        split: str | None = None,
        references: int | None = None,
        seed: int = 1,
    ) -> Result:
        """Rank the captions of each image, or of some, among themselves."""
        return ranked_captions.ranked(self.store, ref, metrics, text_profile, split, references, seed, images)

    def correlate(
        self,
        *refs: str,
        metrics: Sequence[str] | None = None,
        text_profile: str = "auto",
        split: str | None = None,
        seed: int = 1,
        references: int | None = None,
        statistics: Sequence[str] | None = None,
    ) -> Result:
        """Correlate metrics over the scores of captions and of images."""
        return correlation.correlate(self.store, refs, metrics, text_profile, split, seed, references, statistics)

    def references(
        self,
        *refs: str,
        most: int | None = None,
        draws: int = 3,
        metrics: Sequence[str] | None = None,
        text_profile: str = "auto",
        split: str | None = None,
        seed: int = 1,
    ) -> Result:
        """Say how many references are enough."""
        study = enough_references.enough_references
        return study(self.store, refs, most, draws, metrics, text_profile, split, seed)

    def agree(
        self,
        *refs: str,
        against: str | None = None,
        metrics: Sequence[str] | None = None,
        text_profile: str = "auto",
        split: str | None = None,
        question: Question | None = None,
        as_published: bool = False,
    ) -> Result:
        """Correlate metrics with people's ratings; `as_published` as Elliott & Keller 2014 did, beside sound ones."""
        if as_published:
            drawn = question.resampling if question else None
            return published_agreement.as_published(self.store, refs, against, split, drawn)
        return agreement.agree(self.store, refs, metrics, against, text_profile, split, question)

    def consensus(
        self,
        *names: str,
        metrics: Sequence[str] | None = None,
        against: str | None = None,
        versus: str | None = None,
        settings: ConsensusSettings | None = None,
        as_published: bool = False,
    ) -> Result:
        """Say how often metrics pick, of two captions, the one that people pick."""
        return consensus.consensus(self.store, names, metrics, against, versus, settings, as_published)

    def compare(
        self,
        *refs: str,
        metrics: Sequence[str] | None = None,
        text_profile: str = "auto",
        split: str | None = None,
        seed: int = 1,
        references: int | None = None,
        others: Sequence[str] = (),
        corpus: str | None = None,
        resamples: int = 1000,
        confidence: float = 0.95,
        pairs: bool = False,
        equalise: bool = False,
        images: int | None = None,
    ) -> Result:
        """Compare datasets by homogeneity and specificity, with bootstrap intervals; with `pairs`, test each pair.

        With `equalise`, also on equally many images (or so many `images`) and captions of each.
        """
        settings = (metrics, text_profile, split, seed, references, others, corpus, resamples, confidence)
        return comparison.compare(self.store, refs, *settings, pairs=pairs, equalise=equalise, images=images)

    def probe(
        self,
        *refs: str,
        metrics: Sequence[str] | None = None,
        components: Sequence[str] | None = None,
        words: Sequence[int] | None = None,
        text_profile: str = "auto",
        split: str | None = None,
        seed: int = 1,
        function_words: Path | None = None,
        pipeline: str | None = None,
    ) -> Result:
        """Change parts of captions, and say how far each metric moves."""
        return probe.probe(
            self.store, refs, metrics, components, words, text_profile, split, seed, function_words, pipeline
        )

    def reproduce(self, *papers: str, seed: int = 1) -> Result:
        """Compare the figures of papers, or of all papers that are here, with ours."""
        return reproduction.reproduce(self.store, papers, seed)[0]
