"""Equal-sized samples of datasets: equally many images, and captions per image, drawn by the seed.

Or each text once per image, if some repeat others; or both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import Any

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress
from auditor.result import Finding, counted
from auditor.scoring.candidate_sets import CandidateScores, Substitutes, score_sets, with_givers
from auditor.scoring.registry import References
from auditor.scoring.scores import DISTINCT, RAW
from auditor.store.captions import Captions
from auditor.studies.compare.indices import Index, Rank

EQUALIZED = "equalized"

#: The number of equal samples, with consecutive seeds.
DRAWS = 5

#: The share of a dataset's images that must have the common number of captions. Otherwise a few images with one
#: caption would decide for all datasets.
_MOST = 0.9


#: How many times more captions an image of one dataset may have than one of another before samples are equalized.
_UNEQUAL = 1.2

#: The kind of finding on datasets with different numbers of captions per image.
UNEQUAL = "unequal-captions-per-image"


@dataclass(frozen=True)
class Sampling:
    """The compared captions of the datasets: `raw`, `equalized`, `distinct` or both of these.

    `note` describes the sample.
    """

    name: str
    against: References
    note: str | None = None

    @property
    def size(self) -> int | None:
        """The number of captions of each image, if images are sampled too."""
        return None if self.against.images is None else (self.against.drawn or 0) + 1

    @property
    def each(self) -> list[References]:
        """The references of each draw, with consecutive seeds."""
        seed = self.against.seed
        return [
            self.against if seed is None else replace(self.against, seed=seed + draw)
            for draw in range(self.against.draws)
        ]


def samplings_of(
    every: Sequence[Captions],
    references: int | None,
    images: int | None,
    seed: int,
    *,
    equalize: bool,
    distinct: str | None = None,
) -> tuple[Sampling, ...]:
    """Return the samplings to compare on: raw, or raw and another (equalized, distinct by a tokenizer, or both).

    Without `equalize`, at most `references` are drawn; with it, raw means every caption. Raises `UsageError` for
    datasets that have no equal numbers.
    """
    if not equalize:
        raw = Sampling(RAW, References("loo", references, seed))
        return (raw, Sampling(DISTINCT, replace(raw.against, distinct=distinct))) if distinct else (raw,)
    counted_in = [captions.like(replace(captions.selection, distinct=distinct)) for captions in every]
    equal = equal_samples(counted_in, references, images, seed)
    if distinct:
        equal = replace(equal, name=f"{EQUALIZED}-{DISTINCT}", against=replace(equal.against, distinct=distinct))
    return Sampling(RAW, References("loo")), equal


def equal_samples(every: Sequence[Captions], references: int | None, images: int | None, seed: int) -> Sampling:
    """Find the common numbers: captions that 90% of the images have, then images with as many captions."""
    captions_of = {one.label: one.images()["captions"] for one in every}
    if references is None:
        common = {
            label: int(counts.quantile(1 - _MOST, interpolation="lower") or 0) for label, counts in captions_of.items()
        }
        captions = min(common.values())
        if captions < 2:
            few = ", ".join(label for label, number in common.items() if number < 2)
            raise UsageError(
                f"{few}: more than 10% of the images have a single caption, which has no reference; "
                "set --references to sample only images that have so many"
            )
    else:
        captions = references + 1
    enough = {label: int((counts >= captions).sum()) for label, counts in captions_of.items()}
    fewest = min(enough.values())
    if (images is not None and images > fewest) or fewest == 0:
        label = min(enough, key=lambda label: enough[label])
        shortfall = "" if images is None else f", fewer than --images {images:,}"
        advice = "lower --references" if fewest == 0 else f"lower --images to {fewest:,}"
        raise UsageError(f"{label} has {fewest:,} images with {captions:,} captions or more{shortfall}; {advice}")
    number = images or fewest
    note = (
        f"equalized: {counted(number, 'image', 'images')} of each dataset, {captions:,} captions of each image "
        f"({counted(captions - 1, 'reference', 'references')}), sampled by seed {seed} from images that have as many; "
        f"{f'numbers are means of {DRAWS} draws, and intervals include their spread; ' if DRAWS > 1 else ''}"
        "inter and brown draw from whole datasets"
    )
    return Sampling(EQUALIZED, References("loo", captions - 1, seed, number, draws=DRAWS), note)


def changed_orders(
    raw: Mapping[tuple[str, str], Sequence[tuple[Index, Rank]]],
    changed_to: Mapping[tuple[str, str], Sequence[tuple[Index, Rank]]],
    statistics: Sequence[str],
    variant: str,
) -> list[Finding]:
    """Report for each statistic the metrics whose ranking of datasets changes on another sampling."""
    findings = []
    for statistic in statistics:
        metrics = [metric for name, metric in raw if name == statistic and raw[name, metric]]
        before, after = (
            {metric: {index.label: rank.rank for index, rank in ranking[statistic, metric]} for metric in metrics}
            for ranking in (raw, changed_to)
        )
        changed = [metric for metric in metrics if before[metric] != after[metric]]
        if metrics:
            which = f"{len(changed)} of {len(metrics)} metrics" + (f": {', '.join(changed)}" if changed else "")
            findings.append(
                Finding(
                    "order-changed-by-repeats" if variant == DISTINCT else "order-changed-by-equalizing",
                    f"{variant}: the ranking by {statistic} changes on {which}",
                    {"statistic": statistic},
                    {"metrics": ", ".join(changed), "changed": len(changed)},
                    len(metrics),
                    "warning" if changed else "info",
                )
            )
    return findings


def unequal_captions(every: Sequence[Captions], references: int | None) -> list[Finding]:
    """Warn if images of one dataset have many more captions, and so references, than those of another."""
    counts_of = {captions.label: captions.images()["captions"] for captions in every}
    means = {label: fmean(counts.filter(counts > 1).to_list() or [1]) for label, counts in counts_of.items()}
    if references is not None or max(means.values()) < _UNEQUAL * min(means.values()):
        return []
    counts = ", ".join(f"{label} {mean:.1f}" for label, mean in means.items())
    return [
        Finding(
            UNEQUAL,
            f"captions per image differ ({counts}). BLEU and METEOR increase with the number of references: rank by "
            "equal samples",
            values={label: means[label] for label in sorted(means, key=means.__getitem__, reverse=True)},
            n=len(means),
            severity="warning",
            headline=f"{max(means.values()):.1f} against {min(means.values()):.1f} per image",
        )
    ]


def pooled_scores(
    captions: Captions,
    names: Sequence[str],
    substitutes: Substitutes,
    sampling: Sampling,
    metrics: Sequence[p.MetricName],
    seed: int,
    *,
    named: bool,
    progress: Progress,
) -> CandidateScores:
    """Score candidates on every draw of a sampling, and pool the scores; other facts are those of the first draw."""
    drawn = list[CandidateScores]()
    for draw, against in enumerate(sampling.each):
        how: dict[str, Any] = {"named": named, "once": True, "progress": progress}
        one = score_sets(captions, names, substitutes, against, metrics, seed + draw, **how)
        drawn.append(replace(one, scores=with_givers(captions, one, against)))
    return replace(drawn[0], scores=pl.concat(one.scores for one in drawn))
