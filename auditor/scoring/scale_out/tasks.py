"""The stages: from files to a file, a bucket of images or a partition of n-grams at a time.

`captions` and `words` are exported from the store. Then `partial` counts n-grams in buckets, `summed` adds up their
numbers of images, `scores` scores the captions of buckets with these frequencies, and `sums` adds up scores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, NamedTuple, Protocol, TypeVar

import polars as pl

from auditor.files.folders import temporary
from auditor.model import Selection, silent
from auditor.scoring import frequencies
from auditor.scoring.candidates import HUMAN
from auditor.scoring.scale_out import plan as plans
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.summary import sums_of_scores
from auditor.scoring.scale_out.work import CAPTIONS, PARTIAL, SCORES, SUMMED, SUMS, WORDS, Work
from auditor.scoring.scores import scored
from auditor.store import ngrams
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.engine import resident
from auditor.store.file import Share
from auditor.store.subsets import excerpt
from auditor.store.workspace import Workspace

_LAST_IMAGE = (1 << 32) - 1

#: The number of row groups in a file that is read whole.
_WHOLE = 1


class Planned(Protocol):
    """What progress reports need to know of a plan."""

    @property
    def dataset(self) -> str:
        """The name of the dataset."""

    @property
    def captions(self) -> int:
        """The number of its captions, for the pace."""


P = TypeVar("P", bound=Planned)


class Done(NamedTuple):
    """The report of a worker on a finished task: the task, the rows written, and the memory of the worker in bytes."""

    stage: str
    number: int
    rows: int
    memory: int


@dataclass(frozen=True)
class Stage(Generic[P]):
    """One step of the work.

    `title` is its name in progress, `parts` the number of files it writes, `groups` the number of row groups in
    each: a reader reads one group only. `run` computes the rows of a file.
    """

    name: str
    title: str
    parts: Callable[[P], int]
    groups: Callable[[P], int]
    run: Callable[[P, Work, int, Share], pl.DataFrame]


def partial(plan: Plan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count the n-grams of a bucket. Columns: partition, high, low, images."""
    with _bucket(plan, work, number, share) as (store, selection):
        workspace = Captions(store, selection, plan.tokenizer).workspace(partitions=plan.partitions)
        return workspace.rows("partial_frequency", first_image=0, last_image=_LAST_IMAGE)


def summed(plan: Plan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Add up the n-grams of a partition. Columns: bucket, high, low, images."""
    rows = pl.concat(
        work.scan(PARTIAL, bucket)
        .filter(partition=number)
        .select(pl.lit(bucket, pl.UInt32).alias("bucket"), "high", "low", "images")
        for bucket in range(len(plan.buckets))
    )
    with Store.open(MEMORY, share=share) as store:
        workspace = Workspace(store)
        workspace.bind_rows("partial_frequency", rows.collect())
        return workspace.rows("summed_frequency")


def scores(plan: Plan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Score the captions of a bucket, each held out. Columns: image, slot, split, and one for each metric."""
    with _bucket(plan, work, number, share) as (store, selection):
        weighed = _weighed(plan, work, number, store) if plan.partitions else nullcontext("")
        with weighed as idf_mode:
            metrics = [plans.weighed_by(metric, idf_mode) for metric in plan.requests]
            scores = scored(Captions(store, selection, plan.tokenizer), [HUMAN], metrics, silent)
    splits = work.scan(CAPTIONS, number).select("image", "slot", "split").collect()
    with_splits = scores.join(splits, on=["image", "slot"], how="left", maintain_order="left")
    return with_splits.select("image", "slot", "split", *plan.metrics)


def sums(plan: Plan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Add up the scores of a bucket. Columns: those of `score_sum`."""
    rows = work.scan(SCORES, number).collect()
    long = rows.unpivot(plan.metrics, index="image", variable_name="metric").select("metric", "image", "value")
    return sums_of_scores(long, share)


def _of_buckets(plan: Plan) -> int:
    return len(plan.buckets)


def _of_partitions(plan: Plan) -> int:
    return plan.partitions


def _if_weighed(plan: Plan) -> int:
    return len(plan.buckets) if plan.partitions else 0


def _once(plan: Plan) -> int:
    del plan
    return _WHOLE


#: All stages, in their order.
STAGES = {
    stage.name: stage
    for stage in (
        Stage(PARTIAL, "n-grams of buckets", _if_weighed, _of_partitions, partial),
        Stage(SUMMED, "document frequency", _of_partitions, _of_buckets, summed),
        Stage(SCORES, "scores", _of_buckets, _once, scores),
        Stage(SUMS, "sums of scores", _of_buckets, _once, sums),
    )
}


def run(folder: Path, stage: str, number: int, memory: int) -> Done:
    """Run one task of the work in a folder, unless it is finished, with so many bytes for the engine."""
    return run_one(STAGES[stage], plans.read, Work(folder), number, memory)


#: A function such as `run`, which every executor calls: module and name must be enough to find it.
Run = Callable[[Path, str, int, int], Done]


def run_one(step: Stage[P], read: Callable[[str], P], work: Work, number: int, memory: int) -> Done:
    """Run one task of a stage, unless it is finished. `read` parses the plan."""
    part = work.part(step.name, number)
    if part is None:
        plan = read(work.plan())
        with temporary(work.folder) as spill, work.reading():
            rows = step.run(plan, work, number, Share(memory, 1, spill))
        part = work.put(step.name, number, rows, step.groups(plan))
    return Done(step.name, number, part.rows, resident())


@contextmanager
def _bucket(plan: Plan, work: Work, number: int, share: Share) -> Iterator[tuple[Store, Selection]]:
    captions, words = (work.scan(kind, number).collect() for kind in (CAPTIONS, WORDS))
    with excerpt(captions, words, plan.of, plan.tokenizer, share) as opened:
        yield opened


@contextmanager
def _weighed(plan: Plan, work: Work, number: int, store: Store) -> Iterator[str]:
    """Yield the idf mode that weighs a bucket by the document frequencies of all buckets."""
    rows = pl.concat(
        work.scan(SUMMED, partition).filter(bucket=number).select("high", "low", "images")
        for partition in range(plan.partitions)
    )
    workspace = Workspace(store)
    workspace.bind_rows("summed_frequency", rows.collect())
    workspace.bind("pooled_frequency", "bucket_frequency")
    with frequencies.counted_elsewhere(store, plan.digest[:12], ngrams.Pool(workspace, plan.images)) as idf_mode:
        yield idf_mode
