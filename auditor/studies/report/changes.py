"""The section of a report on the versions of its datasets: what the newest changed, and how far it moved."""

from __future__ import annotations

from dataclasses import replace

from auditor.errors import AuditorError
from auditor.model import Version
from auditor.result import Result, Section
from auditor.store import versions
from auditor.studies import versions as version_log
from auditor.studies.report import sentences
from auditor.studies.report.request import ReportContext


def log(context: ReportContext, name: str, title: str) -> Section:
    """Say which versions the store holds of each dataset, what the newest changed, and how far words moved."""
    results, said, moved, lacking = dict[str, Result](), list[str](), list[str](), list[str]()
    for selection in context.selections:
        dataset = selection.version.dataset
        results[context.command("datasets", refs=[dataset])] = version_log.datasets(context.store, dataset)
        held = versions.log(context.store, dataset)
        said.append(f"{selection.label} is version {selection.version.seq} of {len(held)} in the store.")
        before = next((one for one in held if one.seq < selection.version.seq), None)
        both = [before.label, selection.version.label] if before else []
        if before is None or (command := context.command("diff", refs=both)) in results:
            continue
        results[command] = version_log.diff(context.store, *both)
        try:
            drift = _drift(context, before, selection.version)
        except AuditorError as error:
            lacking.append(f"{' → '.join(both)}: {error}")
            continue
        results[context.command("diff", "--depth drift", *context.tokenizer(), refs=both)] = drift
        moved += sentences.drifted(" → ".join(both), drift.frame)
    return Section(
        name, title, (*said, *moved), tuple(results.values()),
        tuple(table for one in results.values() for table in one.tables), notes=tuple(lacking),
        commands=tuple(results),
        sql=("log", "difference", *(("divergence", "vocabulary_drift", "length_count") if moved else ())),
    )  # fmt: skip


def _drift(context: ReportContext, before: Version, after: Version) -> Result:
    """Measure the drift from one version to the next, with tables that can be told from those of another dataset."""
    both = [versions.resolve(context.store, one.label) for one in (before, after)]
    drift = context.result(
        f"drift {after.label}",
        lambda: version_log.diff(
            context.store,
            before.label,
            after.label,
            depth="drift",
            tokenizer=context.settings.tokenizer,
            progress=context.progress,
        ),
        both,
    )
    title = f"{before.label} → {after.label}"
    return replace(
        drift,
        tables=tuple(
            one if one.name == "drift" else replace(one, title=f"{title}: {one.title}") for one in drift.tables
        ),
    )
