"""The captions of rated images that nobody rated there: references that hold none of their own candidates."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from auditor.errors import UsageError
from auditor.model import Batches, Option, Part
from auditor.sources import flickr
from auditor.sources.judgements import flickr8k

#: The one way of taking references out of ratings.
UNRATED = "unrated"

_LEFT_OUT = "rated as a caption of its image"


def check(path: Path, options: Mapping[str, Option]) -> bool:
    """Say whether references are asked for. Raises `UsageError` for a word that asks for nothing known."""
    asked = options.get("references")
    if asked not in (None, UNRATED):
        raise UsageError(f'{path}: references = "{asked}": expected "{UNRATED}"')
    return asked is not None


def read(path: Path, known: flickr8k.Layout, options: Mapping[str, Option]) -> Batches:
    """Yield the captions of `captions_file` of every rated image; one whose text is rated there is left out.

    A text that an image has twice is left out as often as it is rated. Rows of ratings that are at fault are refused.
    """
    ratings = pl.concat(flickr8k.read(path, known, options))
    rated = ratings.filter(pl.col("reason").is_null()).group_by("image", "text").agg(times=pl.len())
    captions = pl.concat(flickr.read(Part((Path(str(options["captions_file"])),))))
    described = captions.join(rated.select("image").unique(), on="image", how="semi", maintain_order="left")
    place = pl.int_range(1, pl.len() + 1).over("image", "text")
    yield (
        described.join(rated, on=["image", "text"], how="left", maintain_order="left")
        .with_columns(left_out=pl.when(place <= pl.col("times")).then(pl.lit(_LEFT_OUT)))
        .drop("times")
    )
    yield ratings.filter(pl.col("reason").is_not_null()).select("source", "unit", "line", "reason", "raw")
