"""The cards of metrics that see the image, and the kernel that scores by learnt models."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
from threadpoolctl import threadpool_limits  # type: ignore[import-untyped]

from auditor.arrays import np
from auditor.metrics.card import Kernel, Metric, Parameter
from auditor.metrics.vectors.bags import bags
from auditor.metrics.vectors.model import read
from auditor.ranges import Ends

AUTO = "auto"

#: The factor of cosines in CLIPScore.
_SCALE = 2.5

#: Further digits depend on the machine that solves the equations.
_DECIMALS = 6

_HODOSH = """@inproceedings{hodosh-hockenmaier-2016-focused,
  title = {Focused Evaluation for Image Description with Binary Forced-Choice Tasks},
  author = {Hodosh, Micah and Hockenmaier, Julia},
  booktitle = {Proc. 5th Workshop on Vision and Language}, year = {2016}, pages = {19--28}
}"""

_HOERL = """@article{hoerl-kennard-1970-ridge,
  title = {Ridge Regression: Biased Estimation for Nonorthogonal Problems},
  author = {Hoerl, Arthur E. and Kennard, Robert W.},
  journal = {Technometrics}, volume = {12}, number = {1}, year = {1970}, pages = {55--67}
}"""

_HESSEL = """@inproceedings{hessel-etal-2021-clipscore,
  title = {{CLIPScore}: A Reference-free Evaluation Metric for Image Captioning},
  author = {Hessel, Jack and Holtzman, Ari and Forbes, Maxwell and Le Bras, Ronan and Choi, Yejin},
  booktitle = {Proc. EMNLP}, year = {2021}, pages = {7514--7528}
}"""


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


_WHICH_VECTORS = Parameter(
    AUTO,
    "vectors of the images; auto: those in the store that cover the most images",
    (AUTO,),
    counts=True,
    form="NAME",
    read=_pinned,
)

_LEARNT_FROM = {
    "vectors": _WHICH_VECTORS,
    "train": Parameter(
        AUTO,
        "training captions; auto: split train of the reference captions, or all of them",
        (AUTO,),
        counts=True,
        form="NAME:SPLIT",
        read=_pinned,
    ),
    "folds": Parameter(
        5, "parts of the training images; each is scored by a model of the others", least=2, counts=True
    ),
    "model_seed": Parameter(1, "seed of the folds, and of random draws in training", zero=True, counts=True),
}

_EDGE_CASES = "a caption without a word that the model knows scores 0; an image without a vector has no score"

_FREE = "none: reads the vector of the image"


def _learnt(name: str, learner: str, summary: str, source: str, bibtex: str, **own: Parameter) -> Metric:
    return Metric(
        name=name,
        counts="candidate_tokens",
        score=_cosine,
        kernel=Kernel(f"vector_{learner}", _scored, ("scored_image", "known_word", "learnt_part")),
        summary=summary,
        kind="fit of caption and image",
        lowest=-1.0,
        highest=1.0,
        references=_FREE,
        sensitivity="none",
        edge_cases=_EDGE_CASES,
        source=source,
        bibtex=bibtex,
        parameters={**_LEARNT_FROM, **own},
        counted_with={"learner": learner},
        sees_images=True,
        default=False,
    )


def _given(name: str, summary: str, source: str, score: Any, ends: Ends) -> Metric:
    return Metric(
        name=name,
        counts="text_image_cosine",
        score=score,
        summary=summary,
        kind="fit of caption and image",
        lowest=ends[0],
        highest=ends[1],
        references=_FREE,
        sensitivity="none",
        edge_cases="a text or an image without a vector has no score; texts must be exactly those that were encoded",
        source=source,
        bibtex=_HESSEL,
        parameters={"vectors": _WHICH_VECTORS},
        sees_images=True,
        default=False,
    )


CARDS = (
    _learnt(
        "vector-ridge",
        "ridge",
        "cosine of the image's vector and the one that ridge regression predicts from the caption",
        "Hoerl & Kennard 1970; bags of words as in Hodosh & Hockenmaier 2016, section 4",
        _HOERL,
        penalty=Parameter(3.0, "weight of the squared length of the regression weights", counts=True),
    ),
    _learnt(
        "vector-rank",
        "rank",
        "cosine in a space trained to rank captions above those of other images (hinge loss)",
        "Hodosh & Hockenmaier 2016, section 4 (BOW ranking), with words learnt from the captions instead of GloVe",
        _HODOSH,
        margin=Parameter(0.2, "margin of the hinge", counts=True),
    ),
    _given(
        "vector-cosine",
        "cosine of the vectors of caption and image, if texts have vectors too",
        "Hessel et al. 2021, section 3",
        _cosine,
        (-1.0, 1.0),
    ),
    _given(
        "clipscore",
        "2.5 times the cosine of the vectors of caption and image, at least 0",
        "Hessel et al. 2021, equation 1; there, captions were encoded after the words “A photo depicts”",
        _clipscore,
        (0.0, _SCALE),
    ),
)
