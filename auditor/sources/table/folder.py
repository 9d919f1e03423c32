"""Folders of Hugging Face: Arrow streams that `datasets` saved, named by state.json, or Parquet files of its hub."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from auditor.errors import SourceError
from auditor.sources.reading.files import is_there, open_bytes

_LARGEST = 1 << 24

STATE, SPLITS = "state.json", "dataset_dict.json"

DATA = "data"


class Piece(NamedTuple):
    """One file of a table: where it is, what errors and rows call it, and the split that its folder names."""

    path: Path
    source: str
    split: str | None = None


def pieces(folder: Path) -> Iterator[Piece]:
    """Yield the files of a saved folder in their order.

    Of the hub's, columns alone say the splits. Raises `SourceError` for a folder that is none, and for one whose rows
    are chosen by an index beside them.
    """
    if files := of_hub(folder):
        yield from (Piece(file, f"{DATA}/{file.name}") for file in files)
        return
    if not (folder / SPLITS).is_file():
        yield from _of_split(folder, "", None)
        return
    splits = _json(folder / SPLITS).get("splits")
    if not isinstance(splits, list) or not splits:
        raise SourceError(f'{folder / SPLITS}: expected {{"splits": ["train", …]}}')
    for split in splits:
        yield from _of_split(folder / _name(folder / SPLITS, split), f"{split}/", split)


def of_hub(folder: Path) -> list[Path]:
    """Give the Parquet files of a folder as Hugging Face's hub holds it, sorted: those in `data`, beside a README."""
    if not (folder / "README.md").is_file():
        return []
    return sorted(file for file in (folder / DATA).glob("*.parquet") if file.is_file())


def _of_split(folder: Path, prefix: str, split: str | None) -> Iterator[Piece]:
    state = _json(folder / STATE)
    if state.get("_indices_data_files"):
        raise SourceError(f"{folder}: only some of its rows are the dataset's; save it anew after `flatten_indices()`")
    listed = state.get("_data_files")
    if not isinstance(listed, list) or not all(isinstance(entry, dict) for entry in listed):
        raise SourceError(f'{folder / STATE}: expected "_data_files", a list of files')
    for entry in listed:
        name = _name(folder / STATE, entry.get("filename"))
        yield Piece(folder / name, f"{prefix}{name}", split)


def _name(where: Path, name: Any) -> str:
    """Take a name only where it stays in its folder."""
    if not isinstance(name, str) or name in ("", ".", "..") or any(sign in name for sign in "/\\\0"):
        raise SourceError(f"{where}: {name!r} is not the name of a file in this folder")
    return name


def _json(path: Path) -> dict[str, Any]:
    if not is_there(path):
        raise SourceError(
            f"{path}: No such file; a folder is read as a table where `save_to_disk` of Hugging Face datasets "
            "made it, or where README.md is beside data/*.parquet"
        )
    with open_bytes(path) as file:
        content = file.read(_LARGEST + 1)
    if len(content) > _LARGEST:
        raise SourceError(f"{path}: larger than {_LARGEST >> 20} MiB: no list of files")
    try:
        value = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{path}: not JSON: {error}") from error
    if not isinstance(value, dict):
        raise SourceError(f"{path}: not a JSON object")
    return value
