"""Studies of captions, as methods of an open store."""

from __future__ import annotations

from typing import TYPE_CHECKING

from auditor import config
from auditor.studies import (
    diversity,
    diversity_robustness,
    duplicates,
    identical,
    keyness,
    missed_words,
    omitted_words,
    outliers,
    perplexity,
    profile,
    templates,
)

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from auditor.model import Result
    from auditor.store.connection import Store
    from auditor.studies.diversity_settings import Settings


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
        return missed_words.missed_words(self.store, refs, evaluation, settings, number, importance, floor, split)

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
        return omitted_words.omitted_words(
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
