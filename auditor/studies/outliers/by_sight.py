"""Find captions that fit another image better, by vectors and words together. `likelihood` does the same by words.

Captions that fit their image as badly as decoys do are compared with every image. Their gains at other images become
relation `gain`, so the SELECTs for words alone also find pairs and estimate chance here.

Four signs describe a caption and an image:

- how much better their vectors agree than those of the caption and other images, in standard deviations (the caption's
  vector by ridge regression on captions of other images);
- the similarity of the caption and the image's other captions in that space;
- their similarity by words;
- how well these other captions fit the image.

Logistic regression learns the weights of the signs from decoys (captions assigned to a wrong image on purpose) and from
captions at their image. The result is in bits: the evidence that a caption belongs to an image.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import polars as pl

from auditor.arrays import NDArray, np, scipy
from auditor.metrics.vectors.bags import unit
from auditor.metrics.vectors.model import Floats, Material, TextModel
from auditor.model import Progress, Selection, Version, silent
from auditor.scoring.image_vectors import models, of_captions
from auditor.scoring.registry import request
from auditor.store.captions import Captions
from auditor.store.workspace import Workspace
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
        image, evidence = self._material.images.gather(self._held[column]), pl.Series(gained[row, column])
        gains = self._named(here[row]).with_columns(is_decoy=pl.lit(False), other_image=image, evidence=evidence)
        self._gains.append(gains)

    def bind(self, workspace: Workspace) -> None:
        """Bind `gain`, the bits that suspect captions gain at images of other suspects, and `reach`, their number."""
        workspace.params["least_bits"] = self._least
        workspace.bind_rows("gain", pl.concat(self._gains))
        images = self._material.images.gather(self._held).to_frame("image")
        reach = images.with_columns(images=pl.lit(max(1, images.height - 1), pl.Int64))
        workspace.bind_rows("reach", reach)

    def leads(self, badly: float) -> pl.DataFrame:
        """Return the columns of `likelihood.leads`."""
        (best, rival), stands, home = self._bits.T, self._stands, self._fits[self._captions]
        nothing = np.zeros(len(best))
        every = self._named(np.arange(len(self._captions))).with_columns(
            is_decoy=pl.Series(self._is_decoy),
            other_image=self._material.images.gather(self._best),
            is_misfit=pl.Series((stands <= badly) & (best > stands)),
            evidence=pl.Series(best - stands).round(DECIMALS),
            lead=pl.Series(best - np.maximum.reduce([stands, rival, nothing])).round(DECIMALS),
            is_sure=pl.Series(home > best),
            found_lead=pl.Series(home - np.maximum.reduce([stands, best, nothing])).round(DECIMALS),
        )
        return every.filter(pl.Series(np.isfinite(best)))

    def _named(self, rows: Places) -> pl.DataFrame:
        return self._material.captions.select(*PLACE)[self._captions[rows]]


Places = NDArray["np.int64"]

#: Captions whose signs are computed at once.
_AT_ONCE = 2_048

#: Captions that are compared with every image at once: 4 signs of 32 captions and 100,000 images are 100 MB.
_ROWS_AT_ONCE = 32

_SIGNS = 4

_PENALTY = 1.0


class Likeness:
    """The parts that need no model: the captions of each image, and the similarity of captions by their words."""

    def __init__(self, material: Material) -> None:
        self.bags, self.image_of = material.bags, material.rows
        images, captions = len(material.images), len(material.rows)
        self.counts = np.bincount(self.image_of, minlength=images).astype(np.float64)
        places = self.image_of, np.arange(captions)
        whose = scipy.sparse.csr_matrix((np.ones(captions), places), shape=(images, captions))
        self._sums = (whose @ self.bags).tocsr()
        self._means = (scipy.sparse.diags(1 / np.maximum(self.counts, 1)) @ self._sums).tocsr().T.tocsr()

    def at(self, captions: Places, images: Places, standing: Places) -> Floats:
        """Return the mean cosine of each caption and the captions of an image, except for the caption `standing`."""
        rest = self._sums[images] - self.bags[standing]
        total = np.asarray(self.bags[captions].multiply(rest).sum(axis=1)).ravel()
        return np.asarray(total / np.maximum(self.counts[images] - 1, 1))

    def everywhere(self, captions: Places) -> Floats:
        """Return the mean cosine of each caption and the captions of every image; one row per caption."""
        return np.asarray((self.bags[captions] @ self._means).todense())


class Fold:
    """The captions and images of one fold, for a model that is trained on the other folds."""

    def __init__(self, material: Material, likeness: Likeness, number: int, model: TextModel) -> None:
        self.captions: Places = np.flatnonzero(material.folds[material.rows] == number)
        self._model, self._likeness = model, likeness
        self.images = model.images(material.vectors)
        self._mean = self.images.mean(axis=0)
        self._square = self.images.T @ self.images / len(self.images)
        self._sums = np.zeros_like(self.images)
        for first in range(0, len(material.rows), _AT_ONCE):
            batch = slice(first, first + _AT_ONCE)
            np.add.at(self._sums, material.rows[batch], model.texts(likeness.bags[batch]))
        lengths = np.sqrt(np.einsum("ij,ij->i", self._sums, self._sums))
        self._lengths = np.where(lengths > 0, lengths, 1.0)
        self._others_fit = np.einsum("ij,ij->i", self._sums, self.images) / self._lengths

    def texts(self, captions: Places) -> Floats:
        """Return the vectors of captions in the space of images, one row each."""
        return self._model.texts(self._likeness.bags[captions])

    def at(self, captions: Places, images: Places, standing: Places) -> Floats:
        """Return the signs of captions and images, without the captions `standing` there. One row per caption.

        Signs that need another caption of the image are NaN without one.
        """
        signs = np.empty((len(captions), _SIGNS))
        for first in range(0, len(captions), _AT_ONCE):
            batch = slice(first, first + _AT_ONCE)
            texts, seen = self.texts(captions[batch]), self.images[images[batch]]
            mean, spread = self._spread(texts)
            others = unit(self._sums[images[batch]] - self.texts(standing[batch]))
            signs[batch, 0] = (np.einsum("ij,ij->i", texts, seen) - mean) / spread
            signs[batch, 1] = np.einsum("ij,ij->i", texts, others)
            signs[batch, 2] = self._likeness.at(captions[batch], images[batch], standing[batch])
            signs[batch, 3] = np.einsum("ij,ij->i", others, seen)
        signs[self._likeness.counts[images] < 2, 1:] = np.nan
        return signs

    def everywhere(self, captions: Places) -> Iterator[tuple[Places, Floats]]:
        """Yield the signs of captions and every image, in batches of captions: captions × images × signs."""
        for first in range(0, len(captions), _ROWS_AT_ONCE):
            batch = captions[first : first + _ROWS_AT_ONCE]
            texts = self.texts(batch)
            mean, spread = self._spread(texts)
            signs = np.empty((len(batch), len(self.images), _SIGNS))
            signs[:, :, 0] = (texts @ self.images.T - mean[:, None]) / spread[:, None]
            signs[:, :, 1] = texts @ self._sums.T / self._lengths
            signs[:, :, 2] = self._likeness.everywhere(batch)
            signs[:, :, 3] = self._others_fit
            yield batch, signs

    def _spread(self, texts: Floats) -> tuple[Floats, Floats]:
        """Return the mean and standard deviation of the cosines of each text and all images."""
        mean = texts @ self._mean
        square = np.einsum("ij,ij->i", texts @ self._square, texts)
        spread = np.sqrt(np.maximum(square - mean**2, 0.0))
        return mean, np.where(spread > 0, spread, 1.0)


class Judge:
    """Converts signs to bits: the evidence that a caption belongs to an image."""

    def __init__(self, standing: Floats, decoys: Floats) -> None:
        signs = np.concatenate([standing, decoys])
        self._mean = np.nan_to_num(np.nanmean(signs, axis=0))
        spread = np.nan_to_num(np.nanstd(signs, axis=0))
        self._spread = np.where(spread > 0, spread, 1.0)
        belongs = np.concatenate([np.ones(len(standing)), np.zeros(len(decoys))])
        weight = np.where(belongs > 0, len(signs) / 2 / len(standing), len(signs) / 2 / len(decoys))
        self._weights = _logistic(self._scaled(signs), belongs, weight)

    def bits(self, signs: Floats) -> Floats:
        """Return the bits, in the shape of all axes except the last."""
        scaled = self._scaled(signs)
        odds: Floats = scaled @ self._weights[:-1] + self._weights[-1]
        rounded: Floats = np.round(odds / math.log(2), DECIMALS)
        return rounded

    def _scaled(self, signs: Floats) -> Floats:
        scaled: Floats = np.nan_to_num((signs - self._mean) / self._spread)
        return scaled


def _logistic(signs: Floats, belongs: Floats, weight: Floats) -> Floats:
    columns = np.column_stack([signs, np.ones(len(signs))])

    def loss(weights: Floats) -> tuple[float, Floats]:
        odds, squares = columns @ weights, weights[:-1] @ weights[:-1]
        value = (weight * (np.logaddexp(0.0, odds) - belongs * odds)).sum() + _PENALTY / 2 * squares
        slope = columns.T @ (weight * (1.0 / (1.0 + np.exp(-odds)) - belongs))
        slope[:-1] += _PENALTY * weights[:-1]
        return float(value), slope

    return np.asarray(scipy.optimize.minimize(loss, np.zeros(columns.shape[1]), jac=True, method="L-BFGS-B").x)


def drawn_decoys(material: Material, most: int, seed: int) -> tuple[Places, Places]:
    """Sample captions and wrong images of the same fold. Returns the captions, and those of the wrong images."""
    draws = np.random.default_rng(seed)
    fold_of = material.folds[material.rows]
    captions = [np.flatnonzero(fold_of == number) for number in np.unique(fold_of)]
    both = np.concatenate(captions), np.concatenate([draws.permutation(in_fold) for in_fold in captions])
    apart = np.flatnonzero(material.rows[both[0]] != material.rows[both[1]])
    chosen = np.sort(draws.permutation(apart)[:most])
    return both[0][chosen], both[1][chosen]
