"""Equal-sized samples of datasets: equally many images, and captions per image, drawn by the seed.

Or each text once per image, if some repeat others; or both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from statistics import fmean
from typing import Any

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress
from auditor.result import Finding, Severity, counted
from auditor.scoring.candidate_sets import CandidateScores, Substitutes, score_sets, with_givers
from auditor.scoring.registry import References
from auditor.scoring.scores import Collected
from auditor.scoring.variants import DISTINCT, RAW, draws_of, variants
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


def variants_of(
    every: Sequence[Captions],
    references: int | None,
    images: int | None,
    seed: int,
    *,
    equalize: bool,
    distinct: bool,
    unequal: bool,
) -> tuple[dict[str, References], list[str]]:
    """Return the variants to compare on: raw, and another (equalized, distinct, or both), if any; and why not.

    Equal samples are drawn if wanted, or if captions per image are `unequal`. Then raw means every caption; else at
    most `references` are drawn. Raises `UsageError` if wanted samples cannot be drawn; others have a note.
    """
    tokenizer = every[0].tokenizer
    notes = list[str]()
    if equalize or (unequal and not distinct):
        by = tokenizer if distinct else None
        try:
            counted_in = [captions.like(replace(captions.selection, distinct=by)) for captions in every]
            equal = equal_samples(counted_in, references, images, seed)
            name = f"{EQUALIZED}-{DISTINCT}" if distinct else EQUALIZED
            return {RAW: References("loo"), name: replace(equal, distinct=by)}, []
        except UsageError as error:
            if equalize:
                raise UsageError(f"--equalize: {error}") from error
            notes = [f"no equal samples: {error}"]
    return variants(References("loo", references, seed), tokenizer, distinct=distinct), notes


def equal_samples(every: Sequence[Captions], references: int | None, images: int | None, seed: int) -> References:
    """Find the common numbers: captions that 90% of the images have, then images with as many captions."""
    captions_of = {one.label: one.images()["captions"] for one in every}
    if references is None:
        lowest = {label: counts.quantile(1 - _MOST, interpolation="lower") for label, counts in captions_of.items()}
        common = {label: int(number or 0) for label, number in lowest.items()}
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
    return References("loo", captions - 1, seed, images or fewest, draws=DRAWS)


def sample_notes(against: References) -> list[str]:
    """Describe equal samples."""
    if against.images is None or against.drawn is None:
        return []
    return [
        f"equalized: {counted(against.images, 'image', 'images')} of each dataset, {against.drawn + 1:,} captions of "
        f"each image ({counted(against.drawn, 'reference', 'references')}), sampled by seed {against.seed} from images "
        f"that have as many; numbers are means of {against.draws} draws, and intervals include their spread; inter and "
        "brown draw from whole datasets"
    ]


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
            kind = "order-changed-by-repeats" if variant == DISTINCT else "order-changed-by-equalizing"
            sentence = f"{variant}: the ranking by {statistic} changes on {which}"
            values: dict[str, str | float | None] = {"metrics": ", ".join(changed), "changed": len(changed)}
            severity: Severity = "warning" if changed else "info"
            findings.append(Finding(kind, sentence, {"statistic": statistic}, values, len(metrics), severity))
    return findings


def unequal_captions(every: Sequence[Captions], references: int | None) -> list[Finding]:
    """Warn if images of one dataset have many more captions, and so references, than those of another."""
    counts_of = {captions.label: captions.images()["captions"] for captions in every}
    means = {label: fmean(counts.filter(counts > 1).to_list() or [1]) for label, counts in counts_of.items()}
    if references is not None or max(means.values()) < _UNEQUAL * min(means.values()):
        return []
    counts = ", ".join(f"{label} {mean:.1f}" for label, mean in means.items())
    sentence = f"captions per image differ ({counts}). BLEU and METEOR increase with the number of references: rank by "
    values = dict(sorted(means.items(), key=lambda of: of[1], reverse=True))
    headline = f"{max(means.values()):.1f} against {min(means.values()):.1f} per image"
    return [Finding(UNEQUAL, f"{sentence}equal samples", {}, values, len(means), "warning", headline=headline)]


def pooled_scores(
    captions: Captions,
    names: Sequence[str],
    substitutes: Substitutes,
    against: References,
    metrics: Sequence[p.MetricName],
    seed: int,
    *,
    named: bool,
    progress: Progress,
    collected: Collected | None = None,
) -> CandidateScores:
    """Score candidates on every draw of captions; all else but scores, and counts with `draw`, is of the first draw."""
    drawn = list[CandidateScores]()
    for draw, some in enumerate(draws_of(against)):
        of_draw: Collected = {spec: [] for spec in collected or {}}
        how: dict[str, Any] = {"named": named, "once": True, "progress": progress, "collected": of_draw}
        one = score_sets(captions, names, substitutes, some, metrics, seed + draw, **how)
        for spec, counts in of_draw.items():
            (collected or {})[spec] += [part.with_columns(draw=pl.lit(draw)) for part in counts]
        drawn.append(replace(one, scores=with_givers(captions, one, some)))
    return replace(drawn[0], scores=pl.concat(one.scores for one in drawn))
