"""What is decided for all selections whose diversity is measured, and what they are measured against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from auditor.model import Selection
from auditor.scoring.writing import text_profile_of
from auditor.store.connection import Store

_POINTS = 50


@dataclass(frozen=True)
class Settings:
    """What is decided for all selections.

    `lists` is `mean` (each parallel list on its own, averaged) or `all`; `published` follows the paper's code;
    `segment` is the length of a segment of the ttr; `draws` orders are drawn from `seed` on; the curve goes up to
    `curve` tokens. `full_lists` counts only parallel lists in which every image has a caption; null: as published.
    What compares captions of one image takes so many `references` of it, drawn by the seed (null: all); content words
    are those that spaCy's `pipeline` tags as such, or that are not in the file `function_words`.
    """

    text_profile: str = "auto"
    lists: str = "mean"
    published: bool = False
    segment: int = 1000
    draws: int = 10
    seed: int = 1
    curve: int = 50_000
    full_lists: bool | None = None
    references: int | None = None
    pipeline: str | None = None
    function_words: Path | None = None
    all_images: bool = False

    @property
    def full(self) -> bool:
        """Say whether only lists count in which every image has a caption."""
        return self.published if self.full_lists is None else self.full_lists

    @property
    def positions(self) -> list[int]:
        """List the numbers of tokens at which the curve is read."""
        return sorted({-(-self.curve * point // _POINTS) for point in range(1, _POINTS + 1)} - {0})


def settled(
    store: Store,
    refs: Sequence[str],
    settings: Settings,
    against: str | None,
    evaluation: str | None,
    split: str | None,
) -> tuple[Settings, list[str]]:
    """Give settings with a text profile for all that is measured and measured against, and what a reader must know."""
    profile, said = text_profile_of(store, [*refs, against, evaluation], split, settings.text_profile)
    return replace(settings, text_profile=profile), said


@dataclass(frozen=True)
class Known:
    """The training data and the evaluation data, where there are any."""

    training: Selection | None = None
    evaluation: Selection | None = None

    def answers(self, needs: str) -> bool:
        """Say whether a statistic can have what it needs."""
        known = {"training": self.training is not None, "evaluation": self.evaluation is not None}
        return all(here for what, here in known.items() if what in needs)
