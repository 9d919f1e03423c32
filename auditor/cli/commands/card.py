"""`auditor card`: a section for the README of a dataset."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o
from auditor.cli.commands.report import DocumentFormat


def command(
    ref: Annotated[str, typer.Argument(metavar="REF", help="Dataset, with version and split where wanted.")],
    metric: o.Metrics = None,
    profile: o.TextProfile = "auto",
    split: o.Split = None,
    references: o.References = None,
    seed: o.Seed = 1,
    config: Annotated[Path | None, typer.Option("--config", help="Another datasets.toml.")] = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: DocumentFormat = None,
    output: o.Output = None,
) -> None:
    """Write the card of a dataset: counts, splits, statistics, bounds, known problems, signatures.

    Markdown, unless the file or --format asks for more. Example: auditor card flickr8k >> README.md
    """
    from auditor.config import sources
    from auditor.reports import document_format
    from auditor.studies.report import METRICS, Settings, card

    chosen = document_format(format_name or (None if output else "md"), output)
    settings = Settings(tuple(metric or METRICS), profile, split, seed, references)
    with o.opened(store, wait=wait) as opened, o.progressing() as progress:
        document = card(opened, ref, settings, sources(config), progress)
    o.deliver_document(document, chosen, output)
