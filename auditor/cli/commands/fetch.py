"""`auditor fetch`: get what datasets.toml names."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="NAME…", help="Datasets that datasets.toml declares.")
    ] = None,
    everything: Annotated[bool, typer.Option("--all", help="Every dataset that datasets.toml declares.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Replace files that are not what is declared.")] = False,
    config: Annotated[Path | None, typer.Option("--config", help="Another datasets.toml.")] = None,
    format_name: o.Format = None,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Download datasets into the data folder, checked by sha256; a broken download goes on where it stopped.

    Example: auditor fetch flickr8k coco-val2017
    """
    from auditor.config import wanted
    from auditor.errors import SourceError
    from auditor.studies.ingest import fetch

    sources = wanted(names or [], everything=everything, config=config)
    with o.progressing() as progress:
        result = fetch(sources, force=force, everything=everything, progress=progress)
    o.deliver(result, format_name, as_json, output)
    wanting = result.frame.filter(status="failed" if everything else "obtain").select("dataset", "note").rows()
    if wanting:
        dataset, note = wanting[0]
        raise SourceError(f"{dataset}: {note}" + (f"; {len(wanting) - 1} more are listed" if len(wanting) > 1 else ""))
