"""The library's face: every study as a method of an open store. Holds no logic of its own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from auditor import config
from auditor.api_captions import CaptionStudies
from auditor.api_metrics import MetricStudies
from auditor.store.connection import Store
from auditor.studies import (
    checks,
    exchange,
    history,
    ingestion,
    query,
    report,
    report_card,
    tagging,
    task_files,
    tasks,
    verification,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditor.document import Document
    from auditor.model import Result
    from auditor.studies.report_inquiry import Settings as ReportSettings


class Auditor(CaptionStudies, MetricStudies):
    """An open store. Every method gives a `Result`: `.frame` (Polars), `.to_json()`, and HTML in a notebook."""

    def __init__(self, path: str | Path, *, write: bool = False, wait: float = 10.0) -> None:
        self.store = Store.open(Path(path), write=write, wait=wait)

    def ingest(self, *names: str, config_file: Path | None = None, note: str | None = None) -> Result:
        """Ingest datasets that `datasets.toml` declares."""
        declared = config.sources(config_file)
        return ingestion.ingest(self.store, [config.source(name, declared) for name in names], note)

    def datasets(self) -> Result:
        """List the datasets of the store."""
        return history.datasets(self.store)

    def log(self, dataset: str) -> Result:
        """List the versions of a dataset."""
        return history.log(self.store, dataset)

    def diff(
        self, a: str, b: str, depth: str = "totals", text_profile: str = "auto", *, as_tokens: bool = False
    ) -> Result:
        """Say what changed between two references: `totals`, `images`, `text`, `vocabulary`, `lengths` or `drift`."""
        return history.diff(self.store, a, b, depth, text_profile, as_tokens=as_tokens)[0]

    def verify(self, ref: str | None = None, config_file: Path | None = None) -> Result:
        """Check the store, or one version of it, against its own log and the counts that `datasets.toml` declares."""
        return verification.verify(self.store, ref, config.sources(config_file))[0]

    def check(self, *refs: str, config_file: Path | None = None, strict: bool = False) -> Result:
        """Compare datasets with the gates that `datasets.toml` declares; column `verdict` says which fail."""
        gates, declared = config.gates(config_file), config.sources(config_file)
        return checks.check(self.store, refs, gates, declared, strict=strict)[0]

    def tag(self, ref: str, name: str, *, delete: bool = False, force: bool = False) -> Result:
        """Name a version, or forget its name."""
        return tagging.tag(self.store, ref, name, delete=delete, force=force)

    def note(self, ref: str, text: str) -> Result:
        """Replace the note of a version."""
        return tagging.note(self.store, ref, text)

    def export(self, ref: str, folder: str | Path, *, force: bool = False) -> Result:
        """Write a version as a bundle of Parquet files with a manifest."""
        return exchange.export(self.store, ref, Path(folder), force=force)

    def tasks(
        self,
        ref: str,
        *candidates: str,
        form: str = "triplets",
        split: str | None = None,
        images: int | None = None,
        references: int | None = None,
        seed: int = 1,
        output: str | Path | None = None,
        judges: int = 3,
        force: bool = False,
    ) -> Result:
        """Make questions for people, written for judges where a file is named; format `votes` reads answers back."""
        made = tasks.tasks(self.store, ref, candidates, form, split, images, references, seed)
        return made if output is None else task_files.write(made, Path(output), judges, force=force)

    def report(
        self,
        *refs: str,
        settings: ReportSettings | None = None,
        sections: Sequence[str] | None = None,
        timed: bool = True,
        config_file: Path | None = None,
    ) -> Document:
        """Make the whole audit one document; `reports.DOCUMENT_FORMATS` write it."""
        return report.report(self.store, refs, settings, sections, config.sources(config_file), timed=timed)

    def card(self, ref: str, settings: ReportSettings | None = None, config_file: Path | None = None) -> Document:
        """Describe a dataset for its README."""
        return report_card.card(self.store, ref, settings, config.sources(config_file))

    def sql(self, statement: str, params: Mapping[str, str] | None = None) -> Result:
        """Run one read-only statement."""
        return query.query(self.store, statement, params)

    def close(self) -> None:
        """Let go of the store."""
        self.store.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
