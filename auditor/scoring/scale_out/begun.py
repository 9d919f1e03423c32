"""The start of work: exports what workers need from the store once, so no worker opens it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from auditor.model import Progress, silent
from auditor.scoring.registry import MetricRequest
from auditor.scoring.scale_out import plan as plans
from auditor.scoring.scale_out.plan import Plan
from auditor.scoring.scale_out.tasks import ORDER
from auditor.scoring.scale_out.work import CAPTIONS, WORDS, Work
from auditor.scoring.scores import refuse_unscorable
from auditor.scoring.single_captions import lacking, refusal
from auditor.store.captions import Captions

#: Captions per bucket. It does not depend on the machine, so the same work has the same files everywhere.
CAPTIONS_AT_ONCE = 60_000


def begin(
    captions: Captions,
    metrics: Sequence[MetricRequest],
    folder_of: Callable[[Plan], Path],
    at_once: int = CAPTIONS_AT_ONCE,
    progress: Progress = silent,
) -> tuple[Plan, Work]:
    """Plan the scores of a selection and write the missing captions of each bucket.

    `folder_of` returns the work folder of a plan. Raises `MetricError` for a metric that is not available, or not in
    stages, and for captions without references; `UsageError` for a folder of other work.
    """
    store, selection = captions.store, captions.selection
    refuse_unscorable(captions, metrics)
    if why := lacking(captions):
        raise refusal(selection, why)
    workspace = captions.tokenize(progress).workspace()
    plan = plans.made(workspace, selection, captions.tokenizer, metrics, at_once)
    work = Work(folder_of(plan), ORDER)
    work.begin(plan.written())
    for number, (first, last) in enumerate(plan.buckets):
        if all(work.whole(kind, number) for kind in (CAPTIONS, WORDS)):
            continue
        progress(f"{selection.label}: captions of buckets", number, len(plan.buckets))
        work.put(CAPTIONS, number, workspace.rows("bucket_caption", first_image=first, last_image=last))
        work.put(WORDS, number, workspace.rows("bucket_word", first_image=first, last_image=last))
    del workspace
    store.drop_what_nobody_holds()  # the captions, which would stay in memory while workers run
    return plan, work
