"""Can a metric be trusted? Its correlation with ratings, and theirs with each other (Elliott & Keller 2014)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.registry import left_out
from auditor.result import Figure, Result, Said, Table, findings_in, folded, listed, notes_in
from auditor.scoring.references import references_of
from auditor.scoring.writing import chooses_tokenizer
from auditor.statistics.resampling import check_resampling
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.agree import by_rating, tables
from auditor.studies.agree import rows as agreement_rows
from auditor.studies.agree.ratings import Rated, judges, protocols_of, rated_captions, without_own_references
from auditor.studies.agree.rows import ALL, STATISTICS, Resampling
from auditor.text import AUTO

#: What stands for the protocol of every judge.
JUDGES = "judges"

#: So many judges or fewer have a protocol each, unless they are asked for.
_FEW_JUDGES = 10


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


@chooses_tokenizer("refs", "against")
def agree(
    store: Store,
    *refs: p.Rated,
    metrics: p.Metrics = None,
    against: p.Against = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    question: AgreeSettings | None = None,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """Correlate metrics with human ratings.

    Correlates metrics with people's ratings of captions: Spearman's ρ, Kendall's τ and Pearson's r, over all ratings
    (pooled), over mean ratings of captions (mean) and judge by judge, with intervals by resampled images and tests
    between metrics; and says how far judges agree among themselves. Captions are scored against those that `against`
    names, or else of the first related dataset.

    How to read it: 1: the metric orders captions as people do; 0: as chance does. What people reach among themselves is
    the mark to compare with. Where intervals of two metrics overlap, see the test between them before calling one
    better.

    Limits: it holds for these captions, these systems and these instructions to judges. A few systems that differ much
    make any metric look good. Ratings have few values, so ties are many and coefficients differ.

    A set of ratings may declare in datasets.toml that it leaves out captions that are a reference of their image:
    leaves_out = "own-references". Column candidates says so of each row.

    Your own ratings are a table with a row for each: in datasets.toml kind = "judgements", format = "judgements", and
    options = { image_col = "photo", caption_col = "text", judge_col = "who", score_col = "stars" }; related names the
    dataset of their references, or --against does.

    Source: Elliott & Keller 2014.

    Raises `UsageError` for what holds no ratings, and for a protocol, statistic or scale that there is not.

    Example: auditor agree flickr8k-expert -m cider -m meteor
    """
    question = question or AgreeSettings()
    statistics = _checked(question, metrics)
    without_own = {name for name, source in (sources(config) or {}).items() if source.leaves_out}
    parts, notes = [], list[Said](left_out(metrics))
    selections = resolve_all(store, refs, split)
    for annotated in selections:  # whatever cannot be asked of the last is said before the first is scored
        _protocols(annotated, protocols_of(judges(store, annotated, question.scale)), question.protocols)
        references_of(store, annotated, against)
    for place, annotated in enumerate(selections, 1):
        rated = rated_captions(store, annotated, against, metrics, tokenizer, question.scale, progress)
        if annotated.version.dataset in without_own:
            rated = without_own_references(rated)
        number = f"-{place}" if len(selections) > 1 else ""
        part = _one(rated, question, statistics, number, progress)
        parts.append(part)
        notes += [*rated.notes, *part.notes]
    return Result(
        "agree",
        pl.concat(part.rows for part in parts),
        selections=tuple(dict.fromkeys(one for part in parts for one in (part.rated.annotated, part.rated.references))),
        signatures={label: text for part in parts for label, text in part.rated.signatures.items()},
        tables=folded((table for part in parts for table in part.tables), "metrics-against-people"),
        figures=tuple(figure for part in parts for figure in part.figures),
        lead=tuple(
            sentence
            for part in parts
            for sentence in tables.lead(part.rated, part.rows, question.resampling.confidence)
        ),
        notes=notes_in(dict.fromkeys(notes)),
        findings=findings_in(dict.fromkeys(notes)),
    )


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
        if len(of_judges) <= _FEW_JUDGES:
            return list(known), []
        told = f"{annotated.label}: {len(of_judges):,} judges; --protocol {JUDGES} gives each of them"
        return [name for name in known if name not in of_judges], [told]
    wanted = [each for name in asked for each in (of_judges or ["pooled"] if name == JUDGES else [name])]
    unknown = [name for name in wanted if name not in (*known, "mean")]
    if unknown:
        raise UsageError(f"{unknown[0]}: no such protocol of {annotated.label}; there are {listed(known, _FEW_JUDGES)}")
    return list(dict.fromkeys(wanted)), []
