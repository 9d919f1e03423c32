"""The rows of pairs and triplets with the public columns, their tables, figures and sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

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


def frame(parts: Sequence[ConsensusResult], settings: ConsensusSettings) -> pl.DataFrame:
    """Return the rows of all datasets in one table."""
    return pl.concat(_of_part(part, settings) for part in parts)


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


def _of_part(part: ConsensusResult, settings: ConsensusSettings) -> pl.DataFrame:
    votes, most = part.votes, pl.lit(part.most, pl.UInt32)
    truth, first = pl.lit(votes.truth), pl.lit(1, pl.Int64)
    accuracy = part.accuracy.with_columns(statistic=pl.lit("accuracy"), truth=truth)
    parts = [accuracy]
    if settings.draws > 1:
        parts.append(over_draws(part.accuracy).with_columns(statistic=pl.lit("accuracy"), truth=truth))
    parts.append(part.compared.with_columns(references=most, draw=first) if part.compared.height else part.compared)
    parts.append(part.ceiling.with_columns(statistic=pl.lit("ceiling"), metric=pl.lit(PEOPLE), truth=truth))
    if part.ceiling_by_votes.height:
        by_votes = {"statistic": pl.lit("ceiling-by-votes"), "metric": pl.lit(PEOPLE), "truth": truth}
        parts.append(part.ceiling_by_votes.with_columns(**by_votes))
    if part.halves.height:
        parts.append(part.halves.with_columns(statistic=pl.lit("split-half"), truth=truth))
    if part.league:
        drawn = {"references": pl.when(pl.col("metric") != PEOPLE).then(most), "truth": truth, "draw": first}
        parts.append(part.league.wins.drop("rank").with_columns(statistic=pl.lit("wins"), **drawn))
        parts.append(part.league.duels.with_columns(statistic=pl.lit("duels"), **drawn))
        parts.append(part.league.correlations.with_columns(against=pl.lit(PEOPLE), **drawn))
    return _public(parts, part, settings)


def _public(parts: Sequence[pl.DataFrame], part: ConsensusResult, settings: ConsensusSettings) -> pl.DataFrame:
    """Add the columns that identify the source of each row, in the public order."""
    version = part.votes.selection.version
    schema = pl.Schema(ROWS)
    rows = pl.concat(
        [pl.DataFrame(schema=schema), *(rows for rows in parts if rows.height)], how="diagonal_relaxed"
    ).with_columns(
        dataset=pl.lit(version.dataset),
        version=pl.lit(version.version),
        split=pl.lit(part.votes.selection.split, pl.String),
        seed=pl.lit(settings.seed, pl.Int64) + pl.coalesce("draw", pl.lit(1)) - 1,
    )
    keys = rows.select("metric", "references", "seed").unique(maintain_order=True)
    named = {metric.label: metric for metric in part.metrics}
    signed = [
        str(named[label].signature(settings.tokenizer, References("all", number, seed)))
        if label in named and number is not None
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


def tables(part: ConsensusResult, settings: ConsensusSettings) -> list[Table]:
    """Return the tables of one dataset."""
    label = part.votes.selection.label
    made = [_accuracy(part, settings)]
    if part.accuracy["references"].n_unique() > 1:
        made.append(_by_reference_count(part))
    if part.compared.height:
        made.append(
            Table(f"CIDEr and CIDEr-D of the compared captions of {label}",
                  part.compared.select("metric", "against", "statistic", "value", "n"), name="compared-scores")
        )  # fmt: skip
    if part.ceiling.height:
        made.append(_ceiling(part, settings))
    if part.ceiling_by_votes.height:
        made.append(_ceiling_by_votes(part, settings))
    return [*made, *_league(part)]


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


def figures(part: ConsensusResult, settings: ConsensusSettings) -> list[Figure]:
    """Draw accuracy by kind of pair, by number of references, and the wins of systems."""
    label = part.votes.selection.label
    mean = over_draws(part.accuracy)
    full = mean.filter(pl.col("references") == part.most)
    drawn = [
        Figure(
            "accuracy", f"Agreement with raters: {label}", "bars", full, "kind", "value", "metric",
            low="low" if full["low"].null_count() == 0 else None,
            high="high" if full["low"].null_count() == 0 else None,
            y_label="accuracy", caption=f"{part.most} references. {_tie_rule(settings)}",
        )
    ]  # fmt: skip
    if mean["references"].n_unique() > 1:
        drawn += [
            Figure(
                f"references-{kind.lower()}", f"Accuracy by number of references: {label}, {_kind(kind)}",
                "lines", mean.filter(pl.col("kind") == kind), "references", "value", "metric",
                x_label="references", y_label="accuracy", log_x=True,
            )
            for kind in mean["kind"].unique(maintain_order=True)
        ]  # fmt: skip
    if part.league:
        kind = _shown_kind(part.league.wins)
        wins = part.league.wins.filter(pl.col("kind") == kind)
        order = _positions(wins.filter(pl.col("metric") == PEOPLE).sort("value", descending=True), "system")
        drawn.append(
            Figure(
                "wins", f"Share of wins of each system: {label}, {_kind(kind)}", "bars",
                wins.sort(pl.col("system").replace_strict(order), maintain_order=True),
                "system", "value", "metric", y_label="wins",
            )
        )  # fmt: skip
    return drawn


def _kind(kind: str) -> str:
    return "all pairs" if kind == ALL else f"{kind} pairs"


def _positions(rows: pl.DataFrame, column: str) -> dict[str, int]:
    """Return the values of a column with numbers, by first occurrence."""
    return {value: index for index, value in enumerate(rows[column].unique(maintain_order=True))}


def _tie_rule(settings: ConsensusSettings) -> str:
    counts = {"half": "half", "wrong": "nothing", "right": "fully"}[settings.ties]
    return f"A pair that a metric ties counts {counts}."


def _shown_kind(wins: pl.DataFrame) -> str:
    """Choose the kind of pairs for ranking systems: two machines, if there are such pairs."""
    kinds = wins["kind"].unique(maintain_order=True).to_list()
    return "MM" if "MM" in kinds else str(kinds[0])


def _accuracy(part: ConsensusResult, settings: ConsensusSettings) -> Table:
    full = over_draws(part.accuracy).filter(pl.col("references") == part.most)
    number = full.unique("kind", maintain_order=True, keep="first").select("kind", "n").rows()
    by_kind = full.pivot("kind", index="metric", values="value", maintain_order=True)
    whole = full.filter(pl.col("kind") == ALL).select("metric", "low", "high", "sd", "ties")
    spread = ["sd"] if settings.draws > 1 else ["low", "high"] if settings.resamples else []
    kinds = [kind for kind, _ in number if kind != ALL]
    interval = (
        " Low and high of all pairs: 95% confidence interval (bootstrap over images)."
        if spread == ["low", "high"]
        else ""
    )
    return Table(
        f"agreement with raters: {part.votes.truth}, {part.most} references of {part.references.label}",
        by_kind.join(whole, on="metric", maintain_order="left").select("metric", ALL, *spread, *kinds, "ties"),
        caption=f"Pairs: {', '.join(f'{kind} {n:,}' for kind, n in number)}. {_tie_rule(settings)}{interval}",
        name="agreement-with-people",
    )


def _by_reference_count(part: ConsensusResult) -> Table:
    mean = over_draws(part.accuracy)
    numbers = mean["references"].unique().sort().to_list()
    chosen = numbers if len(numbers) <= len(_COLUMNS) else [k for k in numbers if k in (*_COLUMNS, part.most)]
    wide = mean.filter(pl.col("references").is_in(chosen)).pivot(
        "references", index=["kind", "metric"], values="value", maintain_order=True
    )
    columns = [str(number) for number in chosen]
    whole = mean.filter(pl.col("kind") == ALL)
    first = whole.filter(pl.col("value") == pl.col("value").max().over("references"))
    best = [f"{number}: {', '.join(first.filter(pl.col('references') == number)['metric'])}" for number in chosen]
    return Table(
        f"accuracy by number of references: {part.votes.truth}",
        wide.select("kind", "metric", *columns).sort(
            pl.col("kind").replace_strict(_positions(mean, "kind")), maintain_order=True
        ),
        sections="kind",
        caption=f"Best metric over all pairs, by number of references: {'; '.join(best)}.",
        name="accuracy-by-references",
    )


def _ceiling(part: ConsensusResult, settings: ConsensusSettings) -> Table:
    columns = ["kind", "n", PEOPLE, "low", "high"]
    rows, seen = part.ceiling.rename({"value": PEOPLE}).select(columns), ""
    if part.halves.height:
        by_metric = part.halves.pivot("metric", index="kind", values="value", maintain_order=True)
        rows = rows.join(by_metric, on="kind", how="left", maintain_order="left")
        draws = "1 draw" if settings.draws == 1 else f"mean of {settings.draws} draws"
        seen = f" A metric sees {part.most // 2} drawn references; triplets of the others decide ({draws})."
    return Table(
        f"half of the votes against the other half: {part.votes.truth}",
        rows,
        caption=f"Raters: exact expectation over all halves, 95% interval over images. {_tie_rule(settings)}{seen}",
        name="ceiling",
    )


def _ceiling_by_votes(part: ConsensusResult, settings: ConsensusSettings) -> Table:
    by_votes = part.ceiling_by_votes.pivot("references", index=["kind", "n"], values="value", maintain_order=True)
    return Table(
        f"a few votes against half of the votes: {part.votes.truth}",
        by_votes,
        caption=f"Columns: the number of votes that predict the other half. {_tie_rule(settings)}",
        name="ceiling-by-votes",
        further=True,
    )


def _league(part: ConsensusResult) -> list[Table]:
    if part.league is None:
        return []
    wins, duels = part.league.wins, part.league.duels
    ranks = wins.filter(pl.col("metric") == PEOPLE).select("kind", "system", "rank")
    by_judge = wins.pivot("metric", index=["kind", "system", "n"], values="value", maintain_order=True)
    correlations = part.league.correlations.pivot(
        "statistic", index=["kind", "metric", "n"], values="value", maintain_order=True
    )
    label = part.votes.selection.label
    league = by_judge.join(ranks, on=["kind", "system"], maintain_order="left").sort(
        pl.col("kind").replace_strict(_positions(wins, "kind")), "rank", maintain_order=True
    )
    return [
        Table(f"share of wins of each system: {label}", league.select("kind", "rank", pl.exclude("kind", "rank")),
              sections="kind", caption="Against all other systems in its pairs; a tie is half a win.",
              name="league"),
        *([Table(f"metrics against raters over systems: {label}", correlations, sections="kind",
                 caption="Correlation of the shares of wins; n: systems.",
                 name="metrics-over-systems")] if correlations.height else []),
        Table(f"wins of the first over the second: {label}",
              duels.filter(pl.col("kind") == _shown_kind(wins))
              .pivot("metric", index=["system", "against", "n"], values="value", maintain_order=True), name="duels"),
    ]  # fmt: skip
