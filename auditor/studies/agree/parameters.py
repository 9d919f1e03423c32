"""The parameters of `auditor agree`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.studies.agree.rows import STATISTICS
from auditor.studies.consensus import TIE_CREDIT


def _check_order(scale: tuple[float, float]) -> None:
    if not scale[0] < scale[1]:
        raise UsageError(f"--scale {scale[0]:g} {scale[1]:g}: expected the lowest and the highest rating")


Protocols = Annotated[
    Sequence[str] | None,
    p.Parameter("pooled, mean, judges (each rater) or judge-1 (one); repeat for more; default: all.", "protocol"),
]

Statistics = Annotated[
    Sequence[str] | None,
    p.Parameter("spearman, kendall-b, kendall-c or pearson; default: all four.", "statistic", choices=STATISTICS),
]

Threshold = Annotated[
    float | None, p.Parameter("Lowest mean rating that counts as good, for kappa; default: mid-scale.")
]

Cut = Annotated[
    float | None,
    p.Parameter("Score from which a caption counts as good, for kappa of one -m; default: that of the highest kappa."),
]

Scale = Annotated[
    tuple[float, float] | None,
    p.Parameter("Lowest and highest valid rating; others are left out and listed.", check=_check_order),
]

Disagreements = Annotated[int, p.Parameter("Number of captions to show on which raters and metric disagree.", least=0)]

Most = Annotated[int | None, p.Parameter("References per image; default: 48, or fewer if an image has fewer.", least=1)]

At = Annotated[Sequence[int], p.Parameter("Also compute accuracy with this many references; repeat for more.", least=1)]

Curve = Annotated[bool, p.Parameter("Compute accuracy with every number of references from 1 on.")]

Draws = Annotated[int, p.Parameter("Number of random draws of references, by the seed and those after it.", least=1)]

Ties = Annotated[
    str, p.Parameter("How to count a pair that a metric ties: half, wrong or right.", choices=tuple(TIE_CREDIT))
]
