"""How well forced-choice items are told without their images, by metrics, by people, and by systems."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.metrics.candidates import CandidateSet, output_of
from auditor.model import Progress, Selection, silent
from auditor.registry import References, requests
from auditor.result import Figure, Result, Said, Signature, Table, findings_in, notes_in
from auditor.scoring.references import references_of
from auditor.scoring.scores import scorable, score_candidates, signatures
from auditor.scoring.writing import chooses_tokenizer
from auditor.statistics.forced_choice import share
from auditor.store import tokens, versions
from auditor.store.connection import Store
from auditor.store.workspace import Workspace
from auditor.studies.choices import blind
from auditor.studies.choices.learner import learnt
from auditor.text import AUTO, tokenizer_of

_VERSION = 1

#: All parts of a benchmark together.
ALL = "all"

_TRAINED = {"trained_dataset": "", "trained_seq": 0, "trained_split": None}

Benchmark = Annotated[str, p.Parameter("Forced-choice items: a dataset of kind choices.", metavar="NAME")]

Train = Annotated[
    str | None,
    p.Parameter(
        "Captions that language models are trained on, without the images of the items; default: the first related dataset."
    ),
]

Order = Annotated[int, p.Parameter("Length of the smoothed model's n-grams.", least=2, most=5)]

Folds = Annotated[int, p.Parameter("Parts of the images that the learner is asked of in turn.", least=2, most=100)]


@dataclass(frozen=True)
class Scored:
    """One scorer: what it is called, of which kind (blind, metric, people), what of, its scores by item."""

    name: str
    kind: str
    of: str
    scores: pl.DataFrame


@chooses_tokenizer("ref", "against", "train")
def choices(
    store: Store,
    ref: Benchmark,
    *,
    against: p.Against = None,
    train: Train = None,
    metrics: p.Metrics = None,
    order: Order = 3,
    folds: Folds = 5,
    confidence: p.Confidence = 0.95,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """How often the right one of two captions is chosen, by scorers that never see the image.

    Each item is a caption that is right of an image and one that is wrong. Blind scorers choose by length, by
    punctuation, by the alphabet, by a bigram model without smoothing (and its harmonic and geometric means), by a
    smoothed language model, by whether a training caption is the same, and by a linear model that is trained on the
    items of other images. bag-of-words is no scorer but a ceiling: what is left to one that knows the right words and
    nothing of their order. Metrics score both captions against the image's other captions; votes are those of people
    who checked the items.

    How to read it: half of the items is chance. A blind scorer far above it tells what a system may have learnt in
    place of seeing: compare systems with the best blind scorer, never with one half alone. A tie is half right; `ties`
    counts them.

    Limits: a blind scorer that is right does not make an item wrong, and one at chance does not prove that nothing
    blind would do better. The language models are as good as their training captions. Intervals are over images.

    Source: Hodosh & Hockenmaier 2016; Hsieh et al. 2023 for the kinds of distractors.

    Rows: dataset, version, split, part, scorer, kind, n, right, wrong, ties, missing, accuracy, low, high, p, signature.

    Raises `UsageError` where a dataset holds no items.

    Example: auditor choices sugarcrepe --against coco-val2017 -m cider
    """
    selection = versions.resolve(store, ref, split)
    at_work, items = _items(store, selection, tokenizer, seed, folds)
    notes: list[Said] = []
    trained = _trained(store, selection, train, notes)
    read = [selection, *([trained] if trained else [])]
    tokens.provide(store, read, tokenizer, tokenizer_of(tokenizer), progress)
    version = trained.version if trained else None
    at_work.params |= {
        "trained_dataset": version.dataset if version else "",
        "trained_seq": version.seq if version else 0,
        "trained_split": trained.split if trained else None,
    }
    scored = [*_blind(at_work, items, order, has_model=trained is not None), *_people(items)]
    signed = {
        one.name: str(Signature(one.name, {"tok": tokenizer, "seed": seed, "ties": "half"}, _VERSION)) for one in scored
    }
    for one, signature in _metrics(store, selection, items, against, metrics, tokenizer, notes, progress):
        scored.append(one)
        signed[one.name] = signature
    rows = _rows(selection, items, scored, signed, confidence)
    return Result(
        "choices",
        rows,
        selections=(selection,),
        signatures=signed,
        tables=_tables(selection, rows),
        figures=(_figure(selection, rows),),
        notes=notes_in(notes),
        findings=findings_in(notes),
    )


def _items(store: Store, selection: Selection, tokenizer: str, seed: int, folds: int) -> tuple[Workspace, pl.DataFrame]:
    version = selection.version
    at_work = Workspace(
        store,
        dataset=version.dataset,
        seq=version.seq,
        split=selection.split,
        profile=tokenizer,
        seed=seed,
        folds=folds,
    )
    at_work.bind("annotated", "annotation_as_of")
    items = at_work.rows("choice_item")
    if items.is_empty():
        raise UsageError(
            f"{selection.label}: holds no forced-choice items (it is of kind {version.kind}); "
            "`auditor ingest NAME --format choices` reads them"
        )
    return at_work, items


def _trained(store: Store, selection: Selection, train: str | None, notes: list[Said]) -> Selection | None:
    """Find what language models are trained on, or say that there is nothing."""
    if train is not None:
        return versions.resolve(store, train)
    try:
        chosen, _ = references_of(store, selection)
    except UsageError as error:
        notes.append(f"no language model: {error}; --train names captions to train on")
        return None
    notes.append(f"language models are trained on {chosen.label}, without the images of the items")
    return chosen


def _blind(at_work: Workspace, items: pl.DataFrame, order: int, *, has_model: bool) -> Iterator[Scored]:
    rows = at_work.rows("choice_surface")
    for name, of, scores in blind.surface(rows):
        if has_model or of != blind.COPY:
            yield Scored(name, "ceiling" if name == "bag-of-words" else "blind", of, scores)
    if has_model:
        for name, of, scores in blind.models(at_work, items, order):
            yield Scored(name, "blind", of, scores)
    yield Scored("learnt", "blind", blind.LEARNT, learnt(at_work.rows("choice_feature")))


def _people(items: pl.DataFrame) -> Iterator[Scored]:
    votes = items.select("item_no", right="votes_right", wrong="votes_wrong").cast(blind.SCHEMA)
    if votes["right"].null_count() < votes.height:
        yield Scored("people", "people", "people", votes)


def _metrics(
    store: Store,
    selection: Selection,
    items: pl.DataFrame,
    against: str | None,
    metric_names: Sequence[str] | None,
    tokenizer: str,
    notes: list[Said],
    progress: Progress,
) -> Iterator[tuple[Scored, str]]:
    """Score both captions by metrics, against the other captions of the image."""
    try:
        references, said = references_of(store, selection, against)
    except UsageError as error:
        if against is not None or metric_names:
            raise
        notes.append(f"no metrics: {error}")
        return
    notes += said
    wanted, left = scorable(store, references, requests(metric_names), metric_names)
    notes += left
    tokens.provide(store, [references], tokenizer, tokenizer_of(tokenizer), progress)
    system = output_of(selection)
    asked = CandidateSet(system.name, "candidate_choice", system.params, drawn_from=system.drawn_from)
    scores = score_candidates(store, references, tokenizer, [asked], wanted, progress)
    named = signatures(wanted, tokenizer, References("loo"))
    for metric in wanted:
        better = -1.0 if metric.metric.lower_is_better else 1.0
        of = scores.select("image", "slot", score=pl.col(metric.label) * better)
        sides = items.select("item_no", "image", "slot_right", "slot_wrong")
        for side in ("right", "wrong"):
            renamed = of.rename({"slot": f"slot_{side}", "score": side})
            sides = sides.join(renamed, on=["image", f"slot_{side}"], how="left", maintain_order="left")
        yield (
            Scored(metric.label, "metric", "metric", sides.select(*blind.SCHEMA).cast(blind.SCHEMA)),
            named[metric.label],
        )


def _rows(
    selection: Selection, items: pl.DataFrame, scored: Sequence[Scored], signed: dict[str, str], confidence: float
) -> pl.DataFrame:
    parts = items["part"].unique(maintain_order=True).to_list()
    images = items.select("item_no", "part", image=pl.col("image").rank("dense").cast(pl.Int64))
    rows = []
    for one in scored:
        judged = images.join(one.scores, on="item_no", how="left", maintain_order="left")
        for part in [*parts, *([ALL] if len(parts) > 1 else [])]:
            own = judged if part == ALL else judged.filter(part=part)
            known = own.filter(pl.col("right").is_not_null() & pl.col("wrong").is_not_null())
            right = int((known["right"] > known["wrong"]).sum())
            ties = int((known["right"] == known["wrong"]).sum())
            told = (None, None, None, None)
            if known.height:
                credits = np.where(known["right"] == known["wrong"], 0.5, known["right"] > known["wrong"])
                of = share(credits.astype(np.float64), known["image"].to_numpy(), confidence)
                told = (of.value, of.low, of.high, of.p)
            rows.append(
                (part, one.name, one.kind, known.height, right, known.height - right - ties, ties,
                 own.height - known.height, *told, signed[one.name])
            )  # fmt: skip
    counts = dict.fromkeys(("n", "right", "wrong", "ties", "missing"), pl.Int64)
    values = dict.fromkeys(("accuracy", "low", "high", "p"), pl.Float64)
    names = {"part": pl.String, "scorer": pl.String, "kind": pl.String}
    frame = pl.DataFrame(rows, schema={**names, **counts, **values, "signature": pl.String}, orient="row")
    version = selection.version
    return frame.select(
        pl.lit(version.dataset).alias("dataset"),
        pl.lit(version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.all(),
    )


def _tables(selection: Selection, rows: pl.DataFrame) -> tuple[Table, ...]:
    shown = rows.pivot("part", index=["scorer", "kind"], values="accuracy", maintain_order=True)
    return (
        Table(
            f"share of items of {selection.label} in which the right caption is chosen",
            shown,
            caption="one half is chance; a tie is half right",
            digits=tuple((name, 3) for name in shown.columns[2:]),
            name="choices",
        ),
    )


def _figure(selection: Selection, rows: pl.DataFrame) -> Figure:
    last = rows["part"].unique(maintain_order=True).to_list()[-1]
    return Figure(
        "choices",
        f"Right choices without the image: {selection.label}, {last}",
        "bars",
        rows.filter(part=last).select("scorer", "accuracy", "low", "high", "kind"),
        x="scorer",
        y="accuracy",
        series="kind",
        low="low",
        high="high",
        y_label="share of items",
    )
