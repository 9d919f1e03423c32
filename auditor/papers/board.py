"""The board: every claim in a row of one page, with what was measured, of which data, and how its band was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.model import Selection
from auditor.papers.bands import in_print
from auditor.papers.figures import KEYS, UNEXPLAINED, Check, Paper
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
    pinned = dict.fromkeys(selection.pinned_name for selection in selections if selection.version.dataset in named)
    return " ".join(pinned) or None


def headline(rows: pl.DataFrame) -> str:
    """Say of all claims how many come out again."""
    within, answered = (rows["verdict"].is_in(kinds).sum() for kinds in ([WITHIN], [WITHIN, OUTSIDE]))
    return f"Published claims: {within:,} of {answered:,} that can be answered come out again"


def page(papers: Sequence[Paper], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Return what a page of claims shows: how many of each paper come out, and every claim with a link of its own."""
    citations = {paper.name: paper.citation for paper in papers}
    checks = {f"{paper.name}-{check.claim}": check for paper in papers for check in paper.checks}
    known = rows.with_columns(status=pl.col("verdict").replace_strict(_STATUS))
    return (_by_paper(citations, known), _board(known, checks))


def statements(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a verdict on each statement of a paper, remarks aside: columns paper, item, says, verdict.

    Outside where a check of it is, not answerable where all are, else within.
    """
    return (
        rows.filter(pl.col("verdict") != REMARK)
        .group_by("paper", "item", "says", maintain_order=True)
        .agg(
            pl.when((pl.col("verdict") == OUTSIDE).any())
            .then(pl.lit(OUTSIDE))
            .when((pl.col("verdict") == UNANSWERED).all())
            .then(pl.lit(UNANSWERED))
            .otherwise(pl.lit(WITHIN))
            .alias("verdict")
        )
    )


def _by_paper(citations: Mapping[str, str], rows: pl.DataFrame) -> Table:
    said = statements(rows)
    sums = []
    explained = (pl.col("verdict") == OUTSIDE) & ~pl.col("reason").str.starts_with(UNEXPLAINED)
    for name in (*citations, None):
        claims, whole = (one if name is None else one.filter(paper=name) for one in (rows, said))
        of_claims, of_statements = (
            dict(rows_of_paper["verdict"].value_counts().iter_rows()) for rows_of_paper in (claims, whole)
        )
        reproduced = of_claims.get(WITHIN, 0)
        answered = reproduced + of_claims.get(OUTSIDE, 0)
        sums.append(
            {
                "paper": name or "all",
                "source": citations.get(name or "", ""),
                "claims": claims.height - of_claims.get(REMARK, 0),
                **{_STATUS[verdict]: of_claims.get(verdict, 0) for verdict in (WITHIN, OUTSIDE, UNANSWERED)},
                "explained": claims.filter(explained).height,
                "reproduced of answerable": reproduced / answered if answered else None,
                "statements": whole.height - of_statements.get(UNANSWERED, 0),
                "statements reproduced": of_statements.get(WITHIN, 0),
                "remarks": of_claims.get(REMARK, 0),
            }
        )
    return Table(
        "by paper",
        pl.DataFrame(sums, infer_schema_length=None),
        bars=("reproduced of answerable",),
        caption="a claim is one figure, or one comparison: reproduced where ours lies in its band, which is what "
        "rounds to the printed figure. Statements are what papers say in words, of one claim or many, here "
        "those that can be answered: reproduced where no claim of it differs. Bands are wider for a sampling "
        "error, where something is drawn (at most three standard deviations over draws), or for a reason of "
        "ours, which is in the last column. A difference is explained where what is measured without its cause lies "
        "in the band. A remark measures a claim in a second way, and decides nothing",
        name="papers",
    )


def _board(rows: pl.DataFrame, checks: Mapping[str, Check]) -> Table:
    differs, remark = pl.col("status") == DIFFERS, pl.col("verdict") == REMARK
    why = pl.when(differs).then(pl.coalesce("reason", pl.lit(f"{UNEXPLAINED}: no measurement explains it yet")))
    place = pl.when("holds").then(pl.lit("inside")).otherwise(pl.lit("outside"))
    status = pl.when(remark & pl.col("holds").is_not_null()).then(pl.format("remark: {}", place)).otherwise("status")
    of = pl.concat_str([pl.col(key) for key in KEYS if key != "dataset"], separator=" ").str.strip_chars()
    ours = [
        None if value is None else in_print(printed, value) for printed, value in rows.select("printed", "value").rows()
    ]
    shown = rows.select(
        pl.col("claim"),
        status.alias("status"),
        pl.col("paper"),
        pl.col("says"),
        pl.col("printed"),
        pl.Series("ours", ours, dtype=pl.String),
        pl.Series("band", [_band(checks[claim]) for claim in rows["claim"]], dtype=pl.String),
        pl.coalesce(why, "reason").alias("because"),
        why.str.extract(r"^(\w+):").alias("explained by"),
        pl.col("dataset"),
        pl.col("versions"),
        pl.col("section"),
        of.str.replace_all(r"\s+", " ").alias("quantity"),
        pl.col("signature"),
        pl.col("chosen_by").alias("band chosen by"),
        pl.col("wider_because").alias("why the band is wider"),
    )
    return Table(
        "every claim",
        shown,
        caption="the first column links to the claim; what a difference is explained by is a measurement, or says "
        f"“{UNEXPLAINED}”",
        anchors="claim",
        filters=("paper", "status", "dataset", "explained by", "band chosen by"),
        name="claims",
    )


def _band(check: Check) -> str | None:
    if check.band is None:
        return None
    return check.band.in_percent() if "%" in (check.printed or "") else str(check.band)
