"""Recompute the figures of van Miltenburg, Elliott & Vossen 2018 on their systems and captions in the store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor import config
from auditor.called import call, not_stored
from auditor.model import Progress
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.papers.miltenburg2018_composition import composition, first_missed, first_omitted, is_of_all_images
from auditor.result import Result, Said, Table
from auditor.statistics.correlation import correlate_statistics
from auditor.store.connection import Store
from auditor.store.versions import log, resolve_all
from auditor.studies.diversity import FILE_ORDER, DiversitySettings, captions_and_known, diversity, measured
from auditor.text.spacy import pipelines

#: Human captions of the systems' images, and training data: the paper's, or the closest substitute.
_EVALUATION = ("coco-val2014", "coco-val")

_TRAINING = ("coco-train", "coco-train-words")

_PEOPLE, _TRAINED = "val2014", "train2014"

#: The tokenizer of the authors' code, and the one for the robust values, in random orders.
_TOKENIZER, _ROBUST = "spacy", "bare"

_PUBLISHED = "as-published"

_DRAWN = "drawn-orders"

#: The systems that figure 1 names; the others are averaged.
_GANS = ("dai2017", "shetty2017")

_CORRELATED = ("asl", "sdsl", "types", "ttr-1", "ttr-2", "novel", "coverage", "recall-5")

#: Statistics that need all of the images.
_OF_ALL_IMAGES = ("types", "types-of-all-lists", "tokens-of-all-lists", "limit", "unlearnable")

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

_SETTINGS = DiversitySettings(_TOKENIZER, as_written=True, full_lists=True)


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
    return _measured(store, paper, systems, evaluation, training, lacking, seed, progress)


def _measured(
    store: Store,
    paper: Paper,
    systems: Sequence[str],
    evaluation: str | None,
    training: str | None,
    lacking: Mapping[str, str],
    seed: int,
    progress: Progress,
) -> Measured:
    tagger = pipelines.installed()
    settings = replace(_SETTINGS, seed=seed, pipeline=tagger)
    people = [evaluation] if evaluation else []
    called = {evaluation: _PEOPLE} if evaluation else {}
    described, rows = _described(store, [*systems, *people], evaluation, training, settings, progress)
    rows = rows.with_columns(pl.col("dataset").replace(called))
    unordered = [called.get(name, name) for note in described.found(FILE_ORDER) if (name := str(note.about["dataset"]))]
    values = _in_file_order(rows.filter(pl.col("position").is_null()), unordered)
    drawn = rows.select("dataset", "position", value="robust").drop_nulls()
    quantities: dict[Quantity, float] = {}
    notes: list[Said] = [*described.notes, *described.findings, *_substitutes(evaluation, training)]
    statistics = {check.of[1] for check in paper.checks}
    signatures = {name: signature for name, signature in described.signatures.items() if name in statistics}
    if evaluation:
        quantities.update(first_missed(store, paper, systems, evaluation, tagger, progress))
    if evaluation and training:
        quantities.update(first_omitted(store, paper, systems, training, evaluation, progress))
    quantities.update(_columns(values, drawn))
    quantities.update(_of_all_lists(store, evaluation, training, settings, progress))
    if len(systems) == len(paper.datasets):
        quantities.update(_correlations(values.filter(pl.col("dataset").is_in(systems))))
    others = _others(drawn.filter(~pl.col("dataset").is_in([*_GANS, _PEOPLE])))
    quantities.update((of, mean) for of, mean, _ in others)
    composed = composition(store, paper, systems, called, progress)
    quantities.update(composed.quantities)
    absent = _without_value(values) | dict(composed.absent)
    absent |= {check.of: why for check in paper.checks if (why := _unanswerable(check.of, evaluation, training))}
    return Measured(
        {named: value for named, value in quantities.items() if named not in absent},
        lacking,
        tuple(resolve_all(store, [*systems, *people, *([training] if training else [])])),
        signatures | dict(composed.signatures),
        notes=(*notes, *composed.notes),
        absent=absent,
        tables=(_table(paper, rows), *composed.tables),
        intervals=_intervals(rows) | {of: ends for of, _, ends in others} | dict(composed.intervals),
    )


def of_candidates(store: Store, _paper: Paper, candidates: Sequence[str], seed: int, progress: Progress) -> Quantities:
    """Measure the output of other systems as the authors' code measures the nine systems."""
    evaluation, training = _first(store, _EVALUATION), _first(store, _TRAINING)
    settings = replace(_SETTINGS, seed=seed, pipeline=pipelines.installed())
    _, rows = _described(store, candidates, evaluation, training, settings, progress)
    values = rows.filter(pl.col("position").is_null(), pl.col("dataset").is_not_null()).drop_nulls("value")
    for dataset, statistic, value in values.select("dataset", "statistic", "value").iter_rows():
        yield (dataset, statistic, "", "", _PUBLISHED), value


_KEY = ["dataset", "version", "split", "statistic", "position"]


def _described(
    store: Store,
    names: Sequence[str],
    evaluation: str | None,
    training: str | None,
    settings: DiversitySettings,
    progress: Progress,
) -> tuple[Result, pl.DataFrame]:
    """Measure diversity as the authors' code does; column `robust` does not depend on order and whitespace."""
    settings = settings if evaluation else replace(settings, pipeline=None)
    described = diversity(
        store,
        *names,
        settings=settings,
        statistics=["all"],
        against=training,
        evaluation=evaluation,
        config=config.sources(None),
        progress=progress,
    )
    robust = replace(settings, as_written=False, full_lists=False, tokenizer=_ROBUST)
    every, known = captions_and_known(store, names, training, evaluation, None, _ROBUST, progress)
    beside, _ = measured(every, robust, known, {}, progress)
    values = beside.select(*_KEY, robust="value")
    return described, described.frame.join(values, on=_KEY, how="left", nulls_equal=True, maintain_order="left")


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
    of_all_images = metric in _OF_ALL_IMAGES or is_of_all_images(metric)
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


def _without_value(values: pl.DataFrame) -> dict[Quantity, str]:
    lacking = values.filter(pl.col("value").is_null(), pl.col("reason").is_not_null())
    return {
        (dataset, statistic, "", "", _PUBLISHED): reason
        for dataset, statistic, reason in lacking.select("dataset", "statistic", "reason").iter_rows()
    }


def _intervals(rows: pl.DataFrame) -> dict[Quantity, tuple[float, float]]:
    """Return the intervals over images: of the deviation of lengths, and of local recall."""
    kept = rows.filter(spread="images").drop_nulls(["low", "high"])
    return {
        (dataset, statistic, "", "", _PUBLISHED): (low, high)
        for dataset, statistic, low, high in kept.select("dataset", "statistic", "low", "high").iter_rows()
    }


def _columns(values: pl.DataFrame, drawn: pl.DataFrame) -> Quantities:
    for dataset, statistic, value, _ in values.drop_nulls(["dataset", "value"]).iter_rows():
        for level in ("", _WHOLE) if statistic.startswith("coverage") else ("",):
            yield (dataset, statistic, "", level, _PUBLISHED), value
    for dataset, position, value in drawn.iter_rows():
        yield (dataset, f"types-of-{position}-tokens", "", "", _DRAWN), value
    people = dict(values.filter(dataset=_PEOPLE).drop_nulls("value").select("statistic", "value").iter_rows())
    if "novel" in people:
        yield (_PEOPLE, "known", "", "", _PUBLISHED), 1 - people["novel"]
    if "limit" in people:
        yield (
            (_PEOPLE, "unlearnable", "", "", _PUBLISHED),
            round(people["learnable"] / people["limit"] - people["learnable"]),
        )


def _others(drawn: pl.DataFrame) -> list[tuple[Quantity, float, tuple[float, float]]]:
    """Return the mean, least and most types of the other systems at each number of tokens, as in figure 1."""
    value = pl.col("value")
    spread = drawn.group_by("position", maintain_order=True).agg(value.mean(), low=value.min(), high=value.max())
    return [
        (("other-systems", f"types-of-{position}-tokens", "", "", _DRAWN), mean, (low, high))
        for position, mean, low, high in spread.iter_rows()
    ]


def _of_all_lists(
    store: Store, evaluation: str | None, training: str | None, settings: DiversitySettings, progress: Progress
) -> Quantities:
    """Count types and tokens of all captions of the paper's whole datasets; and the training data's columns."""
    whole = {name: called for name, called in ((evaluation, _PEOPLE), (training, _TRAINED)) if name}
    for name, called in whole.items():
        if name not in (_EVALUATION[0], _TRAINING[0]):
            continue
        every = replace(settings, pipeline=None, draws=1, lists="all", curve=0)
        counted = diversity(
            store, name, settings=every, statistics=["all"], config=config.sources(None), progress=progress
        ).frame
        for statistic in ("types", "tokens"):
            value = counted.filter(statistic=statistic)["value"].item()
            yield (called, f"{statistic}-of-all-lists", "", "", _PUBLISHED), value
        if called == _TRAINED:
            columns = diversity(
                store, name, settings=settings, statistics=["all"], config=config.sources(None), progress=progress
            ).frame
            kept = columns.filter(pl.col("position").is_null(), pl.col("value").is_not_null())
            for statistic, value in kept.select("statistic", "value").iter_rows():
                yield (called, statistic, "", "", _PUBLISHED), value


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
