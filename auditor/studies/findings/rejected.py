"""The records that could not be imported, as a finding: how many, why, and at which lines."""

from __future__ import annotations

from auditor.model import Selection, location
from auditor.result import Finding, Severity, about, listed
from auditor.store.connection import Store

REJECTED = "rejected-records"

#: The shares of the records from which the finding is an error or a warning, and the lines that the sentence names.
_ERROR, _WARNING, _LINES = 0.05, 0.001, 5

_REJECTED = (
    "select source, unit, line, reason, raw from rejected where dataset = $dataset and seq = $seq order by source, line"
)


def rejected_records(store: Store, selection: Selection) -> list[Finding]:
    """Return the finding on the rejected records of the ingest of a version, or none."""
    name = selection.version.dataset
    rows = store.query(_REJECTED, {"dataset": name, "seq": selection.version.seq})
    if rows.is_empty():
        return []
    n = selection.version.captions + rows.height
    share = rows.height / n
    severity: Severity = "error" if share >= _ERROR else "warning" if share >= _WARNING else "notice"
    reasons = rows["reason"].str.replace(r"^\S+ occurs before$|^duplicate key .*", "repeats a key")
    why = ", ".join(f"{reason} {number:,}" for reason, number in reasons.value_counts(sort=True).rows())
    first = [(location(*where), reason, raw or "") for *where, reason, raw in rows.head(_LINES + 1).iter_rows()]
    sentence = (
        f"{name}: {rows.height:,} of {n:,} records ({share:.1%}) were rejected: {why}. The first: "
        f"{listed([place for place, *_ in first], _LINES)}"
    )
    absent = dict.fromkeys(("slot", "other_image", "other_slot", "other_text"))
    examples = tuple({"image": place, "text": raw, "why": reason, **absent} for place, reason, raw in first[:3])
    values, headline = {"records": rows.height, "share": share}, f"{rows.height:,} of {n:,} records"
    return [Finding(REJECTED, sentence, about(selection), values, n, severity, examples, headline)]
