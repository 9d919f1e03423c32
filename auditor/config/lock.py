"""datasets.lock: the content of the declared datasets when they were last ingested.

A JSON object with an entry per dataset and sorted keys, so that version control shows each change of the data.
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
from auditor.files import read_text, replacing

_SHA256 = re.compile(r"[0-9a-f]{64}")

_REMEDY = "correct it, or delete it and ingest again"

_NAMED = 5


@dataclass(frozen=True)
class Entry:
    """The content of a dataset, and the sha256 of its files."""

    version: str
    source_sha256: str
    images: int
    captions: int
    format: str


_FIELDS = tuple(field.name for field in dataclasses.fields(Entry))


def beside(config: Path | None = None) -> Path:
    """Return the path of the lock, next to the datasets.toml in use; neither has to exist."""
    return (config or Path(os.environ.get("AUDITOR_CONFIG") or "datasets.toml")).with_name("datasets.lock")


def is_ours(path: Path) -> bool:
    """Return whether a lock would be in this package, next to the bundled samples: such a lock is not written."""
    return path.resolve().is_relative_to(Path(__file__).parents[1])


class Lock:
    """The lock at a path. A frozen lock is never written, and must have an entry for every dataset."""

    def __init__(self, path: Path, *, frozen: bool = False, narrate: Callable[[str], None] = lambda _: None) -> None:
        self.path = path
        self.frozen = frozen
        self._narrate = narrate

    def expected(self, datasets: Sequence[str]) -> dict[str, Entry]:
        """Return the entries of those datasets that have one.

        Raises `SourceError` for a file that is not a lock; in a frozen lock also for a dataset without an entry.
        """
        entries = read(self.path)
        absent = [dataset for dataset in datasets if dataset not in entries]
        if self.frozen and absent:
            raise SourceError(
                f"{', '.join(absent)}: not in {self.path}{'' if self.path.exists() else ', which does not exist'}; "
                "ingest without --frozen to add the current content"
            )
        return {dataset: entries[dataset] for dataset in datasets if dataset in entries}

    def known(self) -> list[str]:
        """List the datasets of the lock."""
        return list(read(self.path))

    def keep(self, changes: Mapping[str, Entry]) -> None:
        """Replace the entries of datasets, all at once or not at all, and report which changed.

        Writes nothing to a frozen lock, or if nothing changed. Raises `SourceError` if the file cannot be written.
        """
        if self.frozen:
            return
        entries = read(self.path)
        changed = [dataset for dataset, entry in changes.items() if entries.get(dataset) != entry]
        if changed:
            _write(self.path, {**entries, **changes})
            named = ", ".join(sorted(changed)) if len(changed) <= _NAMED else f"{len(changed)} datasets"
            self._narrate(f"{self.path}: updated for {named}")


def read(path: Path) -> dict[str, Entry]:
    """Read every entry of a lock; a missing file has none.

    Raises `SourceError` for a file that is not JSON and for an incomplete entry.
    """
    try:
        document = json.loads(read_text(path, "utf-8-sig"), object_pairs_hook=_once)
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
    """A fault in valid JSON."""


def _once(members: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object of unique keys: JSON allows repeated ones. Raises `_FaultError`."""
    unique = dict(members)
    if len(unique) < len(members):
        keys = [key for key, _ in members]
        raise _FaultError(f"{next(key for key in keys if keys.count(key) > 1)} occurs twice")
    return unique


def _entry(dataset: str, held: Any) -> Entry:
    if not isinstance(held, dict):
        raise _FaultError(f"{dataset} must be an object with {', '.join(_FIELDS)}")
    for key, value in held.items():
        if key not in _FIELDS:
            raise _FaultError(f"{dataset}: unknown key {key}; the keys are {', '.join(_FIELDS)}")
        if (reason := _refuse(key, value)) is not None:
            raise _FaultError(f"{dataset}: {key} must be {reason}")
    if absent := [field for field in _FIELDS if field not in held]:
        raise _FaultError(f"{dataset}: {', '.join(absent)} missing")
    return Entry(**held)


def _refuse(key: str, value: Any) -> str | None:
    """Return what a value must be; null if it is valid."""
    if key in ("images", "captions"):
        return None if type(value) is int and value >= 0 else "a whole number"
    if key == "format":
        return None if isinstance(value, str) and value else "the name of a format"
    return None if isinstance(value, str) and _SHA256.fullmatch(value) else "64 hex digits"


def _write(path: Path, entries: Mapping[str, Entry]) -> None:
    if path.is_symlink():
        raise SourceError(f"{path}: not written, since it is a link; remove it, or use --frozen")
    document = {dataset: dataclasses.asdict(entry) for dataset, entry in entries.items()}
    written = json.dumps(document, ensure_ascii=False, indent=2, sort_keys=True) + "\n"
    try:
        with replacing(path) as file:
            file.write(written.encode())
    except OSError as error:
        raise SourceError(
            f"{path}: cannot be written: {error.strerror or error}; the datasets were ingested; use "
            "--frozen to leave the lock as it is"
        ) from error
