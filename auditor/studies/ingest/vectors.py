"""Vectors of images: read into the store as a version, and set against the captions of the same images."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Selection, Source, Version
from auditor.result import Finding, Said, about, counted, listed
from auditor.sources import find_format
from auditor.store import vectors, versions
from auditor.store.connection import Store

_KIND = "vectors"

_SHOWN = 3

_ADVICE = "--option basename=true, image_suffix=.jpg or coco_ids=true bring ids together"

_BOTH = pl.col("has_captions") & pl.col("has_vector")

#: Kinds of datasets that are about images.
_OF_IMAGES = ("captions", "candidates", "judgements", "pairs", "choices")


def are_vectors(source: Source) -> bool:
    """Return whether a source holds vectors. Raises `UsageError` where its kind and its format say different things."""
    if (find_format(source.format).kind == _KIND) != (source.kind == _KIND):
        raise UsageError(
            f'{source.dataset}: format "{source.format}" and kind "{source.kind}" do not belong together: '
            'vectors have format = "vectors" and kind = "vectors"'
        )
    return source.kind == _KIND


def against_captions(store: Store, version: Version, related: Sequence[str]) -> list[Said]:
    """Return how many images of each dataset have a vector, and which vectors are of no image of any of them.

    Of datasets that share an image with the vectors, and of those that the declaration names as related.
    """
    newest = {version.dataset: version for version in reversed(versions.log(store)) if version.kind in _OF_IMAGES}
    every = {name: vectors.coverage(store, version, Selection(one)) for name, one in newest.items()}
    told = {name: rows for name, rows in every.items() if name in related or rows.filter(_BOTH).height}
    said: list[Said] = [f"{version.dataset}: {vectors.length(store, version):,} numbers a vector"]
    said += [_of_dataset(version, Selection(newest[name]), rows) for name, rows in told.items()]
    if every and not told:
        images = next(iter(every.values())).filter("has_vector")["image"]
        where = f"no dataset in the store has an image of these: {listed(images, _SHOWN)}"
        said += [f"{version.dataset}: {where}; {_ADVICE}"] if len(images) else []
    met = [rows.filter(_BOTH)["image"] for rows in told.values()]
    if any(map(len, met)):
        strange = next(iter(told.values())).filter("has_vector")["image"]
        strange = strange.filter(~strange.is_in(pl.concat(met).implode()))
        subject = counted(len(strange), "vector is", "vectors are")
        where = f"of no image of {listed(list(told), _SHOWN)}"
        said += [f"{version.dataset}: {subject} {where}: {listed(strange, _SHOWN)}"] if len(strange) else []
    return said


def _of_dataset(version: Version, captions: Selection, told: pl.DataFrame) -> Said:
    both = told.filter(_BOTH).height
    without = told.filter("has_captions", ~pl.col("has_vector"))["image"]
    strange = told.filter("has_vector", ~pl.col("has_captions"))["image"]
    label, vectors_label = captions.label, version.dataset
    if not len(without):
        return f"{label}: each of its {both:,} images has a vector in {vectors_label}"
    subject = counted(len(without), "image has", "images have")
    sentence = f"{label}: {subject} no vector in {vectors_label} ({listed(without, _SHOWN)}), {both:,} have one"
    if not both:
        examples = f"{vectors_label} names {listed(strange, 1)}, {label} names {listed(without, 1)}"
        sentence = f"{label}: no image has a vector in {vectors_label}: {examples}; {_ADVICE}"
    return Finding(
        "images-without-vector",
        sentence,
        about(captions, vectors=vectors_label),
        {"images": len(without), "vectors_of_no_image": len(strange)},
        len(without) + both,
        "notice" if both else "warning",
    )
