"""`auditor report`: the whole audit in one document."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o

Sections = Annotated[
    list[str] | None, typer.Option("--section", help="Section to write; repeat for more; default: all.")
]

NoTime = Annotated[bool, typer.Option("--no-time", help="Leave out when it was made: equal reports are equal files.")]

DocumentFormat = Annotated[
    str | None, typer.Option("--format", help="html, md, latex or json.", rich_help_panel="Output")
]


def command(
    refs: o.Refs,
    metric: o.Metrics = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    references: o.References = None,
    seed: o.Seed = 1,
    resamples: o.Resamples = 1000,
    confidence: o.Confidence = 0.95,
    section: Sections = None,
    no_time: NoTime = False,
    config: Annotated[Path | None, typer.Option("--config", help="Another datasets.toml.")] = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: DocumentFormat = None,
    output: o.Output = None,
) -> None:
    """Write the whole audit as one document: facts, bounds, comparison, diversity, duplicates, versions, method.

    Example: auditor report flickr8k flickr30k -o audit.html
    """
    from auditor.config import sources
    from auditor.reports import document_format
    from auditor.studies.report import METRICS, Settings, report

    chosen = document_format(format_name, output)
    settings = Settings(tuple(metric or METRICS), profile, split, seed, references, resamples, confidence)
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        document = report(opened, refs, settings, section, sources(config), timed=not no_time, progress=progress)
    o.deliver_document(document, chosen, output)
