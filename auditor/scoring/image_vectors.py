"""Which vectors does a metric see, and which captions does it learn from?

Pins both, so that a signature names them; brings vectors to work for one counting, and teaches the models it asks for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import polars as pl

from auditor.errors import MetricError
from auditor.metrics.vectors.bags import bags
from auditor.metrics.vectors.cards import AUTO
from auditor.metrics.vectors.model import SCHEMA, Material, TextModel
from auditor.model import Selection, Version
from auditor.result import counted, listed
from auditor.scoring.registry import MetricRequest
from auditor.store import vectors
from auditor.store.connection import Store
from auditor.store.sqlfiles import reads_of
from auditor.store.versions import log, resolve
from auditor.store.workspace import Workspace

_TRAIN = "train"

_SHOWN = 3

#: Words that a model knows, and images that it learns from, at most: more would only cost time.
KNOWN_WORDS, MOST_IMAGES = 4_000, 50_000

_VECTORS, _MODEL = "vector_as_of", "text_model"


def pinned(store: Store, selection: Selection, metrics: Sequence[MetricRequest]) -> list[MetricRequest]:
    """Let every metric that sees images name the version of its vectors, and the captions that it learns from.

    `selection` is what candidates are scored against. Left to itself a metric sees the vectors that most of its images
    have, and learns from its split train, or from all of it. Raises `MetricError` where no image has a vector.
    """
    return [_pinned(store, selection, metric) if metric.metric.sees_images else metric for metric in metrics]


def learnt_from(store: Store, metrics: Sequence[MetricRequest]) -> list[Selection]:
    """Return the captions that pinned metrics learn from, each once."""
    named = dict.fromkeys(str(metric.settings["train"]) for metric in metrics if "train" in metric.settings)
    return [resolve(store, name) for name in named]


def unseen(store: Store, selection: Selection, metrics: Sequence[MetricRequest]) -> list[str]:
    """Return how many images of a selection pinned metrics do not see, and so no metric beside them scores."""
    said = []
    for name in dict.fromkeys(str(metric.settings["vectors"]) for metric in metrics if metric.metric.sees_images):
        version = resolve(store, name, vectors=True).version
        described = vectors.coverage(store, version, selection).filter("has_captions")
        without = described.filter(~pl.col("has_vector"))["image"]
        if len(without):
            seeing = ", ".join(metric.label for metric in metrics if metric.settings.get("vectors") == name)
            subject = counted(len(without), "image has", "images have")
            told = f"{selection.label}: {subject} no vector in {version.dataset} and no score by {seeing}"
            others = described.height - len(without)
            said.append(f"{told} ({listed(without, _SHOWN)}); what is compared with it is of the {others:,} others")
    return said


def _pinned(store: Store, selection: Selection, asked: MetricRequest) -> MetricRequest:
    settings = dict(asked.settings)
    of_texts = "train" not in settings
    named = str(settings["vectors"])
    version = most_seen(store, selection, of_texts=of_texts) if named == AUTO else named_vectors(store, named)
    if version is None:
        what = "vectors of its texts and images" if of_texts else "vectors of its images"
        raise MetricError(
            f"{selection.label}: no {asked.label}: the store holds no {what}; `auditor ingest NAME --format vectors "
            "--from FILE` reads what an encoder made of them"
        )
    settings["vectors"] = Selection(version).pinned_name
    if not of_texts:
        train = str(settings["train"])
        settings["train"] = (_train(store, selection, version) if train == AUTO else resolve(store, train)).pinned_name
    return replace(asked, settings=settings)


def named_vectors(store: Store, name: str) -> Version:
    """Find a version of vectors. Raises `MetricError` for what holds none."""
    version = resolve(store, name, vectors=True).version
    if version.kind != "vectors":
        raise MetricError(f"vectors={name}: holds {version.kind}, no vectors")
    return version


def most_seen(store: Store, selection: Selection, *, of_texts: bool = False, least: int = 1) -> Version | None:
    """Find the vectors that most images of a selection have, `least` of them or more; of equals, the first by name.

    With `of_texts`, among those that hold vectors of texts too. None where there are none.
    """
    newest = {version.dataset: version for version in reversed(log(store)) if version.kind == "vectors"}
    fit = [version for version in newest.values() if version.captions or not of_texts]
    whole = Selection(selection.version)
    seen = {
        selection.dataset: vectors.coverage(store, selection, whole).filter("has_captions", "has_vector").height
        for selection in fit
    }
    best = min(seen, key=lambda name: (-seen[name], name), default=None)
    return newest[best] if best is not None and seen[best] >= least else None


def _train(store: Store, selection: Selection, version: Version) -> Selection:
    """Take the split train where two of its images or more have a vector, else all captions."""
    of = selection.version
    splits = store.rows("split", dataset=of.dataset, seq=of.seq)["split"]
    if _TRAIN in splits:
        train = Selection(of, _TRAIN)
        if vectors.coverage(store, version, train).filter("has_captions", "has_vector").height > 1:
            return train
    return Selection(of)


def are_read_by(relations: Iterable[str]) -> bool:
    """Return whether any of some SELECTs reads vectors."""
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
        vectors.matrix(held["vector"]),
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
