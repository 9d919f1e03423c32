"""What a statistic of a dataset version declares of itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

#: What a statistic needs: the captions alone, training data, people's captions for evaluation, both, or that images
#: have several captions.
Needs = Literal["captions", "training", "evaluation", "training and evaluation", "several captions of an image"]


@dataclass(frozen=True)
class Statistic:
    """A statistic's card.

    `definition` is what it counts, `published` where the definition that follows the paper's code differs, null where
    it does not. `walks` says whether it depends on the order of the captions. `digits` is how many a table shows;
    `version` grows whenever the same captions get another number.
    """

    name: str
    definition: str
    source: str
    needs: Needs = "captions"
    published: str | None = None
    walks: bool = False
    digits: int = 4
    version: int = 1
