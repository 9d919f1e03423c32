"""Document frequencies: binds the relations that weigh n-grams, by the modes of `auditor.metrics.idf`."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from weakref import WeakKeyDictionary

import polars as pl

from auditor.errors import MetricError
from auditor.metrics import idf
from auditor.metrics.cider import refusal
from auditor.model import Selection
from auditor.scoring.registry import MetricRequest
from auditor.scoring.whole_draw import bind_frequencies
from auditor.store import ngrams
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.versions import resolve
from auditor.store.workspace import Workspace

#: The most words that `fold` weighs, each once per fold of its image: this takes a minute and 1.5 GB.
_MOST_FOLDED = 16_000_000

_FOLDED_A_MINUTE = 19_000_000

_BYTES_A_WORD = 70

#: Frequencies that are counted `together`, by store and mode, inside the `with` block.
_POOLS: WeakKeyDictionary[Store, dict[str, ngrams.Pool]] = WeakKeyDictionary()


@contextmanager
def together(every: Sequence[Captions]) -> Iterator[str]:
    """Count the documents of several selections together; inside the block, the yielded mode means them."""
    names = sorted(captions.selection.pinned_name for captions in every)
    digest = hashlib.sha256(" ".join(names).encode()).hexdigest()[:12]
    with counted_elsewhere(every[0].store, digest, ngrams.pool(every)) as idf_mode:
        yield idf_mode


@contextmanager
def counted_elsewhere(store: Store, digest: str, frequencies: ngrams.Pool) -> Iterator[str]:
    """Use document frequencies from outside the store; inside the block, the yielded mode means them.

    `digest` is the first 12 hexadecimal digits of a hash of the counted documents.
    """
    idf_mode = f"datasets#{digest}"
    _POOLS.setdefault(store, {})[idf_mode] = frequencies
    try:
        yield idf_mode
    finally:
        del _POOLS[store][idf_mode]


def by_items(idf_mode: str) -> bool:
    """Return whether documents are items, and so depend on the candidates."""
    return idf_mode in ("fold", "run")


def files(idf_mode: str) -> tuple[str, ...]:
    """List the SELECTs that a mode reads."""
    if idf.TOGETHER.fullmatch(idf_mode):
        return ("ngram_frequency_part", "selection_frequency", "pooled_frequency")
    if by_items(idf_mode):
        return ("run_item", "fold_frequency_part", "folded_frequency", "folded_collection")
    if idf.dataset_of(idf_mode):
        return ("ngram_frequency_part", "selection_frequency", "ngram_document")
    completed = () if idf_mode == idf.DATASET else ("completed_frequency",)
    return ("ngram_frequency_part", "selection_frequency", *completed)


def bind(captions: Captions, workspace: Workspace, normalization: str | None, idf_mode: str) -> None:
    """Bind the frequencies of a mode; candidates and tokens must be bound.

    Binds `document_frequency` (gram, images) and `collection` (log_documents) if they are the same for every
    candidate; for `fold`, `fold_frequency` and `fold_collection`. Raises `MetricError` if every idf would be 0, and
    if memory cannot hold the folds.
    """
    workspace.params["folded"] = idf_mode == "fold"
    for relation in ("fold_frequency", "fold_collection"):
        workspace.forget(relation)
    if by_items(idf_mode):
        _bind_items(workspace, captions.selection, idf_mode)
        return
    if idf.TOGETHER.fullmatch(idf_mode):
        _bind_pool(captions.store, workspace, idf_mode, normalization)
        return
    if of := idf.dataset_of(idf_mode):
        _bind_other(captions, workspace, of, normalization)
        return
    frequency = "document_frequency" if idf_mode == idf.DATASET else "selection_frequency"
    if normalization is not None:
        ngrams.count(workspace, frequency)
    elif idf_mode != idf.DATASET or not bind_frequencies(captions, workspace, frequency):
        ngrams.provide(captions, workspace, frequency)
    if idf_mode == idf.DATASET:
        images = workspace.query("select coalesce(max(image_no), 1) as images from reference").item()
        workspace.bind_rows("collection", pl.DataFrame({"log_documents": [math.log(images)]}))
        return
    nothing = pl.DataFrame(schema={"gram": pl.String, "images": pl.UInt32})
    given, log_documents = (nothing, 1.0) if idf_mode == "none" else idf.load(idf_mode)
    if normalization is None:
        workspace.bind_rows("word", workspace.query("select token as word, token_id as word_id from vocabulary"))
    workspace.bind_rows("given_frequency", given)
    workspace.bind("document_frequency", "completed_frequency")
    workspace.bind_rows("collection", pl.DataFrame({"log_documents": [log_documents]}))


def pinned(store: Store, metrics: Sequence[MetricRequest]) -> list[MetricRequest]:
    """Pin the version of the dataset whose images are documents, for metrics that name one, so a signature names it."""
    named = {metric.label: of for metric in metrics if (of := idf.dataset_of(metric.settings.get("idf")))}
    pins = {of: f"{idf.OF}{resolve(store, of).pinned_name}" for of in named.values()}
    return [
        replace(metric, settings={**metric.settings, "idf": pins[named[metric.label]]})
        if metric.label in named
        else metric
        for metric in metrics
    ]


def counted_in(store: Store, metrics: Sequence[MetricRequest]) -> list[Selection]:
    """Return the selections whose images are documents of metrics, other than those that are scored."""
    return [resolve(store, of) for metric in metrics if (of := idf.dataset_of(metric.settings.get("idf")))]


def _bind_other(captions: Captions, workspace: Workspace, of: str, normalization: str | None) -> None:
    if normalization is not None:
        raise MetricError(f"idf=of:{of} counts words as they are spelled; omit stem=true")
    other = captions.like(resolve(captions.store, of)).tokenize()
    images = other.images().height
    if images < 2:
        raise MetricError(f"idf=of:{of}: needs a dataset of at least two images: with one, every idf is 0")
    counted = other.workspace()
    ngrams.provide(other, counted, "selection_frequency")
    workspace.bind("document_frequency", "ngram_document", of=counted)
    workspace.bind_rows("collection", pl.DataFrame({"log_documents": [math.log(images)]}))


def _bind_pool(store: Store, workspace: Workspace, idf_mode: str, normalization: str | None) -> None:
    if normalization is not None:
        raise MetricError("document frequencies of several datasets count words as they are spelled; omit stem=true")
    pool = _POOLS.get(store, {}).get(idf_mode)
    if pool is None:
        raise MetricError(f"idf={idf_mode} is only set by `auditor reproduce wang2016`; choose another idf")
    workspace.take("document_frequency", of=pool.workspace, name="pooled_frequency")
    workspace.bind_rows("collection", pl.DataFrame({"log_documents": [math.log(pool.images)]}))


def _bind_items(workspace: Workspace, selection: Selection, idf_mode: str) -> None:
    items = workspace.rows("run_item")
    if items["image_no"].n_unique() == 1:
        why = refusal({"idf": idf_mode}, 1)
        raise MetricError(f"{selection.label}: idf={idf_mode} needs candidates of at least two images: {why}")
    if idf_mode == "fold":
        _refuse_too_many_folds(workspace, selection, items)
    workspace.forget("fold_frequency_part")
    for bucket in ngrams.buckets(workspace):
        workspace.append("fold_frequency_part", first_image=bucket.first, last_image=bucket.last)
    frequency, collection = (
        ("fold_frequency", "fold_collection") if idf_mode == "fold" else ("document_frequency", "collection")
    )
    workspace.bind(frequency, "folded_frequency")
    workspace.bind(collection, "folded_collection")


def _refuse_too_many_folds(workspace: Workspace, selection: Selection, items: pl.DataFrame) -> None:
    """Raise `MetricError` if the captions have too many words, each counted once per fold of its image."""
    lengths = workspace.query("select image_no, sum(length)::bigint as words from reference group by image_no")
    folds = items.group_by("image_no").agg(pl.col("fold").n_unique())
    words = int(folds.join(lengths, on="image_no").select((pl.col("fold") * pl.col("words")).sum()).item())
    if words > _MOST_FOLDED:
        raise MetricError(
            f"{selection.label}: idf=fold weighs each caption once per caption left out of its image: "
            f"{words:,} words, more than {_MOST_FOLDED:,}. It would take about {words / _FOLDED_A_MINUTE:,.1f} CPU "
            f"minutes and {0.4 + words * _BYTES_A_WORD / 1e9:.1f} GB per set of candidates. Draw fewer captions "
            "(--references K), select a split (--split), or count documents once (idf=run, idf=dataset)"
        )
