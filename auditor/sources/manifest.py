"""The manifest of a bundle: which version it holds, and the hash of every file."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from auditor.errors import SourceError
from auditor.model import Kind
from auditor.sources import files

FORMAT = "auditor.bundle/1"
MANIFEST = "manifest.json"
CAPTIONS = "captions.parquet"
ANNOTATIONS = "annotation.parquet"

_LARGEST = 1 << 20
_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True)
class Manifest:
    """What a bundle says of itself. `files` gives the sha256 and the number of rows of each file in `folder`."""

    folder: Path
    dataset: str
    kind: Kind
    language: str
    related: tuple[str, ...]
    version: str
    images: int
    captions: int
    note: str | None
    files: Mapping[str, tuple[str, int]]

    @property
    def path(self) -> Path:
        """Where the manifest itself lies."""
        return self.folder / MANIFEST


def open_manifest(path: Path) -> Manifest:
    """Read the manifest of a bundle, named by its folder or by the manifest itself.

    Raises `SourceError` for another format, and a value that is missing, of the wrong type or outside the folder.
    """
    folder = path if path.is_dir() else path.parent
    found = folder / MANIFEST if path.is_dir() else path
    document = _document(found)
    check = _Check(found)
    check.that(isinstance(document, dict), "expected an object")
    named = document.get("format")
    check.that(named == FORMAT, f'is of format {named!r}; this auditor reads "{FORMAT}"')
    for key in ("dataset", "language"):
        check.that(isinstance(document.get(key), str), f"{key} must be a string")
    check.that(document.get("kind") in get_args(Kind), f"kind must be one of {', '.join(get_args(Kind))}")
    related = document.get("related")
    check.that(isinstance(related, list) and all(isinstance(name, str) for name in related), "related must be a list")
    check.that(_is_sha256(document.get("version")), "version must be 64 hex digits")
    for key in ("images", "captions"):
        check.that(_is_count(document.get(key)), f"{key} must be a whole number")
    check.that(isinstance(document.get("note"), str | None), "note must be a string or null")
    listed = _files(check, document.get("files"))
    check.that(listed[CAPTIONS][1] == document["captions"], f"captions and the rows of {CAPTIONS} differ")
    return Manifest(
        folder=folder,
        dataset=document["dataset"],
        kind=document["kind"],
        language=document["language"],
        related=tuple(document["related"]),
        version=document["version"],
        images=document["images"],
        captions=document["captions"],
        note=document.get("note"),
        files=listed,
    )


class _Check:
    def __init__(self, path: Path) -> None:
        self._path = path

    def that(self, holds: bool, message: str) -> None:
        if not holds:
            raise SourceError(f"{self._path}: {message}; get the bundle again, or export it again")


def _document(path: Path) -> Any:
    try:
        there = path.is_file()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror or error}") from error
    if not there:
        raise SourceError(f"{path}: no such file: a bundle is the folder that `auditor export` makes")
    head = files.head(path, _LARGEST + 1)
    if len(head) > _LARGEST:
        raise SourceError(f"{path}: larger than {_LARGEST:,} bytes: no manifest of a bundle")
    try:
        return json.loads(head.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON: {error}; get the bundle again, or export it again") from error


def _files(check: _Check, listed: Any) -> dict[str, tuple[str, int]]:
    check.that(isinstance(listed, dict) and CAPTIONS in listed, f"files must name {CAPTIONS}")
    for name, facts in listed.items():
        inside = "/" not in name and "\\" not in name and name not in ("", ".", "..")
        check.that(inside, f"files: {name!r} leads out of the folder")
        check.that(name in (CAPTIONS, ANNOTATIONS), f"files: {name!r} is no file of a bundle")
        known = isinstance(facts, dict) and _is_sha256(facts.get("sha256")) and _is_count(facts.get("rows"))
        check.that(known, f"files: {name} must have sha256 and rows")
    return {name: (listed[name]["sha256"], listed[name]["rows"]) for name in sorted(listed)}


def _is_sha256(value: Any) -> bool:
    return isinstance(value, str) and _SHA256.fullmatch(value) is not None


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0
