"""Faults as sentences and short tables: what leaks, what stands twice, what may be wrong, what is formulaic."""

from __future__ import annotations

from collections.abc import Mapping

import polars as pl

from auditor.model import Result, Table
from auditor.studies.duplicate_questions import TEST, TRAIN

#: What a report says of captions that stand again, by scope.
_AGAIN: Mapping[str, str] = {
    "within-image": "Captions that say the same as another of their image, exactly or nearly",
    "across-images": "Captions that stand again at another image, exactly or nearly",
}

#: What must be said with `faulty`.
CAVEAT = "Images that are almost the same bring such findings too: look at them."

#: The chance of one wrong claim among the tests of a statistic.
_ALPHA = 0.05

#: The tokens of an opening that the table shows.
_OPENED = 3


def again(found: Result) -> pl.DataFrame:
    """Give the captions that stand again, the share of both kinds with them. `found` is `duplicates`'."""
    frame = found.tables[0].frame.with_columns(pl.col("exact", "near").fill_null(0))
    either = pl.when(pl.col("captions") > 0).then((pl.col("exact") + pl.col("near")) / pl.col("captions"))
    return frame.select("dataset", "scope", "against", "captions", "exact", "near", share=either)


def leaks(rows: pl.DataFrame) -> pl.DataFrame:
    """Keep what a test split has in common with what was trained on, the largest share first. `rows` is of `again`."""
    is_leak = pl.col("dataset").str.ends_with(f":{TEST}") & pl.col("against").str.ends_with(f":{TRAIN}")
    return rows.filter(is_leak, pl.col("captions") > 0).sort("share", descending=True, maintain_order=True)


def leaking(rows: pl.DataFrame) -> list[str]:
    """Say which share of test captions stands in train. `rows` is of `leaks`."""
    return [
        f"Leakage: {row['share']:.1%} of the {row['captions']:,} captions of {row['dataset']} stand in "
        f"{row['against']}, {row['exact']:,} of them exactly, {row['near']:,} nearly."
        for row in rows.iter_rows(named=True)
    ]


def repeated(rows: pl.DataFrame) -> list[str]:
    """Say of all datasets at once which share of captions stands again. `rows` is of `again`."""
    said = []
    for scope, words in _AGAIN.items():
        shares = rows.filter(pl.col("scope") == scope, pl.col("share").is_not_null()).select("dataset", "share")
        if shares.height:
            said.append(f"{words}: {'; '.join(f'{label} {share:.1%}' for label, share in shares.rows())}.")
    return said


def faulty(label: str, rows: pl.DataFrame, captions: int) -> list[str]:
    """Say how many captions seem to be at the wrong image, of those that were looked into, which are `outliers`' rows.

    Nothing where none was looked into.
    """
    counts = dict(rows["finding"].value_counts().iter_rows())
    swapped, elsewhere = counts.get("swapped", 0), counts.get("elsewhere", 0)
    among = f"{label}: of the {rows.height:,} captions (of {captions:,}) least like the others of their image, "
    if not swapped + elsewhere:
        return [f"{among}none seems to describe another image than its own."] if rows.height else []
    return [
        f"{among}{swapped + elsewhere:,} may describe another image than their own: {swapped // 2:,} pairs seem to "
        f"have changed places, {elsewhere:,} fit another image better."
    ]


def formulaic(values: Mapping[str, float]) -> list[str]:
    """Say of all datasets at once which share of captions is made of a template, by label."""
    said = "; ".join(f"{label} {share:.1%}" for label, share in values.items())
    return [f"Captions made of a frequent template: {said}."] if values else []


def templates(found: Mapping[str, Result]) -> Table:
    """Put the datasets side by side: templates and openings. `found` are results of `templates`, by label."""
    rows = []
    for label, result in found.items():
        value = {(name, n): value for name, n, value in result.frame.select("statistic", "n", "value").iter_rows()}
        rows.append(
            {
                "dataset": label,
                "templated": value.get(("templated", None)),
                "templates": result.frame.filter(pl.col("statistic") == "template").height,
                "top_10": value.get(("opening-top-10", _OPENED)),
                "perplexity": value.get(("opening-perplexity", _OPENED)),
            }
        )
    schema = {
        "dataset": pl.String,
        "templated": pl.Float64,
        "templates": pl.Int64,
        "top_10": pl.Float64,
        "perplexity": pl.Float64,
    }
    return Table(
        "templates and openings",
        pl.DataFrame(rows, schema=schema, orient="row"),
        bars=("templated", "top_10"),
        caption=(
            f"templated: share of captions made of a template; top_10: share that begin with one of ten openings of "
            f"{_OPENED} tokens; perplexity: of these openings, the lower the more alike"
        ),
    )


def beyond_chance(rows: pl.DataFrame) -> list[str]:
    """Say how many differences chance does not explain, by statistic. `rows` is `compare`'s, with pairs."""
    said = []
    for (statistic,), some in rows.filter(pl.col("p_holm").is_not_null()).group_by("statistic", maintain_order=True):
        sure = some.filter(pl.col("p_holm") < _ALPHA).height
        said.append(f"{statistic} {sure} of {some.height}")
    if not said:
        return []
    return [
        f"Differences beyond chance (permutation tests, Holm's correction, {_ALPHA:.0%}), over pairs of datasets and "
        f"metrics: {'; '.join(said)}."
    ]


def drifted(title: str, frame: pl.DataFrame) -> list[str]:
    """Say how far a dataset moved from one version to the next. `frame` is `diff`'s at depth drift."""
    row = {one["statistic"]: one for one in frame.iter_rows(named=True)}
    parts = []
    if (js := row["js"]["value"]) is not None:
        parts.append(f"Jensen-Shannon divergence of words {js:.4f}")
    if "new-words" in row:
        parts.append(f"{row['new-words']['value']:,.0f} new words, {row['gone-words']['value']:,.0f} gone")
    length = row["asl"]
    reach = "" if length["low"] is None else f" ({length['low']:+.2f} to {length['high']:+.2f}, 95%)"
    parts.append(f"mean length {length['value']:+.2f} words{reach}")
    return [f"{title}: {'; '.join(parts)}."]
