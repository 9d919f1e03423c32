"""The settings of diversity, and the training and evaluation data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, get_args

import polars as pl

from auditor import parameters as p
from auditor.model import Selection
from auditor.statistics.diversity import STATISTICS
from auditor.store.captions import chosen_tokenizer
from auditor.store.connection import Store
from auditor.text import AUTO

_POINTS = 50


Tokenizer = Annotated[
    str | None, p.Parameter("Tokenizer: bare, char, ptb, spacy or whitespace; default: bare.", short="t")
]

Segment = Annotated[
    int, p.Parameter("Length of a segment for type-token ratios, in tokens, bigrams or trigrams.", least=1)
]

Shuffles = Annotated[int, p.Parameter("Number of random orders of the captions.", "shuffles", least=1)]

Curve = Annotated[int, p.Parameter("Length of the type-token curve in tokens; 0: no curve.", least=0)]

Pipeline = Annotated[
    str | None,
    p.Parameter(
        "spaCy pipeline for content words, with --tokenizer spacy; default: by function words.", needs="evaluation"
    ),
]

FunctionWords = Annotated[Path | None, replace(get_args(p.FunctionWords)[1], needs="evaluation")]

AllImages = Annotated[bool, p.Parameter("Compute coverage over all images, not only shared ones.", needs="evaluation")]


Statistics = Annotated[
    Sequence[str] | None,
    p.Parameter(
        "Statistic to compute: ttr-1, mtld, curve, or all; repeat for more; default: those of the 2018 paper.",
        "statistic",
        "s",
        choices=lambda: [*(name for name in STATISTICS if name != CURVE), CURVE, ALL],
    ),
]

#: The name of the type-token curve, which has values at several numbers of tokens.
CURVE = "curve"

ALL = "all"


@dataclass(frozen=True)
class Asked:
    """The selected statistics; null: all."""

    names: frozenset[str] | None = None

    @classmethod
    def of(cls, names: Sequence[str] | None) -> Asked:
        """Read names as typed; none: all except those on request."""
        if names and ALL in names:
            return EVERY
        return cls(frozenset(names or (card.name for card in STATISTICS.values() if not card.on_request)))

    def any_of(self, *names: str) -> bool:
        """Return whether any of the statistics is selected."""
        return self.names is None or not self.names.isdisjoint(names)

    def rows_of(self, measured: pl.DataFrame) -> pl.DataFrame:
        """Keep the rows of selected statistics; deciles belong to coverage."""
        if self.names is None:
            return measured
        name = pl.col("statistic").str.replace(r"^coverage-decile-\d+$", "coverage")
        return measured.filter(name.is_in([*self.names]))


#: All statistics.
EVERY = Asked()


@dataclass(frozen=True)
class WordSettings:
    """The settings for words and references.

    Statistics per image use `references` captions of it, sampled with `seed` (null: all). Content words are tagged by
    the spaCy `pipeline`, or are all words that are not in the file `function_words`.
    """

    tokenizer: Tokenizer = None
    seed: p.Seed = 1
    references: p.References = None
    pipeline: Pipeline = None
    function_words: FunctionWords = None


@dataclass(frozen=True)
class DiversitySettings(WordSettings):
    """The settings for all selections.

    `segment` is the length of a segment of the ttr; `draws` is the number of random orders, from `seed` on; the curve
    goes up to `curve` tokens. `lists` is `mean` (over parallel lists) or `all` (all captions together). With
    `as_written`, captions keep the order of their file and are compared letter by letter. `full_lists` counts only
    parallel lists with a caption for every image.
    """

    segment: Segment = 1000
    draws: Shuffles = 10
    all_images: AllImages = False
    curve: Curve = 50_000
    lists: str = "mean"
    as_written: bool = False
    full_lists: bool = False

    @property
    def resolved_tokenizer(self) -> str:
        """The tokenizer: the selected one, else the one for the script of the captions."""
        return self.tokenizer or AUTO

    @property
    def positions(self) -> list[int]:
        """List the numbers of tokens at which the curve is read."""
        return sorted({-(-self.curve * point // _POINTS) for point in range(1, _POINTS + 1)} - {0})


def settled(
    store: Store,
    refs: Sequence[str],
    asked: WordSettings,
    against: str | None,
    evaluation: str | None,
    split: str | None,
) -> tuple[DiversitySettings, list[str]]:
    """Return settings with a tokenizer for all selections, training and evaluation data, and notes."""
    settings = DiversitySettings(**vars(asked))
    profile, reason = chosen_tokenizer(store, [*refs, against, evaluation], split, settings.resolved_tokenizer)
    return replace(settings, tokenizer=profile), reason


@dataclass(frozen=True)
class Known:
    """The training data and the evaluation data, if there are any."""

    training: Selection | None = None
    evaluation: Selection | None = None

    def answers(self, needs: str) -> bool:
        """Return whether the data that a statistic needs are there."""
        known = {"training": self.training is not None, "evaluation": self.evaluation is not None}
        return all(is_there for what, is_there in known.items() if what in needs)
