"""Brings vectors to work for one counting, and teaches the models that a metric asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import polars as pl
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from auditor.errors import MetricError
from auditor.metrics.vectors import ranking, ridge
from auditor.metrics.vectors.bags import bags
from auditor.metrics.vectors.model import SCHEMA
from auditor.store.connection import Store
from auditor.store.sqlfiles import reads_of
from auditor.store.vectors import matrix
from auditor.store.versions import resolve
from auditor.store.workspace import Workspace

#: Words that a model knows, and images that it learns from, at most: more would only cost time.
KNOWN_WORDS, MOST_IMAGES = 4_000, 50_000

_VECTORS, _MODEL = "vector_as_of", "text_model"

#: The settings that say which vectors and which model.
SETTINGS = ("vectors", "train", "learner", "folds", "model_seed", "penalty", "margin")


def are_read_by(relations: Iterable[str]) -> bool:
    """Say whether any of some SELECTs reads vectors."""
    return any(_VECTORS in reads_of(name) for name in relations)


def bind(store: Store, workspace: Workspace, settings: Mapping[str, Any]) -> None:
    """Bind relation `vector_as_of` to the version that the settings pin and, for a metric that learns, `text_model`.

    Models are learnt as they are needed: that of all images of the training captions, and one without each fold that
    holds an image at work. Raises `MetricError` where fewer than two images of the training captions have a vector.
    """
    version = resolve(store, settings["vectors"], vectors=True).version
    workspace.params |= {"vectors": version.dataset, "vectors_seq": version.seq}
    workspace.bind(_VECTORS, _VECTORS)
    if "learner" not in settings:
        return
    train = resolve(store, settings["train"])
    workspace.params |= {
        "train_dataset": train.version.dataset,
        "train_seq": train.version.seq,
        "train_split": train.split,
        "folds": settings["folds"],
        "model_seed": settings["model_seed"],
        "most_images": MOST_IMAGES,
        "known_words": KNOWN_WORDS,
    }
    workspace.bind("trained_image", "trained_image")
    captions = workspace.rows("trained_caption")
    seen = captions["image"].n_unique()
    if seen < 2 or captions["fold"].n_unique() < 2:
        raise MetricError(
            f"{train.label}: {seen} of its images have a vector in {version.dataset}: too few to learn from; name "
            "others: vectors=NAME, train=NAME:SPLIT"
        )
    words = workspace.rows("known_word")
    needed = workspace.query(
        "select distinct coalesce(t.fold, 0) as model from candidate as c join vector_as_of as v using (image)"
        " left join trained_image as t using (image) order by model"
    )["model"].to_list()
    workspace.bind("known_word", "known_word")
    workspace.bind_rows(_MODEL, _learnt(workspace, captions, words, needed, settings))


def _learnt(
    workspace: Workspace, captions: pl.DataFrame, words: pl.DataFrame, needed: list[int], settings: Mapping[str, Any]
) -> pl.DataFrame:
    held = workspace.query(
        "select image, fold, vector from trained_image join vector_as_of using (image) order by image"
    )
    images = captions.select("image").join(
        held.select("image").with_row_index("row"), on="image", maintain_order="left"
    )
    material = (
        bags(captions["tokens"], words),
        images["row"].to_numpy().astype(np.int64),
        matrix(held["vector"]),
        held["fold"].to_numpy().astype(np.int64),
        needed,
    )
    if settings["learner"] == "ridge":
        models = ridge.fit(*material, penalty=settings["penalty"])
    else:
        models = ranking.fit(*material, margin=settings["margin"], seed=settings["model_seed"])
    with threadpool_limits(1, "blas"):  # the order of sums, and so the last digits, would depend on their number
        rows = [model.rows(number) for number, model in models]
    return pl.concat(rows) if rows else pl.DataFrame(schema=SCHEMA)
