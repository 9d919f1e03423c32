"""Scores of the captions of a selection and of their substitutes, with the reasons for missing ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.model import Progress, Selection, silent
from auditor.parameters import MetricName
from auditor.result import Finding, Said, about
from auditor.scoring.candidates import HUMAN, CandidateSet, bind_candidates
from auditor.scoring.registry import MetricRequest, References, requests
from auditor.scoring.scores import scorable, score_candidates, signatures, too_few_captions, too_long
from auditor.scoring.single_captions import NEEDS_TWO, lacking, without_references
from auditor.scoring.substitutes import Substitutes, candidate_sets, empty, passed_over, refuse
from auditor.statistics.resampling import GIVER
from auditor.store.captions import Captions

_CANDIDATES_AT_ONCE = 1_300_000


@dataclass(frozen=True)
class CandidateScores:
    """Scores, with columns candidate, image, slot, and one for each metric; `sets` are the candidates.

    `signatures` are the signatures of the metrics, by label; `reasons` are why candidates are missing, by name.
    """

    selection: Selection
    scores: pl.DataFrame
    sets: tuple[CandidateSet, ...]
    signatures: Mapping[str, str]
    reasons: Mapping[str, str]
    notes: tuple[Said, ...]


def score_sets(
    captions: Captions,
    names: Sequence[str],
    substitutes: Substitutes,
    against: References,
    metric_names: Sequence[MetricName] | None,
    seed: int,
    *,
    required: bool = False,
    progress: Progress = silent,
) -> CandidateScores:
    """Score the candidates called `names`, drawn by `seed`, by the requested metrics, or by all.

    Against all captions of the image, the captions are not candidates: each would match itself. A candidate that
    cannot be drawn is left out. If it is `required`, `MetricError` is raised.
    """
    store, selection = captions.store, captions.selection
    metrics, unscored = scorable(against.select(captions), requests(metric_names), metric_names)
    sets, reasons = candidate_sets(store, selection, names, substitutes, seed)
    if against.rule == "all":
        reasons |= {HUMAN.name: lacking(against.select(captions)) or NEEDS_TWO} if HUMAN in sets else {}
        sets = [replace(candidates_of, against_all=True) for candidates_of in sets if candidates_of is not HUMAN]
    if required:
        refuse(selection, reasons)
    scores = pl.concat(
        score_candidates(against.select(captions), group, metrics, progress) for group in _groups(selection, sets)
    )
    drawn = scores["candidate"].unique().to_list()
    reasons |= {candidates_of.name: empty(candidates_of) for candidates_of in sets if candidates_of.name not in drawn}
    if required:
        refuse(selection, reasons)
    return CandidateScores(
        selection,
        scores,
        tuple(candidates_of for candidates_of in sets if candidates_of.name in drawn),
        signatures(metrics, captions.tokenizer, against),
        reasons,
        (
            *unscored,
            *too_few_captions(captions, against),
            *(_single(captions, against) if not _all_see(metrics) else ()),
            *too_long(captions),
            *(
                passed_over(store, selection, substitutes)
                if any(candidates_of.name == "inter" for candidates_of in sets)
                else ()
            ),
            *_without_meaning(selection, scores.filter(candidate=HUMAN.name), metrics),
        ),
    )


def with_givers(captions: Captions, measured: CandidateScores, against: References) -> pl.DataFrame:
    """Return the scores with column `from_image`: the other image of the selection that a substitute is from.

    It is null for texts that are not captions of the selection. Captions of an image also affect the scores of images
    that they are substitutes for.
    """
    intra = [candidate for candidate in measured.sets if candidate.name == "intra"]
    if not intra:
        return measured.scores
    workspace = against.select(captions).workspace()
    bind_candidates(workspace, intra)
    drawn = workspace.rows("drawn_candidate").select("candidate", "image", "slot", GIVER)
    return measured.scores.join(drawn, on=["candidate", "image", "slot"], how="left", maintain_order="left")


def _single(captions: Captions, against: References) -> list[Finding]:
    so = {"so": ", against which substitutes are scored"} if against.rule == "all" else {}
    return without_references(against.select(captions), **so)


def _all_see(metrics: Sequence[MetricRequest]) -> bool:
    return all(metric.metric.sees_images for metric in metrics)


def _groups(selection: Selection, sets: Sequence[CandidateSet]) -> list[Sequence[CandidateSet]]:
    """Group the sets so that the counts of a group fit in memory at any size of the dataset."""
    size = max(1, _CANDIDATES_AT_ONCE // max(1, selection.version.captions))
    return [sets[first : first + size] for first in range(0, len(sets), size)] or [sets]


def missing(reasons_of: Mapping[str, Mapping[str, str]]) -> list[str]:
    """List the candidates that could not be drawn, and why: one sentence for equal reasons."""
    lacking: dict[tuple[str, str], list[str]] = {}
    for label, reasons in reasons_of.items():
        for reason in dict.fromkeys(reasons.values()):
            names = ", ".join(name for name in reasons if reasons[name] == reason)
            lacking.setdefault((names, reason), []).append(label)
    return [f"{', '.join(labels)}: {names} not available: {reason}" for (names, reason), labels in lacking.items()]


def _without_meaning(selection: Selection, upper: pl.DataFrame, metrics: Sequence[MetricRequest]) -> list[Finding]:
    """Report the metrics that give every caption the same score, and why CIDEr may be 0."""
    flat = [metric for metric in metrics if upper[metric.label].n_unique() == 1 and upper.height > 1]
    nought = [metric.label for metric in flat if metric.metric.name.startswith("cider") and upper[metric.label][0] == 0]
    equal = [metric.label for metric in flat if metric.label not in nought]
    why = "0 for every caption, because captions of an image share no n-gram that other images lack"
    reasons = ((nought, why), (equal, "every caption has the same score"))
    return [
        Finding(
            "scores-all-equal",
            f"{selection.label}: {', '.join(labels)}: {reason}",
            about(selection, metric=", ".join(labels)),
            n=upper.height,
            severity="warning",
        )
        for labels, reason in reasons
        if labels
    ]
