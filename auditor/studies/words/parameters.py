"""The parameters of `auditor words`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from auditor import parameters as p

Against = Annotated[
    str,
    p.Parameter(
        "B: another dataset; by training: the training data; by image: human captions of the same images.",
        completes="dataset",
    ),
]

_By = p.Parameter(
    "corpus: words more or less frequent than in B; training: learnable words that are never used; image: words of the "
    "image's human captions."
)

ByCorpus = Annotated[Literal["corpus"], _By]

ByTraining = Annotated[Literal["training"], _By]

ByImage = Annotated[Literal["image"], _By]

Evaluation = Annotated[str, p.Parameter("Human captions of the same images, which learnable words must be in.", "eval")]

Minimum = Annotated[
    int,
    p.Parameter(
        "Least number of occurrences; by corpus: in both together (5); by image: of each system (10).", least=1
    ),
]

_NUMBER = p.Parameter("Number of words in each ranking; default: 20 by training, all by image.", least=1)

Ranked = Annotated[int, _NUMBER]

Number = Annotated[int | None, _NUMBER]

Importance = Annotated[int, p.Parameter("Number of human captions that must have a word.", least=1)]

Words = Annotated[Sequence[str], p.Parameter("Always include this word; repeat for more.", "word")]
