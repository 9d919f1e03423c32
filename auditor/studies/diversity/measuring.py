"""The statistics of selections, by settings: the numbers of `auditor diversity`, with and without --robustness."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import MissingExtraError, UsageError
from auditor.model import Progress, Selection, Source
from auditor.ranges import statistics_within
from auditor.result import Finding, Result, Said, Sentence, Table
from auditor.statistics.cards import ends_of
from auditor.statistics.diversity import STATISTICS
from auditor.store.captions import Captions, select_all, selections_of
from auditor.store.connection import Store
from auditor.store.tokens import tokenize
from auditor.store.versions import resolve
from auditor.studies.diversity.content_words import content_of, unshared
from auditor.studies.diversity.overall import global_statistics, workspace
from auditor.studies.diversity.per_image import local_words_met
from auditor.studies.diversity.settings import EVERY, Asked, DiversitySettings, Known

#: The rows of a result. `position` is the number of tokens of a value of the curve. `low` and `high` are the range over
#: random orders or parallel lists, or an interval over images; `spread` names which. A row of two statistics is their
#: correlation over systems (Spearman's rho, with its sign, p, and n systems); it belongs to no dataset.
ROWS: Mapping[str, type[pl.DataType]] = {
    "dataset": pl.String, "version": pl.String, "statistic": pl.String, "value": pl.Float64, "low": pl.Float64,
    "high": pl.Float64, "position": pl.Int64, "spread": pl.String, "lists": pl.Int64,
    "n": pl.Int64, "images": pl.Int64, "split": pl.String, "eval": pl.String, "eval_version": pl.String,
    "eval_split": pl.String, "tokenizer": pl.String, "seed": pl.Int64, "signature": pl.String, "reason": pl.String,
    "statistic_a": pl.String, "statistic_b": pl.String, "p": pl.Float64,
}  # fmt: skip


def apart_from_people(every: Sequence[Captions], people: Selection | None) -> dict[str, str]:
    """Return reasons, by label, why datasets cannot be compared with human captions: they share no image.

    Raises `UsageError` for the output of a system, which must describe the same images.
    """
    reasons: dict[str, str] = {}
    if people is None:
        return reasons
    for captions in every:
        try:
            unshared(captions, captions.like(people))
        except UsageError as error:
            if captions.selection.version.kind == "candidates":
                raise
            reasons[captions.label] = str(error)
    return reasons


def captions_and_known(
    store: Store,
    refs: Sequence[str],
    against: str | None,
    evaluation: str | None,
    split: str | None,
    tokenizer: str,
    progress: Progress,
) -> tuple[tuple[Captions, ...], Known]:
    """Select captions, the training data and the evaluation data, and tokenize all."""
    every = select_all(store, refs, split, tokenizer, progress=progress)
    known = Known(*(None if ref is None else resolve(store, ref) for ref in (against, evaluation)))
    further = [selection for selection in (known.training, known.evaluation) if selection]
    tokenize(store, further, tokenizer, progress)
    return tuple(every), known


def measured(
    every: Sequence[Captions],
    settings: DiversitySettings,
    known: Known,
    declared: Mapping[str, Source],
    progress: Progress,
    asked: Asked = EVERY,
) -> tuple[pl.DataFrame, list[Said]]:
    """Measure tokenized captions: return their rows, and notes."""
    store = every[0].store
    words = store.query("select token_id, token from vocabulary")
    relations = workspace(store, settings, known)
    frames, notes = [], list[Said]()
    for number, captions in enumerate(every):
        progress(f"{captions.label}: diversity", number, len(every))
        part = global_statistics(relations, captions.selection, settings, known, words, declared, asked)
        frames.append(captions.stamp(part.rows.with_columns(tokenizer=pl.lit(captions.tokenizer))))
        notes += part.notes
    return statistics_within(pl.concat(frames), ends_of("diversity")), notes


#: Statistics that compare captions: as written, letter by letter, with case and outer spaces.
_BY_LETTERS = ("unique", "novel")

#: Numbers of human captions, sampled, for local recall and precision, in addition to all.
_PEOPLE = (2, 3, 4)

#: The factors and their meanings.
_FACTORS: Mapping[str, str] = {
    "order": "the order of the file instead of the mean over random orders",
    "letters": "captions are compared by letters instead of tokens",
    "ptb": "tokens of tokenizer ptb: clitics are separate tokens",
    "spacy": "tokens of tokenizer spacy: punctuation and clitics are tokens",
    "whitespace": "tokens of tokenizer whitespace: case counts, punctuation is part of words",
    "references": "all captions of an image together instead of the mean over parallel lists",
    "people-2": "recall and precision against 2 sampled human captions of an image instead of all",
    "people-3": "the same against 3",
    "people-4": "the same against 4",
}


def robustness(
    every: Sequence[Captions],
    known: Known,
    settings: DiversitySettings,
    declared: Mapping[str, Source],
    progress: Progress,
) -> Result:
    """Change one factor at a time and measure again, for `auditor diversity --robustness`."""
    base_settings = replace(settings, curve=0)
    store, selections = every[0].store, selections_of(every)
    base, found_notes = measured(every, base_settings, known, {}, progress)
    data = [selection for selection in (known.training, known.evaluation) if selection]
    notes: list[Said] = [*found_notes]
    parts = []
    for factors, changed in _variants(base_settings):
        try:
            tokenize(store, [*selections, *data], changed.resolved_tokenizer, progress)
        except MissingExtraError as error:
            notes.append(Sentence(f"skipped: {error}", "skipped"))
            continue
        in_others = [replace(captions, tokenizer=changed.resolved_tokenizer) for captions in every]
        rows, further = measured(in_others, changed, known, declared, progress)
        notes += [note for note in further if note not in notes]
        parts += [_moved(base, rows, factor) for factor in factors]
    if known.evaluation:
        whole, *fewer = _by_people(every, known.evaluation, base_settings, progress)
        base = pl.concat([base, whole], how="diagonal_relaxed")
        parts += [_moved(whole, rows, f"people-{number}") for number, rows in zip(_PEOPLE, fewer, strict=True)]
    moved = pl.concat(parts)
    flips = _flips(moved)
    return Result(
        "robustness",
        moved,
        selections=(*selections, *data),
        tables=(Table("factors", pl.DataFrame({"factor": [*_FACTORS], "meaning": [*_FACTORS.values()]}),
                      name="factors"),
                *_tables(moved, flips)),
        said=(*notes, *_findings(flips, selections)),
    )  # fmt: skip


def _by_people(
    every: Sequence[Captions], people: Selection, settings: DiversitySettings, progress: Progress
) -> list[pl.DataFrame]:
    """Measure local recall and precision against all human captions of an image, then against fewer."""
    apart = apart_from_people(every, people)
    met = [captions for captions in every if captions.label not in apart]
    content = content_of(settings)
    variants = [replace(settings, references=number) for number in (None, *_PEOPLE)] if met else []
    frames = [local_words_met(met, met[0].like(people), content, variant, progress).frame for variant in variants]
    return frames or [pl.DataFrame(schema=pl.Schema(ROWS))] * (1 + len(_PEOPLE))


def _variants(base: DiversitySettings) -> list[tuple[tuple[str, ...], DiversitySettings]]:
    profiles = [name for name in ("ptb", "spacy", "whitespace") if name != base.resolved_tokenizer]
    return [
        (("order", "letters"), replace(base, as_written=True)),
        *(((name,), replace(base, tokenizer=name)) for name in profiles),
        (("references",), replace(base, lists="all")),
    ]


def _answers(factor: str) -> list[str]:
    """List the statistics that a factor can change."""
    walks = [card.name for card in STATISTICS.values() if card.walks]
    if factor == "order":
        return [*walks, "compression-ratio"]
    return [*_BY_LETTERS] if factor == "letters" else [*STATISTICS]


def _moved(base: pl.DataFrame, rows: pl.DataFrame, factor: str) -> pl.DataFrame:
    key = ["dataset", "version", "split", "statistic"]
    if factor == "references":  # a single list does not change
        rows = rows.join(base.filter(pl.col("lists") > 1).select(key), on=key, how="semi", nulls_equal=True)
    return (
        rows.filter(pl.col("statistic").is_in(_answers(factor)))
        .join(base.select(*key, base="value"), on=key, nulls_equal=True, maintain_order="left")
        .drop_nulls(["value", "base"])
        .select(
            "dataset", "version", "statistic", pl.lit(factor).alias("factor"), "value", "base",
            pl.when(pl.col("base") != 0).then((pl.col("value") / pl.col("base") - 1).round(12)).alias("change"),
            "split", "signature",
        )
    )  # fmt: skip


def _flips(moved: pl.DataFrame) -> pl.DataFrame:
    """Find the pairs of datasets that switch ranks. Columns: statistic, factor, dataset, dataset_other."""
    placed = moved.with_row_index("place").select("place", "statistic", "factor", "value", "base", "dataset")
    pairs = placed.join(placed, on=["statistic", "factor"], suffix="_other", maintain_order="left")
    before, after = pl.col("base") - pl.col("base_other"), pl.col("value") - pl.col("value_other")
    switched = pairs.filter(pl.col("place") < pl.col("place_other"), before.sign() * after.sign() < 0)
    return switched.select("statistic", "factor", "dataset", "dataset_other")


def _tables(moved: pl.DataFrame, flips: pl.DataFrame) -> list[Table]:
    factors = moved["factor"].unique(maintain_order=True).to_list()
    largest = pl.col("change").sort_by(pl.col("change").abs(), nulls_last=True, descending=True).first() + 0.0
    most = moved.group_by("statistic", "factor", maintain_order=True).agg(largest)
    counted = flips.group_by("statistic", "factor", maintain_order=True).agg(flips=pl.len().cast(pl.Int64))
    both = most.join(counted, on=["statistic", "factor"], how="left", maintain_order="left").fill_null(0)
    return [
        Table(title, both.pivot("factor", index="statistic", values=values, maintain_order=True)
              .select("statistic", *factors), digits=tuple((factor, 3) for factor in factors), name=values)
        for title, values in (
            ("largest relative change of any dataset", "change"),
            ("pairs of datasets that switch ranks", "flips"),
        )
        if values == "change" or moved["dataset"].n_unique() > 1
    ]  # fmt: skip


def _findings(flips: pl.DataFrame, selections: Sequence[Selection]) -> list[Finding]:
    if len(selections) < 2:
        return []
    pairs = len(selections) * (len(selections) - 1) // 2
    findings = []
    for (factor,), group in flips.filter(pl.col("statistic") != "tokens").group_by("factor", maintain_order=True):
        counted = group.group_by("statistic", maintain_order=True).len()
        statistic, count = counted.sort("len", descending=True, maintain_order=True).row(0)
        first, second = group.filter(statistic=statistic).select("dataset", "dataset_other").row(0)
        switched = f"{count} of {pairs} pairs of datasets switch ranks, such as {first} and {second}"
        sentence = f"{factor}: {statistic} reorders most: {switched}"
        where = {"factor": str(factor), "statistic": statistic}
        findings.append(Finding("datasets-reordered", sentence, where, {"pairs_changed": count}, pairs, "warning"))
    return findings
