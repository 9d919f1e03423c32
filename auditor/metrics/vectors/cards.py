"""The cards of metrics that see the image, and the kernel that scores by learnt models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from auditor.arrays import np
from auditor.metrics.card import Kernel, cards
from auditor.metrics.vectors.bags import bags
from auditor.metrics.vectors.model import read

AUTO = "auto"

#: The factor of cosines in CLIPScore.
_SCALE = 2.5

#: Further digits depend on the machine that solves the equations.
_DECIMALS = 6


def _cosine(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Return the cosine of each candidate and its image, from -1 to 1."""
    return counts["cosine"].round(_DECIMALS)


def _clipscore(counts: pl.DataFrame, parameters: Mapping[str, Any]) -> pl.Series:
    """Return 2.5 · max(cosine, 0) of each candidate (Hessel et al. 2021, equation 1)."""
    return (counts["cosine"].clip(lower_bound=0.0) * _SCALE).round(_DECIMALS)


def _scored(rows: Mapping[str, pl.DataFrame], parameters: Mapping[str, Any]) -> pl.DataFrame:
    """Score each candidate by the model that has not seen its image; none if the image has no vector."""
    images = rows["scored_image"].with_row_index("row")
    candidates = rows["candidate_tokens"].join(images, on="image", how="inner", maintain_order="left")
    cosines = np.zeros(candidates.height)
    texts = bags(candidates["tokens"], rows["known_word"])
    at_image, by_model = candidates["row"].to_numpy(), candidates["model"].to_numpy()
    vectors = images["vector"].explode().to_numpy().reshape(images.height, -1) if images.height else np.empty((0, 0))
    for number, model in read(rows["learnt_part"]):
        own = np.flatnonzero(by_model == number)
        if len(own):
            of_image = np.flatnonzero((images["model"] == number).to_numpy())
            position = np.zeros(len(vectors), np.int64)
            position[of_image] = np.arange(len(of_image))
            with threadpool_limits(1, "blas"):
                seen = model.images(vectors[of_image])
            cosines[own] = np.einsum("ij,ij->i", model.texts(texts[own]), seen[position[at_image[own]]])
    return candidates.select("candidate", "image", "slot", cosine=pl.Series(cosines))


def _pinned(word: str) -> str:
    """Accept the name of a dataset; later steps check whether the store has it."""
    return word


def _learnt(learner: str) -> dict[str, Any]:
    return {"kernel": Kernel(f"vector_{learner}", _scored, ("scored_image", "known_word", "learnt_part"))}


_NAMED = {"read": _pinned}

CARDS = (
    *cards(
        "learnt",
        {"vector-ridge": _learnt("ridge"), "vector-rank": _learnt("rank")},
        {"vectors": _NAMED, "train": _NAMED},
        score=_cosine,
    ),
    *cards("encoded", {"vector-cosine": {"score": _cosine}, "clipscore": {"score": _clipscore}}, {"vectors": _NAMED}),
)
