"""Which dataset has captions more alike, and how sure is it? Indices of Wang & Gaizauskas 2016, with intervals.

Every dataset of a comparison, measured on one footing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.registry import left_out, requests
from auditor.result import Finding, Result, Said, findings_in, notes_in
from auditor.scoring.candidate_sets import CandidateScores, missing, score_sets
from auditor.scoring.repeats import DISTINCT, only_distinct, repeats
from auditor.scoring.substitutes import one_pool, strangers
from auditor.scoring.writing import chooses_tokenizer
from auditor.statistics.resampling import check_resampling
from auditor.store.connection import Store
from auditor.store.versions import resolve_all
from auditor.studies.compare import equalise as comparison_footing
from auditor.studies.compare import pairs as comparison_pairs
from auditor.studies.compare import tables
from auditor.studies.compare.equalise import Footing, changed_orders
from auditor.studies.compare.indices import BOUNDS, INDICES, STATISTICS, Index, Indices, Rank, estimated_indices, ranks
from auditor.studies.compare.pairs import Side
from auditor.text import AUTO


@dataclass(frozen=True)
class Measured:
    """All datasets on one footing: indices, sides to test, and by label what rows say of each."""

    footing: Footing
    found: tuple[Indices, ...]
    sides: tuple[Side, ...]
    facts: Mapping[str, Mapping[str, Any]]
    signatures: Mapping[str, str]
    notes: tuple[Said, ...]


def measure(
    footing: Footing,
    selections: Sequence[Selection],
    scores_of: Callable[[Selection, Footing], CandidateScores],
    indices_of: Callable[[CandidateScores], Indices],
) -> Measured:
    """Measure every dataset, one after the other: no more than one has its scores in memory."""
    found, sides, facts, notes = list[Indices](), list[Side](), dict[str, dict[str, Any]](), list[Said]()
    reasons: dict[str, Mapping[str, str]] = {}
    signatures: dict[str, str] = {}
    for selection in selections:
        measured = scores_of(selection, footing)
        found.append(indices_of(measured))
        described = tuple(measured.scores["image"].unique().sort())
        sides.append(Side(selection, found[-1].sums, described))
        facts[selection.label] = _facts(measured) | {"images": len(described), "captions_per_image": found[-1].captions}
        reasons[selection.label] = measured.reasons
        signatures |= measured.signatures
        notes += [*measured.notes, *found[-1].notes]
    said = (*notes, *missing(reasons), *filter(None, [footing.note]))
    return Measured(footing, tuple(found), tuple(sides), facts, signatures, said)


def _facts(measured: CandidateScores) -> dict[str, Any]:
    """Say what the rows of a dataset are about, and by statistic what their strangers were drawn from."""
    selection: Selection = measured.selection
    sources = {BOUNDS[one.name]: one.source for one in measured.sets}
    return {
        "label": selection.label,
        "dataset": selection.version.dataset,
        "version": selection.version.version,
        "split": selection.split,
        "sources": sources | {"specificity": sources.get("inter")},
    }


#: How many times more captions an image of one dataset may have than one of another before a note warns.
_UNEQUAL = 1.5

_COLUMNS = (
    "dataset", "metric", "statistic", "value", "low", "high", "rank", "rank_low", "rank_high", "version", "split", "se",
    "resamples", "confidence", "seed", "drawn_from", "signature",
)  # fmt: skip

_EQUALISED_COLUMNS = ("images", "captions_per_image", "footing")

_TYPES: Mapping[str, type[pl.DataType]] = {
    **dict.fromkeys(("low", "high", "se", "confidence"), pl.Float64),
    **dict.fromkeys(("rank_low", "rank_high"), pl.Int64),
    **dict.fromkeys(("split", "drawn_from"), pl.String),
}


Pairs = Annotated[
    bool, p.Parameter("Test each pair of datasets: permutation of images, Holm's correction, Cliff's delta.")
]

Equalise = Annotated[
    bool, p.Parameter("Beside raw numbers, those of equally many images and captions of each dataset.")
]

Images = Annotated[
    int | None, p.Parameter("Images of each dataset that --equalise draws; default: the most there are.", least=1)
]


@chooses_tokenizer("refs", "others")
def compare(
    store: Store,
    *refs: p.Refs,
    metrics: p.Metrics = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    distinct: p.Distinct = False,
    others: p.Others = (),
    corpus: p.Corpus = None,
    seed: p.Seed = 1,
    resamples: p.Resamples = 1000,
    confidence: p.Confidence = 0.95,
    pairs: Pairs = False,
    equalise: Equalise = False,
    images: Images = None,
    progress: Progress = silent,
) -> Result:
    """Which dataset is more homogeneous, which more specific, ranked.

    Compares datasets by metric and ranks them, 1 for the dataset whose captions are most alike:

    - `upper`, `intra`, `inter`, `brown`: the mean scores of `auditor bounds`;
    - `homogeneity` = intra / upper: what a caption of another image scores, as a share of what one of the image itself
      scores;
    - `specificity` = intra - inter: by how much captions of the dataset are more like each other than like those of the
      other datasets.

    For a metric that counts errors they are upper / intra and inter - intra, so that larger always means more. `low`
    and `high` are percentiles over `resamples` bootstrap resamples of images, `se` is the jackknife's. A rank is a
    range where sampling error leaves it open: a dataset is ahead of another where the interval of their difference
    excludes 0.

    How to read it: homogeneity near 1: the captions would fit any image of the dataset, which is easy to imitate and
    teaches little; near 0: each image has captions of its own. High specificity is a narrow subject or a house style.

    Limits: numbers of captions per image that differ move BLEU and METEOR: `equalise` adds the same with equally many
    images and captions. Document frequencies are taken as given, and intervals tell of other images drawn from the same
    source, not of other annotators.

    Captions that repeat another of their image, token for token, raise `upper`; a warning says how many there are, and
    `distinct` adds the same with each text once per image.

    Rows beyond that: with `pairs`, on pairs of datasets: the difference, a permutation test and Cliff's delta; with
    `equalise` or `distinct` every row twice, by column `footing`. A statistic without a value has no row.

    Source: Wang & Gaizauskas 2016, section 5.

    Raises `UsageError` for fewer than two datasets, and where `resamples` are too few for the interval.

    Example: auditor compare flickr8k abstract50s coco-val2017
    """
    if len(refs) < 2:
        raise UsageError("compare needs two datasets or more; for one, see `auditor bounds`")
    check_resampling(resamples, confidence)
    requested = requests(metrics)
    errors = {metric.label for metric in requested if metric.metric.lower_is_better}
    selections = resolve_all(store, refs, split)
    stand_ins, pooled = one_pool(store, selections, strangers(store, selections, others, corpus))
    repeated = repeats(store, selections, tokenizer, progress, left_out=distinct)
    by = tokenizer if distinct else None
    footings = comparison_footing.footings(store, selections, references, images, seed, equalise=equalise, distinct=by)
    last, both = footings[-1].name, len(footings) > 1

    def scores_of(selection: Selection, footing: Footing) -> CandidateScores:
        names = tuple(BOUNDS)
        return score_sets(
            store, selection, names, stand_ins, footing.against, metrics, tokenizer, seed, progress=progress
        )

    def indices_of(measured: CandidateScores) -> Indices:
        return estimated_indices(measured.selection, measured.scores, errors, seed, resamples, confidence, progress)

    parts = [measure(footing, selections, scores_of, indices_of) for footing in footings]
    known = {
        metric.label if part is parts[0] else f"{metric.label} {part.footing.name}": part.signatures[metric.label]
        for part in parts
        for metric in requested
        if metric.label in part.signatures
    }
    told = [*left_out(metrics), *pooled, *parts[0].notes]
    for part in parts[1:]:
        told += only_distinct(part.notes, told) if part.footing.name == DISTINCT else part.notes
    said = list(dict.fromkeys([*told, *repeated]))
    unequal = [] if equalise else _unequal_captions(parts[0])
    orders = [
        {
            (statistic, metric.label): _ranked(part.found, statistic, metric.label, confidence)
            for metric in requested
            for statistic in STATISTICS
        }
        for part in parts
    ]
    rows = pl.concat(
        _on(part.footing, _rows(order, part.facts, part.signatures, seed, resamples, confidence), beside=both)
        for part, order in zip(parts, orders, strict=True)
    )
    ranked = {place: {one.label: rank for one, rank in order} for place, order in orders[-1].items()}
    tabled = partial(tables.sampling_tables, footing=last) if both else tables.tables
    drawn = partial(tables.sampling_figures, footing=last) if both else tables.figures
    tested = [comparison_pairs.pairs(p.sides, errors, p.signatures, seed, resamples, progress) for p in parts if pairs]
    differences = [
        _on(part.footing, rows.drop(comparison_pairs.LABELS), beside=both)
        for part, rows in zip(parts, tested, strict=False)
    ]
    return Result(
        "compare",
        pl.concat([rows.select(*_COLUMNS, *(_EQUALISED_COLUMNS if both else ())), *differences], how="diagonal"),
        selections=selections,
        signatures=known,
        tables=(
            *tabled(rows, errors, resamples, confidence),
            *(
                comparison_pairs.table(rows, part.footing.name if both else None)
                for part, rows in zip(parts, tested, strict=False)
            ),
        ),
        figures=drawn(rows, errors, confidence),
        notes=notes_in(said),
        findings=(
            *findings_in(said),
            *tables.findings(ranked, selections, resamples, f"{last}: " if both else ""),
            *(changed_orders(orders[0], orders[1], INDICES, last) if both else ()),
            *unequal,
        ),
    )


def _on(footing: Footing, rows: pl.DataFrame, *, beside: bool) -> pl.DataFrame:
    """Say on which footing rows stand, where there are two."""
    return rows.with_columns(footing=pl.lit(footing.name)) if beside else rows


def _ranked(found: Sequence[Indices], statistic: str, metric: str, confidence: float) -> list[tuple[Index, Rank]]:
    """Rank the datasets that have a statistic, the first first."""
    alike = [one for each in found for one in each.found if (one.statistic, one.metric) == (statistic, metric)]
    order = zip(alike, ranks(alike, confidence), strict=True)
    return sorted(order, key=lambda pair: (pair[1].rank, pair[0].label))


def _rows(
    by_rank: Mapping[tuple[str, str], Sequence[tuple[Index, Rank]]],
    facts: Mapping[str, Mapping[str, Any]],
    signatures: Mapping[str, str],
    seed: int,
    resamples: int,
    confidence: float,
) -> pl.DataFrame:
    """Give one row per dataset, metric and statistic, with the dataset's label in a column of its own."""
    rows = [
        {
            **{name: fact for name, fact in facts[one.label].items() if name != "sources"},
            "metric": metric,
            "statistic": statistic,
            "value": one.value,
            "low": one.interval and one.interval[0],
            "high": one.interval and one.interval[1],
            "rank": rank.rank,
            "rank_low": rank.best,
            "rank_high": rank.worst,
            "se": one.se,
            "resamples": resamples,
            "confidence": confidence if resamples else None,
            "seed": seed,
            "drawn_from": facts[one.label]["sources"].get(statistic),
            "signature": signatures[metric],
        }
        for (statistic, metric), order in by_rank.items()
        for one, rank in order
    ]
    return pl.DataFrame(rows, schema_overrides=_TYPES, infer_schema_length=None)


def _unequal_captions(measured: Measured) -> list[Finding]:
    """Warn where images of one dataset have many more captions than those of another."""
    captions = {label: float(facts["captions_per_image"]) for label, facts in measured.facts.items()}
    if max(captions.values()) < _UNEQUAL * min(captions.values()):
        return []
    counts = ", ".join(f"{label} {mean:.1f}" for label, mean in captions.items())
    return [
        Finding(
            "unequal-captions-per-image",
            f"captions per image differ ({counts}): BLEU grows with the number of references: draw equally many "
            "with --references; ROUGE and CIDEr average over them (Wang & Gaizauskas 2016, section 4.1)",
            values=captions,
            n=len(captions),
            severity="warning",
        )
    ]
