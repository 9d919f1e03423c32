"""How well forced-choice items are told without their images, by metrics, by people, and by systems."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.files.rows import check_path, write_rows
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Said, Signature, findings_in, folded, notes_in
from auditor.scoring.references import references_of
from auditor.store import versions
from auditor.store.captions import Captions, select
from auditor.store.connection import Store
from auditor.store.workspace import Workspace
from auditor.studies.choices import blind, by_metric, given
from auditor.studies.choices.blind import Battery
from auditor.studies.choices.fair import FairSubset, fair_subset
from auditor.studies.choices.found import findings
from auditor.studies.choices.rows import ALL, FAIR
from auditor.studies.choices.rows import rows as rows_of
from auditor.studies.choices.scored import BLIND, CEILING, PEOPLE, SCHEMA, SIDES, Scored, marks, outcomes
from auditor.studies.choices.tables import figure, lead, tables
from auditor.text import AUTO

#: Of what rows say of a scorer, and of which items are blind-fair.
_VERSION, _FAIR_VERSION = 2, 1

#: What no scorer may be called, for columns are.
_TAKEN = ("item_no", "item", "part", "image", "expected")

#: How many annotators confirm a right caption, where VALSE counts an item as valid.
_CONFIRMED = 2

_BLIND_FAIR, _ANSWERS = "items of the blind-fair subset", "answers"


Benchmark = Annotated[str, p.Parameter("Forced-choice items: a dataset of kind choices.", metavar="NAME")]

Train = Annotated[
    str | None,
    p.Parameter(
        "Captions that language models are trained on, without the images of the items; default: those of --against."
    ),
]

Scores = Annotated[
    Sequence[Path] | None, p.Parameter("File of a system's scores or answers, by item; repeat for more.", "scores")
]

Order = Annotated[int, p.Parameter("Length of the smoothed model's n-grams.", least=2, most=5)]

Unseen = Annotated[
    float,
    p.Parameter(
        "Probability that the unsmoothed model gives a pair of neighbors that it never saw; 0: impossible.",
        least=0,
        most=1,
    ),
]

Folds = Annotated[
    int, p.Parameter("Parts of the images; the learner is asked of each but the first.", least=2, most=100)
]

Errors = Annotated[int, p.Parameter("Errors shown of each scorer.", least=0)]

Confidence = Annotated[float, p.Parameter("Confidence of the intervals.")]

Fair = Annotated[Path | None, p.Parameter("Write the blind-fair subset to FILE.csv or FILE.jsonl.")]

Answers = Annotated[Path | None, p.Parameter("Write every item with all scores to FILE.csv or FILE.jsonl.")]

Confirmed = Annotated[
    int | None, p.Parameter("Keep items whose right caption so many annotators confirmed; default: all.", least=1)
]

Force = Annotated[bool, p.Parameter("Replace files that are there.")]


def choices(
    store: Store,
    ref: Benchmark,
    *,
    against: p.Against = None,
    train: Train = None,
    metrics: p.Metrics = None,
    scores: Scores = None,
    confirmed: Confirmed = None,
    order: Order = 3,
    unseen: Unseen = 0.0,
    folds: Folds = 10,
    errors: Errors = 2,
    fair: Fair = None,
    answers: Answers = None,
    force: Force = False,
    confidence: Confidence = 0.95,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Measure how far two-choice items are solvable blind.

    Each item is a caption that is right of an image and one that is wrong. Some have two right captions: such an item
    is right only if both score higher than the wrong one, and chance is 1/3. Blind scorers choose by length, by the
    final full stop, by the alphabet, by a bigram model without smoothing (and the harmonic and geometric means of its
    probabilities), by a smoothed language model (as a whole, and a token), by whether a training caption is the same,
    and by a linear model that is learnt from items of other images (one tenth of the images after the other is asked of
    a model of those before). bag-of-words is no scorer but a ceiling: what is left to one that knows the right words
    and nothing of their order. Metrics score all captions against the image's other captions; people are the votes of
    those who checked the items. Systems come by --scores, CSV, TSV, JSON lines or Parquet: columns item, right, wrong
    (the scores of both captions); or image, right, wrong (the captions), right_score, wrong_score; or correct (1, 0) in
    the place of both scores. A second right caption has its score in right2, or right2_score. Model names the system,
    where a file has several.

    Some benchmarks publish how many annotators confirmed each right caption, and count only items with two of three
    votes (VALSE). --confirmed 2 keeps these; without it all items count, and a note reports how many have fewer.

    The blind-fair subset is drawn part by part: of the blind scorer that is farthest from chance, as many items are
    kept on which it is right as on which it errs; then of the next that is still beyond chance, together with the
    first; and so on until none is, in no part and in all together.

    How to read it: half of the items is chance, or a third where both of two right captions must win (`expected`). A
    blind scorer far above it tells what a system may have learnt in place of seeing: compare systems with the best
    blind scorer, never with chance alone; `gap` is how far each is ahead of it. A tie counts as a guess among the
    captions that tie, half right or a third; `ties` counts them. --fair writes a subset that no blind scorer here
    decides beyond chance.

    Limits: a blind scorer that is right does not make an item wrong, and one at chance does not prove that nothing
    blind would do better: another learner may find more, in the blind-fair subset too. The best of many is a little
    better than it would be on other items. Language models are as good as their training captions, from which the
    images of the items are left out. Intervals and tests are over images; `gap_p` tests all blind scorers at once, for
    the best of them on these items would look better than it is.

    Source: Hodosh & Hockenmaier 2016, and Hsieh et al. 2023 for hard distractors; that benchmarks of this kind are
    decided without images was noticed before (Udandarao et al. 2025; issue 10 of sugar-crepe, issue 5314 of mteb).

    A row is a scorer on a part: dataset, version, split, part, scorer, kind, by (what it goes by), n, right, wrong,
    ties, missing, accuracy, low, high, p (that chance alone is as far from what it gets right), expected (what chance
    gets right), best_blind, gap (how far ahead of it), gap_p, people_gap, people_p; chance, blind, people: above, below
    or no different; signature.

    Raises `UsageError` where a dataset holds no items, or none that is confirmed, `SourceError` for scores that cannot
    be read.

    Examples: auditor choices sugarcrepe -m cider · auditor choices sugarcrepe --scores clip.csv --fair fair.csv
    """
    if not 0 < confidence < 1:
        raise UsageError(f"--confidence {confidence:g}: expected a number between 0 and 1")
    for file, what in ((fair, _BLIND_FAIR), (answers, _ANSWERS)):
        if file is not None:
            check_path(file, what, force=force)
    captions = select(store, ref, split, tokenizer, beside=(against, train), progress=progress)
    selection, tokenizer = captions.selection, captions.tokenizer
    notes: list[Said] = [*captions.notes]
    workspace, items = _items(captions, seed, folds, confirmed, notes)
    trained = _trained(store, selection, train or against, notes)
    if trained:
        captions.like(trained).tokenize(progress)
    trained = _bind_training(workspace, trained, notes)
    texts = workspace.rows("choice_text")
    battery = Battery(order, unseen, folds, seed)
    scored = [*blind.scorers(workspace, items, battery, trained_on=trained.pinned_name if trained else None)]
    scored += _people(items)
    scored += by_metric.scorers(captions, items, against, metrics, notes, progress)
    for file in scores or ():
        scored += given.scorers(file, texts, selection, notes)
    _check_names(scored)
    ends = outcomes(items, scored)
    marked = marks(ends)
    signed = {scorer.name: _signature(scorer, tokenizer, confirmed) for scorer in scored}
    subset = fair_subset(workspace, ends, [scorer.name for scorer in scored if scorer.kind == BLIND])
    kept = marked.join(subset.items, on="item_no", how="semi", maintain_order="left")
    told = rows_of(selection, marked, kept, scored, signed, confidence, seed)
    if fair is not None:
        write_rows(_fair_rows(selection, items, subset, battery, confirmed), fair)
    if answers is not None:
        write_rows(_answers(items, texts, scored, subset), answers)
    alike = marked.filter(
        pl.col(next(scorer.name for scorer in scored if scorer.kind == CEILING)).is_between(0, 1, closed="none")
    )
    examples = (
        items.join(texts.drop("item", "image"), on="item_no").join(alike, on="item_no", how="semi").sort("item_no")
    )
    return Result(
        "choices",
        told,
        selections=(selection, *([trained] if trained else [])),
        signatures=signed,
        tables=folded(tables(selection, told, marked, scored, texts, subset, kept, errors), "choices", "against-blind"),
        figures=(figure(selection, told),),
        lead=lead(selection, told),
        notes=notes_in(notes),
        findings=(*findings_in(notes), *findings(selection, told, examples)),
    )


def _items(
    captions: Captions, seed: int, folds: int, confirmed: int | None, notes: list[Said]
) -> tuple[Workspace, pl.DataFrame]:
    """Find the items at work; `notes` report how many of those with votes are confirmed."""
    selection = captions.selection
    workspace = captions.workspace(seed=seed, folds=folds, confirmed=None)
    workspace.bind("annotated", "annotation_as_of")
    items = workspace.rows("choice_item")
    if items.is_empty():
        raise UsageError(
            f"{selection.label}: holds no forced-choice items (it is of kind {selection.version.kind}); `auditor "
            "ingest NAME --from FILE` reads them, `auditor distractors` makes some"
        )
    notes += _confirmed(selection, items["votes_right"], confirmed)
    workspace.params["confirmed"] = confirmed
    called = pl.col("part")
    return workspace, workspace.rows("choice_item").with_columns(
        part=pl.when(called.is_in([ALL, FAIR])).then("part " + called).otherwise(called)
    )


def _confirmed(selection: Selection, votes: pl.Series, least: int | None) -> list[str]:
    """Report how many items annotators confirmed. Raises `UsageError` where they are asked for and there are none."""
    kept = int((votes >= (least or _CONFIRMED)).sum())
    if votes.null_count() == len(votes):
        if least is None:
            return []
        raise UsageError(f"{selection.label}: has no votes of annotators on its items; leave --confirmed out")
    if least is None:
        left = len(votes) - kept
        said = f"fewer than {_CONFIRMED} annotators confirmed {left:,} of {len(votes):,} right captions"
        return [f"{selection.label}: {said}; --confirmed {_CONFIRMED} leaves these items out"] if left else []
    if not kept:
        raise UsageError(f"{selection.label}: no right caption has {least} votes or more")
    said = f"{kept:,} of {len(votes):,} items count: at least {least} annotators confirmed their right caption"
    return [f"{selection.label}: {said}"]


def _trained(store: Store, selection: Selection, named: str | None, notes: list[Said]) -> Selection | None:
    """Find what language models are trained on, or say that there is nothing."""
    if named is not None:
        return versions.resolve(store, named)
    try:
        chosen, _ = references_of(store, selection)
    except UsageError as error:
        notes.append(
            f"no language model and no copies of training captions: {error}; --train names captions to train on"
        )
        return None
    notes.append(f"language models are trained on {chosen.label}, without the images of the items")
    return chosen


def _bind_training(workspace: Workspace, trained: Selection | None, notes: list[Said]) -> Selection | None:
    """Name the training captions to the SELECTs; without any, they find none, and there is nothing to train on."""
    workspace.params |= {
        "trained_dataset": trained.version.dataset if trained else "",
        "trained_seq": trained.version.seq if trained else 0,
        "trained_split": trained.split if trained else None,
    }
    if trained is None or workspace.rows("trained_caption").height:
        return trained
    notes.append(
        f"no language model: all images of {trained.label} are those of the items; --train names other captions"
    )
    return None


def _people(items: pl.DataFrame) -> list[Scored]:
    """Take the votes of those who checked the items as a scorer, where there are any."""
    votes = items.select("item_no", right="votes_right", right2=None, wrong="votes_wrong").cast(SCHEMA)
    return [] if votes["right"].null_count() == votes.height else [Scored(PEOPLE, PEOPLE, "votes", votes)]


def _check_names(scored: Sequence[Scored]) -> None:
    """Raise `UsageError` where two scorers have one name, or one that is taken."""
    names = [*_TAKEN, *(scorer.name for scorer in scored)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise UsageError(f"--scores: two scorers are called {twice!r}; name the system otherwise, in column model")


def _signature(scored: Scored, tokenizer: str, confirmed: int | None) -> str:
    settings = {"tok": tokenizer, **scored.settings, "ties": "half"}
    return _with_confirmed(scored.signature or str(Signature(f"choices-{scored.name}", settings, _VERSION)), confirmed)


def _with_confirmed(signature: str, confirmed: int | None) -> str:
    """Add to a signature which items count, where not all do."""
    head, bar, version = signature.rpartition("|")
    return signature if confirmed is None else f"{head}|confirmed:{confirmed}{bar}{version}"


def _fair_rows(
    selection: Selection, items: pl.DataFrame, subset: FairSubset, battery: Battery, confirmed: int | None
) -> pl.DataFrame:
    """Name the items of the subset, each with the rule that kept it."""
    rules = [
        (part, f"as many items right as wrong by {' and '.join(by)}" if by else "no blind scorer is beyond chance")
        for part, by in subset.balanced_by.items()
    ]
    rule = pl.DataFrame(rules, schema={"part": pl.String, "rule": pl.String}, orient="row")
    signed = str(Signature("blind-fair", {"of": selection.pinned_name, "seed": battery.seed}, _FAIR_VERSION))
    return (
        items.join(subset.items, on="item_no", how="semi", maintain_order="left")
        .select("item", "part", "image")
        .join(rule, on="part", how="left", maintain_order="left", nulls_equal=True)
        .with_columns(pl.lit(_with_confirmed(signed, confirmed)).alias("signature"))
    )


def _answers(items: pl.DataFrame, texts: pl.DataFrame, scored: Sequence[Scored], subset: FairSubset) -> pl.DataFrame:
    """Put the scores of all scorers beside each item: columns SCORER/right and SCORER/wrong."""
    shown = items.select("item_no", "item", "part", "image").join(
        texts.drop("item", "image"), on="item_no", maintain_order="left"
    )
    shown = shown.with_columns(pl.col("item_no").is_in(subset.items["item_no"].implode()).alias("blind_fair"))
    for scorer in scored:
        named = scorer.scores.rename({side: f"{scorer.name}/{side}" for side in SIDES})
        shown = shown.join(named, on="item_no", how="left", maintain_order="left")
    has_two = items["right2_id"].null_count() < items.height
    return shown.drop("item_no", *([] if has_two else ["right2_text", *(f"{scorer.name}/right2" for scorer in scored)]))
