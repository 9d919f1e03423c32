"""Find captions that fit another image better, by vectors and words together. `likelihood` does the same by words.

Captions that fit their image as badly as decoys do are compared with every image. Their gains at other images become
relation `gain`, so the SELECTs for words alone also find pairs and estimate chance here.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import polars as pl

from auditor.metrics.vectors.model import Floats, Material, TextModel
from auditor.model import Progress, Selection, Version, silent
from auditor.scoring.image_vectors import models, of_captions
from auditor.scoring.registry import request
from auditor.store.captions import Captions
from auditor.store.workspace import Workspace
from auditor.studies.outliers.fit import Fold, Judge, Likeness, Places, drawn_decoys
from auditor.studies.outliers.likelihood import DECIMALS, DECOYS, PLACE, least

#: Most captions that are compared with every image, the worst first, and most images to learn from.
_MOST, _IMAGES = 5_000, 2**31 - 1

#: Decoys that are compared with every image. All decoys train the weights of the signs.
_DECOYS_AT_EVERY_IMAGE = 1_000

#: A caption is checked if its fit is not above this quantile of the fits of decoys.
_BADLY = 0.98

_SEED = 1

#: Fewest images with a vector: decoys of fewer images are not reliable.
FEWEST = 100


class Sight(NamedTuple):
    """The results by vectors, with the settings for a signature, and whether every image has a vector.

    `fits` has the columns image, slot, fit and match. `fit` is in bits, for the caption and its image. `match` is in
    standard deviations: how much better their vectors agree than those of the caption and other images. `leads` has the
    columns of `likelihood.leads`; the workspace has the relations `gain` and `reach`.
    """

    vectors: Version
    settings: Mapping[str, Any]
    sees_all: bool
    fits: pl.DataFrame
    leads: pl.DataFrame
    workspace: Workspace


def weigh(captions: Captions, vectors: Version, progress: Progress = silent) -> Sight:
    """Compare the captions of a selection with those of its images that have a vector.

    Raises `MetricError` if too few images have a vector.
    """
    selection, workspace = captions.selection, captions.workspace()
    ridge = request("vector-ridge")
    settings = {**ridge.settings, "vectors": Selection(vectors).pinned_name, "train": selection.pinned_name}
    learning = {**settings, **ridge.metric.counted_with}
    material = of_captions(captions.store, workspace, learning, _IMAGES)
    numbers = np.unique(material.folds).tolist()
    steps = 3 * len(numbers)
    trained: dict[int, TextModel] = {}
    for number, model in models(material, numbers, learning):
        progress(f"{selection.label}: training on captions and vectors", len(trained), steps)
        trained[number] = model
    likeness = Likeness(material)

    def folds(done: int) -> Iterator[Fold]:
        for step, (number, model) in enumerate(trained.items(), done):
            progress(f"{selection.label}: searching for better matching images", step, steps)
            yield Fold(material, likeness, number, model)

    decoys, taken = drawn_decoys(material, DECOYS, _SEED)
    every = np.arange(len(material.rows))
    standing, misplaced = np.empty((len(every), 4)), np.empty((len(decoys), 4))
    for fold in folds(len(numbers)):
        own, here = fold.captions, np.isin(decoys, fold.captions)
        standing[own] = fold.at(own, material.rows[own], own)
        misplaced[here] = fold.at(decoys[here], material.rows[taken[here]], taken[here])
    judge = Judge(standing, misplaced)
    fits, decoy_fits = judge.bits(standing), judge.bits(misplaced)
    badly = float(np.quantile(decoy_fits, _BADLY, method="lower")) if len(decoys) else -np.inf
    doubted = np.flatnonzero(fits <= badly)
    suspects = np.sort(doubted[np.argsort(fits[doubted], kind="stable")][:_MOST])
    sample = slice(None, None, max(1, len(decoys) // _DECOYS_AT_EVERY_IMAGE))
    search = _Search(material, judge, fits, suspects, decoys[sample], taken[sample], decoy_fits[sample])
    for fold in folds(2 * len(numbers)):
        search.look(fold)
    search.bind(workspace)
    whole = material.captions.select(*PLACE).with_columns(
        fit=pl.Series(fits), match=pl.Series(standing[:, 0]).round(DECIMALS)
    )
    sees_all = len(material.images) == captions.images().height
    return Sight(vectors, {"tok": captions.tokenizer, **settings}, sees_all, whole, search.leads(badly), workspace)


class _Search:
    """The best and second-best other image of each suspect caption and each decoy, and the gains of captions."""

    def __init__(
        self, material: Material, judge: Judge, fits: Floats, suspects: Places, decoys: Places, taken: Places,
        decoy_fits: Floats,
    ) -> None:  # fmt: skip
        self._material, self._judge, self._fits = material, judge, fits
        self._captions = np.concatenate([suspects, decoys])
        self._is_decoy = np.concatenate([np.zeros(len(suspects), np.bool_), np.ones(len(decoys), np.bool_)])
        self._stands = np.concatenate([fits[suspects], decoy_fits])
        self._at = material.rows[np.concatenate([suspects, taken])]
        self._best = np.full(len(self._captions), -1)
        self._bits = np.full((len(self._captions), 2), -np.inf)
        self._held = np.unique(material.rows[suspects])
        self._gains: list[pl.DataFrame] = []
        self._least = least(len(material.images))

    def look(self, fold: Fold) -> None:
        """Compare the captions of a fold with every image."""
        rows = np.flatnonzero(np.isin(self._captions, fold.captions))
        first = 0
        for batch, signs in fold.everywhere(self._captions[rows]):
            here = rows[first : first + len(batch)]
            first += len(batch)
            bits = self._judge.bits(signs)
            line = np.arange(len(here))
            bits[line, self._at[here]] = -np.inf
            bits[line, self._material.rows[batch]] = -np.inf
            order = np.argpartition(bits, -2, axis=1)[:, -2:] if bits.shape[1] > 1 else np.zeros((len(here), 2), int)
            two = np.sort(np.take_along_axis(bits, order, axis=1), axis=1)
            self._best[here], self._bits[here] = bits.argmax(axis=1), two[:, ::-1]
            self._note_gains(here, bits)

    def _note_gains(self, here: Places, bits: Floats) -> None:
        gained = bits[:, self._held] - self._stands[here][:, None]
        row, column = np.nonzero((gained >= self._least) & ~self._is_decoy[here][:, None])
        self._gains.append(
            self._named(here[row]).with_columns(
                is_decoy=pl.lit(False),
                other_image=self._material.images.gather(self._held[column]),
                evidence=pl.Series(gained[row, column]),
            )
        )

    def bind(self, workspace: Workspace) -> None:
        """Bind `gain`, the bits that suspect captions gain at images of other suspects, and `reach`, their number."""
        workspace.params["least_bits"] = self._least
        workspace.bind_rows("gain", pl.concat(self._gains))
        images = self._material.images.gather(self._held)
        workspace.bind_rows(
            "reach", images.to_frame("image").with_columns(images=pl.lit(max(1, len(images) - 1), pl.Int64))
        )

    def leads(self, badly: float) -> pl.DataFrame:
        """Return the columns of `likelihood.leads`."""
        best, rival = self._bits.T
        nothing = np.zeros(len(best))
        home = self._fits[self._captions]
        there = np.isfinite(best)
        return (
            self._named(np.arange(len(self._captions)))
            .with_columns(
                is_decoy=pl.Series(self._is_decoy),
                other_image=self._material.images.gather(self._best),
                is_misfit=pl.Series((self._stands <= badly) & (best > self._stands)),
                evidence=pl.Series(best - self._stands).round(DECIMALS),
                lead=pl.Series(best - np.maximum.reduce([self._stands, rival, nothing])).round(DECIMALS),
                is_sure=pl.Series(home > best),
                found_lead=pl.Series(home - np.maximum.reduce([self._stands, best, nothing])).round(DECIMALS),
            )
            .filter(pl.Series(there))
        )

    def _named(self, rows: Places) -> pl.DataFrame:
        return self._material.captions.select(*PLACE)[self._captions[rows]]
