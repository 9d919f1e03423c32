"""Human ratings of captions, with the scores of metrics; and scores and lengths by rating."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import polars as pl

from auditor import parameters as p
from auditor.arrays import np
from auditor.called import call
from auditor.errors import UsageError
from auditor.metrics import given
from auditor.model import Progress, Selection, silent
from auditor.result import Said, Table, counted, listed
from auditor.scoring.candidates import CandidateSet, bind_candidates, output_of
from auditor.scoring.references import references_of
from auditor.scoring.registry import MetricRequest, References, requests
from auditor.scoring.scores import scorable, score_candidates, signatures, too_long
from auditor.store.captions import Captions
from auditor.store.workspace import Workspace

#: Means of judges are rounded, so that equal means are ties for any ratings.
MEAN_DECIMALS = 10

#: The name of a judge's protocol begins with this, for any name of the judge.
_JUDGE = "judge-"

_EXAMPLES = 3

#: Up to this many judges are reported one by one: each has a protocol, and is compared with every other.
FEW_JUDGES = 10

#: Ratings are summed as integers in units of 10^-12: the sum of their squares must fit in 127 bits.
_MOST_SQUARES = 1e14


@dataclass(frozen=True)
class Rated:
    """Rated captions with scores, and each rating of them.

    `ratings` has columns image, slot, judge, score; `scores` has image, slot, a column per metric by its label, length,
    reference_count, reference_lengths and is_reference (the caption equals one of its references). `workspace` has the
    relations that both were read from. `without_own` is true if such captions are left out.
    """

    annotated: Selection
    references: Selection
    ratings: pl.DataFrame
    scores: pl.DataFrame
    metrics: tuple[MetricRequest, ...]
    signatures: Mapping[str, str]
    scale: tuple[float, float]
    workspace: Workspace
    notes: tuple[Said, ...]
    without_own: bool = False

    @property
    def labels(self) -> list[str]:
        """Return the labels of the metrics in rows."""
        return [metric.label for metric in self.metrics]

    @property
    def judges(self) -> list[str]:
        """Return the names of the judges, sorted."""
        return sorted(self.ratings["judge"].unique())

    def key(self, seed: int, candidates: str) -> tuple[object, ...]:
        """Return the key that determines a draw of images."""
        return (seed, *self.annotated.content, candidates)

    def beside_scores(self, protocol: str, *, without_references: bool = False) -> pl.DataFrame:
        """Return the human ratings by a protocol with every score. Columns: image, slot, human, those of `scores`.

        `pooled` has a row for every rating, `mean` the mean of a caption's ratings, a judge's protocol that judge's.
        """
        if protocol == "mean":
            mean = (pl.col("score").sort().sum() / pl.len()).round(MEAN_DECIMALS)
            human = self.ratings.group_by("image", "slot", maintain_order=True).agg(human=mean)
        else:
            judges = [judge for judge in self.judges if protocol in ("pooled", protocol_of(judge))]
            human = self.ratings.filter(pl.col("judge").is_in(judges)).select("image", "slot", human="score")
        scores = self.scores.filter(~pl.col("is_reference")) if without_references else self.scores
        return human.join(scores, on=["image", "slot"], how="inner", maintain_order="left")


def protocol_of(judge: str) -> str:
    """Return the name of the protocol of one judge."""
    return judge if judge.startswith(_JUDGE) else f"{_JUDGE}{judge}"


def protocols_of(judges: Sequence[str]) -> list[str]:
    """List the protocols of judges: pooled, mean, and each judge; with one judge, only pooled."""
    return ["pooled", "mean", *map(protocol_of, judges)] if len(judges) > 1 else ["pooled"]


def judges(captions: Captions, scale: tuple[float, float] | None = None) -> list[str]:
    """Return the names of the judges of captions, sorted. Raises `UsageError` without ratings."""
    return sorted(_ratings(captions, scale)[0]["judge"].unique())


def rated_captions(
    captions: Captions,
    against: str | None,
    metric_names: p.Metrics,
    scale: tuple[float, float] | None = None,
    progress: Progress = silent,
    *,
    rated: CandidateSet | None = None,
    rounded: bool = True,
    in_part: bool = False,
) -> Rated:
    """Score the rated captions, or the candidates `rated`, against the captions of their images.

    Scores that are not `rounded` have all digits; those from files may be null if they are `in_part`. Raises
    `UsageError` without ratings, or without captions of the images.
    """
    annotated = captions.selection
    ratings, notes = _ratings(captions, scale)
    references, unmatched = references_of(captions, against)
    whole = wanted = [replace(request, rounded=rounded) for request in requests(metric_names)]
    if in_part:
        wanted = [replace(request, metric=given.in_part(request.metric)) for request in whole]
    metrics, unscored = scorable(references, wanted, metric_names)
    candidates = rated or output_of(annotated)
    scores = score_candidates(references, [candidates], metrics, progress).drop("candidate")
    if empty := [one for one in whole if one.label in scores.columns and not scores[one.label].count()]:
        score_candidates(references, [candidates], empty, progress)  # raises which captions have no score
    workspace = references.workspace()
    bind_candidates(workspace, [candidates])
    facts = workspace.rows("rated_candidate")
    ratings = ratings.join(scores.select("image", "slot"), on=["image", "slot"], how="semi", maintain_order="left")
    if ratings.is_empty():
        raise UsageError(f"{annotated.label}: none of the rated captions has a score")
    scores = scores.join(ratings, on=["image", "slot"], how="semi", maintain_order="left")
    workspace.bind_rows("rating", ratings)
    return Rated(
        annotated,
        references.selection,
        ratings,
        scores.join(facts, on=["image", "slot"], how="left", maintain_order="left"),
        tuple(metrics),
        signatures(metrics, captions.tokenizer, References("all")),
        scale or (float(ratings["score"].min()), float(ratings["score"].max())),  # type: ignore[arg-type]
        workspace,
        (*notes, *unmatched, *unscored, *too_long(captions, references)),
    )


def without_own_references(rated: Rated, why: str) -> Rated:
    """Leave out the captions that are a reference of their image, with their ratings; a note counts them.

    Raises `UsageError` if no other caption was rated.
    """
    scores = rated.scores.filter(~pl.col("is_reference"))
    ratings = rated.ratings.join(scores, on=["image", "slot"], how="semi", maintain_order="left")
    label = rated.annotated.label
    if ratings.is_empty():
        raise UsageError(f"{label}: every rated caption is a reference of its image in {rated.references.label}")
    captions = counted(rated.scores.height - scores.height, "caption", "captions")
    gone = counted(rated.ratings.height - ratings.height, "rating", "ratings")
    copies = f"{captions} identical to a reference of the image in {rated.references.label}"
    note = f"{label}: left out, as {why}: {copies}, with {gone}"
    rated.workspace.bind_rows("rating", ratings)
    return replace(rated, ratings=ratings, scores=scores, notes=(*rated.notes, note), without_own=True)


def _ratings(captions: Captions, scale: tuple[float, float] | None) -> tuple[pl.DataFrame, list[str]]:
    """Read the ratings of a version, without those outside a scale; and notes on unusual ratings."""
    annotated, version = captions.selection, captions.selection.version
    ratings = captions.annotated().rows("rating")
    if ratings.is_empty():
        command = call("ingest", "NAME", files=["FILE"], file_format="judgements")
        raise UsageError(
            f"{annotated.label}: has no ratings (it is of kind {version.kind}); `{command}` imports human ratings"
        )
    notes = []
    if scale is not None:
        low, high = scale
        is_valid = pl.col("score").is_between(low, high)
        outside, ratings = ratings.filter(~is_valid), ratings.filter(is_valid)
        if ratings.is_empty():
            none = f"no rating is between {low:g} and {high:g}"
            raise UsageError(f"{annotated.label}: {none}; set its scale with --scale")
        if outside.height:
            notes.append(
                f"{annotated.label}: {counted(outside.height, 'rating is', 'ratings are')} not between {low:g} and "
                f"{high:g}, and left out: {_examples(outside)}"
            )
    if not (ratings["score"] ** 2).sum() < _MOST_SQUARES:
        largest = max(map(abs, ratings["score"]))
        raise UsageError(
            f"{annotated.label}: ratings as large as {largest:g} cannot be summed exactly; "
            "divide all of them by the same number and ingest them again, or exclude stray ones with --scale"
        )
    behind = ratings["votes"] // ratings["times"]
    fewest, most = behind.min(), behind.max()
    if isinstance(fewest, int) and isinstance(most, int) and most > 1:
        raters = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
        notes.append(f"{annotated.label}: each rating combines {raters} raters")
    again = ratings.filter(pl.col("times") > 1)
    if again.height:
        notes.append(
            f"{annotated.label}: {counted(again.height, 'caption was', 'captions were')} rated more than once by the "
            f"same rater; their mean is used: {_examples(again)}"
        )
    return ratings.select("image", "slot", "judge", "score"), notes


def _examples(ratings: pl.DataFrame) -> str:
    rows = ratings.select("image", "slot", "judge", "score").iter_rows()
    return listed([f"{score:g} of {image} #{slot} by {judge}" for image, slot, judge, score in rows], _EXAMPLES)


#: With more values than this, the scale is cut into equal parts instead.
_MOST_VALUES = 7

_PARTS = 4


#: Bins of scores, and of ratings with more values than this.
_BINS, _RATINGS = 30, 10


def classed(rated: Rated) -> tuple[pl.DataFrame, list[str]]:
    """Return every rating with the scores of its caption and its class; and the classes, lowest rating first.

    A class is a rating, or a part of the scale if there are many different ratings. Columns: class, human, those of
    `Rated.scores`.
    """
    rows = rated.beside_scores("pooled").sort("image", "slot", "human")
    values = rows["human"].unique().sort()
    if len(values) <= _MOST_VALUES:
        names = {value: f"{value:g}" for value in values}
        return rows.with_columns(pl.col("human").replace_strict(names).alias("class")), list(names.values())
    low, high = rated.scale
    edges = [float(edge) for edge in np.linspace(low, high, _PARTS + 1)]
    labels = [f"{a:g} to {b:g}" for a, b in pairwise(edges)]
    part = pl.col("human").cut(edges[1:-1], labels=labels, left_closed=True).cast(pl.String)
    made = rows.with_columns(part.alias("class"))
    return made, [label for label in labels if label in set(made["class"])]


def class_tables(rated: Rated) -> list[Table]:
    """Return tables of mean scores, and of lengths of captions and references, by rating."""
    rows, names = classed(rated)
    label = rated.annotated.label
    in_order = pl.col("class").cast(pl.Enum(names))
    scores = rows.group_by("class").agg(pl.col(rated.labels).sort().mean()).sort(in_order)
    wide = scores.transpose(include_header=True, header_name="metric", column_names="class")
    title = f"length of the captions of {label} and of their references, by human rating"
    caption = (
        "words; difference: length of a caption minus the mean length of its references. "
        "TER counts every extra or missing word as an edit"
    )
    return [
        Table(f"mean score of the captions of {label}, by human rating", wide, name="scores-by-rating"),
        Table(title, _lengths(rows).sort(in_order), caption=caption, name="lengths-by-rating"),
    ]


def _lengths(rows: pl.DataFrame) -> pl.DataFrame:
    length, count = pl.col("length").cast(pl.Int64), pl.col("reference_count")
    longer = length * count - pl.col("reference_lengths")
    return rows.group_by("class").agg(
        ratings=pl.len().cast(pl.Int64),
        length=length.mean(),
        references=(pl.col("reference_lengths") / count).sort().mean(),
        difference=(longer / count).sort().mean(),
        difference_sd=(longer / count).sort().std(),
        shorter=(longer < 0).mean(),
        longer=(longer > 0).mean(),
    )


def densities(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the share of each rating's captions in each bin of scores: rating, score, share.

    `rows` has columns human and score. The highest rating and the lowest score are first. Scores, and ratings of many
    values, are in bins of equal width, which are named by their centers.
    """
    known = rows.drop_nulls()
    human, ratings = _binned(known["human"], _RATINGS if known["human"].n_unique() > _RATINGS else 0)
    score, scores = _binned(known["score"], _BINS)
    counts, _, _ = np.histogram2d(human, score, bins=(range(len(ratings) + 1), range(len(scores) + 1)))
    shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
    by_rating = zip(ratings, shares, strict=True)
    cells = [(a, b, share) for a, row in by_rating for b, share in zip(scores, row, strict=True)]
    cells.sort(key=lambda cell: -ratings.index(cell[0]))
    return pl.DataFrame(cells, schema={"rating": pl.String, "score": pl.String, "share": pl.Float64}, orient="row")


def _binned(values: pl.Series, bins: int) -> tuple[list[int], list[str]]:
    """Return the number of the bin of each value, and the names of all bins; without `bins` one for each value."""
    distinct = values.unique().sort().to_list()
    if not bins or len(distinct) < 2:
        return [distinct.index(value) for value in values], [f"{value:g}" for value in distinct]
    least, width = distinct[0], (distinct[-1] - distinct[0]) / bins
    decimals = max(-math.floor(math.log10(width)), 0)
    names = [f"{least + (number + 0.5) * width:.{decimals}f}" for number in range(bins)]
    return [min(int((value - least) / width), bins - 1) for value in values], names
