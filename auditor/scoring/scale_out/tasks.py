"""The stages: from files to a file, a bucket of images or a partition of n-grams at a time.

`captions` and `words` are exported from the store. Then `partial` counts n-grams in buckets, `summed` adds up their
numbers of images, `scores` scores the captions of buckets with these frequencies, and `sums` adds up scores.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path

import polars as pl

from auditor.model import Selection, silent
from auditor.scoring import frequencies
from auditor.scoring.candidates import HUMAN
from auditor.scoring.scale_out import plan as plans
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.shuffle import Shuffle
from auditor.scoring.scale_out.stage import Done, Stage, once, run_one
from auditor.scoring.scale_out.summary import sums_of_scores
from auditor.scoring.scale_out.work import CAPTIONS, PARTIAL, SCORES, SUMMED, SUMS, WORDS, Work
from auditor.scoring.scores import scored
from auditor.store import ngrams
from auditor.store.captions import Captions
from auditor.store.connection import MEMORY, Store
from auditor.store.file import Share
from auditor.store.subsets import excerpt
from auditor.store.workspace import Workspace

_LAST_IMAGE = (1 << 32) - 1


def partial(plan: Plan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Count the n-grams of a bucket. Columns: partition, high, low, images."""
    with _bucket(plan, work, number, share) as (store, selection):
        workspace = Captions(store, selection, plan.tokenizer).workspace(partitions=plan.partitions)
        rows = workspace.rows("partial_frequency", first_image=0, last_image=_LAST_IMAGE)
    return rows.with_columns(bucket=pl.lit(number, pl.UInt32))


def summed(plan: Plan, work: Work, number: int, share: Share) -> pl.DataFrame:
    """Add up the n-grams of a partition. Columns: bucket, high, low, images."""
    rows = PARTIAL_OF_BUCKETS.rows(plan, work, number).select("bucket", "high", "low", "images")
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


#: The n-grams of buckets, by partition, and back.
PARTIAL_OF_BUCKETS = Shuffle(PARTIAL, _if_weighed, _of_partitions)
SUMMED_OF_PARTITIONS = Shuffle(SUMMED, _of_partitions, _of_buckets, "bucket")

#: All stages, in their order.
STAGES = {
    stage.name: stage
    for stage in (
        *PARTIAL_OF_BUCKETS.stages("n-grams of buckets", partial),
        *SUMMED_OF_PARTITIONS.stages("document frequency", summed),
        Stage(SCORES, "scores", _of_buckets, once, scores),
        Stage(SUMS, "sums of scores", _of_buckets, once, sums),
    )
}


#: Folders that are removed if a file of an earlier one is damaged.
ORDER = (CAPTIONS, WORDS, *STAGES)


def run(folder: Path, stage: str, number: int, memory: int) -> Done:
    """Run one task of the work in a folder, unless it is finished, with so many bytes for the engine."""
    return run_one(STAGES[stage], plans.read, Work(folder, ORDER), number, memory)


@contextmanager
def _bucket(plan: Plan, work: Work, number: int, share: Share) -> Iterator[tuple[Store, Selection]]:
    captions, words = (work.scan(kind, number).collect() for kind in (CAPTIONS, WORDS))
    with excerpt(captions, words, plan.of, plan.tokenizer, share) as opened:
        yield opened


@contextmanager
def _weighed(plan: Plan, work: Work, number: int, store: Store) -> Iterator[str]:
    """Yield the idf mode that weighs a bucket by the document frequencies of all buckets."""
    rows = SUMMED_OF_PARTITIONS.rows(plan, work, number).select("high", "low", "images")
    workspace = Workspace(store)
    workspace.bind_rows("summed_frequency", rows.collect())
    workspace.bind("pooled_frequency", "bucket_frequency")
    with frequencies.counted_elsewhere(store, plan.digest[:12], ngrams.Pool(workspace, plan.images)) as idf_mode:
        yield idf_mode
