"""Agreement of metrics with human ratings, of raters with each other, and with choices between two captions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Annotated, Any, get_type_hints

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import UsageError
from auditor.metrics.given import asked_with
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Said, findings_in, folded, joined, listed, notes_in
from auditor.scoring.registry import left_out
from auditor.store.captions import Captions, select_all
from auditor.store.connection import Store
from auditor.studies.agree import rows as agreement_rows
from auditor.studies.agree import tables, trust
from auditor.studies.agree.common import beside_whole, coverage_of, on_known
from auditor.studies.agree.ratings import (
    FEW_JUDGES,
    Rated,
    class_tables,
    judges,
    protocols_of,
    rated_captions,
)
from auditor.studies.agree.ratings import without_own_references as left_out_own
from auditor.studies.agree.rows import ALL, STATISTICS, Resampling
from auditor.studies.consensus import COMPARED, ConsensusSettings, PairSettings, consensus
from auditor.text import AUTO

#: The name for the protocols of all judges.
JUDGES = "judges"

#: The options of resampling that both kinds of datasets have.
_SHARED = ("resamples", "seed")


Protocols = Annotated[
    Sequence[str] | None,
    p.Parameter("pooled, mean, judges (each rater) or judge-1 (one); repeat for more; default: all.", "protocol"),
]

Statistics = Annotated[
    Sequence[str] | None,
    p.Parameter("spearman, kendall-b, kendall-c or pearson; default: all four.", "statistic"),
]

Threshold = Annotated[
    float | None,
    p.Parameter("Lowest mean rating that counts as good, for kappa; default: mid-scale."),
]

Cut = Annotated[
    float | None,
    p.Parameter(
        "For kappa of one -m: the score from which a caption counts as good; default: that of the highest kappa.",
    ),
]

Scale = Annotated[
    tuple[float, float] | None,
    p.Parameter("Lowest and highest valid rating; others are left out and listed."),
]

Disagreements = Annotated[int, p.Parameter("Number of captions to show on which raters and metric disagree.", least=0)]


@dataclass(frozen=True)
class AgreeSettings:
    """The options for ratings and scores, except the metrics.

    `protocols` are some of pooled, mean, judges, or one judge's; `statistics` some of `STATISTICS`; null: all. For
    kappa, a mean rating of `threshold` is good (default: the middle of the scale), and so is a score of `cut`. Ratings
    outside `scale` are left out. `disagreements` is the number of captions shown, each way.
    """

    protocols: Protocols = None
    statistics: Statistics = None
    threshold: Threshold = None
    cut: Cut = None
    scale: Scale = None
    disagreements: Disagreements = 5
    resampling: Resampling = field(default_factory=Resampling)


def agree(
    store: Store,
    *refs: p.Rated,
    metrics: p.Metrics = None,
    scores: p.GivenScores = None,
    against: p.Against = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    without_own_references: p.WithoutOwn = False,
    missing: p.Missing = p.COMMON,
    question: AgreeSettings | None = None,
    pairs: PairSettings | None = None,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Measure how well metrics agree with human ratings.

    The method depends on the data: ratings, pairs and triplets, or several sets. Captions are scored against those of
    `against`, by default the first dataset under `related` in datasets.toml.

    Ratings: Spearman's ρ, Kendall's τ and Pearson's r of scores and
    ratings. They are computed over all ratings (pooled), over the mean rating of each caption (mean), and for each
    judge. Intervals resample images, and tests compare metrics. The agreement between judges is reported too.

    Pairs and triplets: of two captions of an image, how often does a metric prefer the one that
    raters prefer?

    - `accuracy`: share of the decided pairs on which metric and raters agree, by kind of pair and number of references;
    - `ceiling`: agreement between two halves of the votes; `ceiling-by-votes`: of 1, 3, 5, … votes with a half;
    - `split-half`: accuracy of a metric with half of the references, against the votes by the other half;
    - `wins`, `duels`: how often a system's captions win, by raters and by metric, and their correlation.

    Several sets, of any kind: one table of how much of the human ceiling each metric reaches at each set. Metrics and
    raters predict the same: one rating of a caption from the others, or half of the votes on a pair from the other
    half. A rating that is a share of votes counts as these votes. Each kind of pairs is a set. A metric is trusted if
    it surely reaches half of the ceiling, and no other is significantly better. A range test finds metrics that change
    places: one is better at some set, the other elsewhere. Ratings on several axes are one set per axis.

    How to read it: at a correlation of 1, the metric orders captions as raters do. A correlation of 0, or an accuracy
    of 0.5, is what chance gives. Compare metrics with the agreement of raters among themselves. If the intervals of two
    metrics overlap, read the test between them before you call one better. Kinds of pairs: HC: two human captions of
    the image; HI: a human caption, and one of another image; HM: human against machine; MM: two machines. HC and MM are
    the hard ones.

    Limits: results hold for these captions, these systems and these instructions to judges. A few systems that differ
    much make any metric look good. Ratings have many ties, so ρ, τ and r can disagree. Pairs on
    which the votes are even are left out. A metric's tie counts half, unless you set `ties`. With few references,
    accuracy is lower for every metric: compare at equal numbers.

    With leaves_out = "own-references" in datasets.toml, captions that equal a reference of their image are left out
    and counted.

    Scores that were computed elsewhere are metrics too: `--scores FILE`, or `-m scores:FILE` in any command with
    metrics. The file has columns image and caption (or slot), and a column of numbers per metric. Without -m, only
    these scores are compared. If they lack captions, metrics are compared on captions that all have scored.
    `own_value` is of all captions of a metric. `empty_difference` counts the lowest score for missing ones.

    Your own ratings are a table with one row per rating. In datasets.toml, set kind = "judgements", format =
    "judgements", and options = { image_col = "photo", caption_col = "text", judge_col = "who", score_col = "stars" }.
    Name the dataset of the references by related, or by --against.

    Source: Elliott & Keller 2014; Vedantam, Zitnick & Parikh 2015; range test: Piantadosi & Gail 1993.

    Raises `UsageError` for a dataset without ratings or decided pairs. Also for an option that is not read, and for an
    invalid protocol, statistic, scale or number of references.

    Examples: auditor agree flickr8k-expert -m cider -m meteor · auditor agree pascal50s-triplets -m cider -m bleu-4
    """
    question, pairs, metrics = question or AgreeSettings(), pairs or PairSettings(), asked_with(metrics, scores)
    every = select_all(store, refs, split, tokenizer, beside=[against], progress=progress)
    declared = {name for name, source in (sources(config) or {}).items() if source.leaves_out}

    def settings(captions: Captions) -> ConsensusSettings:
        shared = {name: getattr(question.resampling, name) for name in _SHARED}
        without = without_own_references or captions.selection.version.dataset in declared
        return ConsensusSettings(**vars(pairs), **shared, tokenizer=captions.tokenizer, split=captions.selection.split,
                                 without_own_references=without)  # fmt: skip

    lead = list[str]()

    def rated(captions: Captions) -> Rated:
        scored = rated_captions(captions, against, metrics, question.scale, progress, in_part=missing != p.ERROR)
        if without_own_references or captions.selection.version.dataset in declared:
            why = "--without-own-references asks" if without_own_references else "datasets.toml declares"
            return left_out_own(scored, why)
        return scored

    if len(every) > 1:
        kinds = {captions.selection.version.kind in COMPARED for captions in every}
        _refuse_unread("pairs and triplets", every, *([] if True in kinds else [pairs]))
        _refuse_unread("ratings", every, *([] if False in kinds else [question]))
        _refuse_unread("a single set", every, question, pairs, read=trust.READ)
        statistics = _checked(question, metrics)[: None if question.statistics else 1]
        if len(statistics) > 1:
            raise UsageError(f"--statistic {statistics[1]}: several sets are compared by one coefficient; name one")
        places, said, resampling = list[trust.Place](), list[Said](left_out(metrics)), question.resampling
        for captions in every:
            if captions.selection.version.kind in COMPARED:
                made, notes = trust.of_pairs(captions, metrics, against, settings(captions), resampling, progress)
            else:
                whole = rated(captions)
                lead += replace(coverage_of(whole, missing), item=f"captions of {captions.label}").lead()
                some = on_known(whole, whole.labels, missing)
                made, notes = trust.of_ratings(some, captions, statistics[0], resampling)
            places += made
            said += notes
        result = trust.compared(places, said, resampling.confidence)
    elif every[0].selection.version.kind in COMPARED:
        if missing != p.COMMON:
            raise UsageError(f"--missing {missing} is for ratings; {every[0].label} is of kind pairs or triplets")
        _refuse_unread("ratings", every, question, question.resampling)
        result = consensus(store, refs[0], metrics, against, settings(every[0]), progress)
    else:
        _refuse_unread("pairs and triplets", every, pairs)
        statistics = _checked(question, metrics)
        _protocols(every[0].selection, protocols_of(judges(every[0], question.scale)), question.protocols)
        result = _agreement(rated(every[0]), question, statistics, missing, left_out(metrics), progress)
    return replace(result, notes=(*every[0].notes, *result.notes), lead=(*lead, *result.lead))


def _refuse_unread(kind: str, every: Sequence[Captions], *records: Any, read: Sequence[str] = ()) -> None:
    """Raise `UsageError` for options that are not read."""
    kinds = joined([f"{captions.selection.label} is of kind {captions.selection.version.kind}" for captions in every])
    for record in records:
        hints = get_type_hints(type(record), include_extras=True)
        for each in fields(record):
            if each.default not in (MISSING, getattr(record, each.name)) and each.name not in (*_SHARED, *read):
                option = hints[each.name].__metadata__[0].option or each.name
                raise UsageError(f"--{option} is for {kind}; {kinds}")


def _agreement(
    whole: Rated,
    question: AgreeSettings,
    statistics: Sequence[str],
    missing: str,
    left: Sequence[Said],
    progress: Progress,
) -> Result:
    """Return the agreement of metrics and raters on one set of ratings."""
    resampling, coverage = question.resampling, coverage_of(whole, missing)
    rated = on_known(whole, whole.labels, missing)
    rated.workspace.bind_rows("rating", rated.ratings)
    protocols, notes = _protocols(rated.annotated, rated.protocols(), question.protocols)
    threshold = sum(rated.scale) / 2 if question.threshold is None else question.threshold
    correlated = agreement_rows.correlations(rated, protocols, statistics, resampling, progress)
    rows = [row for each in correlated.values() for row in each.rows]
    notes += agreement_rows.missing(rated.annotated.label, correlated, resampling)
    tested = agreement_rows.tested(protocols, statistics)
    if tested is not None:
        rows += agreement_rows.tests(rated, *tested, correlated[tested[0], ALL], resampling)
    elif len(rated.metrics) > 1:
        notes.append(f"{rated.annotated.label}: differences between metrics were not tested; add --statistic spearman")
    beside_whole(rows, whole, coverage, protocols, statistics, resampling)
    rows += agreement_rows.kappas(rated, threshold, question.cut)
    notes += agreement_rows.uncut(rated, threshold)
    between, unknown = agreement_rows.agreement(rated)
    frame = agreement_rows.frame([*rows, *between])
    order = tables.ranked(rated, frame)["metric"].to_list()
    metrics = {metric.label: metric for metric in rated.metrics}
    browsed = metrics[order[0] if order else rated.labels[0]]
    said = dict.fromkeys([*left, *rated.notes, *notes, *unknown, *tables.messages(rated, frame)])
    described = agreement_rows.described(rated, frame, resampling)
    apart = described.filter(statistic="difference").with_columns(label="other", difference="value")
    return Result(
        "agree",
        described,
        selections=(rated.annotated, rated.references),
        signatures=rated.signatures,
        tables=folded(
            [
                *(tables.tables(rated, frame, resampling, threshold, has_gaps=coverage.has_gaps) if order else []),
                *class_tables(rated),
                *tables.disagreement_tables(rated, browsed, question.disagreements),
            ],
            "metrics-against-people",
        ),
        figures=tuple(tables.figures(rated, frame)),
        lead=(
            *coverage.lead(apart, resampling.confidence, "metric"),
            *tables.lead(rated, described, resampling.confidence),
        ),
        notes=notes_in(said),
        findings=findings_in(said),
    )


def _checked(question: AgreeSettings, metric_names: p.Metrics) -> list[str]:
    """Raise `UsageError` for invalid options before any computation; return the statistics in their order."""
    p.check_resampling(question.resampling.resamples, question.resampling.confidence)
    unknown = [name for name in question.statistics or () if name not in STATISTICS]
    if unknown:
        raise UsageError(f"{unknown[0]}: unknown statistic; use {', '.join(STATISTICS)}")
    if question.scale is not None and not -math.inf < question.scale[0] < question.scale[1] < math.inf:
        low, high = question.scale
        raise UsageError(f"--scale {low:g} {high:g}: expected the lowest and the highest rating")
    if question.cut is not None and len(metric_names or ()) != 1:
        raise UsageError("--cut is a score of one metric: select exactly one with -m")
    return [name for name in STATISTICS if not question.statistics or name in question.statistics]


def _protocols(
    annotated: Selection, known: Sequence[str], requested: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Choose among the known protocols; a note reports too many judges for one protocol each."""
    of_judges = [name for name in known if name not in ("pooled", "mean")]
    if not requested:
        if len(of_judges) <= FEW_JUDGES:
            return list(known), []
        note = f"{annotated.label}: {len(of_judges):,} judges; use --protocol {JUDGES} to report each"
        return [name for name in known if name not in of_judges], [note]
    wanted = [each for name in requested for each in (of_judges or ["pooled"] if name == JUDGES else [name])]
    unknown = [name for name in wanted if name not in (*known, "mean")]
    if unknown:
        raise UsageError(f"{unknown[0]}: unknown protocol of {annotated.label}; use {listed(known, FEW_JUDGES)}")
    return list(dict.fromkeys(wanted)), []
