"""How far people agree with each other: the ceiling of what a metric can be asked for."""

from __future__ import annotations

from itertools import combinations

import polars as pl

from auditor.statistics.agreement import krippendorff, strength
from auditor.statistics.correlation import correlate
from auditor.studies.agreement_rows import ALL, PEOPLE, Row
from auditor.studies.ratings import Rated, protocol_of

_MEAN_DECIMALS = 10

#: So many judges or fewer are compared with each other one by one.
_FEW = 10


def agreement(found: Rated) -> tuple[list[Row], list[str]]:
    """Give the rows of people among themselves, and notes on what there is none of.

    `spearman` of every two judges (protocol `judge-1 judge-2`); `krippendorff-ordinal` and `krippendorff-interval` of
    all; `ceiling`: Spearman of a judge with the mean of the others (protocol: the judge), and of all ratings with the
    mean of the others of the same caption, as metrics are compared by the pooled protocol.
    """
    label, judges = found.annotated.label, found.judges
    if len(judges) == 1:
        return [], [
            f"{label}: one judge ({judges[0]}) only: how far people agree, and what a metric can reach, is unknown"
        ]
    pairs = found.at_work.rows("coincidence")
    if pairs.is_empty():
        return [], [f"{label}: no caption was rated by two judges: how far people agree is unknown"]
    rows = [
        _row(f"krippendorff-{level}", "pooled", krippendorff(pairs, level), _paired(found))
        for level in ("ordinal", "interval")
    ]
    notes = []
    if len(judges) > _FEW:
        notes.append(f"{label}: {len(judges):,} judges: they are not compared one by one")
    else:
        rows = [*_one_by_one(found), *rows]
    return [*rows, *_ceilings(found, judges if len(judges) <= _FEW else [])], notes


def _one_by_one(found: Rated) -> list[Row]:
    made = []
    of = {judge: found.ratings.filter(judge=judge).select("image", "slot", "score") for judge in found.judges}
    for a, b in combinations(found.judges, 2):
        both = of[a].join(of[b], on=["image", "slot"], how="inner", maintain_order="left")
        made.append(_spearman("spearman", f"{protocol_of(a)} {protocol_of(b)}", both.select("score", "score_right")))
    return made


def _ceilings(found: Rated, judges: list[str]) -> list[Row]:
    caption = ["image", "slot"]
    others = (pl.col("score").sort().sum().over(caption) - pl.col("score")) / (pl.len().over(caption) - 1)
    beside = found.ratings.with_columns(others=others.round(_MEAN_DECIMALS)).filter(pl.len().over(caption) > 1)
    return [
        _spearman("ceiling", "pooled", beside.select("score", "others")),
        *(
            _spearman("ceiling", protocol_of(judge), beside.filter(judge=judge).select("score", "others"))
            for judge in judges
        ),
    ]


def _paired(found: Rated) -> int:
    """Count the ratings of captions that were rated more than once."""
    return found.ratings.filter(pl.len().over("image", "slot") > 1).height


def _spearman(statistic: str, protocol: str, scores: pl.DataFrame) -> Row:
    value, p = correlate(scores, ["spearman"]).select("value", "p").row(0)
    return _row(statistic, protocol, value, scores.height) | {"p": p, "strength": strength(value)}


def _row(statistic: str, protocol: str, value: float | None, n: int) -> Row:
    return {"metric": PEOPLE, "statistic": statistic, "protocol": protocol, "value": value, "n": n, "candidates": ALL}
