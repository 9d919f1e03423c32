"""Agreement of metrics with human ratings, of raters with each other, and with choices between two captions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import forms, question
from auditor.config import sources
from auditor.errors import UsageError
from auditor.metrics.given import asked_with
from auditor.model import Progress, Selection, Source, silent
from auditor.result import Result, Said, folded, listed
from auditor.scoring.registry import left_out
from auditor.statistics.paired_systems import Resampling
from auditor.store.captions import Captions, select, select_all, stepwise
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.agree import rows as agreement_rows
from auditor.studies.agree import tables, trust
from auditor.studies.agree.ratings import FEW_JUDGES, Rated, class_tables, judges, protocols_of, rated_captions
from auditor.studies.agree.ratings import without_own_references as left_out_own
from auditor.studies.agree.rows import ALL, STATISTICS, beside_whole, coverage_of, on_known
from auditor.studies.consensus import COMPARED, CONFIDENCE, TIE_CREDIT, ConsensusSettings, consensus
from auditor.text import AUTO

#: The name for the protocols of all judges.
JUDGES = "judges"


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


@question
def agree_with_ratings(
    store: Store,
    ref: p.Rated,
    *,
    metrics: p.Metrics = None,
    scores: p.GivenScores = None,
    against: p.Against = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    without_own_references: p.WithoutOwn = False,
    missing: p.Missing = p.COMMON,
    protocols: Protocols = None,
    statistics: Statistics = None,
    threshold: Threshold = None,
    cut: Cut = None,
    scale: Scale = None,
    disagreements: Disagreements = 5,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    seed: p.Seed = 1,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Compare metrics with one set of ratings, for `auditor agree`."""
    p.check_resampling(resamples, confidence)
    asked, resampling = asked_with(metrics, scores), Resampling(resamples, confidence, seed)
    if cut is not None and len(asked or ()) != 1:
        raise UsageError("--cut is a score of one metric: select exactly one with -m")
    wanted = [name for name in STATISTICS if not statistics or name in statistics]
    captions = select(store, ref, split, tokenizer, beside=[against], progress=progress)
    _protocols(captions.selection, protocols_of(judges(captions, scale)), protocols)
    why = _why_left_out(captions, sources(config), asked=without_own_references)
    whole = _rated(captions, against, asked, scale, missing, why, progress)
    coverage = coverage_of(whole, missing)
    rated = on_known(whole, whole.labels, missing)
    rated.workspace.bind_rows("rating", rated.ratings)
    reported, notes = _protocols(rated.annotated, protocols_of(rated.judges), protocols)
    threshold = sum(rated.scale) / 2 if threshold is None else threshold
    correlated = agreement_rows.correlations(rated, reported, wanted, resampling, progress)
    rows = [row for each in correlated.values() for row in each.rows]
    notes += agreement_rows.missing(rated.annotated.label, correlated, resampling)
    tested = agreement_rows.tested(reported, wanted)
    if tested is not None:
        rows += agreement_rows.tests(rated, *tested, correlated[tested[0], ALL], resampling)
    elif len(rated.metrics) > 1:
        notes.append(f"{rated.annotated.label}: differences between metrics were not tested; add --statistic spearman")
    beside_whole(rows, whole, coverage, reported, wanted, resampling)
    rows += agreement_rows.kappas(rated, threshold, cut)
    notes += agreement_rows.uncut(rated, threshold)
    between, unknown = agreement_rows.agreement(rated)
    frame = agreement_rows.frame([*rows, *between])
    order = tables.ranked(rated, frame)["metric"].to_list()
    best = order[0] if order else rated.labels[0]
    browsed = next(metric for metric in rated.metrics if metric.label == best)
    said = dict.fromkeys([*left_out(asked), *rated.notes, *notes, *unknown, *tables.messages(rated, frame)])
    described = agreement_rows.described(rated, frame, resampling)
    apart = described.filter(statistic="difference").with_columns(label="other", difference="value")
    measured = tables.tables(rated, frame, resampling, threshold, has_gaps=coverage.has_gaps) if order else ()
    shown = (*measured, *class_tables(rated), *tables.disagreement_tables(rated, browsed, disagreements))
    return Result(
        "agree",
        described,
        selections=(rated.annotated, rated.references),
        signatures=rated.signatures,
        tables=folded(shown, "metrics-against-people"),
        figures=tuple(tables.figures(rated, frame)),
        lead=(*coverage.lead(apart, confidence, "metric"), *tables.lead(rated, described, confidence)),
        notes=captions.notes,
        said=said,
    )


@question
def agree_with_choices(
    store: Store,
    ref: p.Rated,
    *,
    metrics: p.Metrics = None,
    scores: p.GivenScores = None,
    against: p.Against = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    without_own_references: p.WithoutOwn = False,
    most: Most = None,
    at: At = (),
    curve: Curve = False,
    draws: Draws = 1,
    ties: Ties = "half",
    resamples: p.Resamples = 1000,
    seed: p.Seed = 1,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Compare metrics with choices between two captions, for `auditor agree`."""
    p.check_resampling(resamples, CONFIDENCE)
    if most is not None and max(at, default=0) > most:
        raise UsageError(f"--at {max(at)}: more references than --most {most}; raise --most or lower --at")
    captions = select(store, ref, split, tokenizer, beside=[against], progress=progress)
    without = bool(_why_left_out(captions, sources(config), asked=without_own_references))
    settings = ConsensusSettings(
        most, at, curve, draws, ties, seed, resamples, captions.tokenizer, split, without_own_references=without
    )
    result = consensus(store, ref, asked_with(metrics, scores), against, settings, progress)
    return replace(result, notes=(*captions.notes, *result.notes))


@question
def agree_at_several(
    store: Store,
    *refs: p.Rated,
    metrics: p.Metrics = None,
    scores: p.GivenScores = None,
    against: p.Against = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    without_own_references: p.WithoutOwn = False,
    missing: p.Missing = p.COMMON,
    statistics: Statistics = None,
    scale: Scale = None,
    most: Most = None,
    ties: Ties = "half",
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    seed: p.Seed = 1,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Compare metrics and raters at several sets, for `auditor agree`."""
    p.check_resampling(resamples, confidence)
    if statistics and len(statistics) > 1:
        raise UsageError(f"--statistic {statistics[1]}: several sets are compared by one coefficient; name one")
    asked, resampling = asked_with(metrics, scores), Resampling(resamples, confidence, seed)
    every, declared = select_all(store, refs, split, tokenizer, beside=[against], progress=progress), sources(config)
    kinds = {captions.selection.version.kind in COMPARED for captions in every}
    if kinds == {False} and (most is not None or ties != "half"):
        raise UsageError("--most, --ties: only for pairs and triplets; leave out for sets of ratings")
    if kinds == {True} and (statistics or scale or missing != p.COMMON):
        raise UsageError("--statistic, --scale, --missing: only for ratings; leave out for pairs and triplets")
    places, said, lead = list[trust.Place](), list[Said](left_out(asked)), list[str]()
    for captions, steps in stepwise(every, progress):
        why = _why_left_out(captions, declared, asked=without_own_references)
        if captions.selection.version.kind in COMPARED:
            settings = ConsensusSettings(most, ties=ties, seed=seed, without_own_references=bool(why))
            made, notes = trust.of_pairs(captions, asked, against, settings, resampling, steps)
        else:
            whole = _rated(captions, against, asked, scale, missing, why, steps)
            lead += replace(coverage_of(whole, missing), item=f"captions of {captions.label}").lead()
            some = on_known(whole, whole.labels, missing)
            made, notes = trust.of_ratings(some, captions, (statistics or STATISTICS)[0], resampling)
        places += made
        said += notes
    result = trust.compared(places, said, confidence)
    return replace(result, notes=(*every[0].notes, *result.notes), lead=(*lead, *result.lead))


def _why_left_out(captions: Captions, declared: Mapping[str, Source], *, asked: bool) -> str:
    """Return who leaves out captions that are references; empty if none does."""
    source = declared.get(captions.selection.version.dataset)
    declares = "datasets.toml declares" if source is not None and source.leaves_out else ""
    return "--without-own-references asks" if asked else declares


def _rated(
    captions: Captions, against: str | None, metrics: p.Metrics, scale: Scale, missing: str, why: str,
    progress: Progress,
) -> Rated:  # fmt: skip
    scored = rated_captions(captions, against, metrics, scale, progress, in_part=missing != p.ERROR)
    return left_out_own(scored, why) if why else scored


def _protocols(
    annotated: Selection, known: Sequence[str], requested: Sequence[str] | None
) -> tuple[list[str], list[str]]:
    """Choose among the known protocols; a note reports too many judges for one protocol each."""
    of_judges = [name for name in known if name not in ("pooled", "mean")]
    if not requested:
        if len(of_judges) <= FEW_JUDGES:
            return list(known), []
        note = f"{annotated.label}: {len(of_judges):,} raters; use --protocol {JUDGES} to report each"
        return [name for name in known if name not in of_judges], [note]
    wanted = [each for name in requested for each in (of_judges or ["pooled"] if name == JUDGES else [name])]
    unknown = [name for name in wanted if name not in (*known, "mean")]
    if unknown:
        raise UsageError(f"{unknown[0]}: unknown protocol of {annotated.label}; use {listed(known, FEW_JUDGES)}")
    return list(dict.fromkeys(wanted)), []


@forms(
    agree_with_ratings, agree_with_choices, agree_at_several, names=("ratings", "pairs and triplets", "several sets")
)
@face(draws=True)
def agree(store: Store, *refs: str, split: str | None = None) -> int:
    """Measure how well metrics agree with human ratings.

    The method depends on the data: ratings, pairs and triplets, or several sets. Captions are scored against those of
    `--against`, by default the first dataset under `related` in datasets.toml.

    Ratings: Spearman's ρ, Kendall's τ and Pearson's r of scores and
    ratings. They are computed over all ratings (pooled), over the mean rating of each caption (mean), and for each
    rater. Intervals resample images, and tests compare metrics. The agreement between raters is reported too.

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

    Limits: results hold for these captions, these systems and these instructions to raters. A few systems that differ
    much make any metric look good. Ratings have many ties, so ρ, τ and r can disagree. Pairs on
    which the votes are even are left out. A metric's tie counts half, unless you set `--ties`. With few references,
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
    (first, *further) = resolve_all(store, refs, split)
    return 2 if further else int(first.version.kind in COMPARED)
