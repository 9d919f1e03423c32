"""How often does a metric pick the caption that people pick? Vedantam et al. 2015 (the paper of CIDEr)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import MetricError, UsageError
from auditor.model import Progress, Selection, silent
from auditor.registry import MetricRequest, References
from auditor.result import Finding, Result, about, counted, findings_in, notes_in
from auditor.scoring.by_reference_count import scores_by_references
from auditor.scoring.own_references import WAY_OUT, own_references
from auditor.scoring.references import references_of
from auditor.scoring.scores import scorable, score_candidates, signatures, too_long
from auditor.scoring.writing import chosen_tokenizer
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.store.versions import images, resolve, resolve_all
from auditor.studies.consensus import rows as rows_of
from auditor.studies.consensus.accuracy import accuracies, preferences, resampling_key
from auditor.studies.consensus.ceiling import metric_halves, people_ceiling
from auditor.studies.consensus.league import league
from auditor.studies.consensus.rows import ConsensusResult
from auditor.studies.consensus.settings import ConsensusSettings, chosen_metrics, follow
from auditor.studies.consensus.tables import figures, tables
from auditor.studies.consensus.versus import known_of, shared_pairs
from auditor.studies.consensus.votes import PairVotes, pair_votes, with_kinds
from auditor.text import tokenizer_of

#: As many references as Vedantam et al. 2015 use.
_MOST = 48


Versus = Annotated[str | None, p.Parameter("Another source of votes on the same pairs, to compare the two.")]

AsPublished = Annotated[bool, p.Parameter("The metrics as Vedantam et al. 2015 define them.")]

Protocol = Annotated[str | None, p.Parameter("Pairs as papers since use them: clipscore2021.")]


def consensus(
    store: Store,
    *names: p.Compared,
    metrics: p.Metrics = None,
    against: p.Against = None,
    as_published: AsPublished = False,
    versus: Versus = None,
    protocol: Protocol = None,
    settings: ConsensusSettings | None = None,
    progress: Progress = silent,
) -> Result:
    """Measure how often metrics pick the caption raters pick.

    Two captions of an image, and people's votes which is better: how often does a metric prefer the one that people
    prefer?

    - `accuracy`: share of the pairs that people decide, by kind of pair and number of references;
    - `ceiling`: people against people, half of the votes against the other half; `split-half`: a metric that sees half
      of the references against the votes given by the other half;
    - `wins`, `duels`: how often who wrote the captions wins, by people and by metric, with `pearson` and `spearman`;
    - with `versus`, another source of votes on the same pairs: `agreement` of the two, `length-lead` of winners over
      losers in words under each, and `accuracy` under the other truth.

    The captions are scored against `against`, else against the first related dataset that describes their images.

    How to read it: 0.5 is chance, `ceiling` what people reach among themselves. Kinds of pairs: HC two human captions
    of the image, HI a human caption and one of another image, HM human against machine, MM two machines. HC and MM are
    the hard ones.

    Limits: pairs that people do not decide are left out. A metric's tie counts half, unless `ties` says otherwise. With
    few references accuracy is lower for every metric: compare at equal numbers.

    Source: Vedantam, Zitnick & Parikh 2015. Protocol `clipscore2021`: five references of each image, drawn five times,
    metrics as pycocoevalcap computes them beside sound ones, ties at random (Hessel et al. 2021).

    Raises `UsageError` for what holds no pairs or triplets, or no decisions, and for references that no image has.

    Example: auditor consensus pascal50s-triplets --versus pascal50s-pairs
    """
    settings = settings or ConsensusSettings()
    by_protocol: list[str | Finding] = []
    if protocol is not None:
        if metrics or against or as_published or versus:
            raise UsageError(
                f"--protocol {protocol} has its own metrics and references: leave -m, --against, --as-published and "
                "--versus out"
            )
        named = [one.version.dataset for one in resolve_all(store, names, settings.split)]
        followed = follow(protocol, named, settings)
        metrics, against, settings = followed.metrics, followed.against, followed.settings
        by_protocol = [*followed.said, *followed.missing]
    if as_published and settings.ties is None:
        settings = replace(settings, ties="wrong")
    settings.check()
    profile, said = chosen_tokenizer(store, [*names, against, versus], settings.split, settings.tokenizer)
    settings = replace(settings, tokenizer=profile)
    chosen, lacking = chosen_metrics(metrics, as_published)
    selections = resolve_all(store, names, settings.split)
    parts = [_measure(store, one, chosen, metrics, against, versus, settings, progress) for one in selections]
    used = {metric.label: metric for part in parts for metric in part.metrics}
    told = [*by_protocol, *said, *lacking, *dict.fromkeys(note for part in parts for note in part.notes)]
    return Result(
        "consensus",
        rows_of.frame(parts, settings),
        selections=tuple(dict.fromkeys(one for part in parts for one in _selections(part))),
        signatures=signatures(list(used.values()), settings.tokenizer, References("all", parts[0].most, settings.seed)),
        tables=tuple(table for part in parts for table in tables(part, settings)),
        figures=tuple(figure for part in parts for figure in figures(part, settings, alone=len(parts) == 1)),
        notes=notes_in(told),
        findings=findings_in(told),
    )


def _selections(part: ConsensusResult) -> list[Selection]:
    return [part.votes.selection, part.references, *([part.other.selection] if part.other else [])]


def _measure(
    store: Store,
    selection: Selection,
    wanted: Sequence[MetricRequest],
    metric_names: p.Metrics,
    against: str | None,
    versus: str | None,
    settings: ConsensusSettings,
    progress: Progress,
) -> ConsensusResult:
    votes = pair_votes(store, selection, settings.tokenizer, progress)
    references, notes = references_of(store, selection, against)
    other = both = None
    if versus is not None:
        other = pair_votes(store, _other(store, versus, selection), settings.tokenizer, progress)
        both = shared_pairs(store, votes, other)
        votes = replace(votes, rows=known_of(votes, both.pairs))
    votes = with_kinds(store, votes, references, settings.tokenizer)
    votes, own = _told_apart(store, votes, references, settings)
    most, few = _most(store, votes, references, settings)
    at_work = References("all", most, settings.seed).of(references)
    metrics, unscored = scorable(store, at_work, wanted, metric_names)
    if not metrics:
        raise MetricError(f"{references.label}: {unscored[0]}")
    labels = [metric.label for metric in metrics]
    key = resampling_key(selection, settings.seed)
    scored = _scored(store, votes, references, metrics, settings, most, progress)
    first = scored.filter(pl.col("draw") == 1, pl.col("references") == most)
    preferred = preferences(votes.rows, first, metrics)
    halves, reason = metric_halves(store, votes, references, metrics, settings, most, progress)
    under_own = under_other = pl.DataFrame()
    if both is not None:
        columns = both.pairs.select("pair", "other_people")
        judged = preferred.join(columns, on="pair", maintain_order="left")
        under_own = accuracies(judged, labels, settings.credit, 0, key)
        under_other = accuracies(judged, labels, settings.credit, settings.resamples, key, "other_people")
    return ConsensusResult(
        votes, references, most, metrics,
        accuracy=_by_references(votes.rows, scored, metrics, settings, key, progress),
        alike=rows_of.alike(first, metrics),
        ceiling=people_ceiling(votes.rows, settings.credit),
        halves=halves,
        league=league(preferred, labels),
        other=other,
        shared=both,
        under_own=under_own,
        under_other=under_other,
        notes=(*votes.notes, *own, *notes, *few, *unscored,
               *too_long(store, [selection, references], settings.tokenizer), *filter(None, [reason]),
               *_tied(preferred, labels), *(other.notes if other else ())),
    )  # fmt: skip


def _told_apart(
    store: Store, votes: PairVotes, references: Selection, settings: ConsensusSettings
) -> tuple[PairVotes, list[Finding]]:
    """Count the pairs of which a caption is a reference of its image, and leave them out where that is asked for."""
    profile = settings.tokenizer
    tokens.provide(store, [votes.selection, references], profile, tokenizer_of(profile))
    own = own_references(store, references, profile, votes.candidates)
    rows = votes.rows
    for side in ("slot_b", "slot_c"):
        rows = rows.join(own.rename({"slot": side}), on=["image", side], how="anti", maintain_order="left")
    every = votes.rows.height
    pairs = every - rows.height
    if not pairs:
        return votes, []
    label = votes.selection.label
    if settings.without_own_references:
        if rows["winner"].null_count() == rows.height:
            raise UsageError(f"{label}: no decided pair is without a reference of its image in {references.label}")
        votes = replace(votes, rows=rows)
    end = "left out" if settings.without_own_references else f"a metric finds it; {WAY_OUT}"
    subject = counted(pairs, "pair has", "pairs have")
    said = f"{label}: {subject} a caption that is word for word a reference of its image in {references.label}: {end}"
    where = about(votes.selection, against=references.label)
    return votes, [Finding("own-references", said, where, {"pairs": pairs}, every, "warning")]


def _other(store: Store, versus: str, selection: Selection) -> Selection:
    other = resolve(store, versus)
    if other == selection:
        raise UsageError(f"--versus {versus}: is the source that it is compared with; name another")
    return other


def _most(store: Store, votes: PairVotes, references: Selection, settings: ConsensusSettings) -> tuple[int, list[str]]:
    """Decide on the number of references, and say how many pairs have too few images for it."""
    described = images(store, references)
    captions = votes.rows.select("image").join(described, on="image")["captions"]
    most = max((settings.most or min(_MOST, *captions), *settings.at))
    enough = int((captions >= most).sum())
    if not enough:
        raise UsageError(
            f"{references.label}: no compared image has {most} references, the most is {max(captions)}; "
            "ask for fewer with --most"
        )
    few = len(captions) - enough
    left = f"{few:,} of {votes.rows.height:,} pairs are of images with fewer than {most} references, and left out"
    return most, [f"{references.label}: {left}"] if few else []


def _scored(
    store: Store,
    votes: PairVotes,
    references: Selection,
    metrics: Sequence[MetricRequest],
    settings: ConsensusSettings,
    most: int,
    progress: Progress,
) -> pl.DataFrame:
    """Score the compared captions: columns draw, references, image, slot, and one for each metric."""
    numbers = sorted({most, *settings.at} if not settings.curve else range(1, most + 1))
    candidates, profile = [votes.candidates], settings.tokenizer
    parts = []
    for draw in range(settings.draws):
        seed = settings.seed + draw
        if numbers == [most]:
            drawn = References("all", most, seed).of(references)
            scores = score_candidates(store, drawn, profile, candidates, metrics, progress).with_columns(
                references=pl.lit(most, pl.UInt32)
            )
        else:
            scores = scores_by_references(
                store, references, profile, candidates, metrics, most, seed, progress, at=numbers
            )
        parts.append(scores.select(pl.lit(draw + 1, pl.Int64).alias("draw"), pl.exclude("candidate")))
    return pl.concat(parts, how="diagonal")


def _by_references(
    pairs: pl.DataFrame,
    scored: pl.DataFrame,
    metrics: Sequence[MetricRequest],
    settings: ConsensusSettings,
    key: Sequence[object],
    progress: Progress,
) -> pl.DataFrame:
    """Give the accuracies of each draw and number of references."""
    labels = [metric.label for metric in metrics]
    parts = []
    for (draw, number), scores in scored.group_by("draw", "references", maintain_order=True):
        preferred = preferences(pairs, scores, metrics)
        some = accuracies(preferred, labels, settings.credit, settings.resamples, key, progress=progress)
        parts.append(some.with_columns(draw=pl.lit(draw, pl.Int64), references=pl.lit(number, pl.UInt32)))
    return pl.concat(parts)


def _tied(preferred: pl.DataFrame, labels: Sequence[str]) -> list[str]:
    """Name the metrics that tell no two compared captions apart."""
    flat = [label for label in labels if preferred.height and (preferred[label] == 0).all()]
    return [f"{', '.join(flat)}: every pair is a tie; its accuracy is only what a tie counts"] if flat else []
