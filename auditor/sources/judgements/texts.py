"""The captions that a file of judgements names: by the ids of a `.token` file, or by the number of a line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from auditor.errors import SourceError, UsageError
from auditor.model import Option, Part
from auditor.sources import flickr
from auditor.sources.reading import files
from auditor.sources.reading import lines as text_lines


def by_id(path: Path, options: Mapping[str, Option]) -> pl.DataFrame:
    """Read the captions of `captions_file`: columns key (IMAGE#N) and text; of a repeated key, the first.

    Raises `UsageError` where the judgements of `path` need the option and it is not given.
    """
    if "captions_file" not in options:
        raise UsageError(
            f"{path}: names captions by their ids: give the .token file that has them as option captions_file"
        )
    file = Path(str(options["captions_file"]))
    captions = _keyed(pl.concat(flickr.read(Part((file,)))), pl.format("{}#{}", "image", "slot"))
    if captions.is_empty():
        raise SourceError(f"{file}: holds no captions of the form IMAGE#N<TAB>CAPTION")
    return captions


def by_number(options: Mapping[str, Option]) -> pl.DataFrame:
    """Read the captions of `candidates_file`: columns key (the number of the line, from 0) and text."""
    lines = pl.concat(text_lines.blocks(files.locate(Path(str(options["candidates_file"])))))
    return _keyed(lines.rename({"raw": "text"}), (pl.col("line") - 1).cast(pl.String))


def _keyed(captions: pl.DataFrame, key: pl.Expr) -> pl.DataFrame:
    keyed = captions.filter(pl.col("reason").is_null()).select(key=key, text="text")
    return keyed.unique("key", keep="first", maintain_order=True)
