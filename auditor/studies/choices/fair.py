"""A blind-fair subset: items that no blind scorer of the battery decides beyond chance.

Of each part, the blind scorer that is farthest from chance is taken, and as many items are kept on which it is right as
items on which it errs; then the next that is still beyond chance, together with the first: items on which both are
right against items on which both err, and so on (in the manner of Hsieh et al. 2023, section 3.2, for any number of
scorers). What is beyond chance in all parts together is balanced in each. Of items with two right captions, the wrong
one is the highest, the middle and the lowest in as many items each, so that a third is right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import polars as pl

from auditor.statistics.forced_choice import share
from auditor.store.workspace import Workspace
from auditor.studies.choices.scored import chance_of, marks

_LEVEL = 0.05


@dataclass(frozen=True)
class FairSubset:
    """Which items are kept, a frame with column item_no, and by part the scorers that they are balanced by, in turn."""

    items: pl.DataFrame
    balanced_by: Mapping[str | None, tuple[str, ...]]


def fair_subset(workspace: Workspace, ends: pl.DataFrame, names: Sequence[str]) -> FairSubset:
    """Find the subset. `ends` are the outcomes of `scored.outcomes`, `names` the blind scorers among its columns."""
    marked = marks(ends)
    chosen: dict[str | None, tuple[str, ...]] = dict.fromkeys(marked["part"].unique(maintain_order=True), ())
    while True:
        workspace.bind_rows("choice_sign", _signs(ends, chosen))
        kept = workspace.rows("fair_choice")
        left = marked.join(kept, on="item_no", how="semi", maintain_order="left")
        further = {}
        for part, taken in chosen.items():
            name = _farthest(left.filter(pl.col("part").eq_missing(part)), names)
            if name is not None and name not in taken:
                further[part] = (*taken, name)
        if not further and (name := _farthest(left, names)) is not None:
            # Too little to be seen in any part, and too much in all of them together.
            further = {part: (*taken, name) for part, taken in chosen.items() if name not in taken}
        if not further:
            return FairSubset(kept, chosen)
        chosen |= further


def _signs(ends: pl.DataFrame, chosen: Mapping[str | None, Sequence[str]]) -> pl.DataFrame:
    """Write of each item how it ends by the chosen scorers, a sign each. One without a score ties."""
    told = []
    for part, names in chosen.items():
        own = ends.filter(pl.col("part").eq_missing(part))
        signs = pl.concat_str(pl.col(name).fill_null("0") for name in names) if names else pl.lit("")
        told.append(own.select("item_no", signs=signs))
    return pl.concat(told)


def _farthest(marked: pl.DataFrame, names: Sequence[str]) -> str | None:
    """Name the scorer that is farthest from chance, of those that are beyond it; the level is shared (Bonferroni)."""
    confidence = 1 - _LEVEL / len(names)
    beyond = {}
    for name in names:
        known = marked.select("image", "expected", mark=name).drop_nulls("mark")
        if known.height:
            chance = chance_of(known)
            one = share(known["mark"].to_numpy(), known["image"].to_numpy(), confidence, chance)
            if not one.low <= chance <= one.high:
                beyond[name] = abs(one.value - chance)
    return max(beyond, key=lambda name: beyond[name], default=None)
