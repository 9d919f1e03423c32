"""How wide is the band of every published figure, against the rounding of its print; and is it wider than it need be?

    auditor reproduce --all --store audit.duckdb -o claims.csv
    python benchmarks/bands.py claims.csv [-o bands.csv]

Prints for each paper and reason: how many bands, their width as a multiple of the rounding's, how far a band reaches
beyond what rounds to the figure (`allowed`) and how far ours do (`used`), all in units of the figure. Exit code 1 where
a band is wider than the rounding for no reason, where one for a reason other than sampling reaches more than twice as
far as the one that needs most, where fewer than 95 % of the answerable figures lie inside, or where one outside has no
explanation.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import polars as pl

from auditor.papers.bands import printed_band
from auditor.papers.figures import HALF_OF_ONE, MEAN, REASON, SAMPLING

_INSIDE = 0.95

#: A band for a reason of ours may reach so many times as far beyond the rounding as ours do.
_SLACK = 2.0

_NEVER_SLACK = 1e-9


def widths(claims: pl.DataFrame) -> pl.DataFrame:
    """Give each claim with a printed figure its widths: columns rounding, width, allowed, used; null where open."""
    rows = []
    for row in claims.filter(pl.col("printed").is_not_null(), pl.col("band").is_not_null()).iter_rows(named=True):
        print_ = printed_band(row["printed"], HALF_OF_ONE if row["chosen_by"] == MEAN else 0)
        low, high, value = row["low"], row["high"], row["value"]
        beyond = [
            abs(end - edge)
            for end, edge in ((low, print_.low), (high, print_.high))
            if end is not None and edge is not None
        ]
        used = None
        if value is not None and row["verdict"] == "within":
            under = print_.low - value if print_.low is not None else 0.0
            over = value - print_.high if print_.high is not None else 0.0
            used = max(under, over, 0.0)
        edges = (print_.low, print_.high)
        rounding = edges[1] - edges[0] if edges[0] is not None and edges[1] is not None else None
        rows.append(
            {
                "paper": row["paper"],
                "item": row["item"],
                "says": row["says"],
                "chosen_by": row["chosen_by"],
                "wider_because": row["wider_because"],
                "verdict": row["verdict"],
                "rounding": rounding,
                "width": None if rounding is None or low is None or high is None else high - low,
                "allowed": max(beyond, default=None),
                "used": used,
            }
        )
    return pl.DataFrame(rows, infer_schema_length=None)


def by_reason(bands: pl.DataFrame) -> pl.DataFrame:
    """Gather the bands that are wider than the print's rounding, by reason."""
    wider = bands.filter(pl.col("wider_because").is_not_null())
    return wider.group_by("paper", "chosen_by", "wider_because", maintain_order=True).agg(
        bands=pl.len(),
        measured=pl.col("used").count(),
        times=(pl.col("width") / pl.when(pl.col("rounding") > 0).then("rounding")).max().round(1),
        allowed=pl.col("allowed").max(),
        used=pl.col("used").max(),
        filled=(pl.col("used") / pl.col("allowed")).max(),
    )


def faults(claims: pl.DataFrame, bands: pl.DataFrame, reasons: pl.DataFrame) -> list[str]:
    """Say what does not hold of the bands."""
    found = []
    unexplained = bands.filter(pl.col("width") > pl.col("rounding") + _NEVER_SLACK, pl.col("wider_because").is_null())
    found += [f"{row[0]} {row[1]}, {row[2]}: wider than the rounding for no reason" for row in unexplained.iter_rows()]
    slack = reasons.filter(pl.col("chosen_by") == REASON, pl.col("measured") > 0, pl.col("filled") * _SLACK < 1)
    found += [
        f"{row['paper']}: of “{row['wider_because']}” no figure needs more than {row['filled']:.0%}"
        for row in slack.iter_rows(named=True)
    ]
    counted = claims.filter(pl.col("verdict").is_in(["within", "outside"]))
    share = (counted["verdict"] == "within").mean()
    if isinstance(share, float) and share < _INSIDE:
        found.append(f"{share:.1%} of {counted.height:,} answerable figures are inside: expected {_INSIDE:.0%}")
    silent = counted.filter(pl.col("verdict") == "outside", pl.col("reason").is_null())
    found += [f"{row[0]} {row[1]}, {row[2]}: outside, and nothing explains it" for row in silent.select(
        "paper", "item", "says").iter_rows()]  # fmt: skip
    return found


def main() -> int:
    """Print the report; say whether it holds."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("claims", type=Path, help="rows of `auditor reproduce --all -o claims.csv`")
    parser.add_argument("-o", "--output", type=Path, help="write the widths of all bands as CSV")
    given = parser.parse_args()
    claims = pl.read_csv(given.claims, infer_schema_length=None)
    bands = widths(claims)
    reasons = by_reason(bands)
    if given.output:
        bands.write_csv(given.output)
    counted = claims.filter(pl.col("verdict").is_in(["within", "outside"]))
    print("| paper | bands chosen by | claims | answerable | inside |")
    print("| --- | --- | ---: | ---: | ---: |")
    for (paper, chosen), some in claims.group_by("paper", "chosen_by", maintain_order=True):
        here = counted.filter(pl.col("paper") == paper, pl.col("chosen_by").eq_missing(pl.lit(chosen, pl.String)))
        inside = (here["verdict"] == "within").sum()
        print(f"| {paper} | {chosen or 'no band'} | {some.height:,} | {here.height:,} | {inside:,} |")
    print(f"\n{(counted['verdict'] == 'within').sum():,} of {counted.height:,} answerable figures are inside.\n")
    print("| paper | chosen by | bands | width / rounding | allowed | used | reason |")
    print("| --- | --- | ---: | ---: | ---: | ---: | --- |")
    for row in reasons.iter_rows(named=True):
        times, allowed, used = (
            "" if row[name] is None else f"{row[name]:.4g}" for name in ("times", "allowed", "used")
        )
        print(
            f"| {row['paper']} | {'sampling' if row['chosen_by'] == SAMPLING else 'reason'} | {row['bands']} | {times} "
            f"| {allowed} | {used} | {row['wider_because']} |"
        )
    found = faults(claims, bands, reasons)
    print("\n" + ("\n".join(f"FAULT: {one}" for one in found) or "No band is wider than it need be."))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
