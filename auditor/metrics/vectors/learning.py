"""Brings vectors to work for one counting, and teaches the models that a metric asks for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import polars as pl

from auditor.errors import MetricError
from auditor.metrics.vectors.bags import bags
from auditor.metrics.vectors.material import Material
from auditor.metrics.vectors.model import SCHEMA, TextModel
from auditor.model import Version
from auditor.store.connection import Store
from auditor.store.sqlfiles import reads_of
from auditor.store.vectors import matrix
from auditor.store.versions import resolve
from auditor.store.workspace import Workspace

#: Words that a model knows, and images that it learns from, at most: more would only cost time.
KNOWN_WORDS, MOST_IMAGES = 4_000, 50_000

_VECTORS, _MODEL = "vector_as_of", "text_model"


def are_read_by(relations: Iterable[str]) -> bool:
    """Say whether any of some SELECTs reads vectors."""
    return any(_VECTORS in reads_of(name) for name in relations)


def bind(store: Store, workspace: Workspace, settings: Mapping[str, Any]) -> None:
    """Bind relation `vector_as_of` to the version that the settings pin and, for a metric that learns, `text_model`.

    Models are learnt as they are needed: that of all images of the training captions, and one without each fold that
    holds an image at work. Raises `MetricError` where fewer than two images of the training captions have a vector.
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
    """Bring the captions of `train` to work, with the vectors of their images: what `models` learns from."""
    return _material(store, workspace, _bind_vectors(store, workspace, settings), settings, most_images)


def _bind_vectors(store: Store, workspace: Workspace, settings: Mapping[str, Any]) -> Version:
    version = resolve(store, settings["vectors"], vectors=True).version
    workspace.params |= {"vectors": version.dataset, "vectors_seq": version.seq}
    workspace.bind(_VECTORS, _VECTORS)
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
    workspace.bind("learnt_image", "learnt_image")
    captions = workspace.rows("learnt_caption")
    seen = captions["image"].n_unique()
    if seen < 2 or captions["fold"].n_unique() < 2:
        raise MetricError(
            f"{train.label}: {seen} of its images have a vector in {version.dataset}: too few to learn from; name "
            "others: vectors=NAME, train=NAME:SPLIT"
        )
    words = workspace.rows("known_word")
    workspace.bind("known_word", "known_word")
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
        matrix(held["vector"]),
        held["fold"].to_numpy().astype(np.int64),
        words,
    )


def models(material: Material, needed: Sequence[int], settings: Mapping[str, Any]) -> Iterator[tuple[int, TextModel]]:
    """Learn a model for each number: k without the images of fold k, 0 of all; by ridge regression, or by ranking."""
    # here, not above: what they read of scipy takes half a second to import, and few metrics see vectors
    from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]  # noqa: PLC0415

    from auditor.metrics.vectors import ranking, ridge  # noqa: PLC0415

    if settings["learner"] == "ridge":
        learnt = ridge.fit(material, needed, settings["penalty"])
    else:
        learnt = ranking.fit(material, needed, settings["margin"], settings["model_seed"])
    with threadpool_limits(1, "blas"):  # the order of sums, and so the last digits, would depend on their number
        yield from learnt
