"""Recompute the figures of Vedantam, Zitnick & Parikh 2015 on their datasets in the store.

Appendices I and IV have two sources of human preference: triplets ask which caption is closer to a human one, pairs
which is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.model import Progress
from auditor.papers.figures import Paper, Quantities
from auditor.papers.measured import Measured
from auditor.papers.runs import cells, declared, derived, not_installed, of_metrics
from auditor.result import Result, Table
from auditor.scoring.references import references_of
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import images, log, resolve, resolve_all
from auditor.store.workspace import Workspace
from auditor.studies.consensus import (
    ALL,
    ConsensusResult,
    ConsensusSettings,
    accuracies,
    compared,
    consensus_rows,
    kinds_of,
    pair_votes,
    with_kinds,
)

__all__ = ["measure", "of_metrics", "two_truths"]

_PROFILE = "bare"

_TRIPLETS, _BETTER, _DESCRIBED = "pascal50s-triplets", "pascal50s-pairs", "pascal50s"

_CIDER = "cider:stem=true"

#: Tables of each source that are shown.
_SHOWN = ("agreement-with-people", "accuracy-by-references", "ceiling", "league")

#: The number of references for machine captions in section 7.3.
_RANKED_BY = 20

_PILOT = "pascal50s-pilot"

_NOT_PUBLIC = {
    "pascal50s-ranking": "the 1,000 pairs of 100 images by all five systems are not public, nor their triplets",
}

#: Columns that are compared.
_COMPARED = (
    "pair", "image", "kind", "tokens_b", "tokens_c", "origin_b", "origin_c", "votes_b", "votes_c", "winner",
)  # fmt: skip

#: The most differing pairs in a table.
_PAIRS = 10


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure accuracies, ceilings, league tables and correlations of the paper's datasets in the store."""
    most = images(store, resolve(store, _DESCRIBED))["captions"].max() if log(store, _DESCRIBED) else 0
    few = ["pilot"] if most < paper.runs["pilot"].options["most"] else []
    asked = replace(paper, runs={name: run for name, run in paper.runs.items() if name not in few})
    measured, results = declared(store, asked, seed, progress)
    missing, quantities = {**measured.lacking}, {**measured.quantities}
    shown: list[Table] = []
    for result in results["pairs"]:
        name = result.selections[0].version.dataset
        quantities.update(_pairs(store, name))
        shown += [replace(table, name=f"{name}/{table.name}") for table in result.tables if table.name in _SHOWN]
    missing.pop(_PILOT)
    if _TRIPLETS in missing:
        missing[_PILOT] = missing[_TRIPLETS]
    if not {_TRIPLETS, _BETTER} & {*missing}:
        twenty = ConsensusSettings(most=_RANKED_BY, seed=seed, resamples=0, tokenizer=_PROFILE)
        truths = two_truths(store, (_TRIPLETS, _BETTER), [_CIDER], twenty, progress)
        if truths is not None:
            ranked = Result("agree", consensus_rows(truths.part, ConsensusSettings(tokenizer=_PROFILE)))
            quantities.update(cells(paper.runs["league"], ranked))
            for kind, value in truths.agreement.select("kind", "value").iter_rows():
                quantities[_BETTER, "", kind, "", "differing"] = 1 - value
            shown += truths.tables()
    return replace(
        measured,
        quantities=derived(paper, quantities),
        lacking={**missing, **_NOT_PUBLIC},
        selections=resolve_all(store, [name for name in paper.datasets if log(store, name) and name not in missing]),
        tables=tuple(shown),
        notes=tuple(not_installed(paper.runs["pairs"])),
    )


def _pairs(store: Store, name: str) -> Quantities:
    captions = Captions(store, resolve(store, name), _PROFILE)
    references, _ = references_of(captions)
    pairs_of_source = with_kinds(pair_votes(captions), references).rows
    yield (name, "", ALL, "", "pairs"), float(pairs_of_source.height)
    for kind, pairs in pairs_of_source["kind"].drop_nulls().value_counts().iter_rows():
        yield (name, "", kind, "", "pairs"), float(pairs)


@dataclass(frozen=True)
class TwoTruths:
    """Pairs that two sources share, measured by the votes of both.

    `part` has the first source's, with the authors and kinds that only the other names. `pairs` are its rows beside the
    other's: `other_winner`, `other_votes_b`, `other_votes_c`. `truths` names the votes of both. `agreement`: kind, n,
    value, differing. `lengths`: kind, and for each of the two the mean number of words by which its winner is longer.
    `accuracy`: kind, metric, and accuracy by each.
    """

    part: ConsensusResult
    pairs: pl.DataFrame
    truths: tuple[str, str]
    agreement: pl.DataFrame
    lengths: pl.DataFrame
    accuracy: pl.DataFrame

    def tables(self) -> list[Table]:
        """Return tables on the agreement of the sources, the winners of each, and the accuracies by each."""
        title = f"{self.truths[0]}, against {self.truths[1]}"
        lead = (pl.col("other_votes_b").cast(pl.Int64) - pl.col("other_votes_c").cast(pl.Int64)).abs()
        differing = self.pairs.filter(pl.col("winner") != pl.col("other_winner"))
        columns = ("pair", "kind", "winner", "text_b", "text_c", "other_winner", "other_votes_b", "other_votes_c")
        clearest = differing.sort(lead, "pair", descending=[True, False]).head(_PAIRS).select(columns)
        return [
            Table(f"agreement of two sources: {title}", self.agreement, name="truths"),
            Table(f"extra words of the winner: {title}", self.lengths, name="winner-lengths"),
            Table(f"accuracy by source: {title}", self.accuracy, sections="kind", name="accuracy-by-truth"),
            Table(f"pairs on which the sources differ: {title}", clearest,
                  caption="The pairs with the clearest votes of the second source.", name="differing-pairs"),
        ]  # fmt: skip


def two_truths(
    store: Store, names: tuple[str, str], metrics: Sequence[str], settings: ConsensusSettings, progress: Progress
) -> TwoTruths | None:
    """Measure the pairs of the first of two sources by the votes of both; null if they share no pair.

    Pairs are the same if their images and words are.
    """
    votes, other = (pair_votes(Captions(store, resolve(store, name), settings.tokenizer), progress) for name in names)
    workspace = Workspace(store)
    workspace.bind_rows("pairwise_preference", votes.rows.select(_COMPARED))
    workspace.bind_rows("other_preference", other.rows.select(_COMPARED))
    matched = workspace.rows("shared_pair")
    if matched.is_empty():
        return None
    named = {"origin_b": "other_origin_b", "origin_c": "other_origin_c"}
    every = votes.rows.join(matched.rename(named), on="pair", how="left", maintain_order="left").with_columns(
        pl.coalesce(name, f"other_{name}").alias(name) for name in ("kind", *named)
    )
    pairs = every.filter(pl.col("other_pair").is_not_null())
    part = compared(replace(votes, rows=every.select(votes.rows.columns)), metrics, None, settings, progress)
    side = pl.col("other_winner").replace_strict({"B": 1, "C": -1}, default=0, return_dtype=pl.Int8)
    judged = part.preferred.join(pairs.select("pair", other_people=side), on="pair", maintain_order="left")
    key = (settings.seed, *votes.selection.content)
    truths = (votes.truth, other.truth)
    first, second = (
        accuracies(judged, [metric.label for metric in part.metrics], settings.ties, 0, key, people).select(
            "kind", "metric", pl.col("value").alias(truth)
        )
        for people, truth in zip(("people", "other_people"), truths, strict=True)
    )
    agreement, lengths = _by_kind(pairs, truths)
    accuracy = first.join(second, on=["kind", "metric"], maintain_order="left")
    return TwoTruths(part, pairs, truths, agreement, lengths, accuracy)


def _by_kind(pairs: pl.DataFrame, truths: tuple[str, str]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Return how often two sources agree on pairs that both decide, and the lengths of their winners."""
    decided = pairs.filter(pl.col("winner").is_not_null(), pl.col("other_winner").is_not_null())
    longer = pl.col("tokens_b").list.len().cast(pl.Int64) - pl.col("tokens_c").list.len().cast(pl.Int64)
    same = pl.col("winner") == pl.col("other_winner")
    rows = pl.concat(
        part.select(
            pl.lit(kind).alias("kind"),
            n=pl.len().cast(pl.Int64),
            value=same.cast(pl.Float64).mean(),
            differing=(~same).sum().cast(pl.Int64),
            **{
                truth: (longer * pl.when(pl.col(winner) == "B").then(1).otherwise(-1)).mean()
                for truth, winner in zip(truths, ("winner", "other_winner"), strict=True)
            },
        )
        for kind in (ALL, *kinds_of(decided))
        for part in (decided if kind == ALL else decided.filter(kind=kind),)
    )
    return rows.drop(truths), rows.select("kind", *truths)
