"""What clip-retrieval writes: `img_emb/img_emb_0.npy`, `text_emb/text_emb_0.npy`, `metadata/metadata_0.parquet`, ….

Row i of each is the same sample; the metadata name its image and hold its caption.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from auditor.errors import SourceError
from auditor.model import Option
from auditor.sources.vectors.columns import IMAGES, TEXTS
from auditor.sources.vectors.matrix import column, mapped, paired
from auditor.sources.vectors.records import damage_named

_IMAGES, _TEXTS, _METADATA = "img_emb", "text_emb", "metadata"

#: The columns that name an image, those first that tell more than the sample's number in the run.
_NAMES = ("image_path", *(name for name in IMAGES if name != "image_path"))


def recognises(folder: Path) -> bool:
    """Say whether a folder holds vectors of images and their metadata."""
    return bool(_parts(folder, _IMAGES, "npy") or _parts(folder, _TEXTS, "npy")) and bool(
        _parts(folder, _METADATA, "parquet")
    )


def read(folder: Path, options: Mapping[str, Option]) -> Iterator[pl.DataFrame]:
    """Yield the vectors of images, and those of captions, part after part.

    Raises `SourceError` where a part has no metadata, or other rows than these.
    """
    if not recognises(folder):
        raise SourceError(f"{folder}: no folder of clip-retrieval: expected img_emb/*.npy and metadata/*.parquet in it")
    metadata = _parts(folder, _METADATA, "parquet")
    for kind, what, names, option in (
        (_IMAGES, "image", _NAMES, "image_col"),
        (_TEXTS, "text", TEXTS, "text_col"),
    ):
        for number, path in _parts(folder, kind, "npy").items():
            if number not in metadata:
                raise SourceError(f"{path}: no metadata_{number}.parquet says whose vectors these are")
            with damage_named(metadata[number]):
                called = column(metadata[number], names, options.get(option))
            yield from paired(path, mapped(path), called, what, f" in {metadata[number].name}")


def _parts(folder: Path, kind: str, ending: str) -> dict[int, Path]:
    """Find the numbered files of a kind, in a folder of its own or not, by their number."""
    named = re.compile(rf"{kind}_(\d+)\.{ending}")
    found = [path for place in (folder / kind, folder) for path in sorted(place.glob(f"{kind}_*.{ending}"))]
    numbered = {int(match[1]): path for path in reversed(found) if (match := named.fullmatch(path.name))}
    return dict(sorted(numbered.items()))
