"""Substitutes for captions, the lower bounds of Wang & Gaizauskas 2016, section 5, and scores beside human captions.

Missing scores and substitutes have a reason.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.called import not_stored
from auditor.errors import MetricError
from auditor.model import Progress, Selection, silent
from auditor.parameters import MetricName
from auditor.result import Finding, Said, about
from auditor.scoring.candidates import HUMAN, CandidateSet
from auditor.scoring.registry import MetricRequest, References, requests
from auditor.scoring.scores import Collected, scorable, score_candidates, signatures, too_few_captions, too_long
from auditor.scoring.single_captions import NEEDS_TWO, lacking, sees_images, without_references
from auditor.statistics.resampling import GIVER
from auditor.store.captions import Captions, selections_of
from auditor.store.versions import log, related, resolve, resolve_all

#: Every lower bound, in the order in which results show them.
LOWER_BOUNDS = (
    "intra",
    "inter",
    "brown",
    "gibberish-10",
    "gibberish-mean",
    "gibberish-brown-10",
    "gibberish-brown-mean",
)

CANDIDATES = (HUMAN.name, *LOWER_BOUNDS)

#: The default corpus that sentences and words are drawn from.
CORPUS = "brown"

#: Lower bounds that are drawn from the corpus.
_OF_CORPUS = ("brown", "gibberish-brown-10", "gibberish-brown-mean")

#: Why a lower bound that can be drawn has no candidates.
_EMPTY = {
    "intra": "the dataset has only one image with captions",
    "inter": "the other datasets have no captions",
    "brown": "the corpus has no sentence of at least five tokens and ten characters",
}


@dataclass(frozen=True)
class Substitutes:
    """Sources of substitutes: the requested datasets for `inter`, and the corpus, if the store has it."""

    datasets: tuple[Selection, ...]
    corpus: Selection | None
    corpus_name: str


def substitutes_of(every: Sequence[Captions], others: Sequence[str] = (), corpus: str | None = None) -> Substitutes:
    """Return the sources: the datasets named by `others`, or the datasets of the captions themselves.

    Raises `UsageError` for a name that is not in the store. The default corpus may be missing.
    """
    store = every[0].store
    datasets = resolve_all(store, others) if others else selections_of(every)
    name = corpus or CORPUS
    known = corpus is not None or log(store, CORPUS)
    return Substitutes(datasets, resolve(store, name) if known else None, name)


def intra(seed: int) -> CandidateSet:
    """Replace each caption by a caption of another image of the same dataset."""
    return CandidateSet("intra", "candidate_intra", {"seed": seed})


def candidate_sets(
    captions: Captions, names: Sequence[str], substitutes: Substitutes, seed: int
) -> tuple[list[CandidateSet], dict[str, str]]:
    """Return the sets that can be drawn for captions, and why the others cannot."""
    pool, kin = _parted(captions, substitutes.datasets)
    corpus = () if substitutes.corpus is None else (substitutes.corpus,)
    is_unrelated = bool(_parted(captions, corpus)[0])
    sets, reasons = [], {}
    for name in names:
        if name == "inter" and not pool:
            reasons[name] = "needs a dataset that is not related; list several datasets, or set --others NAME"
        elif name in _OF_CORPUS and not corpus:
            reasons[name] = not_stored(substitutes.corpus_name)
        elif name in _OF_CORPUS and not is_unrelated:
            reasons[name] = f"{substitutes.corpus_name} has captions of the same images; set another --corpus"
        else:
            sets.append(_candidate_set(name, seed, pool, corpus, kin))
    return sets, reasons


def one_pool(every: Sequence[Captions], substitutes: Substitutes) -> tuple[Substitutes, list[str]]:
    """Make `inter` draw from the same datasets for all captions: those that are related to none of them.

    If none exists, the sources stay unchanged. Returns notes on the change too.
    """
    pools = {captions.label: _parted(captions, substitutes.datasets)[0] for captions in every}
    if len(set(pools.values())) == 1:
        return substitutes, []
    first, *rest = pools.values()
    common = tuple(selection for selection in first if all(selection in pool for pool in rest))
    if not common:
        drawn = "; ".join(f"{label} from {_listed(pool) or 'none'}" for label, pool in pools.items())
        return substitutes, [
            f"don't rank by inter and specificity: inter draws from different datasets ({drawn}); fix: set --others to "
            "datasets that are related to none of them"
        ]
    named = {selection.version.dataset for selection in common}
    dropped = ", ".join(
        dict.fromkeys(dataset.label for dataset in substitutes.datasets if dataset.version.dataset not in named)
    )
    note = f"inter draws from {_listed(common)} for every dataset; {dropped} left out, because related to one of them"
    return replace(substitutes, datasets=common), [note]


def passed_over(captions: Captions, substitutes: Substitutes) -> list[str]:
    """Report the datasets that `inter` does not draw from: related ones, and further selections of the same one."""
    pool, kin = _parted(captions, substitutes.datasets)
    selection, notes = captions.selection, list[str]()
    if kin:
        verb = "has" if len(kin) == 1 else "have"
        notes.append(
            f"{selection.label}: inter draws from {_listed(pool)} but not from {_listed(kin)}, which {verb} the same "
            "images or captions (related in datasets.toml)"
        )
    for taken in pool:
        unused = [
            dataset
            for dataset in substitutes.datasets
            if dataset.version.dataset == taken.version.dataset and dataset != taken
        ]
        if unused:
            others = ", ".join(selection.label for selection in unused)
            notes.append(f"{selection.label}: inter draws from {taken.label} but not from {others}: each dataset once")
    return notes


def empty(candidate: CandidateSet) -> str:
    """Return why a set has no captions."""
    return _EMPTY.get(candidate.name, "the source has no words")


def refuse(selection: Selection, reasons: dict[str, str]) -> None:
    """Raise `MetricError` for candidates that were requested by name and cannot be drawn."""
    for name, reason in reasons.items():
        raise MetricError(f"{selection.label}: {name} not available: {reason}")


def _listed(selections: Sequence[Selection]) -> str:
    return ", ".join(selection.label for selection in selections)


def _candidate_set(
    name: str, seed: int, pool: tuple[Selection, ...], corpus: tuple[Selection, ...], kin: tuple[Selection, ...]
) -> CandidateSet:
    match name:
        case "human":
            return HUMAN
        case "intra":
            return intra(seed)
        case "inter":
            return CandidateSet(name, "candidate_inter", {"seed": seed}, pool, left_out=kin)
        case "brown":
            return CandidateSet(name, "candidate_brown", {"seed": seed}, corpus)
    of_corpus = name in _OF_CORPUS
    return CandidateSet(
        name,
        "candidate_made",
        {"seed": seed, "words": None if name.endswith("mean") else 10},
        drawn_from=corpus if of_corpus else (),
        binds={"token_count": "substitute_token" if of_corpus else "token_count"},
        makes="gibberish_text",
    )


def _parted(captions: Captions, datasets: Sequence[Selection]) -> tuple[tuple[Selection, ...], tuple[Selection, ...]]:
    """Separate datasets that share no image or caption with some captions from related ones; by name, each once."""
    store, own = captions.store, captions.selection.version.dataset
    kin = set(related(store, own))
    others = {
        selection.version.dataset: selection for selection in reversed(datasets) if selection.version.dataset != own
    }
    same = captions.selection.images  # on which both are compared
    is_kin = {
        name: name in kin or own in related(store, name) or (same is not None and same == other.images)
        for name, other in others.items()
    }
    unrelated, relatives = (
        tuple(others[name] for name in sorted(others) if is_kin[name] is kind) for kind in (False, True)
    )
    return unrelated, relatives


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
    named: bool = True,
    once: bool = False,
    collected: Collected | None = None,
    progress: Progress = silent,
) -> CandidateScores:
    """Score the candidates called `names`, drawn by `seed`, by the requested metrics, or by all.

    Against all captions of the image, the captions are not candidates: each would match itself. A candidate that
    cannot be drawn is left out. If it is `required`, `MetricError` is raised; so it is for a metric that cannot score
    the captions if a user `named` the metrics. `once`: nothing else reads the substitutes and their counts.
    """
    selection = captions.selection
    metrics, unscored = scorable(against.select(captions), requests(metric_names), metric_names if named else None)
    sets, reasons = candidate_sets(captions, names, substitutes, seed)
    sets = [
        replace(candidates_of, once=True) if once and candidates_of.is_drawn else candidates_of
        for candidates_of in sets
    ]
    if against.rule == "all":
        reasons |= {HUMAN.name: lacking(against.select(captions)) or NEEDS_TWO} if HUMAN in sets else {}
        sets = [replace(candidates_of, against_all=True) for candidates_of in sets if candidates_of is not HUMAN]
    if required:
        refuse(selection, reasons)
    scores = pl.concat(
        score_candidates(against.select(captions), group, metrics, progress, collected)
        for group in _groups(selection, sets)
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
            *(_single(captions, against) if not sees_images(metrics) else ()),
            *too_long(captions),
            *(
                passed_over(captions, substitutes)
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
    intra = next((candidate for candidate in measured.sets if candidate.name == "intra"), None)
    if intra is None:
        return measured.scores
    drawn = against.select(captions).workspace(**intra.params).rows(intra.file)
    givers = drawn.select("candidate", "image", "slot", GIVER)
    return measured.scores.join(givers, on=["candidate", "image", "slot"], how="left", maintain_order="left")


def _single(captions: Captions, against: References) -> list[Finding]:
    so = {"so": ", against which substitutes are scored"} if against.rule == "all" else {}
    return without_references(against.select(captions), **so)


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
