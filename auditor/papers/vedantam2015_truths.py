"""Compare two sources of human preference: triplets and pairs.

Vedantam et al. 2015, appendices I and IV: triplets ask which caption is closer to a human one, pairs which is better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import polars as pl

from auditor.model import Progress
from auditor.result import Table
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.store.workspace import Workspace
from auditor.studies.consensus import (
    ALL,
    ConsensusResult,
    ConsensusSettings,
    PairVotes,
    accuracies,
    compared,
    kinds_of,
    pair_votes,
)

#: Columns that are compared.
_COMPARED = (
    "pair", "image", "kind", "tokens_b", "tokens_c", "origin_b", "origin_c", "votes_b", "votes_c", "winner",
)  # fmt: skip


@dataclass(frozen=True)
class SharedPairs:
    """Pairs that two sources share.

    `pairs` are those of the first with `other_votes_b`, `other_votes_c`, `other_winner` and `other_people` (1 for B, -1
    for C, 0 for neither) of the second; `agreement`: kind, n, value; `lengths`: kind, truth, n, value, the mean number
    of words by which the winner is longer.
    """

    pairs: pl.DataFrame
    agreement: pl.DataFrame
    lengths: pl.DataFrame

    @property
    def differing(self) -> pl.DataFrame:
        """The pairs on which the two disagree."""
        return self.pairs.filter(pl.col("winner") != pl.col("other_winner"))


@dataclass(frozen=True)
class TwoTruths:
    """The accuracies of metrics on pairs that two sources share, by the votes of the first, and by those of the other.

    Authors and kinds that only the other source names are added. `own` and `others` are accuracies over shared pairs.
    """

    part: ConsensusResult
    other: PairVotes
    shared: SharedPairs
    own: pl.DataFrame
    others: pl.DataFrame


def two_truths(
    store: Store, names: tuple[str, str], metrics: Sequence[str], settings: ConsensusSettings, progress: Progress
) -> TwoTruths | None:
    """Measure the pairs of the first of two sources by the votes of both; null if they share no pair."""
    votes, other = (pair_votes(Captions(store, resolve(store, name), settings.tokenizer), progress) for name in names)
    shared = shared_pairs(store, votes, other)
    if shared is None:
        return None
    known = replace(votes, rows=known_of(votes, shared.pairs))
    part = compared(known, metrics, None, settings, progress)
    judged = part.preferred.join(shared.pairs.select("pair", "other_people"), on="pair", maintain_order="left")
    labels, key = [metric.label for metric in part.metrics], (settings.seed, *votes.selection.content)
    own, others = (accuracies(judged, labels, settings.ties, 0, key, truth) for truth in ("people", "other_people"))
    return TwoTruths(part, other, shared, own, others)


def shared_pairs(store: Store, votes: PairVotes, other: PairVotes) -> SharedPairs | None:
    """Match the pairs of two sources by image and words; null if they share none."""
    workspace = Workspace(store)
    workspace.bind_rows("pairwise_preference", votes.rows.select(_COMPARED))
    workspace.bind_rows("other_preference", other.rows.select(_COMPARED))
    matched = workspace.rows("shared_pair")
    if matched.is_empty():
        return None
    pairs = votes.rows.join(
        matched.rename({"origin_b": "other_origin_b", "origin_c": "other_origin_c"}), on="pair", maintain_order="left"
    ).with_columns(
        kind=pl.coalesce("kind", "other_kind"),
        origin_b=pl.coalesce("origin_b", "other_origin_b"),
        origin_c=pl.coalesce("origin_c", "other_origin_c"),
        other_people=pl.col("other_winner").replace_strict({"B": 1, "C": -1}, default=0, return_dtype=pl.Int8),
    )
    decided = pairs.filter(pl.col("winner").is_not_null(), pl.col("other_winner").is_not_null())
    truths = {votes.truth: "winner", other.truth: "other_winner"}
    return SharedPairs(pairs, _agreement(decided), _lengths(decided, truths))


def known_of(votes: PairVotes, pairs: pl.DataFrame) -> pl.DataFrame:
    """Return the rows of the first source, with the kinds and authors that only the other source has."""
    known = pairs.select("pair", "kind", "origin_b", "origin_c")
    joined = votes.rows.join(known, on="pair", how="left", suffix=" known", maintain_order="left")
    taken = ("kind", "origin_b", "origin_c")
    return joined.with_columns(pl.coalesce(name, f"{name} known").alias(name) for name in taken).select(
        votes.rows.columns
    )


def _by_kind(pairs: pl.DataFrame) -> list[tuple[str, pl.DataFrame]]:
    return [(ALL, pairs), *((kind, pairs.filter(pl.col("kind") == kind)) for kind in kinds_of(pairs))]


def _agreement(decided: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(
        part.select(
            pl.lit(kind).alias("kind"),
            n=pl.len().cast(pl.Int64),
            value=(pl.col("winner") == pl.col("other_winner")).cast(pl.Float64).mean(),
            differing=(pl.col("winner") != pl.col("other_winner")).sum().cast(pl.Int64),
        )
        for kind, part in _by_kind(decided)
    )


def _lengths(decided: pl.DataFrame, truths: dict[str, str]) -> pl.DataFrame:
    longer = pl.col("tokens_b").list.len().cast(pl.Int64) - pl.col("tokens_c").list.len().cast(pl.Int64)
    return pl.concat(
        part.select(
            pl.lit(kind).alias("kind"),
            pl.lit(truth).alias("truth"),
            n=pl.len().cast(pl.Int64),
            value=(longer * pl.when(pl.col(winner) == "B").then(1).otherwise(-1)).mean(),
        )
        for kind, part in _by_kind(decided)
        for truth, winner in truths.items()
    )


def shown(pairs: pl.DataFrame, most: int, columns: Sequence[str]) -> pl.DataFrame:
    """Return the pairs with the clearest votes of the second source, ties by number."""
    lead = (pl.col("other_votes_b").cast(pl.Int64) - pl.col("other_votes_c").cast(pl.Int64)).abs()
    return pairs.sort(lead, "pair", descending=[True, False]).head(most).select(columns)


#: The most differing pairs in a table.
_PAIRS = 10


def tables(truths: TwoTruths) -> list[Table]:
    """Return tables on the agreement of two sources, the winners of each, and the accuracies by each."""
    part, both, other = truths.part, truths.shared, truths.other
    title = f"{part.votes.truth}, against {other.truth}"
    lengths = both.lengths.pivot("truth", index="kind", values="value", maintain_order=True)
    accuracy = truths.own.select("kind", "metric", pl.col("value").alias(part.votes.truth)).join(
        truths.others.select("kind", "metric", pl.col("value").alias(other.truth)),
        on=["kind", "metric"],
        maintain_order="left",
    )
    columns = ["pair", "kind", "winner", "text_b", "text_c", "other_winner", "other_votes_b", "other_votes_c"]
    return [
        Table(f"agreement of two sources: {title}", both.agreement, name="truths"),
        Table(f"extra words of the winner: {title}", lengths, name="winner-lengths"),
        Table(f"accuracy by source: {title}", accuracy, sections="kind", name="accuracy-by-truth"),
        Table(f"pairs on which the sources differ: {title}", shown(both.differing, _PAIRS, columns),
              caption="The pairs with the clearest votes of the second source.", name="differing-pairs"),
    ]  # fmt: skip
