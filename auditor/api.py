"""The library's face: every study as a method of an open store. Holds no logic of its own.

Studies of captions, as methods of an open store.

Studies of metrics, as methods of an open store.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from auditor import config
from auditor.store.connection import Store
from auditor.studies import (
    agree,
    bounds,
    check,
    compare,
    consensus,
    correlate,
    diversity,
    duplicates,
    identical,
    ingest,
    keyness,
    outliers,
    perplexity,
    probe,
    profile,
    report,
    reproduce,
    score,
    tasks,
    templates,
    versions,
)
from auditor.studies import references as enough_references
from auditor.studies.agree import published
from auditor.studies.diversity import missed, omitted
from auditor.studies.diversity import robustness as diversity_robustness
from auditor.studies.upkeep import sql, verify

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.result import Document, Result
    from auditor.studies.agree import Question
    from auditor.studies.consensus import Settings as ConsensusSettings
    from auditor.studies.diversity import Settings
    from auditor.studies.report import Settings as ReportSettings


class CaptionStudies:
    """What captions are: their sizes, their words, how they repeat each other."""

    store: Store

    def profile(self, *refs: str, text_profile: str = "auto", split: str | None = None) -> Result:
        """Describe datasets: size, length, vocabulary, repetition."""
        return profile.profile(self.store, refs, text_profile, split)

    def identical(
        self, *refs: str, text_profile: str = "auto", split: str | None = None, as_text: bool = False
    ) -> Result:
        """Pair the captions of an image that are identical."""
        return identical.identical(self.store, refs, text_profile, split, as_text=as_text)

    def perplexity(
        self,
        *refs: str,
        text_profile: str = "auto",
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
        text_profile: str = "auto",
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
        return missed.missed_words(self.store, refs, evaluation, settings, number, importance, floor, split)

    def omitted_words(
        self,
        *refs: str,
        number: int,
        against: str,
        evaluation: str,
        text_profile: str = "auto",
        split: str | None = None,
        all_images: bool = False,
    ) -> Result:
        """Rank the words that a system could have learnt and never says."""
        return omitted.omitted_words(
            self.store, refs, number, text_profile, against, evaluation, split, all_images=all_images
        )

    def duplicates(
        self,
        *refs: str,
        near: float = duplicates.NEAR,
        text_profile: str = "auto",
        split: str | None = None,
        examples: int = 3,
        config_file: Path | None = None,
        pairs: bool = False,
    ) -> Result:
        """Count the captions that stand again elsewhere, exactly or nearly; `pairs` lists them."""
        declared = config.sources(config_file)
        return duplicates.duplicates(self.store, refs, near, text_profile, split, examples, declared, pairs=pairs)

    def templates(
        self,
        *refs: str,
        text_profile: str = "auto",
        split: str | None = None,
        level: str = "dataset",
        least: float = 0.001,
        metric: str = "cider",
    ) -> Result:
        """Count frequent openings and templates, and compare the slots of an image's captions."""
        return templates.templates(self.store, refs, text_profile, split, level, least, metric)

    def outliers(
        self,
        *refs: str,
        metric: str = "cider",
        text_profile: str = "auto",
        split: str | None = None,
        level: str = "caption",
        share: float = 0.1,
    ) -> Result:
        """Find captions that may be of another image, and images that people describe differently."""
        return outliers.outliers(self.store, refs, metric, text_profile, split, level, share)


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
        return score.score(
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
        return score.ranked_captions(self.store, ref, metrics, text_profile, split, references, seed, images)

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
        return correlate.correlate(self.store, refs, metrics, text_profile, split, seed, references, statistics)

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
            return published.as_published(self.store, refs, against, split, drawn)
        return agree.agree(self.store, refs, metrics, against, text_profile, split, question)

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
        return compare.compare(self.store, refs, *settings, pairs=pairs, equalise=equalise, images=images)

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
        return reproduce.reproduce(self.store, papers, seed)[0]


class Auditor(CaptionStudies, MetricStudies):
    """An open store. Every method gives a `Result`: `.frame` (Polars), `.to_json()`, and HTML in a notebook."""

    def __init__(self, path: str | Path, *, write: bool = False, wait: float = 10.0) -> None:
        self.store = Store.open(Path(path), write=write, wait=wait)

    def ingest(self, *names: str, config_file: Path | None = None, note: str | None = None) -> Result:
        """Ingest datasets that `datasets.toml` declares."""
        declared = config.sources(config_file)
        return ingest.ingest(self.store, [config.source(name, declared) for name in names], note)

    def datasets(self) -> Result:
        """List the datasets of the store."""
        return versions.datasets(self.store)

    def log(self, dataset: str) -> Result:
        """List the versions of a dataset."""
        return versions.log(self.store, dataset)

    def diff(
        self, a: str, b: str, depth: str = "totals", text_profile: str = "auto", *, as_tokens: bool = False
    ) -> Result:
        """Say what changed between two references: `totals`, `images`, `text`, `vocabulary`, `lengths` or `drift`."""
        return versions.diff(self.store, a, b, depth, text_profile, as_tokens=as_tokens)[0]

    def verify(self, ref: str | None = None, config_file: Path | None = None) -> Result:
        """Check the store, or one version of it, against its own log and the counts that `datasets.toml` declares."""
        return verify.verify(self.store, ref, config.sources(config_file))[0]

    def check(self, *refs: str, config_file: Path | None = None, strict: bool = False) -> Result:
        """Compare datasets with the gates that `datasets.toml` declares; column `verdict` says which fail."""
        gates, declared = config.gates(config_file), config.sources(config_file)
        return check.check(self.store, refs, gates, declared, strict=strict)[0]

    def tag(self, ref: str, name: str, *, delete: bool = False, force: bool = False) -> Result:
        """Name a version, or forget its name."""
        return versions.tag(self.store, ref, name, delete=delete, force=force)

    def note(self, ref: str, text: str) -> Result:
        """Replace the note of a version."""
        return versions.note(self.store, ref, text)

    def export(self, ref: str, folder: str | Path, *, force: bool = False) -> Result:
        """Write a version as a bundle of Parquet files with a manifest."""
        return ingest.export(self.store, ref, Path(folder), force=force)

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
        return made if output is None else tasks.write(made, Path(output), judges, force=force)

    def report(
        self,
        *refs: str,
        settings: ReportSettings | None = None,
        sections: Sequence[str] | None = None,
        timed: bool = True,
        config_file: Path | None = None,
    ) -> Document:
        """Make the whole audit one document; `reports.DOCUMENT_FORMATS` write it."""
        return report.report(self.store, refs, settings, sections, config.sources(config_file), timed=timed)

    def card(self, ref: str, settings: ReportSettings | None = None, config_file: Path | None = None) -> Document:
        """Describe a dataset for its README."""
        return report.card(self.store, ref, settings, config.sources(config_file))

    def sql(self, statement: str, params: Mapping[str, str] | None = None) -> Result:
        """Run one read-only statement."""
        return sql.query(self.store, statement, params)

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
