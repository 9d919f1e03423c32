"""A blind-fair subset: items on which no blind scorer of the battery differs significantly from chance.

In each part, the blind scorer farthest from chance is balanced: equally many items are kept that it gets right and
wrong. Then the next scorer that still differs from chance is balanced together with the first: items that both get
right against items that both get wrong, and so on (Hsieh et al. 2023, section 3.2, for any number of scorers).
A scorer that differs from chance only in all parts together is balanced in each part. With several options, the right
one has each rank in equally many items; of two right captions, the wrong one has. So chance is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from auditor.statistics.forced_choice import share
from auditor.store.workspace import Workspace
from auditor.studies.choices.scored import chance_of, marks

_LEVEL = 0.05

_RANK = pl.Struct({"low": pl.UInt8, "tied": pl.UInt8})


@dataclass(frozen=True)
class FairSubset:
    """The items of the subset (column item_no), and the scorers that balance each part, in order."""

    items: pl.DataFrame
    balanced_by: Mapping[str | None, tuple[str, ...]]


def fair_subset(workspace: Workspace, found: pl.DataFrame, names: Sequence[str]) -> FairSubset:
    """Find the subset. `found` are the ranks of `scored.ranks`, `names` the blind scorers among its columns."""
    marked = marks(found)
    chosen: dict[str | None, tuple[str, ...]] = dict.fromkeys(marked["part"].unique(maintain_order=True), ())
    while True:
        workspace.bind_rows("choice_rank", _chosen(found, chosen))
        kept = workspace.rows("fair_choice")
        left = marked.join(kept, on="item_no", how="semi", maintain_order="left")
        further = {}
        for part, taken in chosen.items():
            name = _farthest(left.filter(pl.col("part").eq_missing(part)), names)
            if name is not None and name not in taken:
                further[part] = (*taken, name)
        if not further and (name := _farthest(left, names)) is not None:
            # Not significant in any part, but in all parts together.
            further = {part: (*taken, name) for part, taken in chosen.items() if name not in taken}
        if not further:
            return FairSubset(kept, chosen)
        chosen |= further


def _chosen(found: pl.DataFrame, chosen: Mapping[str | None, Sequence[str]]) -> pl.DataFrame:
    """Return the ranks of each item by the chosen scorers. A missing score counts as a tie of all."""
    frames = []
    for part, names in chosen.items():
        own = found.filter(pl.col("part").eq_missing(part))
        tie = pl.struct(low=pl.lit(1, pl.UInt8), tied=(1 / pl.col("expected")).round().cast(pl.UInt8) - 1)
        ranks = pl.concat_list(pl.coalesce(name, tie) for name in names) if names else pl.lit([], pl.List(_RANK))
        frames.append(own.select("item_no", ranks=ranks))
    return pl.concat(frames)


def _farthest(marked: pl.DataFrame, names: Sequence[str]) -> str | None:
    """Return the scorer farthest from chance, if any differs significantly from it (Bonferroni correction)."""
    confidence = 1 - _LEVEL / len(names)
    beyond = {}
    for name in names:
        known = marked.select("image", "expected", mark=name).drop_nulls("mark")
        if known.height:
            chance = chance_of(known)
            estimate = share(known["mark"].to_numpy(), known["image"].to_numpy(), confidence, chance)
            if not estimate.low <= chance <= estimate.high:
                beyond[name] = abs(estimate.value - chance)
    return max(beyond, key=lambda name: beyond[name], default=None)
