"""The board: a page with a row per claim: the measured value, its data, and how its band was chosen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl

from auditor.model import Selection
from auditor.papers.bands import in_print
from auditor.papers.figures import KEYS, UNEXPLAINED, Check, Paper
from auditor.result import Table

#: Verdicts on a check.
WITHIN, OUTSIDE, UNANSWERED, REMARK = "within", "outside", "not answerable", "remark"

#: The status of a claim, by verdict.
REPRODUCED, DIFFERS = "reproduced", "differs"

_STATUS = {WITHIN: REPRODUCED, OUTSIDE: DIFFERS, UNANSWERED: UNANSWERED, REMARK: REMARK}

#: The columns that identify a statement.
_STATEMENT = ("paper", "item", "says")

#: Statistics whose signature has another name.
_SIGNED_AS = {"size": "as-published", "p": "as-published"}


def signature_of(check: Check, signatures: Mapping[str, str]) -> str | None:
    """Return the signature of a claim; null if it has none, as counts of images and words of a list."""
    dataset, metric, statistic = check.of[0], check.of[1], check.of[-1]
    reading = _SIGNED_AS.get(statistic, statistic)
    named = (f"{dataset}: {metric}, {reading}", f"{dataset}: {metric}", metric, statistic)
    return next((signatures[name] for name in named if name in signatures), None)


def versions_of(check: Check, selections: Sequence[Selection]) -> str | None:
    """Return the versions of a claim's datasets, by their first digits; null if it names none."""
    named = dict.fromkeys(quantity[KEYS.index("dataset")] for quantity in (check.of, check.to) if quantity)
    pinned = dict.fromkeys(selection.pinned_name for selection in selections if selection.version.dataset in named)
    return " ".join(pinned) or None


def headline(rows: pl.DataFrame) -> str:
    """Return how many of all claims are reproduced."""
    within, answered = (rows["verdict"].is_in(kinds).sum() for kinds in ([WITHIN], [WITHIN, OUTSIDE]))
    return f"Published claims: {within:,} of {answered:,} answerable claims are reproduced"


def page(papers: Sequence[Paper], rows: pl.DataFrame) -> tuple[Table, ...]:
    """Return the tables of the page: how many claims of each paper are reproduced, and every claim with its link."""
    citations = {paper.name: paper.citation for paper in papers}
    checks = {f"{paper.name}-{check.claim}": check for paper in papers for check in paper.checks}
    known = rows.with_columns(status=pl.col("verdict").replace_strict(_STATUS))
    return (_by_paper(citations, known), _board(known, checks))


def statements(rows: pl.DataFrame) -> pl.DataFrame:
    """Return a verdict on each statement of a paper, without remarks. Columns: `_STATEMENT` and verdict.

    The verdict is outside if one of its checks is, not answerable if all are, else within.
    """
    return (
        rows.filter(pl.col("verdict") != REMARK)
        .group_by(*_STATEMENT, maintain_order=True)
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
    of_papers = statements(rows)
    sums = []
    explained = (pl.col("verdict") == OUTSIDE) & ~pl.col("reason").str.starts_with(UNEXPLAINED)
    for name in (*citations, None):
        claims, whole = (part if name is None else part.filter(paper=name) for part in (rows, of_papers))
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
        caption="A claim is one figure or one comparison. It is reproduced if ours lies in its band, which is what "
        "rounds to the printed figure. A statement is a sentence of a paper with one claim or more. Answerable "
        "statements are counted, as reproduced if no claim differs. A band is wider for a sampling error (at most "
        "three standard deviations over samples) or for the reason in the last column. A difference is explained "
        "if the value without its cause lies in the band. A remark measures a claim again and is not counted",
        name="papers",
    )


def _board(rows: pl.DataFrame, checks: Mapping[str, Check]) -> Table:
    differs, remark = pl.col("status") == DIFFERS, pl.col("verdict") == REMARK
    why = pl.when(differs).then(pl.coalesce("reason", pl.lit(f"{UNEXPLAINED}: no measurement explains it yet")))
    side = pl.when("holds").then(pl.lit("inside")).otherwise(pl.lit("outside"))
    status = pl.when(remark & pl.col("holds").is_not_null()).then(pl.format("remark: {}", side)).otherwise("status")
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
        caption="The first column links to the claim. A difference is explained by a measurement, or is "
        f"“{UNEXPLAINED}”",
        anchors="claim",
        filters=("paper", "status", "dataset", "explained by", "band chosen by"),
        name="claims",
    )


def _band(check: Check) -> str | None:
    if check.band is None:
        return None
    return check.band.in_percent() if "%" in (check.printed or "") else str(check.band)
