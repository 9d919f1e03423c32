"""What do files hold that nobody keeps? Reads them into a store of their own, which is gone when it was asked."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from auditor.errors import SourceError
from auditor.model import Narrate, Progress
from auditor.result import counted
from auditor.store.connection import Store
from auditor.studies.ingest.study import ingest


@contextmanager
def apart(places: Mapping[str, str], narrate: Narrate, progress: Progress) -> Iterator[Store]:
    """Open a temporary store that holds the captions of files, patterns, folders and addresses, by dataset.

    How they were read is told as `narrate` is called. Raises `SourceError` for what cannot be read.
    """
    with (
        tempfile.TemporaryDirectory(prefix="auditor-") as folder,
        Store.open(Path(folder) / "temporary.duckdb", write=True) as store,
    ):
        for name, place in places.items():
            kept = f"auditor ingest {name} --from {shlex.quote(place)}"
            try:
                made = ingest(store, name, files=[Path(place)], config={}, narrate=narrate, progress=progress)
            except SourceError as error:
                more = f"; `{kept}` takes settings of files" if "--" in str(error) else ""
                raise SourceError(f"{error}{more}") from error
            row = made.frame.row(0, named=True)
            size = f"{counted(row['images'], 'image', 'images')}, {counted(row['captions'], 'caption', 'captions')}"
            narrate(f"{place}: read into a temporary store as {name}: {size}; `{kept}` keeps it")
            refused = counted(row["rejected"], "record was", "records were")
            for said in (*made.sentences, *([f"{name}: {refused} refused"] if row["rejected"] else [])):
                narrate(f"• {said}")
        yield store
        store.on_close.clear()  # nothing of it is kept
