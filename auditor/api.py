"""The library's face: every study as a method of an open store. Holds no logic of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from auditor import config
from auditor.store.connection import Store
from auditor.studies import (
    agreement,
    bounds,
    comparison,
    consensus,
    correlation,
    diversity,
    diversity_robustness,
    enough_references,
    exchange,
    history,
    identical,
    ingestion,
    keyness,
    missed_words,
    omitted_words,
    perplexity,
    probe,
    profile,
    published_agreement,
    query,
    ranked_captions,
    report,
    report_card,
    reproduction,
    scores,
    tagging,
    task_files,
    tasks,
    verification,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.document import Document
    from auditor.model import Result
    from auditor.studies.agreement import Question
    from auditor.studies.consensus_settings import Settings as ConsensusSettings
    from auditor.studies.diversity_settings import Settings
    from auditor.studies.report_inquiry import Settings as ReportSettings


class Auditor:
    """An open store. Every method gives a `Result`: `.frame` (Polars), `.to_json()`, and HTML in a notebook."""

    def __init__(self, path: str | Path, *, write: bool = False, wait: float = 10.0) -> None:
        self.store = Store.open(Path(path), write=write, wait=wait)

    def ingest(self, *names: str, config_file: Path | None = None, note: str | None = None) -> Result:
        """Ingest datasets that `datasets.toml` declares."""
        declared = config.sources(config_file)
        return ingestion.ingest(self.store, [config.source(name, declared) for name in names], note)

    def datasets(self) -> Result:
        """List the datasets of the store."""
        return history.datasets(self.store)

    def log(self, dataset: str) -> Result:
        """List the versions of a dataset."""
        return history.log(self.store, dataset)

    def diff(
        self, a: str, b: str, depth: str = "totals", text_profile: str = "bare", *, as_tokens: bool = False
    ) -> Result:
        """Say what changed from one reference to another: `totals`, `images`, `text`, `vocabulary` or `lengths`."""
        return history.diff(self.store, a, b, depth, text_profile, as_tokens=as_tokens)[0]

    def verify(self, ref: str | None = None, config_file: Path | None = None) -> Result:
        """Check the store, or one version of it, against its own log and the counts that `datasets.toml` declares."""
        return verification.verify(self.store, ref, config.sources(config_file))[0]

    def tag(self, ref: str, name: str, *, delete: bool = False, force: bool = False) -> Result:
        """Name a version, or forget its name."""
        return tagging.tag(self.store, ref, name, delete=delete, force=force)

    def note(self, ref: str, text: str) -> Result:
        """Replace the note of a version."""
        return tagging.note(self.store, ref, text)

    def export(self, ref: str, folder: str | Path, *, force: bool = False) -> Result:
        """Write a version as a bundle of Parquet files with a manifest."""
        return exchange.export(self.store, ref, Path(folder), force=force)

    def tasks(
        self,
        ref: str,
        *candidates: str,
        form: str = "triplets",
        split: str | None = None,
        images: int | None = None,
        references: int | None = None,
        seed: int = 1,
        output: str | Path | None = None,
        judges: int = 3,
        force: bool = False,
    ) -> Result:
        """Make questions for people, written for judges where a file is named; format `votes` reads answers back."""
        made = tasks.tasks(self.store, ref, candidates, form, split, images, references, seed)
        return made if output is None else task_files.write(made, Path(output), judges, force=force)

    def profile(self, *refs: str, text_profile: str = "bare", split: str | None = None) -> Result:
        """Describe datasets: size, length, vocabulary, repetition."""
        return profile.profile(self.store, refs, text_profile, split)

    def identical(
        self, *refs: str, text_profile: str = "bare", split: str | None = None, as_text: bool = False
    ) -> Result:
        """Pair the captions of an image that are identical."""
        return identical.identical(self.store, refs, text_profile, split, as_text=as_text)

    def bounds(
        self,
        *refs: str,
        metrics: Sequence[str] | None = None,
        text_profile: str = "bare",
        split: str | None = None,
        seed: int = 1,
        references: int | None = None,
        candidates: Sequence[str] | None = None,
        others: Sequence[str] = (),
        corpus: str | None = None,
        draws: int = 1,
    ) -> Result:
        """Give the upper bound and the lower bounds of each metric."""
        return bounds.bounds(
            self.store, refs, metrics, text_profile, split, seed, references, candidates, others, corpus, draws
        )

    def score(
        self,
        ref: str,
        metrics: Sequence[str] | None = None,
        candidates: str | None = None,
        text_profile: str = "bare",
        split: str | None = None,
        references: int | None = None,
        seed: int = 1,
    ) -> Result:
        """Score every caption, or every caption of a system's output."""
        return scores.score(self.store, ref, metrics, candidates, text_profile, split, references, seed)

    def ranked(
        self,
        ref: str,
        *images: str,
        metrics: Sequence[str] | None = None,
        text_profile: str = "bare",
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
        text_profile: str = "bare",
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
        text_profile: str = "bare",
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
        text_profile: str = "bare",
        split: str | None = None,
        question: Question | None = None,
        as_published: bool = False,
    ) -> Result:
        """Correlate metrics with people's ratings; `as_published` as Elliott & Keller 2014 did, beside sound ones."""
        if as_published:
            drawn = question.resampling if question else None
            return published_agreement.as_published(self.store, refs, against, split, drawn)
        return agreement.agree(self.store, refs, metrics, against, text_profile, split, question)

    def compare(
        self,
        *refs: str,
        metrics: Sequence[str] | None = None,
        text_profile: str = "bare",
        split: str | None = None,
        seed: int = 1,
        references: int | None = None,
        others: Sequence[str] = (),
        corpus: str | None = None,
        resamples: int = 1000,
        confidence: float = 0.95,
    ) -> Result:
        """Compare datasets by homogeneity and specificity, with bootstrap intervals."""
        return comparison.compare(
            self.store, refs, metrics, text_profile, split, seed, references, others, corpus, resamples, confidence
        )

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

    def perplexity(
        self,
        *refs: str,
        text_profile: str = "bare",
        split: str | None = None,
        order: int = 3,
        captions: int | None = None,
        draws: int = 1,
        seed: int = 1,
    ) -> Result:
        """Train a language model on half of each dataset, and test it on the other half of every one."""
        return perplexity.perplexity(self.store, refs, text_profile, split, order, captions, draws, seed)

    def keyness(
        self,
        a: str,
        b: str,
        text_profile: str = "bare",
        split: str | None = None,
        minimum: int = 5,
        words: Sequence[str] = (),
    ) -> Result:
        """Give the words that one dataset uses more, or less, than another."""
        return keyness.keyness(self.store, a, b, text_profile, split, minimum, words)

    def diversity(
        self,
        *refs: str,
        against: str | None = None,
        evaluation: str | None = None,
        settings: Settings | None = None,
        split: str | None = None,
        config_file: Path | None = None,
        robustness: bool = False,
    ) -> Result:
        """Measure how varied captions are, for `robustness` how far such choices move each statistic."""
        study = diversity_robustness.robustness if robustness else diversity.diversity
        return study(self.store, refs, settings, against, evaluation, split, config.sources(config_file))

    def missed_words(
        self,
        *refs: str,
        evaluation: str,
        number: int | None = None,
        settings: Settings | None = None,
        importance: int = 5,
        floor: int = 10,
        split: str | None = None,
    ) -> Result:
        """Rank the words that people say of an image and systems do not, and those that only systems say."""
        return missed_words.missed_words(self.store, refs, evaluation, settings, number, importance, floor, split)

    def omitted_words(
        self,
        *refs: str,
        number: int,
        against: str,
        evaluation: str,
        text_profile: str = "bare",
        split: str | None = None,
    ) -> Result:
        """Rank the words that a system could have learnt and never says."""
        return omitted_words.omitted_words(self.store, refs, number, text_profile, against, evaluation, split)

    def reproduce(self, *papers: str, seed: int = 1) -> Result:
        """Compare the figures of papers, or of all papers that are here, with ours."""
        return reproduction.reproduce(self.store, papers, seed)[0]

    def probe(
        self,
        *refs: str,
        metrics: Sequence[str] | None = None,
        components: Sequence[str] | None = None,
        words: Sequence[int] | None = None,
        text_profile: str = "bare",
        split: str | None = None,
        seed: int = 1,
        function_words: Path | None = None,
        pipeline: str | None = None,
    ) -> Result:
        """Change parts of captions, and say how far each metric moves."""
        return probe.probe(
            self.store, refs, metrics, components, words, text_profile, split, seed, function_words, pipeline
        )

    def report(
        self,
        *refs: str,
        settings: ReportSettings | None = None,
        sections: Sequence[str] | None = None,
        timed: bool = True,
    ) -> Document:
        """Make the whole audit one document; `reports.DOCUMENT_FORMATS` write it."""
        return report.report(self.store, refs, settings, sections, timed=timed)

    def card(self, ref: str, settings: ReportSettings | None = None, config_file: Path | None = None) -> Document:
        """Describe a dataset for its README."""
        return report_card.card(self.store, ref, settings, config.sources(config_file))

    def sql(self, statement: str, params: Mapping[str, str] | None = None) -> Result:
        """Run one read-only statement."""
        return query.query(self.store, statement, params)

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
