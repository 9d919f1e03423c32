"""The options of `auditor agree` for pairs and triplets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from auditor import parameters as p
from auditor.errors import UsageError

#: The kinds of datasets that hold comparisons by raters.
COMPARED = ("pairs", "triplets")

#: The confidence of intervals.
CONFIDENCE = 0.95

#: The credit of a pair that a metric ties.
TIE_CREDIT = {"half": 0.5, "wrong": 0.0, "right": 1.0}

Most = Annotated[int | None, p.Parameter("References per image; default: 48, or fewer if an image has fewer.", least=1)]

At = Annotated[Sequence[int], p.Parameter("Also compute accuracy with this many references; repeat for more.", least=1)]

Curve = Annotated[bool, p.Parameter("Compute accuracy with every number of references from 1 on.")]

Draws = Annotated[int, p.Parameter("Number of random draws of references, by the seed and those after it.", least=1)]

Ties = Annotated[
    str,
    p.Parameter("How to count a pair that a metric ties: half, wrong or right."),
]


@dataclass(frozen=True)
class PairSettings:
    """The options for pairs and triplets only.

    `most` references per image; null: 48, or as many as every image has if some have fewer. `at` are further numbers of
    references, `curve` means all from 1 on. `draws` are consecutive seeds. `ties` sets the credit of a metric's tie.
    """

    most: Most = None
    at: At = ()
    curve: Curve = False
    draws: Draws = 1
    ties: Ties = "half"


@dataclass(frozen=True)
class ConsensusSettings(PairSettings):
    """All options for accuracy, with those for ratings too. References are drawn by `seed`."""

    seed: p.Seed = 1
    resamples: p.Resamples = 1000
    tokenizer: p.Tokenizer = "bare"
    split: p.Split = None
    without_own_references: p.WithoutOwn = False

    def check(self) -> None:
        """Raise `UsageError` for invalid options."""
        if self.ties not in TIE_CREDIT:
            raise UsageError(f"--ties {self.ties}: expected {', '.join(TIE_CREDIT)}")
        p.check_resampling(self.resamples, CONFIDENCE)
        low = min((*self.at, self.most or 1), default=1)
        if low < 1:
            raise UsageError(f"{low} references: expected 1 or more")
        if self.most is not None and max(self.at, default=0) > self.most:
            raise UsageError(
                f"--at {max(self.at)}: more references than --most {self.most}; raise --most or lower --at"
            )
