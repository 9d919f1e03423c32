"""The rows of pairs and triplets with the public columns, their tables, figures and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Said, Table, digits, interval
from auditor.scoring.registry import MetricRequest, References
from auditor.statistics.correlation import correlate
from auditor.studies.consensus.accuracy import ALL, CONFIDENCE, PEOPLE, ConsensusSettings, League
from auditor.studies.consensus.votes import PairVotes

ROWS = {
    "dataset": pl.String, "metric": pl.String, "kind": pl.String, "references": pl.UInt32, "n": pl.Int64,
    "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "statistic": pl.String, "ties": pl.Int64,
    "draw": pl.Int64, "sd": pl.Float64, "system": pl.String, "against": pl.String, "truth": pl.String,
    "version": pl.String, "split": pl.String, "seed": pl.Int64, "signature": pl.String,
}  # fmt: skip

_DECIMALS = 12

#: The metrics whose rank correlation the paper reports (section 8).
_CORRELATED = ("cider", "cider-d")


def over_draws(accuracy: pl.DataFrame) -> pl.DataFrame:
    """Average accuracies over draws, with their standard deviation; one draw has none."""
    return accuracy.group_by("references", "kind", "metric", maintain_order=True).agg(
        pl.col("n").first(),
        pl.col("value").mean(),
        low=pl.when(pl.len() == 1).then(pl.col("low").first()),
        high=pl.when(pl.len() == 1).then(pl.col("high").first()),
        sd=pl.col("value").std(),
        ties=pl.col("ties").mean().round().cast(pl.Int64),
    )


def compared(scores: pl.DataFrame, metrics: Sequence[MetricRequest]) -> pl.DataFrame:
    """Correlate the scores of CIDEr and CIDEr-D over the compared captions. Columns as in `ROWS`."""
    labels = [metric.label for metric in metrics if metric.metric.name in _CORRELATED]
    if len(labels) < 2:
        return pl.DataFrame()
    correlations = correlate(scores.select(labels), ["spearman"])
    return correlations.select("value", "n", "statistic", metric="metric_a", against="metric_b", kind=pl.lit(ALL))


def frame(part: ConsensusResult, settings: ConsensusSettings) -> pl.DataFrame:
    """Return the rows of a dataset, with the columns that identify the source of each, in the public order."""
    most, first = pl.lit(part.most, pl.UInt32), pl.lit(1, pl.Int64)
    truth = {"truth": pl.lit(part.votes.truth)}
    people = {"metric": pl.lit(PEOPLE), **truth}
    drawn = {"references": pl.when(pl.col("metric") != PEOPLE).then(most), "draw": first}
    parts = [
        ("accuracy", part.accuracy, truth),
        *([("accuracy", over_draws(part.accuracy), truth)] if settings.draws > 1 else []),
        ("", part.compared, {"references": most, "draw": first}),
        ("ceiling", part.ceiling, people),
        ("ceiling-by-votes", part.ceiling_by_votes, people),
        ("split-half", part.halves, truth),
    ]
    if part.league:
        parts += [
            ("wins", part.league.wins.drop("rank"), truth | drawn),
            ("duels", part.league.duels, truth | drawn),
            ("", part.league.correlations, {"against": pl.lit(PEOPLE), **truth, **drawn}),
        ]
    named = [
        rows.with_columns(**columns, **({"statistic": pl.lit(statistic)} if statistic else {}))
        for statistic, rows, columns in parts
        if rows.height
    ]
    version = part.votes.selection.version
    schema = pl.Schema(ROWS)
    rows = pl.concat([pl.DataFrame(schema=schema), *named], how="diagonal_relaxed").with_columns(
        dataset=pl.lit(version.dataset),
        version=pl.lit(version.version),
        split=pl.lit(part.votes.selection.split, pl.String),
        seed=pl.lit(settings.seed, pl.Int64) + pl.coalesce("draw", pl.lit(1)) - 1,
    )
    keys = rows.select("metric", "references", "seed").unique(maintain_order=True)
    metrics = {metric.label: metric for metric in part.metrics}
    signed = [
        str(metrics[label].signature(settings.tokenizer, References("all", number, seed)))
        if label in metrics and number is not None
        else None
        for label, number, seed in keys.iter_rows()
    ]
    return (
        rows.drop("signature")
        .join(keys.with_columns(signature=pl.Series(signed, dtype=pl.String)), on=["metric", "references", "seed"],
              how="left", nulls_equal=True, maintain_order="left")
        .with_columns(pl.col("value", "low", "high", "sd").round(_DECIMALS))
        .select(*ROWS)
        .cast(schema)
    )  # fmt: skip


@dataclass(frozen=True)
class ConsensusResult:
    """The results of one dataset of pairs or triplets; the module of each part documents its columns.

    `preferred` are the pairs with the preference of each metric, for the first draw of references.
    """

    votes: PairVotes
    references: Selection
    most: int
    metrics: Sequence[MetricRequest]
    accuracy: pl.DataFrame
    compared: pl.DataFrame
    ceiling: pl.DataFrame
    ceiling_by_votes: pl.DataFrame
    halves: pl.DataFrame
    preferred: pl.DataFrame
    league: League | None
    notes: Sequence[Said]


#: Numbers of references that a table shows.
_COLUMNS = (1, 2, 5, 10, 20, 48)


def tables(part: ConsensusResult, settings: ConsensusSettings) -> Iterator[Table]:
    """Yield the tables of one dataset."""
    label, truth, mean = part.votes.selection.label, part.votes.truth, over_draws(part.accuracy)
    yield _accuracy(part, mean.filter(references=part.most), settings)
    if mean["references"].n_unique() > 1:
        yield _by_reference_count(mean, truth)
    if part.compared.height:
        rows = part.compared.select("metric", "against", "statistic", "value", "n")
        yield Table(f"CIDEr and CIDEr-D of the compared captions of {label}", rows, name="compared-scores")
    if part.ceiling.height:
        yield _ceiling(part, settings)
    if part.ceiling_by_votes.height:
        yield Table(
            f"a few votes against half of the votes: {truth}",
            _wide(part.ceiling_by_votes, "references", "kind", "n"),
            caption=f"Columns: the number of votes that predict the other half. {_tie_rule(settings)}",
            name="ceiling-by-votes",
            further=True,
        )
    if part.league:
        yield from _league(part.league, label)


def lead(part: ConsensusResult, rows: pl.DataFrame) -> list[str]:
    """Return which metric agrees most often with raters, with the most references and a 95% interval."""
    own = part.votes.selection.rows_of(rows).filter(statistic="accuracy", kind=ALL).drop_nulls("value")
    most = own.sort("references", descending=True, nulls_last=True, maintain_order=True)
    best = most.unique("metric", keep="first", maintain_order=True).sort("value", descending=True, maintain_order=True)
    return [
        f"{part.votes.selection.label}: {row['metric']} agrees with raters most often: share of pairs "
        f"{digits(row['value'])}{interval(row['low'], row['high'], CONFIDENCE)}."
        for row in best.head(1).iter_rows(named=True)
    ]


def figures(part: ConsensusResult, settings: ConsensusSettings) -> Iterator[Figure]:
    """Draw accuracy by kind of pair, by number of references, and the wins of systems."""
    label, mean = part.votes.selection.label, over_draws(part.accuracy)
    full, caption = mean.filter(references=part.most), f"{part.most} references. {_tie_rule(settings)}"
    drawn = Figure("accuracy", f"Agreement with raters: {label}", "bars", full, "kind", "value", "metric")
    low, high = ("low", "high") if full["low"].null_count() == 0 else (None, None)
    yield replace(drawn, low=low, high=high, y_label="accuracy", caption=caption)
    for kind in mean["kind"].unique(maintain_order=True) if mean["references"].n_unique() > 1 else ():
        name, title = f"references-{kind.lower()}", f"Accuracy by number of references: {label}, {_kind(kind)}"
        curve = Figure(name, title, "lines", mean.filter(kind=kind), "references", "value", "metric", log_x=True)
        yield replace(curve, x_label="references", y_label="accuracy")
    if part.league:
        kind = _shown_kind(part.league.wins)
        wins, title = part.league.wins.filter(kind=kind), f"Share of wins of each system: {label}, {_kind(kind)}"
        place = _place(wins.filter(metric=PEOPLE).sort("value", descending=True), "system")
        wins = wins.sort(place, maintain_order=True)
        yield Figure("wins", title, "bars", wins, "system", "value", "metric", y_label="wins")


def _kind(kind: str) -> str:
    return "all pairs" if kind == ALL else f"{kind} pairs"


def _place(rows: pl.DataFrame, column: str) -> pl.Expr:
    """Return the number of a value among those of a column, by first occurrence."""
    values = rows[column].unique(maintain_order=True)
    return pl.col(column).replace_strict(values, range(len(values)))


def _wide(rows: pl.DataFrame, columns: str, *index: str) -> pl.DataFrame:
    """Return the values of rows, with a column for each value of one column."""
    return rows.pivot(columns, index=index, values="value", maintain_order=True)


def _tie_rule(settings: ConsensusSettings) -> str:
    counts = {"half": "half", "wrong": "nothing", "right": "fully"}[settings.ties]
    return f"A pair that a metric ties counts {counts}."


def _shown_kind(wins: pl.DataFrame) -> str:
    """Choose the kind of pairs for ranking systems: two machines, if there are such pairs."""
    return "MM" if "MM" in wins["kind"] else str(wins["kind"][0])


def _accuracy(part: ConsensusResult, full: pl.DataFrame, settings: ConsensusSettings) -> Table:
    number = dict(full.unique("kind", maintain_order=True, keep="first").select("kind", "n").iter_rows())
    whole = full.filter(kind=ALL).select("metric", "low", "high", "sd", "ties")
    spread = ["sd"] if settings.draws > 1 else ["low", "high"] if settings.resamples else []
    columns = ["metric", ALL, *spread, *(kind for kind in number if kind != ALL), "ties"]
    interval = " Low and high of all pairs: 95% confidence interval (bootstrap over images)." if len(spread) > 1 else ""
    return Table(
        f"agreement with raters: {part.votes.truth}, {part.most} references of {part.references.label}",
        _wide(full, "kind", "metric").join(whole, on="metric", maintain_order="left").select(columns),
        caption=f"Pairs: {', '.join(f'{kind} {n:,}' for kind, n in number.items())}. {_tie_rule(settings)}{interval}",
        name="agreement-with-people",
    )


def _by_reference_count(mean: pl.DataFrame, truth: str) -> Table:
    numbers = mean["references"].unique().sort().to_list()
    chosen = numbers if len(numbers) <= len(_COLUMNS) else [k for k in numbers if k in (*_COLUMNS, numbers[-1])]
    wide = _wide(mean.filter(pl.col("references").is_in(chosen)), "references", "kind", "metric")
    whole = mean.filter(kind=ALL)
    first = whole.filter(pl.col("value") == pl.col("value").max().over("references"))
    best = [f"{number}: {', '.join(first.filter(references=number)['metric'])}" for number in chosen]
    return Table(
        f"accuracy by number of references: {truth}",
        wide.select("kind", "metric", *map(str, chosen)).sort(_place(mean, "kind"), maintain_order=True),
        sections="kind",
        caption=f"Best metric over all pairs, by number of references: {'; '.join(best)}.",
        name="accuracy-by-references",
    )


def _ceiling(part: ConsensusResult, settings: ConsensusSettings) -> Table:
    rows, seen = part.ceiling.select("kind", "n", pl.col("value").alias(PEOPLE), "low", "high"), ""
    if part.halves.height:
        rows = rows.join(_wide(part.halves, "metric", "kind"), on="kind", how="left", maintain_order="left")
        draws = "1 draw" if settings.draws == 1 else f"mean of {settings.draws} draws"
        seen = f" A metric sees {part.most // 2} drawn references; triplets of the others decide ({draws})."
    return Table(
        f"half of the votes against the other half: {part.votes.truth}",
        rows,
        caption=f"Raters: exact expectation over all halves, 95% interval over images. {_tie_rule(settings)}{seen}",
        name="ceiling",
    )


def _league(league: League, label: str) -> Iterator[Table]:
    ranks = league.wins.filter(metric=PEOPLE).select("kind", "system", "rank")
    by_judge = _wide(league.wins, "metric", "kind", "system", "n")
    wins = ranks.join(by_judge, on=["kind", "system"], maintain_order="left")
    yield Table(
        f"share of wins of each system: {label}",
        wins.sort(_place(wins, "kind"), "rank", maintain_order=True).select("kind", "rank", pl.exclude("kind", "rank")),
        sections="kind",
        caption="Against all other systems in its pairs; a tie is half a win.",
        name="league",
    )
    if league.correlations.height:
        yield Table(
            f"metrics against raters over systems: {label}",
            _wide(league.correlations, "statistic", "kind", "metric", "n"),
            sections="kind",
            caption="Correlation of the shares of wins; n: systems.",
            name="metrics-over-systems",
        )
    duels = league.duels.filter(kind=_shown_kind(league.wins))
    won = _wide(duels, "metric", "system", "against", "n")
    yield Table(f"wins of the first over the second: {label}", won, name="duels")
