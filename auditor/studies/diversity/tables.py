"""Tables, figures and notes of `auditor diversity`.

`labeled` has the label and the rows of each selection.

Statistics of diversity are correlated over systems (van Miltenburg et al. 2018, section 4, figures 2 and 6).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import polars as pl

from auditor.result import Figure, Signature, Table, digits, interval
from auditor.statistics.cards import STATISTICS
from auditor.statistics.correlation import FEWEST, correlate_statistics, heatmap, matrix
from auditor.statistics.diversity import CONFIDENCE, RESAMPLES
from auditor.studies.diversity.settings import CURVE, OVER_IMAGES, Asked, DiversitySettings, Known

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


def lead(labeled: Sequence[tuple[str, pl.DataFrame]]) -> tuple[str, ...]:
    """Report how varied the words of each dataset are, with the range over random orders or parallel lists."""
    sentences = []
    for label, rows in labeled:
        known = {row["statistic"]: row for row in rows.drop_nulls("value").iter_rows(named=True)}
        parts = [
            f"{what} = {digits(known[name]['value'])}{interval(known[name]['low'], known[name]['high'])}"
            for name, what in _LEAD.items()
            if name in known
        ]
        sentences += [f"{label}: {', '.join(parts)}."] if parts else []
    return tuple(sentences)


@dataclass(frozen=True)
class SystemCorrelations:
    """Rows of pairs of statistics (statistic_a, statistic_b, value, p, n, reason), with their tables and figures."""

    rows: pl.DataFrame
    tables: tuple[Table, ...]
    figures: tuple[Figure, ...]


def correlated(values: pl.DataFrame, systems: Sequence[str]) -> SystemCorrelations | None:
    """Correlate over systems by rank; null for fewer than three. `values` has rows label, statistic, value."""
    known = values.drop_nulls("value").filter(pl.col("label").is_in(systems), pl.len().over("statistic") >= FEWEST)[
        "statistic"
    ]
    asked = [name for name in CORRELATED if name in set(known)]
    if len(systems) < FEWEST or len(asked) < 2:
        return None
    over = values.filter(pl.col("label").is_in(systems), pl.col("statistic").is_in(asked))
    pairs = correlate_statistics(
        over.select(dataset="label", statistic="statistic", value="value"), asked
    ).with_columns(
        statistic=pl.lit("spearman"),
        signature=pl.lit(str(Signature("spearman", {"over": "systems", "ties": "mean"}, _VERSION))),
    )
    wide = matrix(pairs).pivot("statistic_b", index="statistic_a", values="value", maintain_order=True)
    table = Table(
        f"correlation of statistics over {len(systems)} systems (Spearman's rho, without its sign)",
        wide.rename({"statistic_a": "statistic"}),
        digits=tuple((name, 2) for name in wide.columns[1:]),
        name="correlated-statistics",
    )
    return SystemCorrelations(pairs, (table,), (heatmap(pairs),))


Labeled = Sequence[tuple[str, pl.DataFrame]]

_TABLES = (
    ("length and vocabulary", ("tokens", "types", "asl", "sdsl")),
    ("type-token ratios", ("ttr-1", "ttr-2", "ttr-3", "ttr-10000", "ttr-100000", "mattr", "mtld")),
    ("distribution of words", ("distinct-1", "distinct-2", "hd-d", "yule-k", "entropy", "zipf-slope", "top-20")),
    ("repetition and novelty", ("ngram-diversity", "self-repetition", "compression-ratio", "unique", "sameness",
                                "novel", "novel-types")),
    ("words of the evaluation data", ("learnable", "limit", "recalled", "coverage")),
)  # fmt: skip


def tables(labeled: Labeled, known: Known, statistics: Asked) -> tuple[Table, ...]:
    """Return tables of statistics by topic, with a row for each selection, and of coverage by decile."""
    made = []
    for title, names in _TABLES:
        asked = [name for name in names if known.answers(STATISTICS[name].needs) and statistics.any_of(name)]
        if asked:
            frame = _wide(labeled, asked)
            made.append(Table(title, frame, digits=_digits(frame), name="statistics"))
    return (*made, *_intervals(labeled), *_deciles(labeled))


def _wide(labeled: Labeled, statistics: Sequence[str]) -> pl.DataFrame:
    rows = []
    for label, part in labeled:
        single = part.filter(pl.col("position").is_null())
        values = dict(single.select("statistic", "value").iter_rows())
        rows.append({"dataset": label} | {name: values.get(name) for name in statistics})
    frame = pl.DataFrame(rows, schema={"dataset": pl.String, **dict.fromkeys(statistics, pl.Float64)})
    whole = [name for name in statistics if STATISTICS[name].digits == 0 and (frame[name] % 1).sum() == 0]
    return frame.cast(dict.fromkeys(whole, pl.Int64))


def _digits(frame: pl.DataFrame) -> tuple[tuple[str, int], ...]:
    return tuple((name, max(STATISTICS[name].digits, 1)) for name in frame.columns if name in STATISTICS)


def _intervals(labeled: Labeled) -> Iterator[Table]:
    """Yield a table for each statistic with an interval over images."""
    for name in OVER_IMAGES:
        rows = pl.concat(
            part.filter(statistic=name, spread="images").select(
                pl.lit(label).alias("dataset"), pl.col("value").alias(name), "low", "high"
            )
            for label, part in labeled
        )
        if rows.height:
            caption = f"low, high: {CONFIDENCE:.0%} confidence interval ({RESAMPLES:,} resamples of images)"
            decimals = tuple((column, STATISTICS[name].digits) for column in (name, "low", "high"))
            yield Table(f"{name}, with an interval over images", rows, caption=caption, digits=decimals, name=name)


def _deciles(labeled: Labeled) -> Iterator[Table]:
    deciles = _by_decile(labeled)
    if deciles.height:
        frame = deciles.pivot("dataset", index="decile", values="value")
        bars = tuple(label for label, _ in labeled)
        yield Table("coverage by decile of frequency, 1 the most frequent", frame, bars=bars, name="coverage")


def _by_decile(labeled: Labeled) -> pl.DataFrame:
    number = pl.col("statistic").str.extract(r"^coverage-decile-(\d+)$").cast(pl.Int64)
    return pl.concat(
        part.select(pl.lit(label).alias("dataset"), number.alias("decile"), "value") for label, part in labeled
    ).drop_nulls("decile")


def figures(labeled: Labeled) -> tuple[Figure, ...]:
    """Draw type-token curves, with the range over random orders, and coverage by decile."""
    curve = pl.concat(
        part.filter(pl.col("statistic") == CURVE).select(
            pl.lit(label).alias("dataset"), pl.col("position").alias("tokens"), "value", "low", "high"
        )
        for label, part in labeled
    )
    deciles = _by_decile(labeled)
    made = []
    if curve.height:
        made.append(
            Figure(
                "type-token-curve", "Types among the first tokens", "lines", curve,
                x="tokens", y="value", series="dataset", low="low", high="high", x_label="tokens", y_label="types",
                caption="mean over random orders and parallel lists; bands show the range over orders",
            )
        )  # fmt: skip
    if deciles.height:
        made.append(
            Figure(
                "coverage-by-decile", "Coverage by decile of frequency", "lines", deciles,
                x="decile", y="value", series="dataset",
                x_label="decile of the evaluation words, 1 the most frequent", y_label="coverage",
            )
        )  # fmt: skip
    return tuple(made)


def notes(labeled: Labeled, known: Known, settings: DiversitySettings, asked: Asked) -> list[str]:
    """Report why numbers are missing, and what they need."""
    sentences = []
    absent: dict[tuple[tuple[str, ...], str], list[str]] = {}
    for label, part in labeled:
        for (reason,), rows in part.drop_nulls("reason").group_by("reason", maintain_order=True):
            absent.setdefault((tuple(rows["statistic"]), str(reason)), []).append(label)
    sentences += [f"{', '.join(labels)}: no {', '.join(names)}: {why}" for (names, why), labels in absent.items()]
    short = [
        label
        for label, part in labeled
        if settings.curve and asked.any_of(CURVE) and not (part["statistic"] == CURVE).any()
    ]
    if short:
        sentences.append(f"{', '.join(short)}: too few tokens for a type-token curve up to {settings.curve:,} tokens")
    against_training = [card.name for card in STATISTICS.values() if "training" in card.needs]
    if not asked.any_of(*against_training):
        pass
    elif known.training is None:
        sentences.append("novel and coverage need training data: --against DATASET")
    elif known.evaluation is None:
        sentences.append("coverage needs human captions of the same images: --eval DATASET")
    return sentences
