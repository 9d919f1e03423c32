"""The section of a report on the versions of its datasets: what the newest changed, and how far it moved."""

from __future__ import annotations

from dataclasses import replace

from auditor.errors import AuditorError
from auditor.model import Version
from auditor.result import Result, Section
from auditor.store import versions
from auditor.studies import versions as version_log
from auditor.studies.report import sentences
from auditor.studies.report.request import Inquiry


def log(asked: Inquiry, name: str, title: str) -> Section:
    """Say which versions the store holds of each dataset, what the newest changed, and how far words moved."""
    results, said, moved, lacking = dict[str, Result](), list[str](), list[str](), list[str]()
    for selection in asked.selections:
        dataset = selection.version.dataset
        results[asked.command("log", refs=[dataset])] = version_log.log(asked.store, dataset)
        held = versions.log(asked.store, dataset)
        said.append(f"{selection.label} is version {selection.version.seq} of {len(held)} in the store.")
        before = next((one for one in held if one.seq < selection.version.seq), None)
        both = [before.label, selection.version.label] if before else []
        if before is None or (command := asked.command("diff", refs=both)) in results:
            continue
        results[command] = version_log.diff(asked.store, *both)
        try:
            drift = _drift(asked, before, selection.version)
        except AuditorError as error:
            lacking.append(f"{' → '.join(both)}: {error}")
            continue
        results[asked.command("diff", "--depth drift", *asked.profile(), refs=both)] = drift
        moved += sentences.drifted(" → ".join(both), drift.frame)
    return Section(
        name, title, (*said, *moved), tuple(moved), tuple(results.values()),
        tuple(table for one in results.values() for table in one.tables), notes=tuple(lacking),
        commands=tuple(results),
        sql=("log", "difference", *(("divergence", "vocabulary_drift", "length_count") if moved else ())),
    )  # fmt: skip


def _drift(asked: Inquiry, before: Version, after: Version) -> Result:
    """Measure the drift from one version to the next, with tables that can be told from those of another dataset."""
    both = [versions.resolve(asked.store, one.label) for one in (before, after)]
    found = asked.result(
        f"drift {after.label}",
        lambda: version_log.diff(
            asked.store,
            before.label,
            after.label,
            depth="drift",
            tokenizer=asked.settings.tokenizer,
            progress=asked.progress,
        ),
        both,
    )
    title = f"{before.label} → {after.label}"
    return replace(
        found,
        tables=tuple(
            one if one.name == "drift" else replace(one, title=f"{title}: {one.title}") for one in found.tables
        ),
    )
