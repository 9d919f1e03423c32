"""The rows of pairs and triplets with the public columns, their tables, figures and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Said, Table, digits, interval
from auditor.scoring.registry import MetricRequest, References
from auditor.statistics.correlation import correlate
from auditor.store.captions import stamp
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
    schema = pl.Schema(ROWS)
    named = [pl.DataFrame(schema=schema)]
    for statistic, rows, columns in parts:
        if rows.height:
            said = {"statistic": pl.lit(statistic)} if statistic else {}
            named.append(stamp(part.votes.selection, rows).with_columns(**columns, **said))
    seed = pl.lit(settings.seed, pl.Int64) + pl.coalesce("draw", pl.lit(1)) - 1
    rows = pl.concat(named, how="diagonal_relaxed").with_columns(seed=seed)
    metrics = {metric.label: metric for metric in part.metrics}
    keys = rows.select("metric", "references", "seed").rows()
    signed = {
        (label, number, seed): str(metrics[label].signature(settings.tokenizer, References("all", number, seed)))
        for label, number, seed in set(keys)
        if label in metrics and number is not None
    }
    signatures = pl.Series("signature", [signed.get(key) for key in keys], pl.String)
    rounded = pl.col("value", "low", "high", "sd").round(_DECIMALS)
    return rows.with_columns(signatures, rounded).select(*ROWS).cast(schema)


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
        wide = part.ceiling_by_votes.pivot("references", index=["kind", "n"], values="value")
        caption = f"Columns: the number of votes that predict the other half. {_tie_rule(settings)}"
        title = f"a few votes against half of the votes: {truth}"
        yield Table(title, wide, caption=caption, name="ceiling-by-votes", further=True)
    if part.league:
        wins = part.league.wins
        ranks = wins.filter(metric=PEOPLE).select("kind", "system", "rank")
        ranked = wins.drop("rank").join(ranks, on=["kind", "system"], maintain_order="left")
        wide = ranked.pivot("metric", index=["kind", "rank", "system", "n"], values="value")
        wide = wide.sort(_in_order(wide, "kind"), "rank", maintain_order=True)
        caption = "Against all other systems in its pairs; a tie is half a win"
        yield Table(f"share of wins of each system: {label}", wide, sections="kind", caption=caption, name="league")
        if part.league.correlations.height:
            wide = part.league.correlations.pivot("statistic", index=["kind", "metric", "n"], values="value")
            title = f"metrics against raters over systems: {label}"
            caption = "Correlation of the shares of wins; n: systems."
            yield Table(title, wide, sections="kind", caption=caption, name="metrics-over-systems")
        duels = part.league.duels.filter(kind=_shown_kind(wins))
        won = duels.pivot("metric", index=["system", "against", "n"], values="value")
        yield Table(f"wins of the first over the second: {label}", won, name="duels")


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
        best = wins.filter(metric=PEOPLE).sort("value", descending=True)
        wins = wins.sort(_in_order(best, "system"), maintain_order=True)
        yield Figure("wins", title, "bars", wins, "system", "value", "metric", y_label="wins")


def _kind(kind: str) -> str:
    return "all pairs" if kind == ALL else f"{kind} pairs"


def _in_order(rows: pl.DataFrame, column: str) -> pl.Expr:
    """Order the values of a column by their first rows."""
    return pl.col(column).cast(pl.Enum(rows[column].unique(maintain_order=True)))


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
    wide = full.pivot("kind", index="metric", values="value").join(whole, on="metric", maintain_order="left")
    title = f"agreement with raters: {part.votes.truth}, {part.most} references of {part.references.label}"
    caption = f"Pairs: {', '.join(f'{kind} {n:,}' for kind, n in number.items())}. {_tie_rule(settings)}{interval}"
    return Table(title, wide.select(columns), caption=caption, name="agreement-with-people")


def _by_reference_count(mean: pl.DataFrame, truth: str) -> Table:
    numbers = mean["references"].unique().sort().to_list()
    chosen = [k for k in numbers if k in (*_COLUMNS, numbers[-1]) or len(numbers) <= len(_COLUMNS)]
    shown = mean.filter(pl.col("references").is_in(chosen))
    whole = shown.filter(kind=ALL).sort("references", maintain_order=True)
    best = whole.filter(pl.col("value") == pl.col("value").max().over("references"))
    names = best.group_by("references", maintain_order=True).agg(pl.col("metric").str.join(", ")).rows()
    wide = shown.pivot("references", index=["kind", "metric"], values="value")
    wide = wide.sort(_in_order(mean, "kind"), maintain_order=True)
    title, columns = f"accuracy by number of references: {truth}", ["kind", "metric", *map(str, chosen)]
    caption = "; ".join(f"{number}: {metrics}" for number, metrics in names)
    caption = f"Best metric over all pairs, by number of references: {caption}."
    return Table(title, wide.select(columns), sections="kind", caption=caption, name="accuracy-by-references")


def _ceiling(part: ConsensusResult, settings: ConsensusSettings) -> Table:
    rows, seen = part.ceiling.select("kind", "n", pl.col("value").alias(PEOPLE), "low", "high"), ""
    if part.halves.height:
        halves = part.halves.pivot("metric", index="kind", values="value")
        rows = rows.join(halves, on="kind", how="left", maintain_order="left")
        draws = "1 draw" if settings.draws == 1 else f"mean of {settings.draws} draws"
        seen = f" A metric sees {part.most // 2} drawn references; triplets of the others decide ({draws})."
    title = f"half of the votes against the other half: {part.votes.truth}"
    caption = f"Raters: exact expectation over all halves, 95% interval over images. {_tie_rule(settings)}{seen}"
    return Table(title, rows, caption=caption, name="ceiling")
