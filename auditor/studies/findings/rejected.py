"""The records that could not be imported, as a finding: how many, why, and at which lines."""

from __future__ import annotations

import polars as pl

from auditor.model import Selection, location
from auditor.result import Finding, Severity, about, listed
from auditor.store.connection import Store

REJECTED = "rejected-records"

#: The shares of the records from which the finding is an error or a warning.
_ERROR, _WARNING = 0.05, 0.001

#: Lines that the sentence names, and records that are shown.
_LINES, _SHOWN = 5, 3


def rejected_records(store: Store, selection: Selection) -> list[Finding]:
    """Return the finding on the rejected records of the ingest of a version, or none."""
    version = selection.version
    rows = store.query(
        "select source, unit, line, reason, raw from rejected where dataset = $dataset and seq = $seq"
        " order by source, line",
        {"dataset": version.dataset, "seq": version.seq},
    )
    if rows.is_empty() or selection.draw is not None:
        return []
    n = version.captions + rows.height
    share = rows.height / n
    severity: Severity = "error" if share >= _ERROR else "warning" if share >= _WARNING else "notice"
    reasons = rows.with_columns(pl.col("reason").str.replace(r"^\S+ occurs before$|^duplicate key .*", "repeats a key"))
    why = ", ".join(f"{reason} {number:,}" for reason, number in reasons["reason"].value_counts(sort=True).rows())
    places = [location(*where) for where in rows.select("source", "unit", "line").head(_LINES + 1).iter_rows()]
    sentence = (
        f"{version.dataset}: {rows.height:,} of {n:,} records ({share:.1%}) were rejected: {why}. The first: "
        f"{listed(places[:_LINES], _LINES)}"
    )
    examples = tuple(
        {"image": place, "slot": None, "text": raw or "", "why": reason, "other_image": None, "other_slot": None,
         "other_text": None}
        for place, (reason, raw) in zip(places, rows.select("reason", "raw").head(_SHOWN).iter_rows(), strict=False)
    )  # fmt: skip
    values = {"records": rows.height, "share": share}
    headline = f"{rows.height:,} of {n:,} records"
    return [Finding(REJECTED, sentence, about(selection), values, n, severity, examples, headline)]
