"""Find captions that may belong to another image, the consensus caption of each image, and difficult images."""

from __future__ import annotations

from typing import Annotated, Literal

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.called import call
from auditor.errors import MetricError, UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Said, Signature, findings_in, joined
from auditor.scoring.candidates import HUMAN
from auditor.scoring.image_vectors import most_seen, named_vectors, pinned
from auditor.scoring.registry import DECIMALS, MetricRequest, References, request
from auditor.scoring.scores import score_candidates, together, too_long
from auditor.scoring.single_captions import referenced, without_references
from auditor.statistics.summary import exact, image_means, image_sds
from auditor.store.captions import Captions, select_all, selections_of, stepwise
from auditor.store.connection import Store
from auditor.store.matching import match
from auditor.store.vectors import coverage
from auditor.studies.outliers import by_sight, likelihood, tables
from auditor.studies.outliers.by_sight import Sight
from auditor.studies.outliers.likelihood import ELSEWHERE, NEAREST, PLACE, SWAPPED, UNLIKE, Claims
from auditor.text import AUTO

_VERSION = 3

_FIT_VERSION = 1

#: The value of `--vectors` for words alone.
NO_VECTORS = "none"

_ORDER = {SWAPPED: 0, ELSEWHERE: 1, UNLIKE: 2}


Metric = Annotated[
    str, p.Parameter("Similarity metric from 0 to 1, with parameters, such as cider:stem=true.", short="m")
]

Level = Annotated[
    Literal["caption", "image"],
    p.Parameter("caption: list outlier captions; image: list all images with their consensus caption."),
]

Share = Annotated[
    float, p.Parameter("Share of captions to check, the least similar ones.", above=0, most=1, needs="level=caption")
]

Vectors = Annotated[
    str | None, p.Parameter("Image vectors to use; default: those that most images have; none: words alone.")
]


@face(draws=True)
@question
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

    Scores each caption against the others of its image, and checks the `--share` with the lowest scores. `evidence`
    compares the image that the caption's words fit best with its own image. It is a log-likelihood ratio in bits, in
    favor of `other_image`. `lead` is the advantage, in bits, of `other_image` over all other images.

    Decoys, captions assigned to a wrong image on purpose, give the number of findings expected by chance. Captions are
    reported only from a threshold at which most of them should be correct. The finding states how many. Without such a
    threshold, none is reported.

    If at least 100 images have vectors (`auditor ingest NAME --format vectors`), these are used too. A ridge regression
    on captions of other images predicts an image vector from a caption. `fit` is the evidence, in bits, that a caption
    belongs to its image. It compares the predicted with the actual vector, the caption with the image's other captions,
    and these with the vector. The weights are learned from decoys. Captions that fit as badly as decoys are checked in
    addition to the `--share`. Their `evidence` is the gain in bits at `other_image`. `--vectors` selects other vectors;
    none uses words alone.

    How to read it: `finding` is swapped if the caption and that of `other_slot` appear to be swapped. It is elsewhere
    if the caption appears to belong to `other_image`. Otherwise it is unlike: no other image fits better. `others` is
    the mean score of the image's other captions among themselves. A low score with high `others` means one unusual
    caption. If both are low, the annotators describe different things. At level image, the most difficult images come
    first: `difficulty` is 1 - the mean score. `consensus` is the caption most similar to the others; `ties` captions
    share its score. With vectors, `match` compares captions with their image's vector and those of other images. It is
    in standard deviations. The expected number of correct findings is their number minus the number expected by chance.

    Limits: treat the findings as leads and check the images. A caption can differ from the others because it mentions
    something they miss. Bits of words overstate the evidence, since words are not independent. Two images that show the
    same thing cannot be distinguished.

    Raises `UsageError` if the metric is not a similarity from 0 to 1, and `MetricError` without any score.

    Examples: auditor outliers flickr8k -o outliers.csv · auditor outliers flickr8k --level image -o consensus.csv
    """
    measure = _similarity(metric)
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    every, alone = referenced(selected, References("loo"), [measure])
    selections = selections_of(every)
    tokenizer = selected[0].tokenizer
    rows, by_image, notes = [], [], list[Said]((*selected[0].notes, *alone))
    names, unseen = list[dict[str, str]](), list[str]()
    for captions, steps in stepwise(every, progress):
        selection = captions.selection
        texts = captions.texts().select(*PLACE, "text")
        scored, scored_by = _scored(captions, measure, texts, steps)
        notes += [*without_references(captions), *too_long(captions)]
        sight = _sight(captions, vectors, steps)
        names.append({measure.label: str(scored_by.signature(tokenizer, References("loo")))})
        names.append(_signed(sight, tokenizer, share if level == "caption" else None))
        by_image.append(_by_image(scored, captions, measure, sight))
        if level == "caption":
            findings, claims = _checked(captions, texts, scored, share, sight, steps)
            rows.append(_rows(findings, captions, measure))
            could_see = vectors is None and captions.images().height >= by_sight.FEWEST
            unseen += [selection.label] if sight is None and could_see else []
            notes.append(tables.finding(selection, findings, scored.height, claims, sight))
    if unseen:
        add = call("ingest", "NAME", files=["FILE"], file_format="vectors")
        notes.append(f"{joined(unseen)}: checked by words alone. To use image vectors too, add them with `{add}`")
    return Result(
        "outliers",
        pl.concat(rows or by_image, how="diagonal"),
        selections=selections,
        signatures=together(names),
        tables=tables.tables(selections, rows, by_image),
        figures=tables.figures(selections, by_image),
        lead=tables.lead(findings_in(notes)),
        said=notes,
    )


def _similarity(name: str) -> MetricRequest:
    metric = request(name)
    if metric.metric.lower_is_better or metric.settings.get("scale", "raw") != "raw":
        raise UsageError(f"--metric {name}: expected a similarity metric with scores from 0 to 1, such as cider")
    return metric


def _scored(
    captions: Captions, measure: MetricRequest, texts: pl.DataFrame, progress: Progress
) -> tuple[pl.DataFrame, MetricRequest]:
    """Score every caption against the others of its image. Columns: image, slot, value, others, text.

    Also return the metric, with its vectors if it uses any.
    """
    (metric,) = pinned(captions, [measure])
    scores = score_candidates(captions, [HUMAN], [metric], progress)
    settings = metric.settings
    # Only then is a score the mean over references of a symmetric similarity.
    is_mean = (settings.get("references"), settings.get("combine")) == ("mean", "mean")
    is_symmetric = metric.metric.name == "cider" and is_mean and settings["idf"] != "fold"
    others = _among_others() if is_symmetric else pl.lit(None, pl.Float64)
    rows = scores.select(*PLACE, value=metric.label).with_columns(others=others)
    return rows.join(texts, on=PLACE, how="left").sort(PLACE), metric


def _among_others() -> pl.Expr:
    """Return the mean score of an image's other captions among themselves: the sum of scores without the caption's.

    Null with fewer than two others.
    """
    n = pl.len().over("image").cast(pl.Int64)
    units = exact(pl.col("value"))
    rest = (units.sum().over("image") - 2 * units).cast(pl.Float64) / 10**DECIMALS / (n - 2)
    return pl.when(n > 2).then(rest.round(DECIMALS).clip(lower_bound=0.0))


def _checked(
    captions: Captions, texts: pl.DataFrame, scored: pl.DataFrame, share: float, sight: Sight | None, progress: Progress
) -> tuple[pl.DataFrame, Claims]:
    """Return the suspect captions with the image that fits better, and the findings: by words, or also by vectors."""
    number = 0 if scored["value"].n_unique() == 1 else max(1, round(share * scored.height))  # none if all are equal
    suspects = scored.sort("value", *PLACE).head(number)
    if sight is None:
        claims = _by_words(captions, suspects, progress)
        return _with_findings(texts, scored, suspects, claims), claims
    claims = likelihood.claims(sight.workspace, sight.leads)
    if not sight.sees_all:
        by_words = _by_words(captions, suspects, progress)
        claims = likelihood.together(by_words, claims, sight.fits["image"].unique())
    rows = _with_findings(texts, scored, suspects, claims)
    return rows.join(sight.fits.drop("match"), on=PLACE, how="left", maintain_order="left"), claims


def _by_words(captions: Captions, suspects: pl.DataFrame, progress: Progress) -> Claims:
    workspace = likelihood.weigh(captions, suspects, captions.images().height, progress)
    return likelihood.claims(workspace, likelihood.leads(workspace), workspace.rows("generic_caption"))


def _with_findings(texts: pl.DataFrame, scored: pl.DataFrame, suspects: pl.DataFrame, claims: Claims) -> pl.DataFrame:
    """Join the suspect captions with their findings, the surest first. An image's only caption has no score."""
    rows = pl.concat([suspects.select(*PLACE), claims.rows.select(*PLACE)]).unique().join(texts, on=PLACE, how="left")
    rows = rows.join(scored.drop("text"), on=PLACE, how="left").join(claims.rows, on=PLACE, how="left")
    surest = pl.coalesce(pl.col("pair_evidence") / 2, "lead")
    return rows.with_columns(pl.col("finding").fill_null(UNLIKE)).sort(
        pl.col("finding").replace_strict(_ORDER, return_dtype=pl.Int8), surest, "value", *PLACE,
        descending=[False, True, False, False, False], nulls_last=True,
    )  # fmt: skip


def _sight(captions: Captions, vectors: str | None, progress: Progress) -> Sight | None:
    """Compare captions with the vectors of images. Null without vectors, or with too few."""
    if vectors == NO_VECTORS:
        return None
    store, selection = captions.store, captions.selection
    if vectors is None:
        version = most_seen(store, selection, least=by_sight.FEWEST)
    else:
        version = named_vectors(store, vectors)
        match(store, Selection(version), selection, required=False)
        seen = coverage(store, version, selection).filter("has_captions", "has_vector").height
        if seen < by_sight.FEWEST:
            raise MetricError(
                f"{selection.label}: {seen:,} of its images have a vector in {version.dataset}, but at least "
                f"{by_sight.FEWEST} are required; select other vectors, or use --vectors none"
            )
    return None if version is None else by_sight.weigh(captions, version, progress)


def _signed(sight: Sight | None, tokenizer: str, share: float | None) -> dict[str, str]:
    """Return the signatures of the findings by words and by vectors; `share` is null if no captions were checked."""
    signed = {}
    if share is not None and (sight is None or not sight.sees_all):
        settings: dict[str, str | float] = {"tok": tokenizer, "words": "porter", "nearest": NEAREST, "share": share}
        signed["evidence"] = str(Signature("evidence", settings, _VERSION))
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
    """Rank images by difficulty, each with its consensus caption, the one most similar to the others.

    With vectors, add how well they match the captions.
    """
    values = scored.select("image", "value")
    best = scored.filter(pl.col("value") == pl.col("value").max().over("image"))
    first = {"consensus": pl.col("slot").first(), "consensus_value": pl.col("value").first()}
    consensus = best.group_by("image").agg(pl.col("text").first(), ties=pl.len(), **first)
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
