"""The vectors that a metric reads, and the captions that it learns from.

Pins both, so a signature names them. Binds vectors for one counting, and trains the models that it needs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import polars as pl

from auditor.arrays import np
from auditor.called import call
from auditor.errors import MetricError
from auditor.metrics.vectors.bags import bags
from auditor.metrics.vectors.cards import AUTO
from auditor.metrics.vectors.model import SCHEMA, Material, TextModel
from auditor.model import Selection, Version
from auditor.result import counted, listed
from auditor.scoring.registry import MetricRequest
from auditor.store import vectors
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.matching import match
from auditor.store.versions import log, resolve, splits
from auditor.store.workspace import Workspace

_TRAIN = "train"

_SHOWN = 3

#: The most words that a model knows, and images that it learns from: more would only take time.
KNOWN_WORDS, MOST_IMAGES = 4_000, 50_000

_VECTORS, _MODEL = "vector_as_of", "text_model"


def pinned(captions: Captions, metrics: Sequence[MetricRequest]) -> list[MetricRequest]:
    """Pin the version of the vectors, and the training captions, of every metric that sees images.

    The captions are the references. By default a metric reads the vectors that most of its images have, and learns from
    its split train, or from all captions. Raises `MetricError` if no image has a vector.
    """
    return [_pinned(captions, metric) if metric.metric.sees_images else metric for metric in metrics]


def learnt_from(store: Store, metrics: Sequence[MetricRequest]) -> list[Selection]:
    """Return the training captions of pinned metrics, each selection once."""
    named = dict.fromkeys(str(metric.settings["train"]) for metric in metrics if "train" in metric.settings)
    return [resolve(store, name) for name in named]


def unseen(captions: Captions, metrics: Sequence[MetricRequest]) -> list[str]:
    """Report how many images have no vector for the pinned metrics, so that no metric scores them."""
    store, selection, notes = captions.store, captions.selection, []
    for name in dict.fromkeys(str(metric.settings["vectors"]) for metric in metrics if metric.metric.sees_images):
        version = resolve(store, name, vectors=True).version
        described = vectors.coverage(store, version, selection).filter("has_captions")
        without = described.filter(~pl.col("has_vector"))["image"]
        if len(without):
            seeing = ", ".join(metric.label for metric in metrics if metric.settings.get("vectors") == name)
            subject = counted(len(without), "image has", "images have")
            note = f"{selection.label}: {subject} no vector in {version.dataset} and no score by {seeing}"
            others = described.height - len(without)
            notes.append(f"{note} ({listed(without, _SHOWN)}); all metrics use only the {others:,} other images")
    return notes


def _pinned(captions: Captions, request: MetricRequest) -> MetricRequest:
    store, selection = captions.store, captions.selection
    settings = dict(request.settings)
    of_texts = "train" not in settings
    named = str(settings["vectors"])
    version = most_seen(store, selection, of_texts=of_texts) if named == AUTO else named_vectors(store, named)
    if version is not None:
        match(store, Selection(version), selection, required=False)
    else:
        what = "vectors of its texts and images" if of_texts else "vectors of its images"
        raise MetricError(
            f"{selection.label}: {request.label} not available: the store has no {what}; import them with "
            f"`{call('ingest', 'NAME', files=['FILE'], file_format='vectors')}`"
        )
    settings["vectors"] = Selection(version).pinned_name
    if not of_texts:
        train = str(settings["train"])
        settings["train"] = (_train(store, selection, version) if train == AUTO else resolve(store, train)).pinned_name
    return replace(request, settings=settings)


def named_vectors(store: Store, name: str) -> Version:
    """Return a version of vectors by name. Raises `MetricError` for a version without vectors."""
    version = resolve(store, name, vectors=True).version
    if version.kind != "vectors":
        raise MetricError(f"vectors={name}: holds {version.kind}, not vectors")
    return version


def most_seen(store: Store, selection: Selection, *, of_texts: bool = False, least: int = 1) -> Version | None:
    """Return the vectors that most images of a selection have, at least `least`; if equal, the first by name.

    With `of_texts`, only versions with vectors of texts count. Returns none if there are none.
    """
    newest = {version.dataset: version for version in reversed(log(store)) if version.kind == "vectors"}
    fit = [version for version in newest.values() if version.captions or not of_texts]
    whole = Selection(selection.version)
    for one in fit:
        match(store, Selection(one), whole, required=False)
    seen = {
        selection.dataset: vectors.coverage(store, selection, whole).filter("has_captions", "has_vector").height
        for selection in fit
    }
    best = min(seen, key=lambda name: (-seen[name], name), default=None)
    return newest[best] if best is not None and seen[best] >= least else None


def _train(store: Store, selection: Selection, version: Version) -> Selection:
    """Return the split train if at least two of its images have a vector, else all captions."""
    of = selection.version
    if _TRAIN in splits(store, of):
        train = Selection(of, _TRAIN)
        if vectors.coverage(store, version, train).filter("has_captions", "has_vector").height > 1:
            return train
    return Selection(of)


def bind(store: Store, workspace: Workspace, settings: Mapping[str, Any]) -> None:
    """Bind relation `vector_as_of` to the version that the settings pin and, for a metric that learns, `text_model`.

    Only the needed models are learnt: that of all training images, and one without each fold that contains a scored
    image. Raises `MetricError` if fewer than two images of the training captions have a vector.
    """
    version = _bind_vectors(store, workspace, settings)
    if "learner" not in settings:
        return
    material = _material(store, workspace, version, settings)
    needed = workspace.query(
        "select distinct coalesce(t.fold, 0) as model from candidate as c join vector_as_of as v using (image)"
        " left join learnt_image as t using (image) order by model"
    )["model"].to_list()
    rows = [model.rows(number) for number, model in models(material, needed, settings)]
    workspace.bind_rows(_MODEL, pl.concat(rows) if rows else pl.DataFrame(schema=SCHEMA))


def of_captions(store: Store, workspace: Workspace, settings: Mapping[str, Any], most_images: int) -> Material:
    """Return the captions of `train` with the vectors of their images: the input of `models`."""
    return _material(store, workspace, _bind_vectors(store, workspace, settings), settings, most_images)


def _bind_vectors(store: Store, workspace: Workspace, settings: Mapping[str, Any]) -> Version:
    version = resolve(store, settings["vectors"], vectors=True).version
    workspace.bind(_VECTORS, _VECTORS, vectors=version.dataset, vectors_seq=version.seq)
    return version


def _material(
    store: Store, workspace: Workspace, version: Version, settings: Mapping[str, Any], most_images: int = MOST_IMAGES
) -> Material:
    train = resolve(store, settings["train"])
    workspace.params |= {
        "trained_dataset": train.version.dataset,
        "trained_seq": train.version.seq,
        "trained_split": train.split,
        "folds": settings["folds"],
        "model_seed": settings["model_seed"],
        "most_images": most_images,
        "known_words": KNOWN_WORDS,
    }
    workspace.bind("learnt_image")
    captions = workspace.rows("learnt_caption")
    seen = captions["image"].n_unique()
    if seen < 2 or captions["fold"].n_unique() < 2:
        raise MetricError(
            f"{train.label}: {seen} of its images have a vector in {version.dataset}, too few to learn from; set "
            "vectors=NAME or train=NAME:SPLIT"
        )
    words = workspace.rows("known_word")
    workspace.bind("known_word")
    held = workspace.query(
        "select image, fold, vector from learnt_image join vector_as_of using (image) order by image"
    )
    images = captions.select("image").join(
        held.select("image").with_row_index("row"), on="image", maintain_order="left"
    )
    return Material(
        captions.drop("tokens"),
        bags(captions["tokens"], words),
        images["row"].to_numpy().astype(np.int64),
        held["image"],
        vectors.matrix(held["vector"]),
        held["fold"].to_numpy().astype(np.int64),
        words,
    )


def models(material: Material, needed: Sequence[int], settings: Mapping[str, Any]) -> Iterator[tuple[int, TextModel]]:
    """Learn a model per number: k without the images of fold k, 0 from all; by ridge regression, or by ranking."""
    # not at the top: they import scipy, which takes half a second, and few metrics read vectors
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # noqa: PLC0415

    from auditor.metrics.vectors import ranking, ridge  # noqa: PLC0415

    if settings["learner"] == "ridge":
        learnt = ridge.fit(material, needed, settings["penalty"])
    else:
        learnt = ranking.fit(material, needed, settings["margin"], settings["model_seed"])
    with threadpool_limits(1, "blas"):  # the number of threads would change the order of sums, and so the last digits
        yield from learnt
