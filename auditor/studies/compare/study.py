"""Compare datasets by the indices of Wang & Gaizauskas 2016, with intervals: which has more similar captions?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, get_args

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.called import call
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Said, Sentence, findings_in, joined, notes_in
from auditor.result.portraits import HOMOGENEITY
from auditor.scoring.candidate_sets import CandidateScores, Substitutes, missing, one_pool, substitutes_of
from auditor.scoring.registry import References, defaults, left_out, requests
from auditor.scoring.scores import DISTINCT, RAW, only_distinct, repeats
from auditor.scoring.single_captions import lacking, referenced, sees_images
from auditor.steps import Steps
from auditor.store.captions import Captions, select_all, selections_of
from auditor.store.connection import Store
from auditor.studies.compare import overlap, tables
from auditor.studies.compare import pairs as comparison_pairs
from auditor.studies.compare.answer import METRICS, answer, lead, quoted, same_captions
from auditor.studies.compare.equalize import Sampling, changed_orders, pooled_scores, samplings_of, unequal_captions
from auditor.studies.compare.indices import BOUNDS, INDICES, STATISTICS, Index, Indices, Rank, estimated_indices, ranks
from auditor.studies.compare.overlap import Overlap, overlaps
from auditor.studies.compare.pairs import ComparedDataset
from auditor.studies.compare.sameness import added, ranked_by_sameness
from auditor.studies.compare.shared import on_shared
from auditor.text import AUTO


@dataclass(frozen=True)
class SampledComparison:
    """All datasets by one sampling: indices, datasets to test, and by label the facts of its rows."""

    sampling: Sampling
    indices: tuple[Indices, ...]
    compared: tuple[ComparedDataset, ...]
    facts: Mapping[str, Mapping[str, Any]]
    signatures: Mapping[str, str]
    notes: tuple[Said, ...]
    overlaps: tuple[Overlap, ...]


def measure(
    sampling: Sampling,
    selections: Iterable[Selection],
    scores_of: Callable[[Selection, Sampling], CandidateScores],
    indices_of: Callable[[CandidateScores], Indices],
) -> SampledComparison:
    """Measure the datasets one by one: only one has its scores in memory."""
    indices, compared, facts, notes = (
        list[Indices](),
        list[ComparedDataset](),
        dict[str, dict[str, Any]](),
        list[Said](),
    )
    reasons: dict[str, Mapping[str, str]] = {}
    overlapping: list[Overlap] = []
    signatures: dict[str, str] = {}
    for selection in selections:
        measured = scores_of(selection, sampling)
        indices.append(indices_of(measured))
        overlapping += overlaps(selection.label, measured.scores)
        compared.append(ComparedDataset(selection, indices[-1]))
        facts[selection.label] = _facts(measured) | {
            "images": sampling.against.images or len(indices[-1].images),
            "captions_per_image": float(sampling.size or indices[-1].captions),
        }
        reasons[selection.label] = measured.reasons
        signatures |= measured.signatures
        notes += [*measured.notes, *indices[-1].notes]
    all_notes = (*notes, *missing(reasons), *filter(None, [sampling.note]))
    return SampledComparison(
        sampling, tuple(indices), tuple(compared), facts, signatures, all_notes, tuple(overlapping)
    )


def _facts(measured: CandidateScores) -> dict[str, Any]:
    """Return the columns that identify a dataset, and by statistic the source of its substitutes."""
    selection: Selection = measured.selection
    sources = {BOUNDS[candidate.name]: candidate.source for candidate in measured.sets}
    return {
        "label": selection.label,
        "dataset": selection.version.dataset,
        "version": selection.version.version,
        "split": selection.split,
        "sources": sources | {"specificity": sources.get("inter")},
    }


_COLUMNS = (
    "dataset", "metric", "statistic", "value", "low", "high", "rank", "rank_low", "rank_high", "version", "split", "se",
    "resamples", "confidence", "seed", "drawn_from", "signature",
)  # fmt: skip

_EQUALIZED_COLUMNS = ("images", "captions_per_image", "variant")

_TYPES: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("low", "high", "se", "confidence"), pl.Float64),
    **dict.fromkeys(("rank_low", "rank_high"), pl.Int64),
    **dict.fromkeys(("split", "drawn_from"), pl.String),
}


_METRIC: p.Parameter = get_args(p.Metrics)[1]

Metrics = Annotated[
    Sequence[p.MetricName] | None, replace(_METRIC, help=_METRIC.help.replace("all.", f"{', '.join(METRICS)}."))
]

Equalize = Annotated[
    bool, p.Parameter("Compare equal-sized samples of each dataset too, also if captions per image are equal.")
]

Images = Annotated[
    int | None, p.Parameter("Sampled images of each dataset; default: as many as possible.", least=1, needs="equalize")
]


@face(draws=True)
@question
def compare(
    store: Store,
    *refs: p.Refs,
    metrics: Metrics = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    distinct: p.Distinct = False,
    others: p.Others = (),
    corpus: p.Corpus = None,
    seed: p.Seed = 1,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    equalize: Equalize = False,
    images: Images = None,
    missing: p.Missing = p.COMMON,
    progress: Progress = silent,
) -> Result:
    """Rank datasets by how similar their captions are.

    Compares datasets by metric and ranks them. Rank 1 is the dataset whose captions are most similar to each other. It
    computes:

    - `upper` (a human caption), `intra`, `inter`, `brown`: mean scores, as in `auditor bounds`;
    - `homogeneity` = intra / upper: the score of a caption of another image, divided by the score of one of the same
      image;
    - `specificity` = intra - inter: how much more similar captions are to each other than to those of the other
      datasets;
    - `overlap`: how far the scores of captions of the same image and of another image overlap, 0 to 1.

    TER counts errors: for it, both are reversed, so larger always means more similar. `low`
    and `high` are a bootstrap-t confidence interval; `--resamples` sets the number of resamples of images. `se` is the
    jackknife standard error. If the data cannot decide a rank, it is a range, such as 1-2: `rank_low` is 1 more than
    the number of datasets that are significantly ahead.

    How to read it: if homogeneity is near 1, a caption fits any image of the dataset. That is easy to imitate and
    teaches little. If it is near 0, each image has distinct captions. High specificity means a narrow subject or a
    house style.

    If a dataset has one caption per image, it has no upper bound. All datasets are then ranked by `sameness` too, on
    one caption of each image: the share of words that captions of different images have in common. It is not agreement,
    which is between annotators of one image.

    The first sentence answers by metric families: BLEU, ROUGE, METEOR, CIDEr. A dataset is ahead in a family if it is
    by all of its metrics. TER counts errors and does not vote. Two datasets differ significantly if their `p_adjusted`
    is below 1 - confidence, and then they share no letter. A shared letter does not mean that they are equal.

    Different numbers of captions per image change BLEU and METEOR. If they differ by more than a fifth, equal samples
    come first: equally many images and captions. Raw numbers are beside them. `--equalize` does so for all datasets.
    Scores are pooled over five samples with consecutive seeds. Intervals are over all images in them.

    Datasets that describe the same images are compared on those that all of them describe. This holds for related
    datasets and system output, and for datasets with equal captions of an image.

    Limits: longer captions have higher sameness. Intervals treat CIDEr's word weights as fixed. They reflect the choice
    of images, not of annotators.

    Captions that repeat another of their image, token for token, raise `upper`. A warning counts them, and `--distinct`
    adds results without them.

    Further rows compare pairs of datasets: the difference, a bootstrap-t test and Cliff's delta. `p_adjusted` is the
    p-value for all pairs of datasets by one metric and statistic (step-down maxT). Further metrics do not change it.
    A dataset needs eight images for a test or an interval, and 30 for a test of specificity. Without a test it has no
    rank beside others. With `--equalize` or `--distinct`, every row appears twice; column `variant` shows which is
    which. A statistic without a value has no row.

    Source: Wang & Gaizauskas 2016, section 5.

    Raises `UsageError` for fewer than two datasets, and if `resamples` are too few for the interval.

    Example: auditor compare flickr8k abstract50s coco-val2017
    """
    if len(refs) < 2:
        raise UsageError("compare needs two or more datasets; for one dataset, use `auditor bounds`")
    p.check_resampling(resamples, confidence)
    left, named = left_out(metrics), bool(metrics)
    metrics = metrics or [name for name in METRICS if name in defaults()]
    requested = requests(metrics)
    errors = {metric.label for metric in requested if metric.metric.lower_is_better}
    against = References("loo", None if equalize else references, seed)
    selected = select_all(store, refs, split, tokenizer, beside=others, progress=progress)
    selected, shared = on_shared(selected, missing)
    tokenizer, notes = selected[0].tokenizer, selected[0].notes
    single = any(map(lacking, selected)) and not sees_images(requested)
    sameness = ranked_by_sameness(selected, seed, resamples, confidence, progress) if single else None
    words = f"`{call('words', refs[0], against=refs[1])}` compares words"
    every, alone = referenced(selected, against, requested, 0 if sameness else 2, words)
    if sameness and len(every) < 2:
        told = (*notes, *sameness.notes)
        return replace(sameness, notes=told, findings=findings_in(alone), lead=(*shared, *sameness.lead))
    selections, captions_of = selections_of(every), {captions.selection: captions for captions in every}
    substitutes, pooled, ranked_by = _pool(every, substitutes_of(every, others, corpus))
    repeated = repeats(every, progress, left_out=distinct)
    unequal = unequal_captions(every, references)
    equal = bool(unequal) and not distinct
    samplings, why_not = _samplings(
        every, references, images, seed, equalize=equalize, equal=equal, distinct=tokenizer if distinct else None
    )
    last, both = samplings[-1].name, len(samplings) > 1
    steps = Steps(progress, [captions.label for captions in every] * len(samplings) + ["Comparison"] * len(samplings))

    def scores_of(selection: Selection, sampling: Sampling) -> CandidateScores:
        return pooled_scores(
            captions_of[selection], tuple(BOUNDS), substitutes, sampling, metrics, seed, named=named, progress=steps
        )

    def indices_of(measured: CandidateScores) -> Indices:
        return estimated_indices(measured.selection, measured.scores, requested, seed, resamples, confidence, steps)

    parts = [measure(sampling, steps.over(selections), scores_of, indices_of) for sampling in samplings]
    known = {
        metric.label if part is parts[0] else f"{metric.label} {part.sampling.name}": part.signatures[metric.label]
        for part in parts
        for metric in requested
        if metric.label in part.signatures
    }
    reported = [*left, *alone, *pooled, *why_not, *parts[0].notes]
    for part in parts[1:]:
        reported += only_distinct(part.notes, reported) if part.sampling.name == DISTINCT else part.notes
    reported = list(dict.fromkeys([*reported, *repeated]))
    decisions = [comparison_pairs.decided(part.compared, seed, confidence, steps) for part in steps.over(parts)]
    orders = [
        {
            (statistic, metric.label): _ranked(part.indices, statistic, metric.label, decided, confidence)
            for metric in requested
            for statistic in STATISTICS
        }
        for part, decided in zip(parts, decisions, strict=True)
    ]
    reported += overlap.contradictions(parts[-1].overlaps, parts[-1].indices)
    rows = pl.concat(
        _on(part.sampling, _rows(order, part.facts, part.signatures, seed, resamples, confidence), beside=both)
        for part, order in zip(parts, orders, strict=True)
    )
    unranked = _known(rows, ranked_by).filter(pl.col("rank").is_null())
    for label, named in unranked.group_by("label", maintain_order=True).agg("statistic").iter_rows():
        why = "too few images, or too few that differ, for a test"
        reported.append(f"{label}: no rank by {joined([*dict.fromkeys(named)])}: {why}")
    tabled = partial(tables.sampling_tables, variant=last) if both else tables.tables
    drawn = partial(tables.sampling_figures, variant=last) if both else tables.figures
    tested = [
        comparison_pairs.pairs(p.compared, decided, errors, p.signatures, seed, resamples)
        for p, decided in zip(parts, decisions, strict=True)
    ]
    differences = [
        _on(part.sampling, rows.drop(comparison_pairs.LABELS), beside=both)
        for part, rows in zip(parts, tested, strict=True)
    ]
    main = rows.filter(variant=last) if both else rows
    answers = [answer(index, main, tested[-1], errors, confidence) for index in ranked_by]
    on_all = answer("homogeneity", rows.filter(variant=RAW), tested[0], errors, confidence) if both else None
    same = same_captions(selections)
    ahead = [
        one for one in (each.finding(selections, tables.SAMPLED.get(last, "")) for each in answers) if one and not same
    ]
    result = Result(
        "compare",
        pl.concat(
            [
                _unranked(rows.select(*_COLUMNS, *(_EQUALIZED_COLUMNS if both else ())), ranked_by),
                *(
                    _on(p.sampling, overlap.rows(p.overlaps, p.facts, p.signatures, seed), beside=both).drop(
                        () if both else _EQUALIZED_COLUMNS, strict=False
                    )
                    for p in parts
                ),
                *differences,
            ],
            how="diagonal_relaxed",
        ),
        selections=selections,
        signatures=known,
        tables=(
            *tables.placed(answers[0], main, errors, confidence, decisions[-1], last if both else ""),
            *(tables.placed(on_all, rows.filter(variant=RAW), errors, confidence, decisions[0], RAW) if on_all else ()),
            *overlap.table(parts[-1].overlaps),
            *tabled(_known(rows, ranked_by), errors, resamples, confidence),
            *(
                comparison_pairs.table(rows, part.sampling.name if both else None)
                for part, rows in zip(parts, tested, strict=True)
                if resamples
            ),
        ),
        figures=(*drawn(_known(rows, ranked_by), errors, confidence), *overlap.figures(parts[-1].overlaps)),
        lead=(
            *shared,
            *same,
            *lead([one for one in ahead if one.kind == "more-homogeneous"], main, answers[0]),
            *(Sentence.of(one, "caveat", ", as here." if both else ".") for one in unequal),
        ),
        notes=(*notes, *notes_in(reported)),
        quoted=tuple(quoted(main.filter(statistic=HOMOGENEITY), "label")),
        findings=(
            *findings_in(reported),
            *ahead,
            *(changed_orders(orders[0], orders[1], ranked_by, last) if both else ()),
            *unequal,
        ),
    )
    return added(result, sameness) if sameness else result


def _samplings(
    every: Sequence[Captions],
    references: int | None,
    images: int | None,
    seed: int,
    *,
    equalize: bool,
    equal: bool,
    distinct: str | None,
) -> tuple[Sequence[Sampling], list[str]]:
    """Return the samplings, `equal` ones if they were not asked for but are possible, and why they are not."""
    try:
        return samplings_of(every, references, images, seed, equalize=equalize or equal, distinct=distinct), []
    except UsageError as error:
        if equalize:
            raise UsageError(f"--equalize: {error}") from error
        why_not = f"no equal samples: {error}"
    return samplings_of(every, references, images, seed, equalize=False, distinct=distinct), [why_not]


def _pool(every: Sequence[Captions], drawn: Substitutes) -> tuple[Substitutes, list[str], Sequence[str]]:
    """Return the common sources of `inter`, notes on them, and the indices to rank by: both only with such sources."""
    substitutes, notes = one_pool(every, drawn)
    return substitutes, notes, INDICES[:1] if notes and substitutes is drawn else INDICES


def _known(rows: pl.DataFrame, ranked_by: Sequence[str]) -> pl.DataFrame:
    return rows.filter(~pl.col("statistic").is_in(INDICES) | pl.col("statistic").is_in(ranked_by))


def _unranked(rows: pl.DataFrame, ranked_by: Sequence[str]) -> pl.DataFrame:
    """Return the rows without the ranks that `inter` from different sources would give."""
    is_ranked = ~pl.col("statistic").is_in(["inter", "specificity"]) | (len(ranked_by) == len(INDICES))
    return rows.with_columns(pl.when(is_ranked).then(name).alias(name) for name in ("rank", "rank_low", "rank_high"))


def _on(sampling: Sampling, rows: pl.DataFrame, *, beside: bool) -> pl.DataFrame:
    """Add the name of the sampling to its rows if there are two samplings."""
    return rows.with_columns(variant=pl.lit(sampling.name)) if beside else rows


def _ranked(
    indices: Sequence[Indices], statistic: str, metric: str, decided: comparison_pairs.Decided, confidence: float
) -> list[tuple[Index, Rank]]:
    """Rank the datasets that have a statistic, best first."""
    numbered = [(number, index) for number, each in enumerate(indices) for index in each.indices]
    same_kind = {number: one for number, one in numbered if (one.statistic, one.metric) == (statistic, metric)}
    order = zip(same_kind.values(), ranks(same_kind, decided.get((metric, statistic), {}), confidence), strict=True)
    return sorted(order, key=lambda pair: pair[1].rank or len(indices) + 1)


def _rows(
    by_rank: Mapping[tuple[str, str], Sequence[tuple[Index, Rank]]],
    facts: Mapping[str, Mapping[str, Any]],
    signatures: Mapping[str, str],
    seed: int,
    resamples: int,
    confidence: float,
) -> pl.DataFrame:
    """Return one row per dataset, metric and statistic, with column `label`."""
    rows = [
        {
            **{name: fact for name, fact in facts[index.label].items() if name != "sources"},
            "metric": metric,
            "statistic": statistic,
            "value": index.value,
            "low": index.interval and index.interval[0],
            "high": index.interval and index.interval[1],
            "rank": rank.rank,
            "rank_low": rank.best,
            "rank_high": rank.worst,
            "se": index.se,
            "resamples": resamples,
            "confidence": confidence if resamples else None,
            "seed": seed,
            "drawn_from": facts[index.label]["sources"].get(statistic),
            "signature": signatures[metric],
        }
        for (statistic, metric), order in by_rank.items()
        for index, rank in order
    ]
    return pl.DataFrame(rows, schema_overrides=_TYPES, infer_schema_length=None)
