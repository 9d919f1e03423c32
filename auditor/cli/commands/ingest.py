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
    files: Annotated[
        list[Path] | None,
        typer.Option("--from", help="Read NAME from this file, folder or pattern, or SPLIT=FILE; - is standard input."),
    ] = None,
    file_format: Annotated[
        str | None, typer.Option("--format", help="Format of that file; else it is guessed, and said.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", help="captions, or candidates for a system's output.")] = None,
    option: Annotated[
        list[str] | None, typer.Option("--option", help="A setting of the format: KEY=VALUE. May be repeated.")
    ] = None,
    image_col: Annotated[str | None, typer.Option(help="Column of a table that names the image.")] = None,
    caption_col: Annotated[
        list[str] | None, typer.Option(help="Column that holds the caption; repeat for a caption in each of several.")
    ] = None,
    caption_id_col: Annotated[str | None, typer.Option(help="Column that numbers captions.")] = None,
    split_col: Annotated[str | None, typer.Option(help="Column that holds the split.")] = None,
    max_rejected: Annotated[
        float | None, typer.Option("--max-rejected", help="Share of records that may be refused; default 0.01.")
    ] = None,
    strict: Annotated[bool, typer.Option("--strict", help="Refuse the whole file for one refused record.")] = False,
    frozen: Annotated[
        bool, typer.Option("--frozen", help="Only the versions that datasets.lock names; it is not written.")
    ] = False,
    note: Annotated[str | None, typer.Option("--note", help="What to remember of this version.")] = None,
    config: Annotated[Path | None, typer.Option("--config", help="Another datasets.toml.")] = None,
    store: o.StorePath = o.DEFAULT_STORE,
    wait: o.Wait = 10.0,
    as_json: o.Json = False,
    output: o.Output = None,
) -> None:
    """Read captions into the store as a new version; unchanged captions add none.

    Examples: auditor ingest flickr8k coco-val2017 · auditor ingest mine --from captions.csv --caption-col text
    """
    from auditor.config.lock import Lock, beside
    from auditor.studies.ingest import MAX_REJECTED, ingest, wanted

    columns = {"image_col": image_col, "caption_col": tuple(caption_col or ()) or None}
    columns |= {"caption_id_col": caption_id_col, "split_col": split_col}
    sources = wanted(
        names or [],
        everything=everything,
        files=files or [],
        file_format=file_format,
        kind=kind,
        options=o.settings(option or [], columns),
        declarations=config,
    )
    lock = None if files and not frozen else Lock(beside(config), frozen=frozen, narrate=o.narrate)
    allowed = 0.0 if strict else MAX_REJECTED if max_rejected is None else max_rejected
    with o.opened(store, write=True, wait=wait) as opened, o.progressing() as progress:
        result = ingest(opened, sources, note, progress, max_rejected=allowed, skip_missing=everything, lock=lock)
    o.deliver(result, None, as_json, output)
