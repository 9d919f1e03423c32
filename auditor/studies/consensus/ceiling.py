"""How well do raters predict raters? The truth is half of the votes, the prediction the other half.

Vedantam et al. 2015, section 7.4. For raters it is the exact expectation over all halves. A metric sees the drawn half
of the references, and the triplets of the others are the truth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import polars as pl

from auditor.model import Progress
from auditor.scoring.registry import References
from auditor.scoring.scores import score_candidates
from auditor.statistics.summary import ratio
from auditor.studies.consensus.accuracy import ALL, TIE_CREDIT, ConsensusSettings, credit, kinds_of, preferences
from auditor.studies.consensus.votes import Prepared

_VOTES = ("votes_b", "votes_c")


#: The numbers of votes that predict the other half, if there are as many.
_FEWER = (1, 3, 5, 10, 20)


def halves(votes_b: int, votes_c: int, tie_credit: float = 0.5, few: int | None = None) -> tuple[float, float, float]:
    """Return how often a random half of the votes prefers B, and C, and how often it decides and the other half agrees.

    All are shares of all ways to draw the half. With an odd number, the truth has one vote more. A prediction that is
    even counts `tie_credit`. With `few`, so many votes of the other half predict.
    """
    votes = votes_b + votes_c
    truth = votes - votes // 2
    ways = math.comb(votes, truth)
    decided, agreed = {True: 0.0, False: 0.0}, 0.0
    for b in range(max(0, truth - votes_c), min(truth, votes_b) + 1):
        lead, b_left, left = 2 * b - truth, votes_b - b, votes - truth
        if lead:
            share = math.comb(votes_b, b) * math.comb(votes_c, truth - b) / ways
            decided[lead > 0] += share
            drawn = min(few or left, left)
            for ours in range(max(0, drawn - left + b_left), min(drawn, b_left) + 1):
                rest = 2 * ours - drawn
                part = math.comb(b_left, ours) * math.comb(left - b_left, drawn - ours) / math.comb(left, drawn)
                agreed += share * part * (tie_credit if rest == 0 else float((lead > 0) == (rest > 0)))
    return decided[True], decided[False], agreed


def ceiling_by_votes(pairs: pl.DataFrame, ties: str) -> pl.DataFrame:
    """Return the same as `people_ceiling` for few votes that predict; `references` is their number.

    Only numbers that each pair has in one half count. In triplets, each vote is by one reference.
    """
    fewest = int(pairs.select((pl.col("votes_b") + pl.col("votes_c")).min()).item() or 0) // 2
    parts = [
        people_ceiling(pairs, ties, few).with_columns(references=pl.lit(few, pl.UInt32))
        for few in (*(number for number in _FEWER if number < fewest), fewest)
        if fewest > 1
    ]
    return pl.concat(parts) if parts else pl.DataFrame()


def people_ceiling(pairs: pl.DataFrame, ties: str, few: int | None = None) -> pl.DataFrame:
    """Return how often two random halves of the votes of a pair are expected to agree, of each kind and of all.

    Pairs count by how often their first half decides. `ties` sets the credit of a tie of the other (`wrong`: .83 for
    ABSTRACT-50S, as in the paper). Intervals are those of a ratio over images. Columns: kind,
    n (pairs with at least two votes), value, low, high. Without such pairs, the table is empty.
    """
    voted = pairs.filter(pl.col("votes_b") + pl.col("votes_c") > 1)
    if voted.is_empty():
        numbers = dict.fromkeys(("value", "low", "high"), pl.Float64())
        return pl.DataFrame(schema=pl.Schema({"kind": pl.String(), "n": pl.Int64(), **numbers}))
    splits = voted.select(_VOTES).unique()
    expected = [halves(b, c, TIE_CREDIT[ties], few) for b, c in splits.iter_rows()]
    wholes, parts = zip(*((b + c, agreed) for b, c, agreed in expected), strict=True)
    by_split = splits.with_columns(whole=pl.Series(wholes), part=pl.Series(parts))
    counted = voted.join(by_split, on=_VOTES, how="left", maintain_order="left")
    both = pl.concat([counted.with_columns(kind=pl.lit(ALL)), counted.filter(pl.col("kind").is_not_null())])
    by_image = both.group_by("kind", "image").agg(pl.col("part", "whole").sum(), pairs=pl.len()).sort("kind", "image")
    part, whole = pl.col("part"), pl.col("whole")
    totals = by_image.group_by("kind", maintain_order=True).agg(
        images=pl.len().cast(pl.Int64), pairs=pl.col("pairs").sum().cast(pl.Int64), part=part.sum(), whole=whole.sum(),
        part_square=(part * part).sum(), whole_square=(whole * whole).sum(), product=(part * whole).sum(),
    )  # fmt: skip
    return (
        ratio(totals.rename({"kind": "class"}))
        .join(totals.select("kind", "pairs"), left_on="class", right_on="kind", maintain_order="left")
        .select(kind="class", n="pairs", value="value", low="low", high="high")
        .sort(pl.col("kind").cast(pl.Enum([ALL, *kinds_of(counted)])))
    )


def half_marks(preferred: pl.DataFrame, labels: Sequence[str], ties: str) -> pl.DataFrame:
    """Return how often each metric, and the other half of the votes, agree with a random half: exact expectations.

    Columns: kind, image, whole (how often the half decides), human and one per metric: parts of `whole`. Pairs of one
    vote have no other half: they count only if no pair has more, and then `human` is null.
    """
    several = preferred.filter(pl.col("votes_b") + pl.col("votes_c") > 1)
    counted = several if several.height else preferred.filter(pl.col("votes_b") + pl.col("votes_c") > 0)
    splits = counted.select(_VOTES).unique()
    expected = [halves(b, c, TIE_CREDIT[ties]) for b, c in splits.iter_rows()]
    by_split = splits.hstack(pl.DataFrame(expected, ["for_b", "for_c", "both"], orient="row"))
    whole = pl.col("for_b") + pl.col("for_c")
    return counted.join(by_split, on=_VOTES, how="left", maintain_order="left").select(
        "kind", "image", whole.alias("whole"), human=pl.col("both") if several.height else pl.lit(None, pl.Float64),
        **{
            label: pl.when(pl.col(label) == 1).then("for_b").when(pl.col(label) == -1).then("for_c")
            .when(pl.col(label) == 0).then(TIE_CREDIT[ties] * whole)
            for label in labels
        },
    )  # fmt: skip


def metric_halves(ready: Prepared, settings: ConsensusSettings, progress: Progress) -> tuple[pl.DataFrame, str | None]:
    """Score each metric on a drawn half of the references; the triplets of the others are the truth.

    Columns: kind, metric, references, n, value, ties: means over the draws of `settings`. If votes are not by
    reference, the table is empty, and the reason is returned.
    """
    votes, references, most, metrics, _ = ready
    label, half = votes.selection.label, most // 2
    if (votes.rows["form"] != "triplet").any():
        reason = f"{label}: votes are not recorded per reference, so metrics are not compared with half of them"
        return pl.DataFrame(), reason
    if not half:
        return pl.DataFrame(), f"{label}: a single reference cannot be halved"
    parts = []
    for draw in range(settings.draws):
        drawn = References("all", half, settings.seed + draw).select(references)
        workspace = votes.captions.annotated()
        workspace.take("every_reference", references.workspace(), "reference")
        workspace.take("reference", drawn.workspace(), "reference")
        reserved = workspace.rows("held_out_vote").with_columns(pl.col(_VOTES).fill_null(0))
        if reserved.is_empty():
            return pl.DataFrame(), f"{label}: no caption A of a triplet is a reference of {references.label}"
        scores = score_candidates(drawn, [votes.candidates], metrics, progress)
        pairs = votes.rows.drop("votes", *_VOTES, "winner").join(reserved, on="pair", maintain_order="left")
        parts.append(preferences(pairs.with_columns(votes=pl.sum_horizontal(_VOTES)), scores, metrics))
    counted = pl.concat(parts).filter(pl.col("people") != 0)
    if counted.is_empty():
        return pl.DataFrame(), f"{label}: half of the triplets do not decide any pair"
    rows = [
        counted.filter(True if kind == ALL else pl.col("kind") == kind).select(
            pl.lit(kind).alias("kind"),
            pl.lit(metric.label).alias("metric"),
            pl.lit(half, pl.UInt32).alias("references"),
            n=(pl.len() / settings.draws).round().cast(pl.Int64),
            value=credit(metric.label, "people", settings.ties).mean(),
            ties=((pl.col(metric.label) == 0).sum() / settings.draws).round().cast(pl.Int64),
        )
        for kind in (ALL, *kinds_of(counted))
        for metric in metrics
    ]
    return pl.concat(rows), None
