"""How varied are the words and sentences of a dataset, or of a system's output? (van Miltenburg et al. 2018).

What compares captions of one image, for the selections that can have it; for others, why they cannot.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.errors import UsageError
from auditor.model import Progress, Selection, Source, silent
from auditor.registry import DECIMALS, STATISTICS, References
from auditor.result import Result, Said, Table, findings_in, notes_in
from auditor.statistics import cards
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.store.versions import images, resolve, resolve_all
from auditor.studies.diversity.content_words import content_of, unshared
from auditor.studies.diversity.overall import GlobalStatistics, global_statistics, workspace
from auditor.studies.diversity.per_image import local_signature, local_words_met
from auditor.studies.diversity.settings import EVERY, Asked, DiversitySettings, Known, Statistics, settled
from auditor.studies.diversity.tables import correlated, figures, lead, notes, tables
from auditor.studies.diversity.within_image import METRICS, captions_of_images, within_signatures
from auditor.text import tokenizer_of

_LOCAL = tuple(card.name for card in cards.LOCAL if card.needs == "evaluation")

_WITHIN = tuple(card.name for card in cards.LOCAL if card.needs != "evaluation")


def image_diversity(
    store: Store,
    selections: Sequence[Selection],
    people: Selection | None,
    apart: Mapping[str, str],
    settings: DiversitySettings,
    progress: Progress,
    asked: Asked = EVERY,
) -> list[Result]:
    """Give local recall and precision, where there are people's captions, and mBLEU and the vocabulary of images.

    `apart` says of selections, by label, why they cannot be put against people's captions.
    """
    content = content_of(settings)
    results = []
    if people is not None and asked.any_of(*_LOCAL):
        met = [one for one in selections if one.label not in apart]
        refs = References("all", settings.references, settings.seed)
        signed = {name: local_signature(name, people, refs, settings, content) for name in _LOCAL}
        if met:
            results.append(local_words_met(store, met, people, content, settings, progress))
        for one in selections:
            if one.label in apart:
                absent = _absent(one, signed, settings, apart[one.label])
                why = f"{one.label}: no local recall and precision: {apart[one.label]}"
                results.append(Result("diversity", absent, notes=(why,)))
    if not asked.any_of(*_WITHIN):
        return results
    fewest = 2 if settings.references is None else settings.references + 1
    several = [one for one in selections if (images(store, one)["captions"] >= fewest).any()]
    if several:
        results.append(captions_of_images(store, several, content, settings, METRICS, progress))
    signatures = within_signatures(settings, content, METRICS)
    for one in selections:
        if one not in several:
            reason = f"no image has {fewest} captions"
            said = [f"{one.label}: no mBLEU, no vocabulary of images: {reason}"] * (one.version.kind != "candidates")
            results.append(Result("diversity", _absent(one, signatures, settings, reason), notes=tuple(said)))
    return results


def apart_from_people(store: Store, selections: Sequence[Selection], people: Selection | None) -> dict[str, str]:
    """Say of each dataset that shares no image with people's captions, by label, why it cannot be put against them.

    Raises `UsageError` for a system's output: it was made for the images.
    """
    reasons: dict[str, str] = {}
    if people is None:
        return reasons
    for one in selections:
        try:
            unshared(store, one, people)
        except UsageError as error:
            if one.version.kind == "candidates":
                raise
            reasons[one.label] = str(error)
    return reasons


def _absent(
    selection: Selection, signatures: Mapping[str, str], settings: DiversitySettings, reason: str
) -> pl.DataFrame:
    return pl.DataFrame({"statistic": [*signatures], "signature": [*signatures.values()]}).with_columns(
        pl.lit(selection.version.dataset).alias("dataset"),
        pl.lit(selection.version.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
        pl.lit(settings.resolved_tokenizer).alias("profile"),
        pl.lit(reason).alias("reason"),
    )


#: The rows of a result. `value` of a curve is read at `position`. `low` and `high` are the ends over what `spread`
#: names: drawn orders, parallel lists, or of an interval over images. A row of two statistics is their correlation over
#: systems (Spearman's rho, with its sign, p, and n systems): it belongs to no dataset.
ROWS: Mapping[str, type[pl.DataType]] = {
    "dataset": pl.String, "version": pl.String, "statistic": pl.String, "value": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "position": pl.Int64, "spread": pl.String, "lists": pl.Int64,
    "n": pl.Int64, "images": pl.Int64, "split": pl.String, "eval": pl.String, "eval_version": pl.String,
    "eval_split": pl.String, "profile": pl.String, "seed": pl.Int64, "signature": pl.String, "reason": pl.String,
    "statistic_a": pl.String, "statistic_b": pl.String, "p": pl.Float64,
}  # fmt: skip


def diversity(
    store: Store,
    *refs: p.Refs,
    settings: DiversitySettings | None = None,
    statistics: Statistics = None,
    against: p.Training = None,
    evaluation: p.Evaluation = None,
    split: p.Split = None,
    config: p.Config = None,
    progress: Progress = silent,
) -> Result:
    """How varied words are, and whether each image gets what people say of it.

    Lengths, vocabulary, type-token ratios over segments of equal length (`ttr-1`, `ttr-2`), repetition, and where the
    data are named: novelty (captions that are not in the training data, `against`), coverage of the words that people
    use, and local recall and precision: which words that people say of an image a system says of it, by how many people
    say them (`eval`). With `statistics` only these are measured. Over three systems or more the statistics are
    correlated.

    How to read it: more types, a higher type-token ratio, more coverage and recall are more varied language. Compare a
    system with people on the same images: people's numbers are the mark. A system with high novelty and low precision
    says new things that are not seen.

    Limits: all of these depend on length, on the tokenizer and on how many captions there are; `auditor robustness`
    measures how far. Varied is not correct: nothing here looks at the pictures.

    Source: van Miltenburg, Elliott & Vossen 2018.

    Raises `UsageError` for settings out of range, a statistic that there is not, and for a system's output that shares
    no image with the people's captions.

    Example: auditor diversity dai2017 liu2017 --against coco-train-words --eval coco-val
    """
    asked = Asked.of(statistics)
    declared = sources(config)
    settings, said = settled(store, refs, settings or DiversitySettings(), against, evaluation, split)
    _check(settings)
    selections, known = selections_with_tokens(
        store, refs, against, evaluation, split, settings.resolved_tokenizer, progress
    )
    apart = apart_from_people(store, selections, known.evaluation)
    rows, told = measured(store, selections, settings, known, declared or {}, progress, asked)
    of_images = image_diversity(store, selections, known.evaluation, apart, settings, progress, asked)
    frame = asked.rows_of(_as_rows(rows, *(part.frame for part in of_images)))
    labelled = [(one.label, one.rows_of(rows)) for one in selections]
    systems = [one.label for one in selections if one.version.kind == "candidates" and one != known.evaluation]
    values = pl.concat(one.rows_of(frame).select(pl.lit(one.label).alias("label"), pl.all()) for one in selections)
    pairs = correlated(values.filter(pl.col("position").is_null()), systems)
    shown = [
        *of_images,
        *([Result("diversity", pairs.rows, tables=pairs.tables, figures=pairs.figures)] if pairs else []),
    ]
    return Result(
        "diversity",
        _as_rows(frame, pairs.rows) if pairs else frame,
        selections=tuple(dict.fromkeys((*selections, *(one for one in (known.training, known.evaluation) if one)))),
        signatures=dict(frame.unique("statistic", keep="first", maintain_order=True)
                        .select("statistic", "signature").rows()),
        lead=lead(labelled),
        tables=(*tables(labelled, known, asked), *(_only(table, asked) for part in shown for table in part.tables)),
        figures=(*figures(labelled), *(figure for part in shown for figure in part.figures)),
        notes=tuple(dict.fromkeys((*said, *notes_in(told), *notes(labelled, known, settings, asked),
                                   *(note for part in of_images for note in part.notes)))),
        findings=tuple(dict.fromkeys((*findings_in(told), *(one for part in of_images for one in part.findings)))),
    )  # fmt: skip


def _only(table: Table, asked: Asked) -> Table:
    """Leave out columns of statistics that nobody wants, of a table that shows several which are counted together."""
    names = [name for name in table.frame.columns if name not in STATISTICS or asked.any_of(name)]
    digits = tuple((name, number) for name, number in table.digits if name in names)
    return replace(table, frame=table.frame.select(names), digits=digits)


def _as_rows(*parts: pl.DataFrame) -> pl.DataFrame:
    return (
        pl.concat([pl.DataFrame(schema=pl.Schema(ROWS)), *parts], how="diagonal_relaxed")
        .cast(pl.Schema(ROWS))
        .with_columns(pl.col("value", "low", "high").round(DECIMALS))
    )


def selections_with_tokens(
    store: Store,
    refs: Sequence[str],
    against: str | None,
    evaluation: str | None,
    split: str | None,
    tokenizer: str,
    progress: Progress,
) -> tuple[tuple[Selection, ...], Known]:
    """Resolve what is measured and what it is measured against, and see to the tokens of all."""
    tokenize = tokenizer_of(tokenizer)
    selections = resolve_all(store, refs, split)
    known = Known(
        None if against is None else resolve(store, against), None if evaluation is None else resolve(store, evaluation)
    )
    further = [one for one in (known.training, known.evaluation) if one]
    tokens.provide(store, [*selections, *further], tokenizer, tokenize, progress)
    return selections, known


def measured(
    store: Store,
    selections: Sequence[Selection],
    settings: DiversitySettings,
    known: Known,
    declared: Mapping[str, Source],
    progress: Progress,
    asked: Asked = EVERY,
) -> tuple[pl.DataFrame, list[Said]]:
    """Measure selections whose tokens are there: the rows of all, and what a reader must know."""
    words = store.query("select token_id, token from vocabulary")
    at_work = workspace(store, settings, known)
    parts: list[GlobalStatistics] = []
    for number, selection in enumerate(selections):
        progress(f"{selection.label}: diversity", number, len(selections))
        parts.append(global_statistics(at_work, selection, settings, known, words, declared, asked))
    rows = pl.concat(_rows(one, part.rows, settings) for one, part in zip(selections, parts, strict=True))
    return rows, [note for part in parts for note in part.notes]


def _check(settings: DiversitySettings) -> None:
    for option, number in {
        "--segment": settings.segment,
        "--shuffles": settings.draws,
        "--references": settings.references,
    }.items():
        if number is not None and number < 1:
            raise UsageError(f"{option} {number}: expected 1 or more")
    if settings.curve < 0:
        raise UsageError(f"--curve {settings.curve}: expected a number of tokens, or 0 for no curve")


def _rows(selection: Selection, rows: pl.DataFrame, settings: DiversitySettings) -> pl.DataFrame:
    version = selection.version
    return rows.select(
        pl.lit(version.dataset).alias("dataset"),
        pl.lit(version.version).alias("version"),
        "statistic", "position", "value", "low", "high", "spread", "lists",
        pl.lit(selection.split, pl.String).alias("split"),
        pl.lit(settings.resolved_tokenizer).alias("profile"),
        "seed", "signature", "reason",
    )  # fmt: skip
