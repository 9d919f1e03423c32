"""Findings with the lines of the files that their captions are from, for programs that show a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from auditor import parameters as p
from auditor.config import sources
from auditor.result import Result
from auditor.store.connection import Store


def located(store: Store, result: Result, places: Mapping[str, str], config: p.ConfigFile) -> Result:
    """Add columns `file` and `line`; a finding on a dataset as a whole is about its first file.

    `places` has the files of datasets that are not declared.
    """
    from auditor.studies.ingest import lines_of  # noqa: PLC0415  # it imports every reader

    declared = sources(config)
    whole = {selection.version.dataset: selection for selection in result.selections}
    lines = [
        lines_of(store, selection, places, declared).select(
            pl.lit(name).alias("dataset"), "image", "slot", "file", "line"
        )
        for name, selection in whole.items()
    ]
    every = pl.concat(lines)
    first = dict(
        every.drop_nulls("file").group_by("dataset", maintain_order=True).first().select("dataset", "file").iter_rows()
    )
    of_images = (
        every.sort("slot").group_by("dataset", "image").first().with_columns(slot=pl.lit(None, every["slot"].dtype))
    )
    places_of = pl.concat([every, of_images]).with_columns(pl.col("slot").cast(result.frame["slot"].dtype))
    frame = result.frame.join(
        places_of, on=["dataset", "image", "slot"], how="left", nulls_equal=True, maintain_order="left"
    )
    found = [
        replace(one, about={**one.about, "file": first.get(str(one.about.get("dataset")))}) for one in result.findings
    ]
    return replace(result, frame=frame, findings=tuple(found))
