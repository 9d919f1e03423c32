"""The board: every claim in a row of one page, with what was measured, of which data, and how its band was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.model import Selection
from auditor.published import KEYS, Check, Paper
from auditor.result import Table

#: Verdicts on a check.
WITHIN, OUTSIDE, UNANSWERED, REMARK = "within", "outside", "not answerable", "remark"

#: What they are of a claim.
REPRODUCED, DIFFERS = "reproduced", "differs"

_STATUS = {WITHIN: REPRODUCED, OUTSIDE: DIFFERS, UNANSWERED: UNANSWERED, REMARK: REMARK}

#: Statistics that are another look at what is signed under another name.
_SIGNED_AS = {"size": "as-published", "p": "as-published"}


def signature_of(check: Check, signatures: Mapping[str, str]) -> str | None:
    """Find the signature of what a claim is of; null for what has none: counts of images, words of a list."""
    dataset, metric, statistic = check.of[0], check.of[1], check.of[-1]
    reading = _SIGNED_AS.get(statistic, statistic)
    named = (f"{dataset}: {metric}, {reading}", f"{dataset}: {metric}", metric, statistic)
    return next((signatures[name] for name in named if name in signatures), None)


def versions_of(check: Check, selections: Sequence[Selection]) -> str | None:
    """Name the versions of the datasets that a claim names: the first digits of each; null where it names none."""
    named = dict.fromkeys(one[KEYS.index("dataset")] for one in (check.of, check.to) if one)
    pinned = dict.fromkeys(one.pinned_name for one in selections if one.version.dataset in named)
    return " ".join(pinned) or None


def page(papers: Sequence[Paper], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Give what a page of claims shows: how many of each paper come out, and every claim with a link of its own."""
    citations = {paper.name: paper.citation for paper in papers}
    known = rows.with_columns(status=pl.col("verdict").replace_strict(_STATUS))
    return (_by_paper(citations, known), _board(known))


def _by_paper(citations: Mapping[str, str], rows: pl.DataFrame) -> Table:
    counted = rows.group_by("paper", maintain_order=True).agg(
        claims=pl.len().cast(pl.Int64),
        **{status: (pl.col("status") == status).sum().cast(pl.Int64) for status in _STATUS.values()},
    )
    answered = pl.col(REPRODUCED) + pl.col(DIFFERS)
    shown = counted.select(
        pl.col("paper"),
        source=pl.col("paper").replace_strict(citations),
        claims="claims",
        **{status: pl.col(status) for status in _STATUS.values()},
        share=pl.when(answered > 0).then(pl.col(REPRODUCED) / answered),
    )
    return Table(
        "claims by paper",
        shown.rename({"share": "reproduced of answerable"}),
        bars=("reproduced of answerable",),
        caption="a claim is one figure of a paper, or one comparison; a remark measures a claim in a second way, and "
        "decides nothing",
        name="papers",
    )


def _board(rows: pl.DataFrame) -> Table:
    why = pl.when(pl.col("status") == DIFFERS).then(pl.coalesce("reason", pl.lit("no measurement explains it yet")))
    of = pl.concat_str([pl.col(key) for key in KEYS if key != "dataset"], separator=" ").str.strip_chars()
    shown = rows.select(
        pl.col("claim"),
        pl.col("paper"),
        pl.col("section"),
        pl.col("says"),
        pl.col("status"),
        pl.col("printed"),
        pl.col("value").alias("ours"),
        pl.col("band"),
        pl.col("chosen_by").alias("band chosen by"),
        pl.coalesce(why, "reason").alias("because"),
        pl.col("wider_because").alias("why the band is wider"),
        pl.col("dataset"),
        of.str.replace_all(r"\s+", " ").alias("quantity"),
        pl.col("versions"),
        pl.col("signature"),
    )
    return Table(
        "every claim",
        shown,
        caption="the first column links to the claim; a band holds what rounds to the printed figure, unless it says "
        "otherwise",
        anchors="claim",
        filters=("paper", "status", "dataset", "band chosen by"),
        name="claims",
    )
