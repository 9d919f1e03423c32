"""Where a dataset is meant: the name of one in the store, or files, which are read into a store of their own."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import urlsplit

_SIGNS = re.compile(r"[*?[]")

_ZIPPED = (".gz", ".zst")

#: Endings of files that no dataset's name has: what ends so is a file, also one that is not there.
_OF_FILES = (".parquet", ".csv", ".tsv", ".json", ".jsonl", ".arrow")


def is_place(text: str) -> bool:
    """Say whether what stands for a dataset is a file, a folder, a pattern or an address: no dataset is called so."""
    suffix = PurePosixPath(text).suffix
    return "/" in text or bool(_SIGNS.search(text)) or suffix in _OF_FILES or (bool(suffix) and Path(text).is_file())


def named_apart(values: Mapping[str, Any], datasets: Iterable[str]) -> dict[str, str]:
    """Name what stands for datasets in the options `datasets`, where it is files: place by name, in their order.

    Raises `UsageError` where some of it is in a store, and some is not.
    """
    from auditor.errors import UsageError

    given = [text for option in datasets for text in _texts(values[option])]
    places = list(dict.fromkeys(text for text in given if is_place(text)))
    stored = next((text for text in given if text not in places), None)
    if places and stored is not None:
        name = _name(places[0])
        raise UsageError(
            f"{stored}: a name in a store, where {places[0]} is not: `auditor ingest {name} --from "
            f"{shlex.quote(places[0])}` first, and name both"
        )
    found: dict[str, str] = {}
    for place in places:
        name, number = _name(place), 2
        while name in found:
            name, number = f"{_name(place)}-{number}", number + 1
        found[name] = place
    return found


def renamed(value: Any, names: Mapping[str, str]) -> Any:
    """Put the names of datasets where their places are."""
    by_place = {place: name for name, place in names.items()}
    if isinstance(value, str):
        return by_place.get(value, value)
    return [by_place.get(one, one) for one in value] if isinstance(value, list | tuple) else value


def _texts(value: Any) -> list[str]:
    return [value] if isinstance(value, str) else list(value or ())


def _name(place: str) -> str:
    """Call a dataset by its file without endings, by its folder, or by the folder of its pattern."""
    of_web = re.match(r"https?://", place)
    path = PurePosixPath(urlsplit(place).path if of_web else place.partition("://")[2] or place)
    if _SIGNS.search(path.name):
        whole = [part for part in path.parent.parts if not _SIGNS.search(part) and part not in ("/", ".", "..")]
        word = whole[-1] if whole else Path.cwd().name
    else:
        path = path.with_suffix("") if path.suffix in _ZIPPED else path
        word = path.stem
    return re.sub(r"[^A-Za-z0-9._-]+", "-", word).strip("-._") or "captions"
