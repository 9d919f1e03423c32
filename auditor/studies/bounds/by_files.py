"""Upper bounds of datasets of any size, on one machine or many."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

import polars as pl

from auditor import parameters as p
from auditor.asking import question
from auditor.called import call
from auditor.errors import UsageError
from auditor.model import Progress, silent
from auditor.result import Result, Table, counted
from auditor.scoring.candidates import HUMAN
from auditor.scoring.registry import left_out, requests
from auditor.scoring.scale_out import executors
from auditor.scoring.scale_out import receipt as receipts
from auditor.scoring.scale_out import rows as row_file
from auditor.scoring.scale_out import summary as summaries
from auditor.scoring.scale_out.begun import begin
from auditor.scoring.scale_out.doing import do
from auditor.scoring.scale_out.doing import files as named_files
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.tasks import run
from auditor.scoring.scores import scorable, with_reasons
from auditor.store.captions import select
from auditor.store.connection import MEMORY, Store
from auditor.studies.bounds.tables import named_rows
from auditor.text import AUTO

Scores = Annotated[
    Path | None,
    p.Output(
        "By files: write the score of every caption to a .parquet or .csv file, with a receipt.",
        "scores",
        panel=p.BY_FILES,
    ),
]


@question
def by_files(
    store: Store,
    ref: p.Ref,
    *,
    metrics: p.Metrics = None,
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    work: p.WorkFolder = None,
    executor: p.Executor = None,
    workers: p.Workers = None,
    address: p.Address = None,
    file: Scores = None,
    progress: Progress = silent,
) -> Result:
    """Compute the upper bounds of a dataset in stages that exchange files, for `auditor bounds --work`.

    Raises `MetricError` for a metric that cannot be computed in stages, and `UsageError` for a folder that holds other
    work. Raises `SourceError` for a folder that holds a link, a pipe, or a file that no stage wrote.
    """
    if file is not None:
        row_file.check_rows(file)
    if work is None and store.path == MEMORY:
        raise UsageError("a store in memory has no folder next to it; set a folder with work (--work)")
    captions = select(store, ref, split, tokenizer, progress=progress)
    selection = captions.selection
    usable, unscored = scorable(captions, requests(metrics), metrics)
    beside = store.path.with_name(f"{store.path.name}.stages")
    plan, folder = begin(captions, usable, lambda plan: work or beside / plan.digest[:12], progress=progress)
    store.record(*plan.sql)
    with closing(folder):
        with executors.executing(executor, workers, address, run) as execute:
            made = do(plan, folder, execute, progress)
        with folder.reading():
            sums = summaries.sums_of(plan, folder)
            rows = row_file.write(plan, folder, file) if file is not None else 0
        summary = summaries.summary(plan.metrics, sums)
        notes = [_done(plan, made)]
        if file is not None:
            receipt = receipts.path_of(file)
            receipts.write(receipts.made(plan, folder, sums, file), receipt)
            written = counted(rows, "row", "rows")
            notes.append(f"{written} in {file}; `{call('store verify', str(receipt))}` verifies them on any machine")
        if work is None:
            folder.remove()
            with suppress(OSError):  # the folder may hold other work
                folder.folder.parent.rmdir()
    nothing = pl.lit(None, pl.Float64)  # a median needs every score at once
    frame = named_rows(summary.with_columns(median=nothing), selection, HUMAN.name, plan.signatures)
    shown = frame.select("metric", "level", "n", "mean", "sd", "min", "max")
    return Result(
        "bounds",
        with_reasons(frame, captions, requests(metrics)),
        (selection,),
        dict(plan.signatures),
        (Table(f"upper bounds of {selection.label}", shown, name=f"bounds/{selection.label}"),),
        notes=captions.notes,
        said=(*left_out(metrics), *unscored, *notes),
    )


def _done(plan: Plan, made: Mapping[str, int]) -> str:
    """Return how the work was split, and how much of it was done before."""
    cut = f"{counted(len(plan.buckets), 'bucket', 'buckets')} of images"
    partitions = f", {counted(plan.partitions, 'partition', 'partitions')} of n-grams" if plan.partitions else ""
    files, new = len(list(named_files(plan))), sum(made.values())
    reused = f", {files - new:,} of them from an earlier run" if new < files else ""
    return f"{cut}{partitions}; {counted(files, 'file', 'files')} in {len(made)} stages{reused}"
