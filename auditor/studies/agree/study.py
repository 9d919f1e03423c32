"""Can a metric be trusted? Its correlation with ratings, theirs with each other, and what it picks of two captions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields, replace
from typing import Annotated, Any, get_type_hints

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Figure, Result, Said, Table, findings_in, folded, listed, notes_in
from auditor.scoring.references import references_of
from auditor.scoring.registry import left_out
from auditor.statistics.resampling import check_resampling
from auditor.store.captions import select_all
from auditor.store.connection import Store
from auditor.studies.agree import by_rating, tables
from auditor.studies.agree import rows as agreement_rows
from auditor.studies.agree.ratings import FEW_JUDGES, Rated, judges, protocols_of, rated_captions
from auditor.studies.agree.ratings import without_own_references as left_out_own
from auditor.studies.agree.rows import ALL, STATISTICS, Resampling
from auditor.studies.consensus import COMPARED, ConsensusSettings, PairSettings, consensus
from auditor.text import AUTO

#: What stands for the protocol of every judge.
JUDGES = "judges"

#: What both kinds are asked of resampling.
_SHARED = ("resamples", "seed")


Protocols = Annotated[
    Sequence[str] | None,
    p.Parameter("pooled, mean, judges or judge-1; repeat for more; default: all there are.", "protocol"),
]

Statistics = Annotated[
    Sequence[str] | None,
    p.Parameter("spearman, kendall-b, kendall-c or pearson; default: all four.", "statistic"),
]

Threshold = Annotated[
    float | None, p.Parameter("Mean rating that is good, for kappa; default: mid-scale.", check=p.finite("threshold"))
]

Cut = Annotated[
    float | None,
    p.Parameter("Score that is good, for kappa of one -m; default: the best there is.", check=p.finite("cut")),
]

Scale = Annotated[
    tuple[float, float] | None,
    p.Parameter("Lowest and highest rating there may be; others are left out, and named."),
]

Disagreements = Annotated[int, p.Parameter("Captions shown that people and metric see otherwise.", least=0)]


@dataclass(frozen=True)
class AgreeSettings:
    """What is asked of ratings and scores beside the metrics.

    `protocols` are some of pooled, mean, judges, or a judge's own; `statistics` some of `STATISTICS`; none stands for
    all. A mean rating of `threshold` is good (default: the middle of the scale); `cut` is the score that is, for kappa.
    Ratings outside of `scale` are left out. So many `disagreements` are shown, each way.
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
    against: p.Against = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    without_own_references: p.WithoutOwn = False,
    question: AgreeSettings | None = None,
    pairs: PairSettings | None = None,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Measure how far metrics agree with people.

    The kind of the dataset decides how. Captions are scored against those that `against` names, or else of the first
    related dataset.

    Ratings (--protocol to --disagreements, --confidence): Spearman's ρ, Kendall's τ and Pearson's r of metrics and
    ratings, over all ratings (pooled), over mean ratings of captions (mean) and judge by judge, with intervals by
    resampled images and tests between metrics; and how far judges agree among themselves.

    Pairs and triplets (--most to --ties): of two captions of an image, how often does a metric prefer the one that
    people prefer?

    - `accuracy`: share of the pairs that people decide, by kind of pair and number of references;
    - `ceiling`: people against people, half of the votes against the other half; `split-half`: a metric that sees half
      of the references against the votes given by the other half;
    - `wins`, `duels`: how often who wrote the captions wins, by people and by metric, with `pearson` and `spearman`.

    How to read it: a correlation of 1: the metric orders captions as people do; 0, or an accuracy of 0.5: as chance
    does. What people reach among themselves is the mark to compare with. Where intervals of two metrics overlap, see
    the test between them before calling one better. Kinds of pairs: HC two human captions of the image, HI a human
    caption and one of another image, HM human against machine, MM two machines. HC and MM are the hard ones.

    Limits: it holds for these captions, these systems and these instructions to judges. A few systems that differ much
    make any metric look good. Ratings have few values, so ties are many and coefficients differ. Pairs that people do
    not decide are left out. A metric's tie counts half, unless `ties` says otherwise. With few references accuracy is
    lower for every metric: compare at equal numbers.

    A set of ratings may declare in datasets.toml that it leaves out captions that are a reference of their image:
    leaves_out = "own-references". Column candidates says so of each row.

    Your own ratings are a table with a row for each: in datasets.toml kind = "judgements", format = "judgements", and
    options = { image_col = "photo", caption_col = "text", judge_col = "who", score_col = "stars" }; related names the
    dataset of their references, or --against does.

    Source: Elliott & Keller 2014; Vedantam, Zitnick & Parikh 2015.

    Raises `UsageError` for what holds neither ratings nor decided pairs, for datasets of both kinds, for an option of
    the other kind, and for a protocol, statistic, scale or number of references that there is not.

    Examples: auditor agree flickr8k-expert -m cider -m meteor · auditor agree pascal50s-triplets -m cider -m bleu-4
    """
    question, pairs = question or AgreeSettings(), pairs or PairSettings()
    every = select_all(store, refs, split, tokenizer, beside=[against], progress=progress)
    selections, tokenizer = [captions.selection for captions in every], every[0].tokenizer
    rated = [selection.label for selection in selections if selection.version.kind not in COMPARED]
    if compared := [selection.label for selection in selections if selection.version.kind in COMPARED]:
        if rated:
            calls = f"`auditor agree {' '.join(rated)}` and `auditor agree {' '.join(compared)}`"
            raise UsageError(f"ratings, and pairs or triplets, have no rows in common: ask {calls}")
        _refuse_unread("ratings", selections[0], question, question.resampling)
        shared = {name: getattr(question.resampling, name) for name in _SHARED}
        settings = ConsensusSettings(**vars(pairs), **shared, tokenizer=tokenizer, split=split,
                                     without_own_references=without_own_references)  # fmt: skip
        result = consensus(store, *refs, metrics=metrics, against=against, settings=settings, progress=progress)
        return replace(result, notes=(*every[0].notes, *result.notes))
    _refuse_unread("pairs and triplets", selections[0], pairs)
    statistics = _checked(question, metrics)
    declared = {name for name, source in (sources(config) or {}).items() if source.leaves_out}
    parts, notes = [], list[Said](left_out(metrics))
    for annotated in selections:  # whatever cannot be asked of the last is said before the first is scored
        _protocols(annotated, protocols_of(judges(store, annotated, question.scale)), question.protocols)
        references_of(store, annotated, against)
    for place, annotated in enumerate(selections, 1):
        scored = rated_captions(store, annotated, against, metrics, tokenizer, question.scale, progress)
        if without_own_references or annotated.version.dataset in declared:
            why = "--without-own-references asks" if without_own_references else "datasets.toml declares"
            scored = left_out_own(scored, why)
        number = f"-{place}" if len(selections) > 1 else ""
        part = _one(scored, question, statistics, number, progress)
        parts.append(part)
        notes += [*scored.notes, *part.notes]
    return Result(
        "agree",
        pl.concat(part.rows for part in parts),
        selections=tuple(
            dict.fromkeys(selection for part in parts for selection in (part.rated.annotated, part.rated.references))
        ),
        signatures={label: text for part in parts for label, text in part.rated.signatures.items()},
        tables=folded((table for part in parts for table in part.tables), "metrics-against-people"),
        figures=tuple(figure for part in parts for figure in part.figures),
        lead=tuple(
            sentence
            for part in parts
            for sentence in tables.lead(part.rated, part.rows, question.resampling.confidence)
        ),
        notes=(*every[0].notes, *notes_in(dict.fromkeys(notes))),
        findings=findings_in(dict.fromkeys(notes)),
    )


def _refuse_unread(kind: str, selection: Selection, *asked: Any) -> None:
    """Refuse options that only the other kind of datasets reads. Raises `UsageError`."""
    for record in asked:
        hints = get_type_hints(type(record), include_extras=True)
        for each in fields(record):
            if each.default not in (MISSING, getattr(record, each.name)) and each.name not in _SHARED:
                option = hints[each.name].__metadata__[0].option or each.name
                raise UsageError(f"--{option} is for {kind}; {selection.label} holds {selection.version.kind}")


@dataclass(frozen=True)
class _Part:
    """What is found of one dataset."""

    rated: Rated
    rows: pl.DataFrame
    tables: list[Table]
    figures: list[Figure]
    notes: list[Said]


def _one(rated: Rated, question: AgreeSettings, statistics: Sequence[str], number: str, progress: Progress) -> _Part:
    resampling = question.resampling
    protocols, notes = _protocols(rated.annotated, rated.protocols(), question.protocols)
    threshold = sum(rated.scale) / 2 if question.threshold is None else question.threshold
    correlated = agreement_rows.correlations(rated, protocols, statistics, resampling, progress)
    rows = [row for each in correlated.values() for row in each.rows]
    notes += agreement_rows.missing(rated.annotated.label, correlated, resampling)
    tested = agreement_rows.tested(protocols, statistics)
    if tested is not None:
        rows += agreement_rows.tests(rated, *tested, correlated[tested[0], ALL], resampling)
    rows += agreement_rows.kappas(rated, threshold, question.cut)
    notes += agreement_rows.uncut(rated, threshold)
    between, unknown = agreement_rows.agreement(rated)
    frame = agreement_rows.frame([*rows, *between])
    order = tables.ranked(rated, frame)["metric"].to_list()
    metrics = {metric.label: metric for metric in rated.metrics}
    browsed = metrics[order[0] if order else rated.labels[0]]
    return _Part(
        rated,
        agreement_rows.described(rated, frame, resampling),
        [
            *(tables.tables(rated, frame, resampling, threshold) if order else []),
            *by_rating.class_tables(rated),
            *tables.disagreement_tables(rated, browsed, question.disagreements),
        ],
        tables.figure(rated, frame, number),
        [*notes, *unknown, *tables.said(rated, frame)],
    )


def _checked(question: AgreeSettings, metric_names: p.Metrics) -> list[str]:
    """Refuse what cannot be asked, before anything is counted for it; give the statistics in their order."""
    check_resampling(question.resampling.resamples, question.resampling.confidence)
    unknown = [name for name in question.statistics or () if name not in STATISTICS]
    if unknown:
        raise UsageError(f"{unknown[0]}: no such statistic; known are {', '.join(STATISTICS)}")
    if question.scale is not None and not -math.inf < question.scale[0] < question.scale[1] < math.inf:
        low, high = question.scale
        raise UsageError(f"--scale {low:g} {high:g}: expected the lowest and the highest rating")
    p.finite("threshold")(question.threshold)
    p.finite("cut")(question.cut)
    if question.cut is not None and len(metric_names or ()) != 1:
        raise UsageError("--cut is a score of one metric: name that metric, and no other, with -m")
    return [name for name in STATISTICS if not question.statistics or name in question.statistics]


def _protocols(annotated: Selection, known: Sequence[str], asked: Sequence[str] | None) -> tuple[list[str], list[str]]:
    """Choose among the protocols there are; say where judges are too many to have one each."""
    of_judges = [name for name in known if name not in ("pooled", "mean")]
    if not asked:
        if len(of_judges) <= FEW_JUDGES:
            return list(known), []
        told = f"{annotated.label}: {len(of_judges):,} judges; --protocol {JUDGES} gives each of them"
        return [name for name in known if name not in of_judges], [told]
    wanted = [each for name in asked for each in (of_judges or ["pooled"] if name == JUDGES else [name])]
    unknown = [name for name in wanted if name not in (*known, "mean")]
    if unknown:
        raise UsageError(f"{unknown[0]}: no such protocol of {annotated.label}; there are {listed(known, FEW_JUDGES)}")
    return list(dict.fromkeys(wanted)), []
