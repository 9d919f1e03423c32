"""Vectors of images: imported as a version, and matched with the captions of the same images."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.errors import UsageError
from auditor.model import Selection, Source, Version
from auditor.result import Finding, Said, Severity, about, counted, listed
from auditor.sources import find_format
from auditor.store import vectors, versions
from auditor.store.connection import Store
from auditor.store.matching import match

_KIND = "vectors"

_SHOWN = 3

_ADVICE = "match the ids with --option image_pattern=… or image_suffix=.jpg"

_BOTH = pl.col("has_captions") & pl.col("has_vector")

#: Kinds of datasets that describe images.
_OF_IMAGES = ("captions", "candidates", "judgements", "pairs", "choices")


def are_vectors(source: Source) -> bool:
    """Return whether a source holds vectors. Raises `UsageError` if its kind and its format contradict each other."""
    if (find_format(source.format).kind == _KIND) != (source.kind == _KIND):
        raise UsageError(
            f'{source.dataset}: format "{source.format}" and kind "{source.kind}" do not belong together: '
            'vectors have format = "vectors" and kind = "vectors"'
        )
    return source.kind == _KIND


def against_captions(store: Store, version: Version, related: Sequence[str]) -> list[Said]:
    """Report how many images of each dataset have a vector, and which vectors belong to no image.

    The datasets are those that share an image with the vectors or are declared as related.
    """
    newest = {version.dataset: version for version in reversed(versions.log(store)) if version.kind in _OF_IMAGES}
    every = {}
    for name, captions in newest.items():
        match(store, Selection(version), Selection(captions), required=False)
        every[name] = vectors.coverage(store, version, Selection(captions))
    shared = {name: rows for name, rows in every.items() if name in related or rows.filter(_BOTH).height}
    notes: list[Said] = [f"{version.dataset}: {vectors.length(store, version):,} dimensions per vector"]
    notes += [_of_dataset(version, Selection(newest[name]), rows) for name, rows in shared.items()]
    if every and not shared:
        images = next(iter(every.values())).filter("has_vector")["image"]
        where = f"no dataset in the store has any of these images: {listed(images, _SHOWN)}"
        notes += [f"{version.dataset}: {where}; {_ADVICE}"] if len(images) else []
    met = [rows.filter(_BOTH)["image"] for rows in shared.values()]
    if any(map(len, met)):
        strange = next(iter(shared.values())).filter("has_vector")["image"]
        strange = strange.filter(~strange.is_in(pl.concat(met).implode()))
        subject = counted(len(strange), "vector is", "vectors are")
        where = f"of no image of {listed(list(shared), _SHOWN)}"
        notes += [f"{version.dataset}: {subject} {where}: {listed(strange, _SHOWN)}"] if len(strange) else []
    return notes


def _of_dataset(version: Version, captions: Selection, coverage: pl.DataFrame) -> Said:
    both = coverage.filter(_BOTH).height
    without = coverage.filter("has_captions", ~pl.col("has_vector"))["image"]
    strange = coverage.filter("has_vector", ~pl.col("has_captions"))["image"]
    label, vectors_label = captions.label, version.dataset
    if not len(without):
        return f"{label}: all {both:,} images have a vector in {vectors_label}"
    subject = counted(len(without), "image has", "images have")
    sentence = f"{label}: {subject} no vector in {vectors_label} ({listed(without, _SHOWN)}), {both:,} have one"
    if not both:
        examples = f"{vectors_label} names {listed(strange, 1)}, {label} names {listed(without, 1)}"
        sentence = f"{label}: no image has a vector in {vectors_label}: {examples}; {_ADVICE}"
    where = about(captions, vectors=vectors_label)
    values = {"images": len(without), "vectors_of_no_image": len(strange)}
    severity: Severity = "notice" if both else "warning"
    return Finding("images-without-vector", sentence, where, values, len(without) + both, severity)
