"""The order of images in the files of a dataset, which published numbers depend on; the store does not keep it."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from itertools import chain

import polars as pl

from auditor.errors import SourceError
from auditor.model import Selection, Source
from auditor.sources import guess, read
from auditor.sources.reading import files
from auditor.sources.reading.declared import named_files


def image_order(selection: Selection, declared: Mapping[str, Source]) -> tuple[pl.DataFrame | None, str | None]:
    """Return image and position (from 0, of its first caption) as the files that were ingested have them.

    If those files are not available, return no frame but the reason.
    """
    version = selection.version
    source = declared.get(version.dataset)
    if source is None:
        return None, "datasets.toml does not declare it"
    try:
        if files.sha256(named_files(source)) != version.source_sha256:
            return None, "its files are not those that were ingested"
        source = source if source.format else dataclasses.replace(source, format=guess(source.parts[0]))
        batches = chain.from_iterable(read(part, source.format) for part in source.parts)
        images = pl.concat(batch.filter(pl.col("reason").is_null()).select("image") for batch in batches)
    except SourceError as error:
        return None, str(error)
    return images.unique(maintain_order=True).with_row_index("position"), None
