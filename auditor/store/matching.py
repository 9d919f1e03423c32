"""Images of two datasets whose ids differ in form: one rule for every command that joins two sides.

Papers, programs and downloads write the same image as `391895`, `391895.0`, `000000391895.jpg`,
`COCO_val2014_000000391895` or `val2014/COCO_val2014_000000391895.jpg`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import polars as pl

from auditor.errors import StoreError, UsageError
from auditor.model import Selection
from auditor.result import listed
from auditor.store.connection import Store
from auditor.store.file import NAME
from auditor.store.versions import images

#: Ids are compared in other forms only if at most this share of the smaller side is equal as it is written.
_NEARLY_NONE = 0.01

#: Numbers of unrelated images meet by chance: so many of the smaller side must have a counterpart.
_ENOUGH = 0.5

#: Numbers with fewer digits behind a prefix may be those of other images: two datasets can both count from 1.
_LONG = 5

#: The tables with a dataset and its images, and the other ids of images.
_NAMING, _RENAMED = ("membership", "annotation", "vector"), "temp.renamed_image"


def name_of(column: str) -> pl.Expr:
    """Return ids without folder, ending and, if they are numbers, padding: `in/0042.jpg`, `42` and `42.0` are 42."""
    return (
        pl.col(column)
        .str.extract(r"^\s*(?:.*[/\\])?(.+?)(?:\.[0-9A-Za-z]{1,5})?\s*$", 1)
        .str.replace(r"^0+(\d+)$", "$1")
    )


def number_of(column: str) -> pl.Expr:
    """Return the number that ends a name, as in `COCO_val2014_000000000042.jpg`; null without one."""
    return name_of(column).str.extract(r"^(?:.*\D)?0*(\d+)$", 1)


FORMS = (name_of, number_of)


def match(store: Store, selection: Selection, other: Selection, named: str = "", *, required: bool = True) -> None:
    """Read images of a selection by the ids of another one that writes the same images differently, and note it.

    This holds until the question ends that is asked. Ids that are equal as they are written stay. Others are compared
    without folder, ending and padding, then as numbers without prefix: each must have one counterpart. The selection is
    `named` in sentences.

    Raises `UsageError` if no image is in common, unless this is not `required`.
    """
    dataset = selection.version.dataset
    if dataset == other.version.dataset:
        return
    if dataset in store.renamed:  # for another question, or another side
        _read_by(store, {name: held for name, held in store.renamed.items() if name != dataset})
    ids, others = _ids(store, selection), _ids(store, other)
    named, fewer, why = named or selection.label, min(len(ids), len(others)), ""
    if (equal := int(ids.is_in(others.implode()).sum())) > _NEARLY_NONE * fewer:
        return
    for own, theirs in ((name_of, name_of), (name_of, number_of), (number_of, name_of)):
        every = (
            ids.to_frame().with_columns(key=own("image")),
            others.to_frame("as_image").with_columns(key=theirs("as_image")),
        )
        common = every[0].join(every[1], on="key", how="semi"), every[1].join(every[0], on="key", how="semi")
        twice = [side.filter(pl.col("key").is_duplicated()).sort("key") for side in common]
        pairs = common[0].height
        if alike := [listed(side.filter(key=side["key"][0]).to_series().sort(), 2) for side in twice if side.height]:
            why = why or f"; {alike[0]} are the same without folder, ending and prefix: change the ids in one file"
        elif pairs and own is not theirs and common[0].select(pl.col("key").str.len_chars().max()).item() < _LONG:
            why = why or "; only short numbers are the same without prefix, as in any two datasets"
        elif pairs >= max(_ENOUGH * fewer, 1):
            rows = common[0].join(common[1], on="key").sort("image")
            _match(store, dataset, rows.select(pl.lit(dataset).alias("dataset"), "image", "as_image"))
            image, as_image = rows.filter(pl.col("image") != pl.col("as_image")).select("image", "as_image").row(0)
            how = f"{pairs:,} of {fewer:,} match without folder, ending, padding and prefix"
            sides = f"{named} and {other.label} write image IDs differently"
            note = f"{sides}: {how}, as {image!r} and {as_image!r}"
            store.said += [note] if note not in store.said else []
            return
        elif pairs:
            why = why or f"; only {pairs:,} of {fewer:,} match without folder, ending, padding and prefix"
    if required and not equal:
        look = f"its ids look like {_shown(ids)}, those of {other.label} like {_shown(others)}"
        raise UsageError(f"{named}: no image in common with {other.label}: {look}{why}")


def _ids(store: Store, selection: Selection) -> pl.Series:
    version = selection.version
    if version.kind != "vectors":
        return images(store, selection)["image"].unique()
    statement = "select distinct image from vector where dataset = $dataset and is_held(from_seq, to_seq, $seq)"
    return store.known(statement, {"dataset": version.dataset, "seq": version.seq})["image"].drop_nulls()


def _shown(ids: pl.Series) -> str:
    return repr(ids.sort()[0]) if len(ids) else "none"


def _match(store: Store, dataset: str, rows: pl.DataFrame) -> None:
    """Read the images of a dataset as `rows` name them (dataset, image, as_image), until the question is answered."""
    digest = hashlib.sha256(rows.write_csv().encode()).hexdigest()
    store.on_answer.append(partial(_read_by, store, store.renamed))
    _read_by(store, {**store.renamed, dataset: (digest, rows)})


def _read_by(store: Store, renamed: Mapping[str, tuple[str, pl.DataFrame]]) -> None:
    """Put views before the tables that name images, whose names they take; the file stays as it is."""
    store.renamed = renamed
    store.forget()
    with suppress(StoreError):  # a store that was closed, or left, has no views
        for table in _NAMING:
            store.execute(f"drop view if exists temp.main.{table}")
        if renamed:
            with store.registered("made_outside", pl.concat(rows for _, rows in renamed.values())):
                store.execute(f"create or replace temp table {_RENAMED} as from made_outside")
        for table in _NAMING if renamed else ():
            store.execute(
                f"create temp view {table} as select t.* replace (coalesce(r.as_image, t.image) as image)"
                f" from {NAME}.main.{table} as t left join {_RENAMED} as r using (dataset, image)"
            )
