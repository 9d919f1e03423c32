"""How varied are the words and sentences of a dataset, or of a system's output? (van Miltenburg et al. 2018)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.figure import Figure
from auditor.model import Progress, Result, Selection, Source, Table, silent
from auditor.registry import STATISTICS
from auditor.store import tokens
from auditor.store.connection import Store
from auditor.store.versions import resolve, resolve_all
from auditor.studies.global_diversity import Found, Known, Settings, global_statistics, workspace
from auditor.text import tokenizer

#: The text profile of the paper's own tokens.
PUBLISHED_PROFILE = "spacy"


def diversity(
    store: Store,
    refs: Sequence[str],
    settings: Settings | None = None,
    against: str | None = None,
    evaluation: str | None = None,
    split: str | None = None,
    declared: Mapping[str, Source] | None = None,
    progress: Progress = silent,
) -> Result:
    """Measure each selection with the statistics of `registry.STATISTICS` that it can have.

    `against` names the training data (for novel, coverage), `evaluation` the captions of people for the same images
    (for coverage). As published, the files that `declared` names say in which order captions stand. Raises
    `UsageError` for settings out of range.
    """
    settings = settings or Settings()
    check(settings)
    selections, known = chosen(store, refs, against, evaluation, split, settings, progress)
    words = store.query("select token_id, token from vocabulary")
    at_work = workspace(store, settings, known)
    found = []
    for number, selection in enumerate(selections):
        progress(f"{selection.label}: diversity", number, len(selections))
        found.append(global_statistics(at_work, selection, settings, known, words, declared or {}))
    rows = pl.concat(_rows(one, part.rows, settings) for one, part in zip(selections, found, strict=True))
    labels = [one.label for one in selections]
    return Result(
        "diversity",
        rows,
        selections=(*selections, *(one for one in (known.training, known.evaluation) if one)),
        signatures=_signatures(found),
        tables=_tables(labels, found, known),
        figures=_figures(labels, found),
        notes=_notes(labels, found, known, settings),
    )


def check(settings: Settings) -> None:
    """Raise `UsageError` for numbers that mean nothing."""
    least = {"--segment": settings.segment, "--shuffles": settings.draws}
    for option, number in least.items():
        if number < 1:
            raise UsageError(f"{option} {number}: expected 1 or more")
    if settings.curve < 0:
        raise UsageError(f"--curve {settings.curve}: expected a number of tokens, or 0 for no curve")


def chosen(
    store: Store,
    refs: Sequence[str],
    against: str | None,
    evaluation: str | None,
    split: str | None,
    settings: Settings,
    progress: Progress,
) -> tuple[tuple[Selection, ...], Known]:
    """Resolve what is measured and what it is measured against, with tokens for all. No training data is no error."""
    tokenize = tokenizer(settings.text_profile)
    selections = resolve_all(store, refs, split)
    known = Known(
        None if against is None else resolve(store, against), None if evaluation is None else resolve(store, evaluation)
    )
    further = [one for one in (known.training, known.evaluation) if one]
    tokens.provide(store, [*selections, *further], settings.text_profile, tokenize, progress)
    return selections, known


def _rows(selection: Selection, rows: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    version = selection.version
    seed = None if settings.published else settings.seed
    return rows.select(
        pl.lit(version.dataset).alias("dataset"),
        pl.lit(version.version).alias("version"),
        "statistic", "tokens", "value", "low", "high", "spread", "lists",
        pl.lit(selection.split, pl.String).alias("split"),
        pl.lit(settings.text_profile).alias("profile"),
        pl.when(pl.col("signature").str.contains("|seed:", literal=True)).then(pl.lit(seed, pl.Int64)).alias("seed"),
        "signature", "reason",
    )  # fmt: skip


def _signatures(found: Sequence[Found]) -> dict[str, str]:
    named: dict[str, str] = {}
    for part in found:
        for statistic, signature in part.rows.select("statistic", "signature").iter_rows():
            named.setdefault(statistic, signature)
    return named


def _tables(labels: Sequence[str], found: Sequence[Found], known: Known) -> tuple[Table, ...]:
    deciles = pl.col("statistic").str.starts_with("coverage-decile-")
    cards = [card for card in STATISTICS.values() if known.answers(card.needs)]
    shown = [
        ("length and vocabulary", ["tokens", "types", "asl", "sdsl"]),
        ("type-token ratios", [card.name for card in cards if card.walks] + ["hd-d", "distinct-1", "distinct-2"]),
        ("distribution", ["yule-k", "entropy", "zipf-slope", "top-20"]),
        ("repetition and novelty", ["ngram-diversity", "self-repetition", "compression-ratio", "unique", "novel",
                                    "novel-types"]),
        ("words of the evaluation data", ["learnable", "limit", "recalled", "coverage"]),
    ]  # fmt: skip
    asked = {card.name for card in cards}
    tables = [
        Table(title, _wide(labels, found, [name for name in names if name in asked]))
        for title, names in shown
        if asked & {*names}
    ]
    if known.answers("evaluation"):
        parts = [part.rows.filter(deciles) for part in found]
        columns = [part["value"].round(3).alias(label) for label, part in zip(labels, parts, strict=True)]
        longest = max(map(len, columns))
        even = [column.extend_constant(None, longest - len(column)) for column in columns]
        frame = pl.DataFrame([pl.Series("decile", range(1, longest + 1)), *even])
        tables.append(Table("coverage by decile of frequency, 1 the most frequent", frame, bars=tuple(labels)))
    return tuple(tables)


def _wide(labels: Sequence[str], found: Sequence[Found], statistics: Sequence[str]) -> pl.DataFrame:
    """Put one row for each dataset, one column for each statistic."""
    rows = []
    for label, part in zip(labels, found, strict=True):
        values = dict(part.rows.filter(pl.col("tokens").is_null()).select("statistic", "value").iter_rows())
        rows.append({"dataset": label} | {name: values.get(name) for name in statistics})
    frame = pl.DataFrame(rows, schema={"dataset": pl.String, **dict.fromkeys(statistics, pl.Float64)})
    whole = [name for name in statistics if STATISTICS[name].digits == 0 and (frame[name] % 1).sum() == 0]
    return frame.with_columns(
        *(pl.col(name).round(max(STATISTICS[name].digits, 1)) for name in statistics if name not in whole)
    ).cast(dict.fromkeys(whole, pl.Int64))


def _figures(labels: Sequence[str], found: Sequence[Found]) -> tuple[Figure, ...]:
    labelled = pl.concat(
        part.rows.select(pl.lit(label).alias("dataset"), "statistic", "tokens", "value", "low", "high")
        for label, part in zip(labels, found, strict=True)
    )
    curve = labelled.filter(pl.col("statistic") == "curve")
    decile = labelled.with_columns(decile=pl.col("statistic").str.extract(r"^coverage-decile-(\d+)$").cast(pl.Int64))
    decile = decile.filter(pl.col("decile").is_not_null())
    figures = []
    if curve.height:
        figures.append(
            Figure(
                "type-token-curve",
                "Types among the first tokens",
                "lines",
                curve.select("dataset", "tokens", "value", "low", "high"),
                x="tokens", y="value", series="dataset", low="low", high="high",
                x_label="tokens", y_label="types",
                caption="the mean over orders of the captions; bands from the lowest to the highest",
            )
        )  # fmt: skip
    if decile.height:
        figures.append(
            Figure(
                "coverage-by-decile",
                "Coverage by decile of frequency",
                "lines",
                decile.select("dataset", "decile", "value"),
                x="decile", y="value", series="dataset",
                x_label="decile of the evaluation words, 1 the most frequent", y_label="coverage",
            )
        )  # fmt: skip
    return tuple(figures)


def _notes(labels: Sequence[str], found: Sequence[Found], known: Known, settings: Settings) -> tuple[str, ...]:
    notes = [note for part in found for note in part.notes]
    for label, part in zip(labels, found, strict=True):
        reasons = part.rows.filter(pl.col("reason").is_not_null()).group_by("reason", maintain_order=True)
        notes += [f"{label}: no {', '.join(rows['statistic'])}: {reason}" for (reason,), rows in reasons]
    if known.training is None:
        notes.append("novel and coverage need training data: --against REF")
    elif known.evaluation is None:
        notes.append("coverage needs captions of people for the same images: --eval REF")
    if settings.published:
        notes.append(
            "as published: captions in the order of the file, novelty by letters; every other number of the order that"
            " a file happens to have is another number: leave --as-published out for one that does not depend on it"
        )
    return tuple(notes)
