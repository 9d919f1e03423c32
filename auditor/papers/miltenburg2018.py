"""Recompute the figures of van Miltenburg, Elliott & Vossen 2018 on their systems and captions in the store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor.called import call, not_stored
from auditor.model import Progress
from auditor.papers.figures import Paper, Quantities, Quantity, Run
from auditor.papers.measured import Measured
from auditor.papers.runs import declared, derived
from auditor.result import Result, Said, Table
from auditor.statistics.correlation import correlate_statistics
from auditor.store.connection import Store
from auditor.store.versions import log, resolve_all
from auditor.studies.diversity import FILE_ORDER, DiversitySettings, captions_and_known, measured
from auditor.text.spacy import pipelines

#: Human captions of the systems' images, and training data: the paper's, or the closest substitute.
_EVALUATION = ("coco-val2014", "coco-val")

_TRAINING = ("coco-train", "coco-train-words")

_PEOPLE, _TRAINED = "val2014", "train2014"

#: The tokenizer of robust values, in random orders.
_ROBUST = "bare"

_PUBLISHED = "as-published"

_DRAWN = "drawn-orders"

#: The systems that figure 1 names; the others are averaged.
_GANS = ("dai2017", "shetty2017")

_CORRELATED = ("asl", "sdsl", "types", "ttr-1", "ttr-2", "novel", "coverage", "recall-5")

#: Statistics that need all of the images.
_OF_ALL_IMAGES = ("types", "types-of-all-lists", "tokens-of-all-lists", "limit", "unlearnable")

#: Statistics of table 3 and figure 7, and those with intervals.
_PHRASES = ("compound", "preposition")

_BOUNDED = ("compound-ratio", "preposition-ratio", "compound-types-2", "prepositional-types-1")

_UNTAGGED = f"compounds and prepositions need a spaCy pipeline: {pipelines.INSTALL}"

#: The proposals of section 5.1, by the names of tables.
_PROPOSED = ("parts-of-speech", "complexity", "rare")

#: The level of quantities on all images of val2014 and words learned from train2014.
_WHOLE = "val2014"

_SCORES = "BLEU and Meteor are from the systems' papers, or from the COCO server for a whole set of captions"

_HALF = "coco-val has about half of the images: `auditor fetch coco-val2014` explains how to obtain all"

_COVERAGE = (
    "coverage is of all words of val2014 that train2014 has. Half of the images (coco-val) have other words, and"
    " coco-train-words includes words of evaluation captions: `auditor fetch coco-val2014 coco-train` explains how to"
    " obtain both"
)

_WORDS = "the store has no captions of the training data: `auditor fetch coco-train` explains how to obtain them"

_ORDER = "the order of captions in its file is unknown: declare the file in datasets.toml, and do not move it"


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure tables 1 to 3 and figures 1, 2 and 4 to 7 as the authors' code does; they need tokenizer `spacy`.

    Table 3 and figure 7 also need a spaCy pipeline. Content words are by its tags, as published, or by a list.

    Human captions are coco-val2014, or the half of it in coco-val; training data is coco-train, or its words.
    """
    systems = [name for name in paper.datasets if log(store, name)]
    evaluation, training = _first(store, _EVALUATION), _first(store, _TRAINING)
    lacking = _lacking(paper, systems, evaluation, training)
    if not systems:
        return Measured({}, lacking)
    people = [evaluation] if evaluation else []
    called = dict.fromkeys(people, _PEOPLE)
    runs = dict(_runs(paper, systems, evaluation, training, every=len(systems) == len(paper.datasets)))
    found, results = declared(store, replace(paper, runs=runs), seed, progress)
    described, *composed = (result for name in ("columns", "composition") for result in results.get(name, ()))
    rows = _beside_robust(store, described, [*systems, *people], evaluation, training, seed, progress)
    rows = rows.with_columns(pl.col("dataset").replace(called))
    unordered = [called.get(name, name) for note in described.found(FILE_ORDER) if (name := str(note.about["dataset"]))]
    values = _in_file_order(rows.filter(pl.col("position").is_null()), unordered)
    absent = _absent(paper, values, evaluation, training, is_tagged=bool(composed))
    quantities = {(called.get(dataset, dataset), *of): value for (dataset, *of), value in found.quantities.items()}
    quantities.update(_printed_words(paper, runs, quantities))
    if len(systems) == len(paper.datasets):
        quantities.update(_correlations(values.filter(pl.col("dataset").is_in(systems))))
    curves, spans = _curves(rows.select("dataset", "position", value="robust").drop_nulls())
    quantities |= curves
    phrases = [each.frame.with_columns(pl.col("dataset").replace(called)) for each in composed]
    bounded = [rows.filter(spread="images"), *(each.filter(pl.col("statistic").is_in(_BOUNDED)) for each in phrases)]
    notes: list[Said] = [*described.notes, *described.findings, *_substitutes(evaluation, training)]
    for each in composed:
        notes += [*each.notes, *each.findings]
    spans |= {of: ends for each in bounded for of, ends in _intervals(each)}
    shown = [table for each in composed for table in each.tables if table.name in _PROPOSED]
    proposed = (replace(table, name=f"section-5.1/{table.name}") for table in shown)
    return Measured(
        {named: value for named, value in derived(paper, quantities).items() if named not in absent},
        lacking,
        tuple(resolve_all(store, [*systems, *people, *([training] if training else [])])),
        found.signatures,
        notes=tuple(notes),
        absent=absent,
        tables=(_table(paper, rows), *proposed),
        intervals=spans,
    )


def of_candidates(store: Store, paper: Paper, candidates: Sequence[str], seed: int, progress: Progress) -> Quantities:
    """Measure the output of other systems as the authors' code measures the nine systems."""
    evaluation, training = _first(store, _EVALUATION), _first(store, _TRAINING)
    columns = dict(_runs(paper, candidates, evaluation, training, every=False))["columns"]
    run = replace(columns, refs=candidates)
    found, _ = declared(store, replace(paper, runs={"columns": run}), seed, progress)
    yield from ((of, value) for of, value in found.quantities.items() if not of[3])


def _runs(
    paper: Paper, systems: Sequence[str], evaluation: str | None, training: str | None, *, every: bool
) -> Iterator[tuple[str, Run]]:
    """Yield the runs that can be asked, on the datasets that are here in place of those that the paper names.

    Words that systems lack need `every` system.
    """
    tagger = pipelines.installed()
    here = {_PEOPLE: evaluation, _TRAINED: training, "tagger": tagger if evaluation else None}
    for name, run in paper.runs.items():
        options = {
            key: here.get(value, value) if isinstance(value, str) else value for key, value in run.options.items()
        }
        refs = [ref for of in run.refs for ref in (systems if of == "systems" else [here.get(of, of)]) if ref]
        lacks = not (every and evaluation and (training or name == "missed"))
        if not (lacks if run.study == "words" else run.study == "syntax" and tagger is None):
            yield (
                name,
                replace(run, refs=refs, options={key: value for key, value in options.items() if value is not None}),
            )


def _beside_robust(
    store: Store,
    described: Result,
    names: Sequence[str],
    evaluation: str | None,
    training: str | None,
    seed: int,
    progress: Progress,
) -> pl.DataFrame:
    """Return the rows as the authors' code measures; column `robust` does not depend on order and whitespace."""
    every, known = captions_and_known(store, names, training, evaluation, None, _ROBUST, progress)
    beside, _ = measured(every, DiversitySettings(_ROBUST, seed=seed), known, {}, progress)
    key = ["dataset", "version", "split", "statistic", "position"]
    values = beside.select(*key, robust="value")
    return described.frame.join(values, on=key, how="left", nulls_equal=True, maintain_order="left")


def _printed_words(paper: Paper, runs: Mapping[str, Run], found: Mapping[Quantity, float]) -> Quantities:
    """Yield for each printed word of table 2 whether it is among the first of its ranking."""
    ranked = {name for run in runs.values() if run.study == "words" for cell in run.cells for name in cell["values"]}
    yield from ((check.of, found.get(check.of, 0.0)) for check in paper.checks if check.of[-1] in ranked)


def _first(store: Store, names: Sequence[str]) -> str | None:
    return next((name for name in names if log(store, name)), None)


def _substitutes(evaluation: str | None, training: str | None) -> list[str]:
    """List the substitutes for the paper's data."""
    notes = [f"{_PEOPLE} is {evaluation} here"] if evaluation else []
    if training == _TRAINING[1]:
        notes.append(
            f"{training} is not a training split. It has the words of about 90% of COCO, also of evaluation captions, "
            "so that learnable, limit and novel-types differ from the paper's"
        )
    return notes


def _lacking(paper: Paper, systems: Sequence[str], evaluation: str | None, training: str | None) -> dict[str, str]:
    """Return what to ingest for the datasets of checks that are not in the store."""
    missing = [name for name in paper.datasets if name not in systems]
    reasons = {name: not_stored(name) for name in missing}
    if evaluation is None:
        reasons[_PEOPLE] = not_stored(_EVALUATION[1])
    if training != _TRAINING[0]:
        reasons[_TRAINED] = not_stored(_TRAINING[0], "fetch")
    reasons[""] = "not all nine systems have both values, or all nine have the same"
    if missing:
        reasons[""] = f"not all nine systems are in the store: `{call('ingest', *missing)}`"
    if evaluation is None or training is None:
        needed = f"needs human captions and words of training data: `{call('ingest', _EVALUATION[1], _TRAINING[1])}`"
        named = (*systems, *([_PEOPLE] if evaluation else []), *([] if missing else [""]))
        reasons |= dict.fromkeys(named, needed)
    return reasons


def _unanswerable(of: Quantity, evaluation: str | None, training: str | None) -> str | None:
    """Return why a quantity of the paper cannot be measured on the available captions."""
    dataset, metric, _, level, _ = of
    if level == _WHOLE and (evaluation, training) != (_EVALUATION[0], _TRAINING[0]):
        return _COVERAGE
    if metric in ("bleu-4", "meteor"):
        return _SCORES
    if training != _TRAINING[0] and {"novel", "known"} & set(metric.split()):
        return _WORDS
    of_all_images = metric in _OF_ALL_IMAGES or (metric.startswith(_PHRASES) and not metric.endswith("-ratio"))
    if dataset == _PEOPLE and evaluation != _EVALUATION[0] and of_all_images:
        return _HALF
    if metric in ("limit", "unlearnable") and training != _TRAINING[0]:
        return _WORDS
    return None


def _in_file_order(rows: pl.DataFrame, unordered: Sequence[str]) -> pl.DataFrame:
    """Return dataset, statistic, value, reason; type-token ratios only if the order in the file is known."""
    lost = pl.col("statistic").str.starts_with("ttr-") & pl.col("dataset").is_in(unordered)
    return rows.select(
        "dataset",
        "statistic",
        value=pl.when(~lost).then("value"),
        reason=pl.when(lost).then(pl.lit(_ORDER)).otherwise("reason"),
    )


def _absent(
    paper: Paper, values: pl.DataFrame, evaluation: str | None, training: str | None, *, is_tagged: bool
) -> dict[Quantity, str]:
    """Return why quantities have no value: a statistic's own reason, data that are not here, or no pipeline."""
    lacking = values.filter(pl.col("value").is_null(), pl.col("reason").is_not_null())
    absent: dict[Quantity, str] = {
        (dataset, statistic, "", "", _PUBLISHED): reason
        for dataset, statistic, reason in lacking.select("dataset", "statistic", "reason").iter_rows()
    }
    for of in (check.of for check in paper.checks):
        untagged = not is_tagged and of[1].startswith(_PHRASES)
        if why := _unanswerable(of, evaluation, training) or (_UNTAGGED if untagged else None):
            absent[of] = why
    return absent


def _intervals(rows: pl.DataFrame) -> Iterator[tuple[Quantity, tuple[float, float]]]:
    """Yield the intervals over images: of the deviation of lengths, of local recall, and of phrases."""
    for dataset, statistic, low, high in (
        rows.drop_nulls("low").select("dataset", "statistic", "low", "high").iter_rows()
    ):
        yield (dataset, statistic, "", "", _PUBLISHED), (low, high)


def _curves(drawn: pl.DataFrame) -> tuple[dict[Quantity, float], dict[Quantity, tuple[float, float]]]:
    """Return the types at each number of tokens, as in figure 1: the other systems as their mean, and its range."""
    value, others = pl.col("value"), drawn.filter(~pl.col("dataset").is_in([*_GANS, _PEOPLE]))
    mean = others.group_by("position", maintain_order=True).agg(value.mean(), low=value.min(), high=value.max())
    named = [*drawn.iter_rows(), *(("other-systems", *row[:2]) for row in mean.iter_rows())]
    ends = {position: (low, high) for position, _, low, high in mean.iter_rows()}
    return (
        {(dataset, f"types-of-{position}-tokens", "", "", _DRAWN): types for dataset, position, types in named},
        {("other-systems", f"types-of-{position}-tokens", "", "", _DRAWN): span for position, span in ends.items()},
    )


def _correlations(values: pl.DataFrame) -> Quantities:
    """Correlate the statistics that all systems have."""
    everywhere = pl.col("value").is_not_null().sum().over("statistic") == pl.col("dataset").n_unique()
    known = values.filter(everywhere).select("dataset", "statistic", "value")
    correlations = correlate_statistics(known, [name for name in _CORRELATED if name in known["statistic"]])
    for a, b, rho in correlations.drop_nulls("value").select("statistic_a", "statistic_b", "value").iter_rows():
        yield ("", f"{a} {b}", "", "", "spearman"), abs(round(rho, 12))


def _table(paper: Paper, rows: pl.DataFrame) -> Table:
    """Return printed values, those of the authors' code, and those without effects of order and punctuation."""
    printed = {
        check.of[:2]: check.printed
        for check in paper.checks
        if check.printed and check.to is None and check.of[2:] == ("", "", _PUBLISHED)
    }
    shown = rows.filter(pl.col("position").is_null(), pl.col("dataset").is_not_null()).drop_nulls("value")
    named = shown.select("dataset", "statistic").rows()
    return Table(
        "as the authors measure, and independent of order, whitespace and punctuation",
        shown.select(
            "statistic",
            "dataset",
            pl.Series("printed", [printed.get((dataset, statistic)) for dataset, statistic in named], dtype=pl.String),
            pl.col("value").alias("as published"),
            pl.col("robust").alias("independent"),
        ).sort("statistic", maintain_order=True),
        sections="statistic",
        caption="independent: the mean over random orders of the captions, tokenizer bare",
        name="measured",
    )
