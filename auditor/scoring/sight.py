"""Which vectors does a metric see, and which captions does it learn from? Pins both, so that a signature names them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import polars as pl

from auditor.errors import MetricError
from auditor.metrics.vectors.cards import AUTO
from auditor.model import Selection, Version
from auditor.result import counted, listed
from auditor.scoring.registry import MetricRequest
from auditor.store import vectors
from auditor.store.connection import Store
from auditor.store.versions import log, resolve

_TRAIN = "train"

_SHOWN = 3


def pinned(store: Store, selection: Selection, metrics: Sequence[MetricRequest]) -> list[MetricRequest]:
    """Let every metric that sees images name the version of its vectors, and the captions that it learns from.

    `selection` is what candidates are scored against. Left to itself a metric sees the vectors that most of its images
    have, and learns from its split train, or from all of it. Raises `MetricError` where no image has a vector.
    """
    return [_pinned(store, selection, one) if one.metric.sees_images else one for one in metrics]


def learnt_from(store: Store, metrics: Sequence[MetricRequest]) -> list[Selection]:
    """Give the captions that pinned metrics learn from, each once."""
    named = dict.fromkeys(str(one.settings["train"]) for one in metrics if "train" in one.settings)
    return [resolve(store, name) for name in named]


def unseen(store: Store, selection: Selection, metrics: Sequence[MetricRequest]) -> list[str]:
    """Say how many images of a selection pinned metrics do not see, and so no metric beside them scores."""
    said = []
    for name in dict.fromkeys(str(one.settings["vectors"]) for one in metrics if one.metric.sees_images):
        version = resolve(store, name, vectors=True).version
        described = vectors.coverage(store, version, selection).filter("has_captions")
        without = described.filter(~pl.col("has_vector"))["image"]
        if len(without):
            seeing = ", ".join(one.label for one in metrics if one.settings.get("vectors") == name)
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
    newest = {one.dataset: one for one in reversed(log(store)) if one.kind == "vectors"}
    fit = [one for one in newest.values() if one.captions or not of_texts]
    whole = Selection(selection.version)
    seen = {one.dataset: vectors.coverage(store, one, whole).filter("has_captions", "has_vector").height for one in fit}
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
