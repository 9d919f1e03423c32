"""Captions of files that are not imported: a temporary store holds them for one command."""

from __future__ import annotations

import shlex
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

from auditor.errors import SourceError
from auditor.files.folders import temporary
from auditor.model import Narrate, Progress
from auditor.result import counted
from auditor.store.connection import Store
from auditor.studies.ingest.study import ingest


@contextmanager
def apart(
    places: Mapping[str, str],
    narrate: Narrate,
    progress: Progress,
    outputs: Collection[str] = (),
    bundles: Mapping[str, Path] = MappingProxyType({}),
    reading: Mapping[str, Any] = MappingProxyType({}),
) -> Iterator[Store]:
    """Open a temporary store with the captions of files, patterns, folders and URLs, by dataset.

    The datasets `outputs` hold candidates. `bundles` are exported datasets that are imported first. `narrate` gets the
    notes on how the files were read; `reading` are further options of `ingest`. Whatever can be read is: any number of
    records may be rejected. Raises `SourceError` for files without a caption that can be read.
    """
    with (
        temporary() as folder,
        Store.open(folder / "temporary.duckdb", write=True) as store,
    ):
        for name, bundle in bundles.items():
            ingest(store, name, files=[bundle], config={}, progress=progress)
        for name, path in places.items():
            kind = "candidates" if name in outputs else None
            command = f"auditor ingest {name} --from {shlex.quote(path)}{' --kind candidates' if kind else ''}"
            try:
                made = ingest(
                    store, name, files=[Path(path)], kind=kind, max_rejected=1.0, config={}, narrate=narrate,
                    progress=progress, **reading,
                )  # fmt: skip
            except SourceError as error:
                raise SourceError(f"{error}; set options of the format in `{command}`") from error
            row = made.frame.row(0, named=True)
            size = f"{counted(row['images'], 'image', 'images')}, {counted(row['captions'], 'caption', 'captions')}"
            narrate(f"{path}: read into a temporary store as {name}: {size}; `{command}` keeps it")
            refused = counted(row["rejected"], "record was", "records were")
            for sentence in (*made.remarks, *([f"{name}: {refused} rejected"] if row["rejected"] else [])):
                narrate(f"• {sentence}")
        yield store
        store.on_close.clear()  # temporary: nothing to do on close
