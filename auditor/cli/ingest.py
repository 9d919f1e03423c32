"""`auditor ingest`: a file becomes a version."""

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
    file: Annotated[Path | None, typer.Option("--from", help="Read NAME from this file instead.")] = None,
    file_format: Annotated[
        str | None, typer.Option("--format", help="Format of that file: flickr, coco or list.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="captions, or candidates for a system's output.")] = None,
    note: Annotated[str | None, typer.Option("--note", help="What to remember of this version.")] = None,
    config: Annotated[Path | None, typer.Option("--config", help="Another datasets.toml.")] = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Read captions into the store as a new version; unchanged captions add none.

    Examples: auditor ingest flickr8k coco-val2017 · auditor ingest mine --from captions.token --format flickr
    """
    from auditor.config import wanted
    from auditor.studies.ingestion import ingest

    sources = wanted(names or [], everything=everything, file=file, file_format=file_format, kind=kind, config=config)
    with o.opened(store, write=True, wait=wait) as opened, o.progressing() as progress:
        result = ingest(opened, sources, note, progress)
    o.deliver(result, None, as_json, output)
