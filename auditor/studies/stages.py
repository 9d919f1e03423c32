"""How high does a human score, of datasets of any size, on one machine or many?"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.errors import UsageError
from auditor.metrics.candidates import HUMAN
from auditor.model import Progress, Selection, silent
from auditor.registry import left_out, requests
from auditor.result import Result, Said, Table, counted, findings_in, notes_in
from auditor.scoring.writing import chooses_tokenizer
from auditor.stages import receipt as receipts
from auditor.stages import rows as row_file
from auditor.stages import summary as summaries
from auditor.stages.begun import begin
from auditor.stages.doing import do
from auditor.stages.doing import files as named_files
from auditor.stages.executors import EXECUTORS, Force
from auditor.stages.plan import Plan
from auditor.store.connection import MEMORY, Store
from auditor.store.file import memory
from auditor.store.versions import resolve
from auditor.text import AUTO

#: The least that an engine needs for a bucket of images, in bytes.
_LEAST_MEMORY = 256 * 2**20


def _known(name: str) -> None:
    if name not in EXECUTORS:
        raise UsageError(f"--executor {name}: no such executor; known are {', '.join(EXECUTORS)}")


ExecutorName = Annotated[
    str, p.Parameter("Who does the work: here (threads of this process), processes, or ray (extra ray).", check=_known)
]

Workers = Annotated[int | None, p.Parameter("Tasks at once; default: one for each core.", least=1)]

Address = Annotated[
    str | None, p.Parameter("Ray cluster to work on, as in auto or ray://HOST:10001; default: Ray on this machine.")
]

WorkFolder = Annotated[
    Path | None,
    p.Parameter("Folder for the files between stages, which stay there; default: one beside the store, until the end."),
]

Rows = Annotated[Path | None, p.Parameter("File for the score of every caption, .parquet or .csv.", "output", "o")]


@chooses_tokenizer("ref")
def stages(
    store: Store,
    ref: p.Ref,
    *,
    metrics: p.Metrics = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    executor: ExecutorName = "here",
    workers: Workers = None,
    address: Address = None,
    work: WorkFolder = None,
    file: Rows = None,
    progress: Progress = silent,
) -> Result:
    """Upper bounds of a dataset of any size, in stages that meet in files.

    Each caption is held out and scored against the others of its image, as `auditor bounds` does for candidate human,
    to the same digits; but a bucket of images at a time, so that memory does not grow with the dataset. N-grams are
    counted by bucket, summed by n-gram, and weighed by bucket; every step is a file. Asked again after it was stopped,
    or killed, it does what is missing and nothing else; a file that was changed meanwhile is made again, with all that
    follows from it. Of a cluster every machine must see the folder `work` at the same place; the store is read by this
    process alone.

    How to read it: as the upper bounds of `auditor bounds`: mean and standard deviation over captions and over the
    means of images. With `file`, the score of every caption, a row for each metric, and beside it a
    receipt: which captions, buckets, metrics and SELECTs, and sums to check the scores by.

    Limits: leave-one-out of all captions alone: no substitutes, no draws, no medians; for these ask `auditor bounds`.
    Metrics of your own, metrics that see images, and readings of idf other than dataset and none are refused. `memory`
    bounds the engine, of all workers together; a bucket has some 60,000 captions, and each worker needs some 0.3 GB
    beside it. A folder `work` is trusted: who writes a file there with its marker decides the scores.

    Rows: dataset, version, split, metric, candidate, level, n, mean, sd, min, max, signature.

    Raises `MetricError` for a metric that cannot be had in stages, `UsageError` for a folder that holds other work,
    `SourceError` for one that holds a link, a pipe, or a file that no stage wrote.

    Example: auditor stages flickr30k -m bleu-4 -m cider -o scores.parquet
    """
    if file is not None:
        row_file.check_rows(file)
    if address is not None and executor != "ray":
        raise UsageError(f"--address {address}: where a Ray cluster is; say --executor ray")
    if work is None and store.path == MEMORY:
        raise UsageError("a store in memory has no place beside it; name a folder with work (--work)")
    selection = resolve(store, ref, split)
    plan, folder = begin(store, selection, tokenizer, requests(metrics), _place(store, work), progress=progress)
    several = workers or os.cpu_count() or 1
    with EXECUTORS[executor](Force(several, max(_LEAST_MEMORY, memory() // several), address)) as execute:
        made = do(plan, folder, execute, progress)
    with folder.reading():
        sums = summaries.sums_of(plan, folder)
        rows = row_file.write(plan, folder, file) if file is not None else 0
    found = summaries.summary(plan.metrics, sums)
    notes = [_done(plan, made)]
    if file is not None:
        beside = receipts.path_of(file)
        receipts.write(receipts.made(plan, folder, sums, file), beside)
        notes.append(f"{counted(rows, 'row', 'rows')} in {file}; `auditor store verify {beside}` checks them elsewhere")
    if work is None:
        shutil.rmtree(folder.folder, ignore_errors=True)
        with suppress(OSError):  # other work may be there
            folder.folder.parent.rmdir()
    said: list[Said] = [*left_out(metrics), *notes]
    frame = _rows(selection, plan, found)
    shown = frame.select("metric", "level", "n", "mean", "sd", "min", "max")
    return Result(
        "stages",
        frame,
        (selection,),
        dict(plan.signatures),
        (Table(f"upper bounds of {selection.label}", shown, name=f"stages/{selection.label}"),),
        notes=notes_in(said),
        findings=findings_in(said),
    )


def _place(store: Store, work: Path | None) -> Callable[[Plan], Path]:
    """Say where a plan is worked at: in the folder that is named, else in one of its own beside the store."""
    beside = store.path.with_name(f"{store.path.name}.stages")
    return lambda plan: work or beside / plan.digest[:12]


def _done(plan: Plan, made: Mapping[str, int]) -> str:
    """Say how the work was cut, and how much of it was there already."""
    cut = f"{counted(len(plan.buckets), 'bucket', 'buckets')} of images"
    partitions = f", {counted(plan.partitions, 'partition', 'partitions')} of n-grams" if plan.partitions else ""
    files, new = len(list(named_files(plan))), sum(made.values())
    found = f", {files - new:,} of them found from before" if new < files else ""
    return f"{cut}{partitions}; {counted(files, 'file', 'files')} in {len(made)} stages{found}"


def _rows(selection: Selection, plan: Plan, found: pl.DataFrame) -> pl.DataFrame:
    return found.select(
        pl.lit(plan.dataset).alias("dataset"),
        pl.lit(plan.version).alias("version"),
        pl.lit(selection.split, pl.String).alias("split"),
        "metric",
        pl.lit(HUMAN.name).alias("candidate"),
        *("level", "n", "mean", "sd", "min", "max"),
        pl.col("metric").replace_strict(dict(plan.signatures)).alias("signature"),
    )
