"""List words of human captions that systems lack, overall or for an image, and words that only systems use.

Van Miltenburg, Elliott & Vossen 2018, sections 3.3 and 3.4 (global and local ranking of omitted words) and 5.1 (local
precision).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Literal

import polars as pl

from auditor import parameters as p
from auditor.asking import question
from auditor.model import Progress, Selection, silent
from auditor.result import Finding, Result, Signature, Table, about, counted, joined
from auditor.store.captions import EVALUATION, select_all, selections_of, stamp
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.studies.diversity.content_words import content_of, pairings
from auditor.studies.diversity.measuring import captions_and_known
from auditor.studies.diversity.overall import use, workspace
from auditor.studies.diversity.per_image import shared_notes, unlike_images
from auditor.studies.diversity.settings import AllImages, Pipeline, WordSettings, settled
from auditor.text import AUTO

_VERSION = 1

_SHOWN = 20

_TOGETHER = "all systems together"

#: The columns of the dataset, null in rows about several.
_UNNAMED = tuple(pl.lit(None, pl.String).alias(name) for name in ("dataset", "version", "split"))

_MISSED = ("absolute", "relative", "relative-floor")

Against = Annotated[
    str,
    p.Parameter(
        "B: another dataset; by training: the training data; by image: human captions of the same images.",
        completes="dataset",
    ),
]

_By = p.Parameter(
    "corpus: words more or less frequent than in B; training: learnable words that are never used; image: words of the "
    "image's human captions."
)

ByCorpus = Annotated[Literal["corpus"], _By]

ByTraining = Annotated[Literal["training"], _By]

ByImage = Annotated[Literal["image"], _By]

Evaluation = Annotated[str, p.Parameter("Human captions of the same images, which learnable words must be in.", "eval")]

Minimum = Annotated[
    int,
    p.Parameter(
        "Least number of occurrences; by corpus: in both together (5); by image: of each system (10).", least=1
    ),
]

_NUMBER = p.Parameter("Number of words in each ranking; default: 20 by training, all by image.", least=1)

Ranked = Annotated[int, _NUMBER]

Number = Annotated[int | None, _NUMBER]

Importance = Annotated[int, p.Parameter("Number of human captions that must have a word.", least=1)]

Words = Annotated[Sequence[str], p.Parameter("Always include this word; repeat for more.", "word")]


@question
def omitted_words(
    store: Store,
    *refs: p.Refs,
    against: Against,
    evaluation: Evaluation,
    by: ByTraining = "training",
    number: Ranked = 20,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    all_images: AllImages = False,
    progress: Progress = silent,
) -> Result:
    """List words that systems could have learned but never use, for `auditor words --by training`."""
    settings, notes = settled(store, refs, WordSettings(tokenizer), against, evaluation, split)
    tokenizer = settings.resolved_tokenizer
    selected, known = captions_and_known(store, refs, against, evaluation, split, tokenizer, progress)
    selections = selections_of(selected)
    relations = workspace(store, replace(settings, all_images=all_images), known)
    parts: list[tuple[Selection | None, pl.DataFrame, int]] = []
    for done, selection in enumerate(selections):
        progress(f"{selection.label}: omitted words", done, len(selections))
        own = use(relations, selection)
        omitted = own.rows("omitted_word").drop("token_id")
        parts.append((selection, omitted, own.rows("learnable_word").height))
    if len(selections) > 1:
        by_word = pl.concat(words for _, words, _ in parts).group_by("word", "trained")
        counts = by_word.agg(pl.col("evaluated").min(), omitting=pl.len())
        together = counts.filter(omitting=len(selections)).drop("omitting")
        parts.append((None, together, min(learnable for _, _, learnable in parts)))
    ranked = [(selection, _twice_ranked(words)) for selection, words, _ in parts]
    findings = []
    for of, words, learnable in parts:
        who, omits = of.label if of else _TOGETHER, {"omitted": words.height}
        sentence = f"{who}: {words.height:,} of {learnable:,} learnable words are omitted"
        findings.append(Finding("omitted-words", sentence, about(of) if of else {}, omits, learnable))
    images = "all" if all_images else "shared"
    parameters = {"tok": tokenizer, "words": "letters-or-digits", "ties": "word", "images": images}
    signature = Signature("omitted", parameters, 2)
    return Result(
        "words",
        pl.concat(_omitted_rows(selection, words, number, str(signature)) for selection, words in ranked),
        selections=(*selections, *(selection for selection in (known.training, known.evaluation) if selection)),
        signatures={"omitted": str(signature)},
        tables=tuple(_omitted_table(selection, words, number) for selection, words in ranked),
        notes=tuple(notes),
        findings=tuple(findings),
    )


def _twice_ranked(words: pl.DataFrame) -> pl.DataFrame:
    for column, rank in (("evaluated", "evaluated_rank"), ("trained", "rank")):
        words = words.sort(column, "word", descending=[True, False]).with_row_index(rank, offset=1)
    return words


def _omitted_rows(selection: Selection | None, words: pl.DataFrame, number: int, signature: str) -> pl.DataFrame:
    rows = words.filter((pl.col("rank") <= number) | (pl.col("evaluated_rank") <= number)).select(
        pl.lit("omitted").alias("statistic"), "word", "trained", "evaluated", "rank", "evaluated_rank",
        pl.lit(signature).alias("signature"),
    )  # fmt: skip
    return stamp(selection, rows) if selection else rows.select(*_UNNAMED, pl.all())


def _omitted_table(selection: Selection | None, words: pl.DataFrame, number: int) -> Table:
    by_training = words.head(number).select(pl.col("rank"), "word", "trained")
    by_evaluation = words.sort("evaluated_rank").head(number).select(pl.col("word").alias("word "), "evaluated")
    who = f"{selection.label} does not use" if selection else "no system uses"
    title = f"learnable words that {who}, by frequency in training and evaluation data"
    return Table(title, pl.concat([by_training, by_evaluation], how="horizontal"), name="omitted-words")


@question
def missed_words(
    store: Store,
    *refs: p.Refs,
    against: Against,
    by: ByImage = "image",
    number: Number = None,
    minimum: Minimum = 10,
    importance: Importance = 5,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    references: p.References = None,
    seed: p.Seed = 1,
    pipeline: Pipeline = None,
    function_words: p.FunctionWords = None,
    progress: Progress = silent,
) -> Result:
    """List words of an image's human captions that systems miss, for `auditor words --by image`."""
    settings = WordSettings(tokenizer, seed, references, pipeline, function_words)
    chosen, notes = settled(store, refs, settings, None, against, split)
    selected = select_all(store, refs, split, chosen.resolved_tokenizer, progress=progress)
    described = selected[0].like(resolve(store, against))
    humans, systems = described.selection, selections_of(selected)
    content = content_of(chosen)
    paired, missed, claimed = [], [], []
    for pairing in pairings(selected, described, content, chosen, progress):
        paired.append(pairing)
        recalled = pairing.workspace.rows("recall_by_word", importance=importance)
        missed.append(recalled.rename({"missed": "times", "recalled": "otherwise"}))
        precise, times = pairing.workspace.rows("precision_by_word"), pl.col("generated") - pl.col("supported")
        claimed.append(precise.select("word", times=times, otherwise="supported"))
    omitted, unsupported = _together(missed), _together(claimed)
    ranked = {
        "absolute": _ranked(omitted, "times"),
        "relative": _ranked(omitted, "value"),
        "relative-floor": _ranked(omitted.filter(pl.col("least") >= minimum), "value"),
        "unsupported": _ranked(unsupported, "times"),
        "unsupported-relative": _ranked(unsupported, "value"),
        "unsupported-floor": _ranked(unsupported.filter(pl.col("least") >= minimum), "value"),
    }
    lacking = f"{humans.label}: no word is in {importance} captions of an image, so none can be missed"
    rules = [*dict.fromkeys(pairing.refs.rule for pairing in paired)]
    parameters = {
        "tok": chosen.resolved_tokenizer, **paired[0].refs.parameters, "refs": "+".join(rules),
        "content": content.label, "importance": importance, "floor": minimum, "eval": humans.pinned_name,
    }  # fmt: skip
    signature = str(Signature("missed", parameters, _VERSION))
    return Result(
        "words",
        _rows(humans, {name: words.head(number or words.height) for name, words in ranked.items()}, signature),
        selections=(*systems, *(() if humans in systems else (humans,))),
        signatures={"missed": signature},
        tables=tuple(_tables(ranked, importance, minimum, number or _SHOWN)),
        notes=(*notes, *shared_notes(paired), *([] if omitted.height else [lacking])),
        findings=tuple(unlike_images(paired)),
        lead=(
            f"{joined([system.label for system in systems])}: {counted(omitted.height, 'word is', 'words are')} missed,"
            f" and {unsupported.height:,} used that no human caption of the image has.",
        ),
    )


def _together(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Add up the systems. Columns: word, times, occurrences, value, least (of any system; 0 if a system lacks it)."""
    occurrences = pl.col("times") + pl.col("otherwise")
    least = pl.when(pl.len() == len(parts)).then(occurrences.min()).otherwise(0)
    by_word = pl.concat(parts).group_by("word")
    words = by_word.agg(pl.col("times").sum(), occurrences=occurrences.sum(), least=least)
    return words.with_columns(value=pl.col("times") / pl.col("occurrences"))


def _ranked(counted: pl.DataFrame, by: str) -> pl.DataFrame:
    """Rank the words that were missed or made up at least once, the highest first."""
    words = counted.filter(pl.col("times") > 0).sort(by, "occurrences", "word", descending=[True, True, False])
    return words.select(pl.int_range(1, pl.len() + 1).alias("rank"), "word", "times", "occurrences", "value")


def _rows(humans: Selection, ranked: Mapping[str, pl.DataFrame], signature: str) -> pl.DataFrame:
    rows = pl.concat(
        words.select(
            pl.lit("missed" if ranking in _MISSED else "unsupported").alias("statistic"), "value",
            pl.lit(ranking).alias("ranking"), "rank", "word", "times", "occurrences",
        )
        for ranking, words in ranked.items()
    )  # fmt: skip
    named = stamp(humans, rows, EVALUATION).select(*_UNNAMED[:2], pl.exclude(EVALUATION), *EVALUATION)
    return named.with_columns(pl.lit(signature).alias("signature"))


def _tables(ranked: Mapping[str, pl.DataFrame], importance: int, floor: int, number: int) -> list[Table]:
    titles = {
        f"words in {importance} captions of an image that systems miss": {
            "absolute": "most often", "relative": "in the largest share", "relative-floor": f"of {floor} or more",
        },
        "words of systems that no human caption of the image has": {
            "unsupported": "most often", "unsupported-relative": "in the largest share",
            "unsupported-floor": f"of {floor} or more",
        },
    }  # fmt: skip
    tables = {
        title: [_column(ranked[name], shown, number) for name, shown in columns.items()]
        for title, columns in titles.items()
    }
    return [Table(title, pl.concat(parts, how="horizontal"), name="missed-words") for title, parts in tables.items()]


def _column(words: pl.DataFrame, shown: str, number: int) -> pl.DataFrame:
    """Return the first words of a ranking, each with its count and its number of occurrences."""
    first = words.head(number).select(pl.format("{} {}/{}", "word", "times", "occurrences").alias(shown))
    return first.select(pl.all().extend_constant(None, number - first.height))
