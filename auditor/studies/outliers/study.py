"""Which caption speaks for its image, which may belong to another, and which images do people describe differently?"""

from __future__ import annotations

from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import MetricError, UsageError
from auditor.model import Progress, silent
from auditor.result import Result, Said, Signature, findings_in, joined, notes_in
from auditor.scoring.candidates import HUMAN
from auditor.scoring.image_vectors import most_seen, named_vectors, pinned
from auditor.scoring.registry import DECIMALS, MetricRequest, References, request
from auditor.scoring.scores import score_candidates, together, too_long
from auditor.scoring.single_captions import referenced, without_references
from auditor.statistics.summary import exact, image_means, image_sds
from auditor.store.captions import Captions, select_all, selections_of
from auditor.store.connection import Store
from auditor.store.vectors import coverage
from auditor.studies.outliers import by_sight, likelihood, tables
from auditor.studies.outliers.by_sight import Sight
from auditor.studies.outliers.likelihood import ELSEWHERE, PLACE, SWAPPED, UNLIKE, Told
from auditor.text import AUTO

LEVELS = ("caption", "image")

_VERSION = 3

_FIT_VERSION = 1

#: What a user types to look at words alone.
NO_VECTORS = "none"

_ORDER = {SWAPPED: 0, ELSEWHERE: 1, UNLIKE: 2}


Metric = Annotated[str, p.Parameter("Metric of likeness, 0 to 1, with parameters: cider:stem=true.", short="m")]

Level = Annotated[str, p.Parameter("caption: those least like the others; image: all, with their consensus caption.")]

Share = Annotated[float, p.Parameter("Share of the captions, the least like the others, that are looked into.")]

Vectors = Annotated[
    str | None,
    p.Parameter("Vectors by which images are seen; default: those that most images have; none: words alone."),
]


def outliers(
    store: Store,
    *refs: p.Refs,
    metric: Metric = "cider",
    level: Level = "caption",
    share: Share = 0.1,
    vectors: Vectors = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    progress: Progress = silent,
) -> Result:
    """Find captions that may belong to another image.

    Looks into the `share` of captions with the lowest leave-one-out scores (each caption scored against the others of
    its image), and asks which image their words fit best: `evidence` is the log-likelihood ratio, in bits, by which the
    caption's words speak rather for `other_image` than for its own.

    Decoys, captions put at another image on purpose, say how much would be found by chance: a caption is told only
    where most of what is told should be right, and the sentence says how many; else all is held back. `lead` is by how
    many bits the caption speaks rather for `other_image` than for any other.

    Where 100 images or more have vectors (`auditor ingest NAME --format vectors`), these are looked at as well. A ridge
    regression, learnt from the captions of other images, says where an image lies by a caption's words. `fit` is by how
    many bits a caption rather belongs to its image than not: by how near that is to the image's vector, how alike the
    image's other captions are, and how near these are, weighed as decoys teach. Captions that fit as badly as decoys
    are looked into beside the `share`; their `evidence` is by how many bits more they fit `other_image`. `vectors`
    names others than those that most images have; none leaves them out, and shows what words alone tell.

    How to read it: `finding` is swapped where the caption and that of `other_slot` seem to have changed places,
    elsewhere where it seems to be of `other_image`, else unlike: it differs, but no other image fits. `others` is the
    mean score of the image's other captions among themselves: a low score beside high `others` is one odd caption;
    where both are low, people see different things. At level image the most difficult images come first: `difficulty`
    is 1 - the mean score, and `consensus` the caption that is most like the others; `ties` captions share that score.
    With vectors, `match` says by how many standard deviations captions match the vector of their image better than
    those of other images. How many should be right is what is told less what decoys bring by chance.

    Limits: a hint to look at the picture, never a verdict: a caption that sees what others do not is unlike them too.
    Bits of words overstate, since words come in phrases. Captions of two images that show the same thing cannot be
    told apart.

    Raises `UsageError` for a metric whose scores do not go from 0 to 1 with higher for more alike, `MetricError` where
    no caption has a score.

    Examples: auditor outliers flickr8k -o outliers.csv · auditor outliers flickr8k --level image -o consensus.csv
    """
    if level not in LEVELS:
        raise UsageError(f"--level {level}: expected {' or '.join(LEVELS)}")
    if not 0 < share <= 1:
        raise UsageError(f"--share {share:g}: expected a share of the captions above 0 and up to 1, such as 0.1")
    measure = _similarity(metric)
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    selections, alone = referenced(store, selections_of(selected), References("loo"), [measure])
    tokenizer = selected[0].tokenizer
    rows, by_image, notes = [], [], list[Said]((*selected[0].notes, *alone))
    names, unseen = list[dict[str, str]](), list[str]()
    for captions in map(selected[0].like, selections):
        selection = captions.selection
        scored, one = _scored(captions, measure, progress)
        notes += [*without_references(store, selection), *too_long(captions)]
        sight = _sight(captions, vectors, progress)
        names.append({measure.label: str(one.signature(tokenizer, References("loo")))})
        names.append(_signed(sight, tokenizer, share if level == "caption" else None))
        by_image.append(_by_image(scored, captions, measure, sight))
        if level == "caption":
            findings, said = _looked_into(captions, scored, share, sight, progress)
            rows.append(_rows(findings, captions, measure))
            could_see = vectors is None and captions.images().height >= by_sight.FEWEST
            unseen += [selection.label] if sight is None and could_see else []
            notes.append(tables.finding(selection, findings, scored.height, said, sight))
    if unseen:
        how = (
            "`auditor ingest NAME --format vectors --from FILE` adds vectors of the images, which are looked at as well"
        )
        notes.append(f"{joined(unseen)}: by words alone: {how}")
    return Result(
        "outliers",
        pl.concat(rows or by_image, how="diagonal"),
        selections=selections,
        signatures=together(names),
        tables=tables.tables(selections, rows, by_image),
        figures=tables.figures(selections, by_image),
        lead=tables.lead(findings_in(notes)),
        notes=notes_in(notes),
        findings=findings_in(notes),
    )


def _similarity(name: str) -> MetricRequest:
    metric = request(name)
    if metric.metric.lower_is_better or metric.settings.get("scale", "raw") != "raw":
        raise UsageError(f"--metric {name}: expected one whose scores are 0 to 1, higher for more alike, such as cider")
    return metric


def _scored(captions: Captions, asked: MetricRequest, progress: Progress) -> tuple[pl.DataFrame, MetricRequest]:
    """Score every caption against the others of its image. Columns: image, slot, value, others, text.

    Gives also the metric, which names the vectors where it sees them.
    """
    store, selection = captions.store, captions.selection
    (metric,) = pinned(store, selection, [asked])
    scores = score_candidates(captions, [HUMAN], [metric], progress)
    texts = captions.texts().select(*PLACE, "text")
    rows = (
        scores.select(*PLACE, value=metric.label)
        .with_columns(others=_among_others() if _is_symmetric(metric) else pl.lit(None, pl.Float64))
        .join(texts, on=PLACE, how="left")
        .sort(PLACE)
    )
    return rows, metric


def _is_symmetric(metric: MetricRequest) -> bool:
    """Return whether a score is the mean over references of what is the same both ways."""
    settings = metric.settings
    over_all = (settings.get("references"), settings.get("combine")) == ("mean", "mean")
    return metric.metric.name == "cider" and over_all and settings["idf"] != "fold"


def _among_others() -> pl.Expr:
    """Return the mean score of an image's other captions among themselves: what is left of the sum without the caption.

    Null where there are fewer than two others.
    """
    n = pl.len().over("image").cast(pl.Int64)
    units = exact(pl.col("value"))
    rest = (units.sum().over("image") - 2 * units).cast(pl.Float64) / 10**DECIMALS / (n - 2)
    return pl.when(n > 2).then(rest.round(DECIMALS).clip(lower_bound=0.0))


def _suspects(scored: pl.DataFrame, share: float) -> pl.DataFrame:
    """Take the captions with the lowest scores; none where all are equal."""
    if scored["value"].n_unique() == 1:
        return scored.clear()
    return scored.sort("value", *PLACE).head(max(1, round(share * scored.height)))


def _looked_into(
    captions: Captions, scored: pl.DataFrame, share: float, sight: Sight | None, progress: Progress
) -> tuple[pl.DataFrame, Told]:
    """Say of each caption in doubt where it fits better, and what follows: by words, or by vectors and words."""
    suspects = _suspects(scored, share)
    if sight is None:
        said = _by_words(captions, suspects, progress)
        return _found(captions, scored, suspects, said), said
    said = likelihood.told(sight.workspace, sight.leads)
    if not sight.sees_all:
        by_words = _by_words(captions, suspects, progress)
        said = likelihood.together(by_words, said, sight.fits["image"].unique())
    found = _found(captions, scored, suspects, said)
    return found.join(sight.fits.drop("match"), on=PLACE, how="left", maintain_order="left"), said


def _by_words(captions: Captions, suspects: pl.DataFrame, progress: Progress) -> Told:
    workspace = likelihood.weigh(captions, suspects, captions.images().height, progress)
    return likelihood.told(workspace, likelihood.leads(workspace))


def _found(captions: Captions, scored: pl.DataFrame, suspects: pl.DataFrame, said: Told) -> pl.DataFrame:
    """Put what is told beside the captions in doubt, the surest first; a lone caption has no score."""
    texts = captions.texts().select(*PLACE, "text")
    rows = pl.concat([suspects.select(*PLACE), said.rows.select(*PLACE)]).unique().join(texts, on=PLACE, how="left")
    rows = rows.join(scored.drop("text"), on=PLACE, how="left").join(said.rows, on=PLACE, how="left")
    surest = pl.coalesce(pl.col("pair_evidence") / 2, "lead")
    return rows.with_columns(pl.col("finding").fill_null(UNLIKE)).sort(
        pl.col("finding").replace_strict(_ORDER, return_dtype=pl.Int8), surest, "value", *PLACE,
        descending=[False, True, False, False, False], nulls_last=True,
    )  # fmt: skip


def _sight(captions: Captions, asked: str | None, progress: Progress) -> Sight | None:
    """Look at the images of a selection, where they have vectors. None where there are none, or too few."""
    if asked == NO_VECTORS:
        return None
    store, selection = captions.store, captions.selection
    if asked is None:
        version = most_seen(store, selection, least=by_sight.FEWEST)
    else:
        version = named_vectors(store, asked)
        seen = coverage(store, version, selection).filter("has_captions", "has_vector").height
        if seen < by_sight.FEWEST:
            raise MetricError(
                f"{selection.label}: {seen:,} of its images have a vector in {version.dataset}: {by_sight.FEWEST} are "
                "needed to tell captions apart; name others, or --vectors none"
            )
    return None if version is None else by_sight.weigh(captions, version, progress)


def _signed(sight: Sight | None, tokenizer: str, share: float | None) -> dict[str, str]:
    """Name what was asked of words, and of vectors; `share` is null where captions were not looked into."""
    signed = {}
    if share is not None and (sight is None or not sight.sees_all):
        words: dict[str, str | int | float | bool] = {"tok": tokenizer, "words": "porter"}
        words |= {"nearest": likelihood.NEAREST, "share": share}
        signed["evidence"] = str(Signature("evidence", words, _VERSION))
    if sight is not None:
        signed["fit"] = str(Signature("fit", sight.settings, _FIT_VERSION))
    return signed


def _rows(rows: pl.DataFrame, captions: Captions, metric: MetricRequest) -> pl.DataFrame:
    shown = rows.select(
        *PLACE, pl.lit(metric.label).alias("metric"), "value", "others", "finding", "other_image",
        "other_slot", "evidence", "pair_evidence", "lead", *(["fit"] if "fit" in rows.columns else []), "text",
    )  # fmt: skip
    return captions.stamp(shown)


def _by_image(scored: pl.DataFrame, captions: Captions, metric: MetricRequest, sight: Sight | None) -> pl.DataFrame:
    """Rank images by how differently they are described, each with the caption that is most like the others.

    Where images are seen, with how their vectors match those of their captions.
    """
    values = scored.select("image", "value")
    best = scored.filter(pl.col("value") == pl.col("value").max().over("image"))
    consensus = best.group_by("image").agg(
        ties=pl.len(),
        consensus=pl.col("slot").first(),
        consensus_value=pl.col("value").first(),
        text=pl.col("text").first(),
    )
    ranked = (
        image_means(values).rename({"value": "mean"})
        .join(image_sds(values).rename({"value": "sd"}), on="image")
        .join(values.group_by("image").agg(n=pl.len()), on="image")
        .join(consensus, on="image")
        .with_columns(difficulty=(1 - pl.col("mean")).round(DECIMALS))
        .sort("difficulty", "image", descending=[True, False])
        .select(
            "image", pl.lit(metric.label).alias("metric"), "n", "mean", "sd", "difficulty",
            "consensus", "consensus_value", "ties", "text",
        )
    )  # fmt: skip
    ranked = captions.stamp(ranked)
    if sight is None:
        return ranked
    match = sight.fits.group_by("image").agg(pl.col("match").mean().round(likelihood.DECIMALS))
    return ranked.join(match, on="image", how="left", maintain_order="left").select(pl.exclude("text"), "text")
