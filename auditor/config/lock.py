"""datasets.lock: what the declared datasets held when they were last ingested, the fact beside datasets.toml's intent.

A JSON object, one entry a dataset, keys sorted, so that a change of the data is a line in the history of a project.
"""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditor.errors import SourceError
from auditor.files import is_plain, replacing

_SHA256 = re.compile(r"[0-9a-f]{64}")

_REMEDY = "mend it, or remove it and ingest again"

_NAMED = 5


@dataclass(frozen=True)
class Entry:
    """What a dataset held, and the sha256 of the files it was read from."""

    version: str
    source_sha256: str
    images: int
    captions: int
    format: str


_FIELDS = tuple(field.name for field in dataclasses.fields(Entry))


def beside(config: Path | None = None) -> Path:
    """Find where the lock lies: beside the datasets.toml in use, whether or not either is there."""
    return (config or Path(os.environ.get("AUDITOR_CONFIG") or "datasets.toml")).with_name("datasets.lock")


class Lock:
    """The lock at a path. A frozen one is never written, and every dataset must stand in it."""

    def __init__(self, path: Path, *, frozen: bool = False, narrate: Callable[[str], None] = lambda _: None) -> None:
        self.path = path
        self.frozen = frozen
        self._narrate = narrate

    def expected(self, datasets: Sequence[str]) -> dict[str, Entry]:
        """Return the entries of those datasets that have one.

        Raises `SourceError` for a file that is no lock; in a frozen lock also for a dataset without an entry.
        """
        entries = read(self.path)
        absent = [dataset for dataset in datasets if dataset not in entries]
        if self.frozen and absent:
            raise SourceError(
                f"{', '.join(absent)}: not in {self.path}{'' if self.path.exists() else ', which does not exist'}; "
                "ingest without --frozen to write what the files hold now"
            )
        return {dataset: entries[dataset] for dataset in datasets if dataset in entries}

    def known(self) -> list[str]:
        """Name the datasets that stand in the lock."""
        return list(read(self.path))

    def keep(self, found: Mapping[str, Entry]) -> None:
        """Write entries in place of those of the same datasets, all at once or not at all, and say which changed.

        Nothing is written to a frozen lock, nor where nothing changed. Raises `SourceError` where the file cannot be
        written.
        """
        if self.frozen:
            return
        entries = read(self.path)
        changed = [dataset for dataset, entry in found.items() if entries.get(dataset) != entry]
        if changed:
            _write(self.path, {**entries, **found})
            named = ", ".join(sorted(changed)) if len(changed) <= _NAMED else f"{len(changed)} datasets"
            self._narrate(f"{self.path}: written, changed for {named}")


def read(path: Path) -> dict[str, Entry]:
    """Read every entry of a lock; one that is not there has none.

    Raises `SourceError` for what is not JSON and for an entry that lacks something.
    """
    if not is_plain(path):  # a pipe would wait for its writer
        raise SourceError(f"{path}: cannot be read: it is no file on a disk; {_REMEDY}")
    try:
        document = json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=_once)
        if not isinstance(document, dict):
            raise _FaultError("expected an object with an entry for each dataset")
        return {dataset: _entry(dataset, held) for dataset, held in document.items()}
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SourceError(f"{path}: cannot be read: {error.strerror or error}") from error
    except _FaultError as error:
        raise SourceError(f"{path}: {error}; {_REMEDY}") from error
    except UnicodeDecodeError as error:
        raise SourceError(f"{path}: not UTF-8; {_REMEDY}") from error
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON: {error}; {_REMEDY}") from error


class _FaultError(Exception):
    """What is wrong with valid JSON."""


def _once(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Make an object, which JSON lets say two things of one key."""
    found = dict(members)
    if len(found) < len(members):
        keys = [key for key, _ in members]
        raise _FaultError(f"{next(key for key in keys if keys.count(key) > 1)} is there twice")
    return found


def _entry(dataset: str, held: Any) -> Entry:
    if not isinstance(held, dict):
        raise _FaultError(f"{dataset} must be an object with {', '.join(_FIELDS)}")
    for key, value in held.items():
        if key not in _FIELDS:
            raise _FaultError(f"{dataset}: unknown key {key}; known are {', '.join(_FIELDS)}")
        if (reason := _refuse(key, value)) is not None:
            raise _FaultError(f"{dataset}: {key} must be {reason}")
    if absent := [field for field in _FIELDS if field not in held]:
        raise _FaultError(f"{dataset}: {', '.join(absent)} must be given")
    return Entry(**held)


def _refuse(key: str, value: Any) -> str | None:
    """Return what a value must be; null where it is that."""
    if key in ("images", "captions"):
        return None if type(value) is int and value >= 0 else "a whole number"
    if key == "format":
        return None if isinstance(value, str) and value else "the name of a format"
    return None if isinstance(value, str) and _SHA256.fullmatch(value) else "64 hex digits"


def _write(path: Path, entries: Mapping[str, Entry]) -> None:
    document = {dataset: dataclasses.asdict(entry) for dataset, entry in entries.items()}
    written = json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    try:
        with replacing(path) as file:
            file.write(written.encode())
    except OSError as error:
        raise SourceError(
            f"{path}: cannot be written: {error.strerror or error}; the store holds what was ingested, --frozen "
            "leaves the lock alone"
        ) from error
