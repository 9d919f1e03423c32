"""What people said of captions, beside what metrics say of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Said, counted
from auditor.scoring.candidates import CandidateSet, bind_candidates, output_of
from auditor.scoring.references import references_of
from auditor.scoring.registry import MetricRequest, References, requests
from auditor.scoring.scores import scorable, score_candidates, signatures, too_long
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.workspace import Workspace

#: Means of judges are rounded, so that equal means are ties whatever their ratings were.
MEAN_DECIMALS = 10

#: A judge's protocol is called so, whatever the source calls the judge.
_JUDGE = "judge-"

_EXAMPLES = 3

#: So many judges or fewer are asked one by one: a protocol each, unless others are named, and each beside each.
FEW_JUDGES = 10

#: Ratings are summed as integers in units of 10^-12: the sum of their squares must be one of 127 bits.
_MOST_SQUARES = 1e14


@dataclass(frozen=True)
class Rated:
    """Rated captions with scores, and each rating of them.

    `ratings` has columns image, slot, judge, score; `scores` has image, slot, a column per metric by its label, length,
    reference_count, reference_lengths and is_reference (the caption is one of its own references). `workspace` has the
    relations that both were read from. `without_own` says that such captions are left out.
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
        """What rows call the metrics."""
        return [metric.label for metric in self.metrics]

    @property
    def judges(self) -> list[str]:
        """Name the judges, sorted."""
        return sorted(self.ratings["judge"].unique())

    def protocols(self) -> list[str]:
        """Name the ways to put ratings beside scores: pooled, mean, and each judge; the first alone for one judge."""
        return protocols_of(self.judges)

    def people(self, protocol: str) -> pl.DataFrame:
        """Return what people say, by a protocol. Columns: image, slot, human.

        `pooled` has a row for every rating, `mean` the mean of a caption's ratings, a judge's that judge's own.
        """
        if protocol == "mean":
            mean = pl.col("score").sort().sum() / pl.len()
            return self.ratings.group_by("image", "slot", maintain_order=True).agg(human=mean.round(MEAN_DECIMALS))
        chosen = self.ratings if protocol == "pooled" else self.ratings.filter(self._by(protocol))
        return chosen.select("image", "slot", human="score")

    def beside_scores(self, protocol: str, *, without_references: bool = False) -> pl.DataFrame:
        """Return what people say beside every score. Columns: image, slot, human, those of `scores`."""
        scores = self.scores.filter(~pl.col("is_reference")) if without_references else self.scores
        return self.people(protocol).join(scores, on=["image", "slot"], how="inner", maintain_order="left")

    def _by(self, protocol: str) -> pl.Expr:
        return pl.col("judge").is_in([judge for judge in self.judges if protocol_of(judge) == protocol])


def protocol_of(judge: str) -> str:
    """Name the protocol of one judge's ratings."""
    return judge if judge.startswith(_JUDGE) else f"{_JUDGE}{judge}"


def protocols_of(judges: Sequence[str]) -> list[str]:
    """Name the protocols of ratings by some judges."""
    return ["pooled", "mean", *map(protocol_of, judges)] if len(judges) > 1 else ["pooled"]


def judges(store: Store, annotated: Selection, scale: tuple[float, float] | None = None) -> list[str]:
    """Name the judges of a version, sorted. Raises `UsageError` where nothing was rated."""
    return sorted(_ratings(store, annotated, scale)[0]["judge"].unique())


def rated_captions(
    store: Store,
    annotated: Selection,
    against: str | None,
    metric_names: p.Metrics,
    tokenizer: str,
    scale: tuple[float, float] | None = None,
    progress: Progress = silent,
    *,
    rated: CandidateSet | None = None,
    rounded: bool = True,
) -> Rated:
    """Score what people rated, as it is or as `rated` says, against the captions of its images.

    Scores that are not `rounded` are as a program leaves them. Raises `UsageError` where nothing was rated, or nothing
    describes the images.
    """
    ratings, notes = _ratings(store, annotated, scale)
    references, unmatched = references_of(store, annotated, against)
    rule = References("all")
    wanted = [replace(request, rounded=rounded) for request in requests(metric_names)]
    metrics, unscored = scorable(store, references, wanted, metric_names)
    candidates = rated or output_of(annotated)
    described = Captions(store, references, tokenizer)
    scores = score_candidates(described, [candidates], metrics, progress).drop("candidate")
    workspace = described.workspace()
    bind_candidates(workspace, [candidates])
    facts = workspace.rows("rated_candidate")
    ratings = ratings.join(scores.select("image", "slot"), on=["image", "slot"], how="semi", maintain_order="left")
    if ratings.is_empty():
        raise UsageError(f"{annotated.label}: none of the rated captions has a score")
    scores = scores.join(ratings, on=["image", "slot"], how="semi", maintain_order="left")
    workspace.bind_rows("rating", ratings)
    return Rated(
        annotated,
        references,
        ratings,
        scores.join(facts, on=["image", "slot"], how="left", maintain_order="left"),
        tuple(metrics),
        signatures(metrics, tokenizer, rule),
        scale or (float(ratings["score"].min()), float(ratings["score"].max())),  # type: ignore[arg-type]
        workspace,
        (*notes, *unmatched, *unscored, *too_long(described.like(annotated), described)),
    )


def without_own_references(rated: Rated, why: str) -> Rated:
    """Leave out the captions that are a reference of their image, with their ratings; a note counts them.

    Raises `UsageError` where no other caption was rated.
    """
    scores = rated.scores.filter(~pl.col("is_reference"))
    ratings = rated.ratings.join(scores, on=["image", "slot"], how="semi", maintain_order="left")
    label = rated.annotated.label
    if ratings.is_empty():
        raise UsageError(f"{label}: every rated caption is a reference of its image in {rated.references.label}")
    captions = counted(rated.scores.height - scores.height, "caption", "captions")
    gone = counted(rated.ratings.height - ratings.height, "rating", "ratings")
    note = (
        f"{label}: left out, as {why}: {captions} found word "
        f"for word among the references of the image in {rated.references.label}, with {gone}"
    )
    rated.workspace.bind_rows("rating", ratings)
    return replace(rated, ratings=ratings, scores=scores, notes=(*rated.notes, note), without_own=True)


def _ratings(store: Store, annotated: Selection, scale: tuple[float, float] | None) -> tuple[pl.DataFrame, list[str]]:
    """Read the ratings of a version, without those that lie outside of a scale. Gives notes on what is odd of them."""
    version = annotated.version
    workspace = Workspace(store, dataset=version.dataset, seq=version.seq)
    workspace.bind("annotated", "annotation_as_of")
    ratings = workspace.rows("rating")
    if ratings.is_empty():
        raise UsageError(
            f"{annotated.label}: holds no ratings, it was ingested as {version.kind}; "
            "people's answers come with `auditor ingest NAME` of kind judgements, pairs or triplets"
        )
    notes = []
    if scale is not None:
        low, high = scale
        outside = ratings.filter(~pl.col("score").is_between(low, high))
        ratings = ratings.filter(pl.col("score").is_between(low, high))
        if ratings.is_empty():
            raise UsageError(f"{annotated.label}: no rating lies from {low:g} to {high:g}; name its scale with --scale")
        if outside.height:
            notes.append(
                f"{annotated.label}: {counted(outside.height, 'rating lies', 'ratings lie')} outside of {low:g} to "
                f"{high:g} and {'is' if outside.height == 1 else 'are'} left out: {_examples(outside)}"
            )
    if not (ratings["score"] ** 2).sum() < _MOST_SQUARES:
        largest = max(map(abs, ratings["score"]))
        raise UsageError(
            f"{annotated.label}: ratings as large as {largest:g} cannot be summed exactly; "
            "divide them all by the same number and ingest them again, or leave stray ones out with --scale"
        )
    behind = ratings["votes"] // ratings["times"]
    fewest, most = behind.min(), behind.max()
    if isinstance(fewest, int) and isinstance(most, int) and most > 1:
        people = f"{most:,}" if fewest == most else f"{fewest:,} to {most:,}"
        notes.append(f"{annotated.label}: a rating is that of {people} people together")
    again = ratings.filter(pl.col("times") > 1)
    if again.height:
        notes.append(
            f"{annotated.label}: {counted(again.height, 'caption was', 'captions were')} rated more than once by one "
            f"judge; the mean of those ratings counts: {_examples(again)}"
        )
    return ratings.select("image", "slot", "judge", "score"), notes


def _examples(ratings: pl.DataFrame) -> str:
    shown = [
        f"{score:g} of {image} #{slot} by {judge}"
        for image, slot, judge, score in ratings.head(_EXAMPLES).select("image", "slot", "judge", "score").iter_rows()
    ]
    return ", ".join(shown) + (", …" if ratings.height > _EXAMPLES else "")
