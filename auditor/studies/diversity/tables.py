"""Tables, figures and notes of `auditor diversity`.

Statistics of diversity are correlated over systems (van Miltenburg et al. 2018, section 4, figures 2 and 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Result, Signature, Table, digits, interval
from auditor.result.views import EMPTY, View, arranged, labeled
from auditor.statistics.correlation import FEWEST, correlate_statistics, heatmap, matrix
from auditor.statistics.diversity import CONFIDENCE, RESAMPLES, STATISTICS
from auditor.studies.diversity.settings import CURVE, Asked, DiversitySettings, Known

_VERSION = 1

#: The statistics to correlate: those of the paper, and similar ones.
CORRELATED = (
    "asl", "sdsl", "types", "ttr-1", "ttr-2", "mattr", "mtld", "unique", "novel", "coverage",
    "recall-1", "recall-2", "recall-3", "recall-4", "recall-5", "precision",
)  # fmt: skip


#: The statistics of the first sentence on a dataset.
_LEAD = {
    "ttr-1": "type-token ratio in segments of 1,000 tokens",
    "ttr-10000": "type-token ratio of the first 10,000 tokens",
}


def lead(selections: Sequence[Selection], rows: pl.DataFrame) -> Iterator[str]:
    """Report how varied the words of each dataset are, with the range over random orders or parallel lists."""
    for selection in selections:
        measured = selection.rows_of(rows).drop_nulls("value").select("statistic", "value", "low", "high")
        written = {name: f"{digits(value)}{interval(low, high)}" for name, value, low, high in measured.iter_rows()}
        parts = [f"{what} = {written[name]}" for name, what in _LEAD.items() if name in written]
        parts = parts or [f"{name} = {value}" for name, value in [*written.items()][:4]]
        if parts:
            yield f"{selection.label}: {', '.join(parts)}."


def correlated(values: pl.DataFrame, systems: Sequence[str]) -> Result | None:
    """Correlate over systems by rank; null for fewer than three. `values` has rows dataset, statistic, value."""
    is_system, is_frequent = pl.col("dataset").is_in(systems), pl.len().over("statistic") >= FEWEST
    known = set(values.drop_nulls("value").filter(is_system, is_frequent)["statistic"])
    asked = [name for name in CORRELATED if name in known]
    if len(systems) < FEWEST or len(asked) < 2:
        return None
    over = values.filter(is_system, pl.col("statistic").is_in(asked)).select("dataset", "statistic", "value")
    signature = str(Signature("spearman", {"over": "systems", "ties": "mean"}, _VERSION))
    pairs = correlate_statistics(over, asked).with_columns(statistic=pl.lit("spearman"), signature=pl.lit(signature))
    wide = matrix(pairs).pivot("statistic_b", index="statistic_a", values="value")
    title = f"correlation of statistics over {len(systems)} systems (Spearman's rho, without its sign)"
    decimals = tuple((name, 2) for name in wide.columns[1:])
    table = Table(title, wide.rename({"statistic_a": "statistic"}), digits=decimals, name="correlated-statistics")
    return Result("diversity", pairs, tables=(table,), figures=(heatmap(pairs),))


_INTERVALS = tuple(
    View(
        Table(
            f"{card.name}, with an interval over images",
            EMPTY,
            name=card.name,
            caption=f"low, high: {CONFIDENCE:.0%} confidence interval ({RESAMPLES:,} resamples of images)",
            digits=tuple((column, card.digits) for column in (card.name, "low", "high")),
        ),
        where=(pl.col("statistic") == card.name) & (pl.col("spread") == "images"),
        columns=("dataset", pl.col("value").alias(card.name), "low", "high"),
    )
    for card in STATISTICS.values()
    if card.over_images
)

_DECILE = pl.col("statistic").str.extract(r"^coverage-decile-(\d+)$").cast(pl.Int64)

#: Type-token curves, with the range over random orders, and coverage by decile.
FIGURES = (
    View(
        Figure(
            "type-token-curve", "Types among the first tokens", "lines", EMPTY,
            x="tokens", y="value", series="dataset", low="low", high="high", x_label="tokens", y_label="types",
            caption="mean over random orders and parallel lists; bands show the range over orders",
        ),
        where=CURVE,
        columns=("dataset", pl.col("position").alias("tokens"), "value", "low", "high"),
    ),
    View(
        Figure(
            "coverage-by-decile", "Coverage by decile of frequency", "lines", EMPTY,
            x="decile", y="value", series="dataset",
            x_label="decile of the evaluation words, 1 the most frequent", y_label="coverage",
        ),
        where=_DECILE.is_not_null(),
        columns=("dataset", _DECILE.alias("decile"), "value"),
    ),
)  # fmt: skip


def tables(selections: Sequence[Selection], rows: pl.DataFrame, known: Known, statistics: Asked) -> Iterator[Table]:
    """Yield tables of statistics by topic, with a row for each selection, and of coverage by decile."""
    for topic in dict.fromkeys(card.topic for card in STATISTICS.values() if card.topic):
        cards = [card for card in STATISTICS.values() if card.topic == topic and known.answers(card.needs)]
        cards.sort(key=lambda card: not card.leads)
        asked = [card.name for card in cards if statistics.any_of(card.name)]
        frame = _wide(selections, rows, asked)
        if any(frame[name].count() for name in asked):  # otherwise a note has the reason
            digits = tuple((name, max(STATISTICS[name].digits, 1)) for name in asked)
            yield Table(topic, frame, digits=digits, name="statistics")
    yield from arranged(_INTERVALS, selections, rows)
    bars = tuple(selection.label for selection in selections)
    deciles = View(
        Table("coverage by decile of frequency, 1 the most frequent", EMPTY, bars=bars, name="coverage"),
        where=_DECILE.is_not_null(),
        pivot=("dataset", "statistic", "value"),
        columns=(_DECILE.alias("decile"), pl.exclude("statistic")),
    )
    yield from arranged([deciles], selections, rows)


def _wide(selections: Sequence[Selection], rows: pl.DataFrame, statistics: Sequence[str]) -> pl.DataFrame:
    single, wide = rows.filter(pl.col("position").is_null()), []
    for selection in selections:
        values = dict(selection.rows_of(single).select("statistic", "value").iter_rows())
        wide.append({"dataset": selection.label} | {name: values.get(name) for name in statistics})
    frame = pl.DataFrame(wide, schema={"dataset": pl.String, **dict.fromkeys(statistics, pl.Float64)})
    whole = [name for name in statistics if STATISTICS[name].digits == 0 and (frame[name] % 1).sum() == 0]
    return frame.cast(dict.fromkeys(whole, pl.Int64))


def notes(
    selections: Sequence[Selection], rows: pl.DataFrame, known: Known, settings: DiversitySettings, asked: Asked
) -> list[str]:
    """Report why numbers are missing, and what they need."""
    absent: dict[tuple[tuple[str, ...], str], list[str]] = {}
    lacking = labeled(selections, rows).drop_nulls("reason")
    for (label, reason), part in lacking.group_by("dataset", "reason", maintain_order=True):
        absent.setdefault((tuple(part["statistic"]), str(reason)), []).append(str(label))
    sentences = [f"{', '.join(labels)}: no {', '.join(names)}: {why}" for (names, why), labels in absent.items()]
    curves = rows.filter(statistic=CURVE)
    short = [selection.label for selection in selections if selection.rows_of(curves).is_empty()]
    if short and settings.curve and asked.any_of(CURVE):
        sentences.append(f"{', '.join(short)}: too few tokens for a type-token curve up to {settings.curve:,} tokens")
    if not asked.any_of(*(card.name for card in STATISTICS.values() if "training" in card.needs)):
        return sentences
    if known.training is None:
        sentences.append("novel and coverage need training data: --against DATASET")
    elif known.evaluation is None:
        sentences.append("coverage needs human captions of the same images: --eval DATASET")
    return sentences
