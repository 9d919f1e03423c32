"""Captions of files that are not imported: a temporary store holds them for one command."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from auditor.called import call
from auditor.files.folders import temporary
from auditor.model import Narrate, Progress
from auditor.result import counted
from auditor.store.connection import Store
from auditor.studies.ingest.sources import MAX_REJECTED
from auditor.studies.ingest.study import ingest


@contextmanager
def apart(
    places: Mapping[str, str],
    kept: dict[str, str],
    narrate: Narrate,
    progress: Progress,
    outputs: Collection[str] = (),
    bundles: Mapping[str, Path] = MappingProxyType({}),
    reading: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[Store]:
    """Open a temporary store with the captions of files, patterns, folders and URLs, by dataset.

    The datasets `outputs` hold candidates. `bundles` are exported datasets that are imported first. `kept` gets the
    commands that import the files, `narrate` the notes on how they were read. `reading` are further options of
    `ingest`. Whatever can be read is: any number of records may be rejected. Raises `SourceError` for files without a
    caption that can be read.
    """
    with temporary() as folder, Store.open(folder / "temporary.duckdb", write=True) as store:
        for name, bundle in bundles.items():
            ingest(store, name, files=[bundle], config={}, progress=progress)
        for name, path in places.items():
            options = {**reading, "kind": "candidates" if name in outputs else None}
            kept[name] = call("ingest", name, files=[path], **options)
            made = ingest(
                store, name, files=[Path(path)], max_rejected=1.0, config={}, narrate=narrate, progress=progress,
                **options,
            )  # fmt: skip
            row = made.frame.row(0, named=True)
            if row["rejected"] > MAX_REJECTED * row["read"]:
                kept[name] = call("ingest", name, files=[path], max_rejected=1.0, **options)
            size = f"{counted(row['images'], 'image', 'images')}, {counted(row['captions'], 'caption', 'captions')}"
            narrate(f"{path}: read into a temporary store as {name}: {size}; `{kept[name]}` keeps it")
            refused = counted(row["rejected"], "record was", "records were")
            for sentence in (*made.remarks, *([f"{name}: {refused} rejected"] if row["rejected"] else [])):
                narrate(f"• {sentence}")
        yield store
        store.on_close.clear()  # temporary: nothing to do on close
