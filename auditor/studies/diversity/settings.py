"""What is decided for all selections whose diversity is measured, and what they are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Selection
from auditor.scoring.registry import STATISTICS
from auditor.store.connection import Store
from auditor.store.scripts import chosen_tokenizer
from auditor.text import AUTO

_POINTS = 50


Tokenizer = Annotated[
    str | None,
    p.Parameter("Tokenizer: bare, char, ptb, spacy or whitespace; default: bare.", short="t"),
]

Segment = Annotated[int, p.Parameter("Tokens, bigrams or trigrams of a segment of the ttr.", least=1)]

Shuffles = Annotated[int, p.Parameter("Orders of the captions that are drawn.", "shuffles", least=1)]

Curve = Annotated[int, p.Parameter("Tokens up to which the type-token curve goes; 0: none.", least=0)]

Pipeline = Annotated[
    str | None,
    p.Parameter("spaCy pipeline that tells content words, with --tokenizer spacy; default: a list."),
]

AllImages = Annotated[
    bool, p.Parameter("Coverage and omitted words by the words of any image; default: of the images in both.")
]


Statistics = Annotated[
    Sequence[str] | None,
    p.Parameter(
        "Only this statistic: ttr-1, mtld, curve; all: every one. Repeat for more; default: those of the paper.",
        "statistic",
        "s",
    ),
]

#: What is asked for by this name is read at several numbers of tokens.
CURVE = "curve"

#: What is measured only by request, and the name by which everything is: other measures of varied words, none of which
#: van Miltenburg et al. 2018 use.
ON_REQUEST = frozenset({"mattr", "mtld", "hd-d", "self-repetition", "compression-ratio", "yule-k", "zipf-slope"})

ALL = "all"


@dataclass(frozen=True)
class Asked:
    """Which statistics are wanted; null: all."""

    names: frozenset[str] | None = None

    @classmethod
    def of(cls, names: Sequence[str] | None) -> Asked:
        """Take names as they were typed; none: all but those on request. Raises `UsageError` for an unknown one."""
        if names and ALL in names:
            return EVERY
        unknown = [name for name in names or () if name not in STATISTICS and name != CURVE]
        if unknown:
            raise UsageError(
                f"--statistic {unknown[0]}: no such statistic; known are {', '.join([*STATISTICS, CURVE, ALL])}"
            )
        return cls(frozenset(names or {*STATISTICS, CURVE} - ON_REQUEST))

    def any_of(self, *names: str) -> bool:
        """Return whether one of some statistics is wanted."""
        return self.names is None or not self.names.isdisjoint(names)

    def rows_of(self, measured: pl.DataFrame) -> pl.DataFrame:
        """Keep the rows of what is wanted; deciles belong to coverage."""
        if self.names is None:
            return measured
        name = pl.col("statistic").str.replace(r"^coverage-decile-\d+$", "coverage")
        return measured.filter(name.is_in([*self.names]))


#: No choice.
EVERY = Asked()


@dataclass(frozen=True)
class WordSettings:
    """Which words of a caption count.

    What compares captions of one image takes so many `references` of it, drawn by `seed` (null: all); content words
    are those that spaCy's `pipeline` tags as such, or that are not in the file `function_words`.
    """

    tokenizer: Tokenizer = None
    seed: p.Seed = 1
    references: p.References = None
    pipeline: Pipeline = None
    function_words: p.FunctionWords = None


@dataclass(frozen=True)
class DiversitySettings(WordSettings):
    """What is decided for all selections.

    `segment` is the length of a segment of the ttr; `draws` orders are drawn from `seed` on; the curve goes up to
    `curve` tokens. `lists` is `mean` (each parallel list on its own, averaged) or `all`. Captions `as_written` are
    walked in the order of their file, and compared by their letters. `full_lists` counts only parallel lists in which
    every image has a caption.
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
        """The tokenizer: the one that is named, else the one of the captions' script."""
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
    """Return settings with a tokenizer for all that is measured and measured against, and what a reader must know."""
    settings = DiversitySettings(**vars(asked))
    profile, said = chosen_tokenizer(store, [*refs, against, evaluation], split, settings.resolved_tokenizer)
    return replace(settings, tokenizer=profile), said


@dataclass(frozen=True)
class Known:
    """The training data and the evaluation data, where there are any."""

    training: Selection | None = None
    evaluation: Selection | None = None

    def answers(self, needs: str) -> bool:
        """Return whether a statistic can have what it needs."""
        known = {"training": self.training is not None, "evaluation": self.evaluation is not None}
        return all(here for what, here in known.items() if what in needs)
