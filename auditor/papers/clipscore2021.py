"""Recompute the coefficients of Hessel et al. 2021 and later papers on Flickr8k's ratings.

Coefficients are shown times 100, as printed: as published and sound, with the choices that change them, the
differences between metrics, and the agreement between raters.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import polars as pl

from auditor import parameters as p
from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantities, Quantity, Reading
from auditor.papers.measured import Measured
from auditor.papers.readings import PUBLISHED, SOUND, available, beside, coefficients, interval, pooled, printed
from auditor.papers.runs import declared, not_here
from auditor.result import Said, Table
from auditor.scoring.candidates import output_of
from auditor.scoring.registry import METRICS, References, lacking
from auditor.statistics import cluster_bootstrap
from auditor.statistics.correlation import correlate
from auditor.statistics.paired_systems import Resampling
from auditor.statistics.significance import holm
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.agree import (
    ALL,
    PEOPLE,
    WITHOUT,
    ProtocolRows,
    Rated,
    Row,
    beside_others,
    correlated,
    rated_captions,
)

SOURCE = (
    "Hessel et al. 2021, EMNLP, appendix A, and flickr8k_example of its repository; Sarto et al. 2023 (PAC-S) and "
    "later papers"
)

#: The tokens of the paper's program.
PROFILE = "ptb"

TAUS = ("kendall-b", "kendall-c")

#: The coefficient of each set of ratings, and which captions the paper uses.
SETUPS = {"flickr8k-expert": ("kendall-c", WITHOUT), "flickr8k-crowd": ("kendall-b", ALL)}

_LEAVES_OUT = {
    ALL: "no rating: captions that are rated at their own image are removed from its references",
    WITHOUT: "158 captions that are a reference of their image, and their 474 ratings: 16,992 of 17,466 "
    "stay; ratings are not averaged over judges",
}

#: Papers print coefficients times 100.
SCALE = 100

_ENDS = ("low", "high")


@dataclass(frozen=True)
class Followed:
    """A set of ratings as the paper uses it: its `statistic` of pooled ratings with the scores of `kept` captions.

    `rated` are the captions with scores as published, `rows` the coefficients of all readings in all ways, `drawn` the
    paper's own with its resamples. `raters` is their agreement, if captions have several.
    """

    statistic: str
    kept: str
    definitions: tuple[Reading, ...]
    rated: Rated
    rows: pl.DataFrame
    drawn: ProtocolRows
    raters: Row | None
    notes: tuple[Said, ...]

    def values(self, **way: str) -> dict[str, float | None]:
        """Return the coefficient of each metric as published, in the paper's way or another, by its definition."""
        own = {"reading": PUBLISHED, "protocol": "pooled", "candidates": self.kept, "statistic": self.statistic}
        return dict(self.rows.filter(**own | way).select("metric", pl.col("value")).iter_rows())


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure each coefficient as published and as sound; `seed` is for the samples of images and references.

    A metric that is not installed is not answerable.
    """
    reasons = not_here(store, paper)
    quantities: dict[Quantity, float] = {}
    signatures: dict[str, str] = {}
    selections: list[Selection] = []
    tables: list[Table] = []
    notes: list[Said] = []
    resampling = Resampling(seed=seed)
    for name in (dataset for dataset in paper.datasets if dataset not in reasons):
        part = follow(store, paper, resolve(store, name), resampling, progress)
        quantities.update(_measured(name, part))
        signed = part.rated.signatures
        signatures |= {f"{name}: {one.metric}": signed[one.published] for one in part.definitions}
        selections += [part.rated.annotated, part.rated.references]
        tables += _tables(paper, part, resampling)
        notes += [*part.notes, f"{name}: left out: {_LEAVES_OUT[part.kept]}"]
        if part.raters is None:
            notes.append(f"{name}: each caption has a single rating, so that the agreement between raters is unknown")
    absent = {of: lacking(METRICS[of[1]]) for of in (check.of for check in paper.checks) if of[1] in METRICS}
    return Measured(
        quantities,
        reasons,
        tuple(selections),
        signatures,
        notes=tuple(dict.fromkeys(notes)),
        absent={of: reason for of, reason in absent.items() if reason is not None},
        tables=(*tables, *_pairs(store, paper, seed, progress)),
    )


def of_metrics(store: Store, paper: Paper, metrics: p.Metrics, _seed: int, progress: Progress) -> Quantities:
    """Correlate further metrics with the ratings that the paper uses."""
    for name in (dataset for dataset in paper.datasets if dataset not in not_here(store, paper)):
        _, kept = SETUPS[name]
        for row in pooled(store, paper, name, metrics, PROFILE, kept, TAUS, progress, rounded=False):
            yield (name, row["metric"], "", "", f"{row['statistic']}-x100"), SCALE * row["value"]


def _measured(name: str, part: Followed) -> Quantities:
    for statistic in TAUS:
        values = part.values(statistic=statistic)
        for one in part.definitions:
            if (value := values[one.published]) is not None:
                yield (name, one.metric, "", "", f"{statistic}-x100"), SCALE * value
    ratings = part.rated.beside_scores("pooled", without_references=part.kept == WITHOUT)
    yield (name, "", "", "", "ratings"), float(ratings.height)
    yield (name, "", "", "", "images"), float(ratings["image"].n_unique())


def follow(store: Store, paper: Paper, annotated: Selection, resampling: Resampling, progress: Progress) -> Followed:
    """Score and correlate a set of ratings, as published and as sound, in the ways in which papers differ.

    Scores as published are not rounded. Intervals are those of the paper's own way.
    """
    captions, name = Captions(store, annotated, PROFILE), annotated.version.dataset
    (statistic, kept), against = SETUPS[name], paper.needs[name]
    definitions, missing = available(paper)
    sound = rated_captions(captions, against, [one.sound for one in definitions], None, progress)
    rated = {PUBLISHED: _as_published(captions, kept, against, definitions, progress), SOUND: sound}
    protocols = ["pooled"] if len(sound.judges) == 1 else ["pooled", "mean"]
    made: dict[tuple[str, str, str], ProtocolRows] = {}
    for reading, protocol, candidates in ((a, b, c) for a in rated for b in protocols for c in (ALL, WITHOUT)):
        progress(f"{annotated.label}: correlating, {protocol}", len(made), 2 * len(rated) * len(protocols))
        own = resampling if (protocol, candidates) == ("pooled", kept) else replace(resampling, times=0)
        made[reading, protocol, candidates] = correlated(rated[reading], protocol, candidates, TAUS, own)
    return Followed(
        statistic, kept, definitions, rated[PUBLISHED], coefficients(rated, made), made[PUBLISHED, "pooled", kept],
        _ceiling(sound, statistic, kept, resampling), (*missing, *sound.notes),
    )  # fmt: skip


def _as_published(
    captions: Captions, kept: str, against: str, definitions: Sequence[Reading], progress: Progress
) -> Rated:
    """Score all definitions as published; with the items of a run as documents, every rating is an item."""
    named = [definition.published for definition in definitions]
    of_run = [metric for metric in named if "idf=run" in metric]
    plain = [metric for metric in named if metric not in of_run]
    rated = rated_captions(captions, against, plain, None, progress, rounded=False)
    if not of_run:
        return rated
    ratings = rated.beside_scores("pooled", without_references=kept == WITHOUT)
    items = ratings.group_by("image").agg(items=pl.len().cast(pl.UInt32)).sort("image")
    run = replace(output_of(captions.selection), binds={"run_item": "rated_item"}, given={"rating_count": items})
    more = rated_captions(captions, against, of_run, None, progress, rated=run, rounded=False)
    keys = ["image", "slot"]
    signed = {metric.label: metric.signature(PROFILE, References("all")) for metric in more.metrics}
    of_ratings = {  # ratings, not captions, are the items of the run
        label: str(replace(signature, parameters={**signature.parameters, "items": "ratings"}))
        for label, signature in signed.items()
    }
    return replace(
        rated,
        scores=rated.scores.join(more.scores.select(*keys, *more.labels), on=keys, maintain_order="left"),
        metrics=(*rated.metrics, *more.metrics),
        signatures={**rated.signatures, **of_ratings},
    )


def _ceiling(rated: Rated, statistic: str, kept: str, resampling: Resampling) -> Row | None:
    """Correlate each rating with the mean of the others of its caption; null if captions have one rating each."""
    scores = rated.scores.filter(~pl.col("is_reference")) if kept == WITHOUT else rated.scores
    rated_by_others = beside_others(rated.ratings.join(scores, on=["image", "slot"], how="semi", maintain_order="left"))
    if rated_by_others.is_empty():
        return None
    value = correlate(rated_by_others.select("score", "others"), [statistic])["value"].item()
    key = rated.key(resampling.seed, PEOPLE)
    drawn = cluster_bootstrap.resampled(rated_by_others, "score", ["others"], [statistic], resampling.times, key).get(
        ("others", statistic)
    )
    images = rated_by_others["image"].n_unique()
    ends = cluster_bootstrap.interval(value, drawn, images, resampling.confidence)
    return {"ceiling": value, "low": ends and ends.low, "high": ends and ends.high, "n": rated_by_others.height}


def _tables(paper: Paper, part: Followed, resampling: Resampling) -> list[Table]:
    """Return the tables of a set of ratings: as published and sound, sensitivity, differences, raters."""
    label, statistic = part.rated.annotated.label, part.statistic
    read = [
        interval(resampling),
        f"left out: {_LEAVES_OUT[part.kept]}",
        f"against {part.rated.references.label}, tokens: {PROFILE}",
        f"source: {SOURCE}",
        "to compare with papers, use “as published”, by the name in “theirs is”",
    ]
    figures = printed(paper, part.rated.annotated.version.dataset, f"{statistic}-x100")
    own = part.rows.filter(statistic=statistic, protocol="pooled", candidates=part.kept)
    shown = beside(part.definitions, own, figures).select(
        pl.col("measure").alias("metric"), "published", _times(f"value {PUBLISHED}").alias("as published"),
        *(_times(f"{end} {PUBLISHED}").alias(end) for end in _ENDS), _times(f"value {SOUND}").alias("sound"),
        pl.col("theirs").alias("theirs is"), pl.col("ours").alias("sound is"), pl.col("why").alias("why they differ"),
    )  # fmt: skip
    made = [
        Table(
            f"{paper.name}, {label}: {statistic} × 100 of {part.drawn.rows[0]['n']:,} ratings, as published and sound",
            shown,
            caption="; ".join(filter(None, read)),
            digits=tuple((name, 3) for name in ("published", "as published", *_ENDS, "sound")),
            name="by-protocol",
        ),
        Table(
            f"effect of each choice on the numbers of {label}: × 100, metrics as published",
            _moved(part),
            caption="The first column follows the paper. Papers with other numbers may follow another column.",
            name="what-moves-it",
        ),
    ]
    neighbors = _neighbors(part, resampling)
    if neighbors.height:
        made.append(
            Table(
                f"difference of each metric of {label} from the next: {statistic} × 100, metrics as published",
                neighbors,
                caption="Intervals and p are by images; p is corrected for all rows (Holm).",
                name="differences",
            )
        )
    if part.raters is not None:
        raters = pl.DataFrame([part.raters], orient="row", schema_overrides=dict.fromkeys(_ENDS, pl.Float64))
        made.append(
            Table(
                f"agreement between raters, {label}: {statistic} × 100 of a rating with the mean of the others",
                raters.with_columns(pl.col("ceiling", *_ENDS) * SCALE),
                name="people",
            )
        )
    return made


def _moved(part: Followed) -> pl.DataFrame:
    """Return the number of each metric, and those with one choice changed."""
    other = next(tau for tau in TAUS if tau != part.statistic)
    turned = ALL if part.kept == WITHOUT else WITHOUT
    columns = {
        part.statistic: part.values(),
        other: part.values(statistic=other),
        "with own references" if turned == ALL else "without own references": part.values(candidates=turned),
        "mean of judges": part.values(protocol="mean"),
    }
    named = pl.DataFrame([(one.name, one.published) for one in part.definitions], schema=["metric", "of"], orient="row")
    shown = (pl.col("of").replace_strict(values).alias(name) for name, values in columns.items() if values)
    return named.with_columns(shown).with_columns(_times(*(name for name in columns if columns[name]))).drop("of")


def _neighbors(part: Followed, resampling: Resampling) -> pl.DataFrame:
    """Test each metric against the next, on the same resampled images."""
    values = {label: value for label, value in part.values().items() if value is not None}
    name = {one.published: one.name for one in part.definitions}
    order = [one.published for one in part.definitions if one.published in values]
    rows = []
    for a, b in pairwise(sorted(order, key=lambda label: -values[label])):
        drawn = [part.drawn.resamples.get((label, part.statistic)) for label in (a, b)]
        apart = None if drawn[0] is None or drawn[1] is None else drawn[0] - drawn[1]
        difference = values[a] - values[b]
        test = cluster_bootstrap.difference(difference, apart, part.drawn.images, resampling.confidence)
        if test is not None:
            rows.append((name[a], name[b], difference, test.low, test.high, test.p))
    made = pl.DataFrame(rows, schema=["metric", "next", "difference", *_ENDS, "p"], orient="row")
    return made.with_columns(_times("difference", *_ENDS), p=pl.Series(holm(made["p"].to_list()))) if rows else made


def _pairs(store: Store, paper: Paper, seed: int, progress: Progress) -> Iterator[Table]:
    """Yield the accuracy of metrics on pairs, by human preference, if the pairs are in the store."""
    called = {label: one.name for one in paper.readings for label in (one.sound, one.published)}
    _, results = declared(store, paper, seed, progress)
    for result in results["pairs"]:
        mean = result.frame.filter(pl.col("statistic") == "accuracy", pl.col("draw").is_null())
        yield Table(
            f"{result.selections[0].label}: how often a metric agrees with human preference",
            mean.select(pl.col("metric").replace_strict(called).alias("name"), "metric", "kind", "n", "value", "sd"),
            sections="kind",
            caption="5 references per image, sampled 5 times. A metric's tie counts half; pairs without a human "
            "preference are left out. The paper does not name its references.",
            name="pairs",
        )


def _times(*columns: str) -> pl.Expr:
    return (pl.col(columns) * SCALE).round(10)
