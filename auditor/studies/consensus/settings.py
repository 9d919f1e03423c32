"""What `auditor agree` may be told of pairs and triplets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.statistics.resampling import check_resampling

#: The kinds of datasets that hold what people compared.
COMPARED = ("pairs", "triplets")

#: Share of the resamples inside an interval.
CONFIDENCE = 0.95

#: What a pair counts that a metric ties.
TIE_CREDIT = {"half": 0.5, "wrong": 0.0, "right": 1.0}

Most = Annotated[
    int | None, p.Parameter("References of each image; default: 48, or as many as every image has.", least=1)
]

At = Annotated[Sequence[int], p.Parameter("Accuracy at so many references too; repeat for more.", least=1)]

Curve = Annotated[bool, p.Parameter("Accuracy at every number of references from 1 on.")]

Draws = Annotated[int, p.Parameter("Draw references so often, by the seed and those after it.", least=1)]

Ties = Annotated[
    str,
    p.Parameter("What a pair counts that a metric ties: half, wrong or right."),
]


@dataclass(frozen=True)
class PairSettings:
    """What is asked of pairs and triplets alone.

    `most` references of each image; null: 48, or as many as every image has where some have fewer. `at` are further
    numbers of references, `curve` stands for all from 1 on; `draws` seeds follow each other. `ties` says what a
    metric's tie counts.
    """

    most: Most = None
    at: At = ()
    curve: Curve = False
    draws: Draws = 1
    ties: Ties = "half"


@dataclass(frozen=True)
class ConsensusSettings(PairSettings):
    """How accuracy is measured: with what is asked of ratings too. References are drawn by `seed`."""

    seed: p.Seed = 1
    resamples: p.Resamples = 1000
    tokenizer: p.Tokenizer = "bare"
    split: p.Split = None
    without_own_references: p.WithoutOwn = False

    def check(self) -> None:
        """Raise `UsageError` for what cannot be measured."""
        if self.ties not in TIE_CREDIT:
            raise UsageError(f"--ties {self.ties}: expected {', '.join(TIE_CREDIT)}")
        check_resampling(self.resamples, CONFIDENCE)
        low = min((*self.at, self.most or 1), default=1)
        if low < 1:
            raise UsageError(f"{low} references: expected 1 or more")
        if self.most is not None and max(self.at, default=0) > self.most:
            raise UsageError(f"--at {max(self.at)}: more references than --most {self.most}; raise that, or lower this")
