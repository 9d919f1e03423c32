"""`auditor export`: a version as files that another store can read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from auditor.cli import options as o


def command(
    ref: Annotated[
        str, typer.Argument(metavar="REF", help="Dataset, with version and split where wanted: flickr8k@v2:test.")
    ],
    folder: Annotated[Path, typer.Option("--output", "-o", help="Folder to make.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a bundle that is there.")] = False,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    format_name: o.Format = None,
    as_json: o.Json = False,
) -> None:
    """Write captions and what people said of them as a bundle: Parquet files, hashed by a manifest.

    Example: auditor export flickr8k@camera-ready -o bundle, then auditor ingest flickr8k --from bundle elsewhere
    """
    from auditor.studies.ingest import export

    with o.opened(store, wait=wait) as opened:
        result = export(opened, ref, folder, force=force)
    o.deliver(result, format_name, as_json, None)
