"""What a reader of a report sees first: the findings that matter most, and each dataset at a glance."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import SEVERITIES, Finding, Result, Table
from auditor.result.document import Portrait, Section
from auditor.store import versions
from auditor.studies import profile as profile_study
from auditor.studies.report.request import ReportContext

#: Cards on the first screen at most, and so many of them where there are no errors or warnings enough.
_CARDS, _AT_LEAST = 6, 3

_BAD = ("error", "warning")

_NOTHING = "Nothing was found that is worth a word."

_MILD = "No errors and no warnings were found; what follows are notices."

_NOT_LOOKED = "What is wrong with the captions was not looked for: `auditor findings DATASET` does it."


def cards(context: ReportContext, found: Sequence[Finding]) -> tuple[Finding, ...]:
    """Choose what stands first: errors and warnings, each dataset in its turn, and notices where these are few.

    What is of all datasets together comes before what is of one. Of a dataset each kind once, the worst; of notices
    each kind once, that of the larger share first.
    """
    own = []
    for name in dict.fromkeys([None, *(selection.version.dataset for selection in context.selections)]):
        of_kind = {one.kind: one for one in reversed(found) if one.about.get("dataset") == name}
        own.append([one for one in found if one.severity != "info" and of_kind.get(one.kind) is one])
    turns = [one for turn in itertools.zip_longest(*own) for one in turn if one is not None]
    bad = [turn for turn in turns if turn.severity in _BAD][:_CARDS]
    notices = sorted((turn for turn in turns if turn.severity not in _BAD), key=_share, reverse=True)
    kinds = dict.fromkeys(notice.kind for notice in notices)
    rest = [next(notice for notice in notices if notice.kind == kind) for kind in kinds][: max(0, _AT_LEAST - len(bad))]
    return tuple(sorted([*bad, *rest], key=lambda one: SEVERITIES.index(one.severity)))


def _share(found: Finding) -> float:
    """Return the share of what was looked at that a finding is of: its first number, of its `n` where it is a count."""
    first = next(iter(found.values.values()), None)
    if not isinstance(first, float | int):
        return 0.0
    return first / found.n if first >= 1 and found.n else min(first, 1.0)


def portraits(context: ReportContext, profiled: Result) -> tuple[Portrait, ...]:
    """Draw each dataset at a glance. `profiled` is the result of `profile`."""
    (lengths,) = (figure.frame for figure in profiled.figures if figure.name == profile_study.LENGTHS)
    likeness = _homogeneity(context)
    return tuple(_portrait(context, selection, profiled, lengths, likeness) for selection in context.selections)


def _portrait(
    context: ReportContext,
    selection: Selection,
    profiled: Result,
    lengths: pl.DataFrame,
    likeness: pl.DataFrame,
) -> Portrait:
    value = dict(selection.rows_of(profiled.frame).select("statistic", "value").iter_rows())
    described = versions.images(context.store, selection)
    splits = described.group_by("split").agg(images=pl.len()).sort("split", nulls_last=True)
    row = next(selection.rows_of(likeness).iter_rows(named=True), None) if likeness.height else None
    return Portrait(
        selection.label,
        round(value["images"]),
        round(value["captions"]),
        described.select(pl.col("captions").min(), most=pl.col("captions").max()).row(0),
        round(value["captions"] - value["captions-repeated-within-image"]),
        value["asl"],
        tuple((name or "in none", int(images)) for name, images in splits.iter_rows() if splits["split"].count()),
        tuple(lengths.filter(dataset=selection.label).select("length", "captions").iter_rows()),
        *((row["value"], row["low"], row["high"], row["metric"]) if row else ()),
    )


def _homogeneity(context: ReportContext) -> pl.DataFrame:
    """Return homogeneity by the last metric, where a section has compared the datasets."""
    if "compare" not in context.results:
        return pl.DataFrame()
    found = context.results["compare"].frame.filter(pl.col("statistic") == "homogeneity")
    rows = found.filter(pl.col("against").is_null()) if "against" in found.columns else found
    return rows.filter(pl.col("metric") == rows["metric"][-1]) if rows.height else rows


def summary(shown: Sequence[Finding], drawn: Sequence[Portrait], lacking: Sequence[str], *, looked: bool) -> Section:
    """Say in words and a table what a page shows as cards and portraits; `looked` is whether anything was asked."""
    rows = [
        (
            portrait.label, portrait.images, portrait.captions, portrait.distinct, portrait.length,
            " ".join(f"{name}: {images:,}" for name, images in portrait.splits),
            portrait.homogeneity, portrait.low, portrait.high,
        )
        for portrait in drawn
    ]  # fmt: skip
    columns = ["dataset", "images", "captions", "different", "words", "images by split", "homogeneity", "low", "high"]
    frame = pl.DataFrame(rows, schema=columns, orient="row", infer_schema_length=None)
    kept = [column for column in frame.get_columns() if column.null_count() < frame.height or not frame.height]
    said = "different: captions but for those that repeat another of their image; words: tokens of a caption, mean"
    return Section(
        "summary",
        "What to know first",
        tuple(f"{finding.severity}: {finding.sentence}." for finding in shown),
        tables=(Table("datasets", frame.select(kept), caption=said, digits=(("words", 1),), name="datasets"),),
        notes=tuple(lacking),
        absent=_verdict(shown, looked=looked),
    )


def _verdict(shown: Sequence[Finding], *, looked: bool) -> str | None:
    if not shown:
        return _NOTHING if looked else _NOT_LOOKED
    return None if any(finding.severity in _BAD for finding in shown) else _MILD
