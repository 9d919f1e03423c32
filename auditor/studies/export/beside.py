"""Files and datasets of a store next to each other: both in a temporary store, for one question."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from auditor.files.folders import temporary
from auditor.model import Narrate, Progress
from auditor.places import Places
from auditor.store.connection import Store
from auditor.studies.export.study import export
from auditor.studies.ingest import apart


@contextmanager
def opened_for_files(
    opened: Callable[[], AbstractContextManager[Store]],
    places: Places,
    kept: dict[str, str],
    narrate: Narrate,
    progress: Progress,
) -> Iterator[Store]:
    """Open a temporary store with the captions of files, and copies of the datasets that are named next to them.

    The copies are from the store that is `opened`, if any is named. `kept` and `narrate` are as in `apart`.
    """
    with temporary() as folder:
        if places.stored:
            with opened() as store:
                for name, ref in places.stored.items():
                    export(store, ref, folder / name, file_format="bundle", progress=progress)
        bundles = {name: folder / name for name in places.stored}
        with apart(places.files, kept, narrate, progress, places.outputs, bundles) as store:
            yield store
