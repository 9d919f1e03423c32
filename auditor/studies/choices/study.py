"""How many forced-choice items are solved without the image, by metrics, by annotators, and by systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, get_args

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.called import call
from auditor.errors import UsageError
from auditor.files.rows import check_path, write_rows
from auditor.model import Progress, Selection, silent
from auditor.result import Result, Said, Signature, folded
from auditor.scoring.references import references_of
from auditor.store import versions
from auditor.store.captions import Captions, select
from auditor.store.connection import Store
from auditor.store.matching import match
from auditor.store.workspace import Workspace
from auditor.studies.choices import blind, given
from auditor.studies.choices.blind import findings
from auditor.studies.choices.rows import (
    ALL,
    BLIND,
    CEILING,
    FAIR,
    PEOPLE,
    SCHEMA,
    SIDES,
    FairSubset,
    Scored,
    fair_subset,
    marks,
    of_sides,
    ranks,
)
from auditor.studies.choices.rows import rows as rows_of
from auditor.studies.choices.tables import figure, lead, tables
from auditor.text import AUTO

#: Versions of the rows of a scorer, and of the blind-fair subset.
_VERSION, _FAIR_VERSION = 2, 2

#: Names of columns, which scorers cannot have.
_TAKEN = ("item_no", "item", "part", "image", "expected")

#: How many annotators must confirm a right caption for a valid item of VALSE.
_CONFIRMED = 2

_BLIND_FAIR, _ANSWERS = "items of the blind-fair subset", "answers"


Benchmark = Annotated[str, p.Parameter("Dataset of forced-choice items (kind choices).", metavar="NAME")]

Train = Annotated[
    str | None,
    p.Parameter(
        "Captions to train language models on, except those of the items' images; default: those of --against."
    ),
]

Scores = Annotated[
    Sequence[Path] | None, p.Input("File with a system's scores or answers per item; repeat for more.", "scores")
]

Order = Annotated[int, p.Parameter("N-gram length of the smoothed model.", least=2, most=5)]

Unseen = Annotated[
    float, p.Parameter("Probability of an unseen bigram in the unsmoothed model; 0: impossible.", least=0, most=1)
]

Folds = Annotated[
    int, p.Parameter("Parts of the images; the linear model is tested on all but the first.", least=2, most=100)
]

Errors = Annotated[int, p.Parameter("Number of errors to show for each scorer.", least=0)]

Fair = Annotated[Path | None, p.Output("Write the blind-fair subset to FILE.csv or FILE.jsonl.")]

Answers = Annotated[Path | None, p.Output("Write every item with all scores to FILE.csv or FILE.jsonl.")]

Confirmed = Annotated[
    int | None,
    p.Parameter("Keep items whose right caption was confirmed by this many annotators; default: all.", least=1),
]

Missing = Annotated[str, replace(get_args(p.Missing)[1], needs="scores")]

Force = Annotated[bool, p.Parameter("Replace existing files.")]


@face(draws=True)
@question
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
    confidence: p.Confidence = 0.95,
    missing: Missing = p.COMMON,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    seed: p.Seed = 1,
    progress: Progress = silent,
) -> Result:
    """Measure how many multiple-choice items need no image.

    Each item has a right and a wrong caption of an image. Or it has a question with 2 to 10 options, such as yes and
    no. Some items have two right captions. Both must then score higher than the wrong one, and chance is 1/3.

    Blind scorers never see the image. They choose:
    - by length, by the final full stop, or by the alphabet
    - by a bigram model without smoothing, also with the harmonic and geometric means of its probabilities
    - by a smoothed language model, in total and per token
    - by whether a training caption is the same
    - by what was right in the tenths of the images before: the answer's text (`answer-prior`), its position
      (`position-prior`), n-grams of options (`option-ngrams`), n-grams of the question (`question-ngrams`)
    - by a linear model of words, trained on items of other images (each tenth is tested with the tenths before)

    bag-of-words is not a scorer but a ceiling, for a scorer that knows the right words but not their order. Metrics
    compare all captions with the other captions of the image. The votes of the annotators who checked the items
    count as a scorer.

    Add systems with --scores FILE (CSV, TSV, JSON lines or Parquet). The columns are item, right and wrong, with the
    scores of both captions. Or use image, right and wrong (the captions), right_score and wrong_score. A column correct
    (1 or 0) can replace both scores. For a second right caption, add right2 or right2_score. If the file has several
    systems, add a column model.

    Some benchmarks publish how many annotators confirmed each right caption. VALSE counts only items with two of three
    votes; --confirmed 2 keeps these. By default all items count, and a note reports how many have fewer votes.

    The blind-fair subset is sampled for each part of the benchmark. It starts with the blind scorer farthest from
    chance, and keeps equally many items that it gets right and wrong. It adds the next scorer that still
    differs from chance, until none does, neither in a part nor overall.

    How to read it: chance is 1 / options, or one third for items with two right captions (`expected`). `majority` is
    the accuracy of the best constant answer, a text or a position. A blind scorer far
    above chance shows what a system may have learned instead of looking at images. So compare systems with the best
    blind scorer, not with chance alone; `gap` is the difference from it. A tie counts as a guess among the tied
    captions; `ties` counts them. --fair writes the items of the blind-fair subset.

    Limits: an item that a blind scorer solves is not wrong. If all blind scorers are at chance, other blind models may
    still do better, also on the blind-fair subset. The best of many scorers looks slightly better than it is.
    Language models depend on their training captions, which exclude the images of the items. Intervals and tests are
    over images. `gap_p` tests all blind scorers at once, since the best one was selected on the same items. It needs 30
    images. Other p-values and intervals need eight images with about equally many items.

    Source: Hodosh & Hockenmaier 2016; Hsieh et al. 2023 for hard distractors. Others found benchmarks that are solvable
    without images (TsT: arXiv 2511.04655; Udandarao et al. 2025; issue 10 of sugar-crepe, issue 5314 of mteb).

    A row is a scorer on a part: dataset, version, split, part, scorer, kind, by, n, right, wrong, ties, missing,
    accuracy, low, high. The rest compares it: p, expected, majority, best_blind, gap, gap_p, people_gap, people_p,
    chance, blind, people, signature. `by` is what the scorer uses. `p` tests the accuracy against chance. `gap` is the
    lead over `best_blind`, `people_gap` the lead over the annotators. The three columns before signature are above,
    below or no different. Systems are compared on items that both have answered, and `own_accuracy` is of all items of
    one. `empty_gap` and `empty_gap_p` count missing answers as wrong.

    Raises `UsageError` if a dataset has no items, or none that is confirmed. Raises `SourceError` for scores that
    cannot be read.

    Examples: auditor choices sugarcrepe -m cider · auditor choices sugarcrepe --scores clip.csv --fair fair.csv
    """
    for file, what in ((fair, _BLIND_FAIR), (answers, _ANSWERS)):
        if file is not None:
            check_path(file, what, force=force)
    captions = select(store, ref, split, tokenizer, beside=(against, train), progress=progress)
    selection, tokenizer = captions.selection, captions.tokenizer
    notes: list[Said] = [*captions.notes]
    workspace, items = _items(captions, seed, folds, confirmed, notes)
    trained = _trained(captions, workspace, train or against, notes, progress)
    texts = workspace.rows("choice_text")
    trained_on = trained.pinned_name if trained else None
    scored = [*blind.scorers(workspace, items, order, unseen, trained_on=trained_on)]
    scored += _people(items)
    sides = workspace.rows("choice_caption")
    scored += given.of_metrics(captions, items, sides, against, metrics, notes, progress)
    for file in scores or ():
        scored += given.scorers(file, texts, items, selection, notes)
    _check_names(scored)
    signed = {scorer.name: _signature(scorer, tokenizer, confirmed) for scorer in scored}
    subset = fair_subset(workspace, ranks(items, scored), [scorer.name for scorer in scored if scorer.kind == BLIND])
    coverage = given.coverage_of(scored, items, missing)

    def counted(some: Sequence[Scored]) -> tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame]:
        marked = marks(ranks(items, some))
        kept = marked.join(subset.items, on="item_no", how="semi", maintain_order="left")
        return marked, kept, rows_of(selection, marked, kept, sides, some, signed, confidence, seed)

    marked, kept, rows = counted(given.on_common(scored, coverage))
    rows = given.beside_others(coverage, rows, lambda some: counted(some)[-1], scored)
    if fair is not None:
        write_rows(_fair_rows(selection, items, subset, seed, confirmed), fair)
    if answers is not None:
        write_rows(_answers(items, texts, scored, subset), answers)
    ties = (pl.col(one.name).is_between(0, 1, closed="none") for one in scored if one.kind == CEILING)
    same_words = marked.filter(pl.any_horizontal(False, *ties))
    examples = items.join(texts.drop("item", "image"), on="item_no").join(same_words, on="item_no", how="semi")
    shown = tables(selection, rows, marked, scored, texts, subset, kept, errors, has_gaps=coverage.has_gaps)
    return Result(
        "choices",
        rows,
        selections=(selection, *([trained] if trained else [])),
        signatures=signed,
        tables=folded(shown, "choices", "against-blind"),
        figures=(figure(selection, rows),),
        lead=(*given.warnings(rows, coverage, confidence), *lead(selection, rows)),
        said=(*notes, *findings(selection, rows, examples.sort("item_no"))),
    )


def _items(
    captions: Captions, seed: int, folds: int, confirmed: int | None, notes: list[Said]
) -> tuple[Workspace, pl.DataFrame]:
    """Return the items of the selection; `notes` report how many of those with votes are confirmed."""
    selection = captions.selection
    workspace = captions.workspace(seed=seed, folds=folds, confirmed=None)
    workspace.bind("annotated", "annotation_as_of")
    items = workspace.rows("choice_item")
    if items.is_empty():
        command = call("ingest", "NAME", files=["FILE"], file_format="choices")
        raise UsageError(
            f"{selection.label}: has no forced-choice items (it is of kind {selection.version.kind}); `{command}` "
            "imports them; for yes or no in text and label: --option question_col=text --option answer_col=label"
        )
    notes += _confirmed(selection, items["votes_right"], confirmed)
    workspace, name = workspace.given(confirmed=confirmed), pl.col("part")
    part = pl.when(name.is_in([ALL, FAIR])).then("part " + name).otherwise(name)
    return workspace, workspace.rows("choice_item").with_columns(part=part)


def _confirmed(selection: Selection, votes: pl.Series, least: int | None) -> list[str]:
    """Report how many items annotators confirmed. Raises `UsageError` if `least` leaves none."""
    kept = int((votes >= (least or _CONFIRMED)).sum())
    if votes.null_count() == len(votes):
        if least is None:
            return []
        raise UsageError(f"{selection.label}: its items have no votes of annotators; leave out --confirmed")
    if least is None:
        left = len(votes) - kept
        count = f"{left:,} of {len(votes):,} right captions were confirmed by fewer than {_CONFIRMED} annotators"
        return [f"{selection.label}: {count}; --confirmed {_CONFIRMED} leaves these items out"] if left else []
    if not kept:
        raise UsageError(f"{selection.label}: no right caption has {least} votes or more")
    count = f"{kept:,} of {len(votes):,} items count: at least {least} annotators confirmed their right caption"
    return [f"{selection.label}: {count}"]


def _trained(
    captions: Captions, workspace: Workspace, named: str | None, notes: list[Said], progress: Progress
) -> Selection | None:
    """Set the training captions of language models for the SELECTs, or note that there are none."""
    trained = None if named is None else versions.resolve(captions.store, named)
    if trained is not None:
        match(captions.store, trained, captions.selection, required=False)
    else:
        try:
            trained = references_of(captions)[0].selection
            notes.append(f"language models are trained on {trained.label}, without the images of the items")
        except UsageError as error:
            notes.append(f"no language models and no copies of training captions: {error}")
    name, seq = (trained.version.dataset, trained.version.seq) if trained else ("", 0)
    workspace.params |= {"trained_dataset": name, "trained_seq": seq, "trained_split": trained and trained.split}
    if trained is None:
        return None
    captions.like(trained).tokenize(progress)
    if workspace.rows("trained_caption").height:
        return trained
    other = call("choices", "NAME", train="DATASET")
    images = f"all images of {trained.label} are in the items"
    notes.append(f"no language models: {images}; name other captions: `{other}`")
    return None


def _people(items: pl.DataFrame) -> list[Scored]:
    """Return the votes of annotators who checked the items as a scorer, if there are any."""
    votes = items.select("item_no", right="votes_right", right2=None, wrong="votes_wrong").cast(SCHEMA)
    is_voted = votes["right"].null_count() < votes.height
    return [Scored(PEOPLE, PEOPLE, "votes", of_sides(votes, items))] if is_voted else []


def _check_names(scored: Sequence[Scored]) -> None:
    """Raise `UsageError` if two scorers have the same name, or one has the name of a column."""
    names = [*_TAKEN, *(scorer.name for scorer in scored)]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        way_out = "set another name of the system in column model"
        raise UsageError(f"--scores: the name {twice!r} is already in use; {way_out}")


def _signature(scored: Scored, tokenizer: str, confirmed: int | None) -> str:
    settings = {"tok": tokenizer, **scored.settings, "ties": "half"}
    return _with_confirmed(scored.signature or str(Signature(f"choices-{scored.name}", settings, _VERSION)), confirmed)


def _with_confirmed(signature: str, confirmed: int | None) -> str:
    """Add the option `confirmed` to a signature, if it is set."""
    head, bar, version = signature.rpartition("|")
    return signature if confirmed is None else f"{head}|confirmed:{confirmed}{bar}{version}"


def _fair_rows(
    selection: Selection, items: pl.DataFrame, subset: FairSubset, seed: int, confirmed: int | None
) -> pl.DataFrame:
    """List the items of the subset, each with the rule that kept it."""
    equally, none = "equally many items right and wrong by", "no blind scorer differs from chance"
    rules = [(part, f"{equally} {' and '.join(by)}" if by else none) for part, by in subset.balanced_by.items()]
    rule = pl.DataFrame(rules, schema={"part": pl.String, "rule": pl.String}, orient="row")
    signed = str(Signature("blind-fair", {"of": selection.pinned_name, "seed": seed}, _FAIR_VERSION))
    kept = items.join(subset.items, on="item_no", how="semi", maintain_order="left").select("item", "part", "image")
    rows = kept.join(rule, on="part", how="left", maintain_order="left", nulls_equal=True)
    return rows.with_columns(signature=pl.lit(_with_confirmed(signed, confirmed)))


def _answers(items: pl.DataFrame, texts: pl.DataFrame, scored: Sequence[Scored], subset: FairSubset) -> pl.DataFrame:
    """Return the items with the scores of all scorers: columns SCORER/right and SCORER/wrong."""
    shown = items.select("item_no", "item", "part", "image")
    shown = shown.join(texts.drop("item", "image"), on="item_no", maintain_order="left")
    shown = shown.with_columns(blind_fair=pl.col("item_no").is_in(subset.items["item_no"].implode()))
    for scorer in scored:
        renamed = scorer.scores.select("item_no", *(pl.col(side).alias(f"{scorer.name}/{side}") for side in SIDES))
        shown = shown.join(renamed, on="item_no", how="left", maintain_order="left")
    has_two = items["right2_id"].null_count() < items.height
    unused = [] if has_two else ["right2_text", *(f"{scorer.name}/right2" for scorer in scored)]
    return shown.drop("item_no", *unused, *(["question"] if items["asked_id"].null_count() == items.height else []))
