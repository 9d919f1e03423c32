"""A study whose result is kept whole: asked again about the same captions, it is read, not counted.

Scores of single captions are kept beside it, for people to query.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import polars as pl

from auditor.model import Selection
from auditor.result import Result
from auditor.scoring.candidates import CandidateSet
from auditor.scoring.registry import References, are_ours, requests
from auditor.store import for_people
from auditor.store.captions import Captions
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result


def kept_by_metrics(
    study: str,
    every: Sequence[Captions],
    asked: Mapping[str, Any],
    make: Callable[[], Result],
    beside: Sequence[Selection],
) -> Result:
    """Return the result of a study as it is kept, or make and keep it, by the captions and all that was `asked`.

    `asked` has the metrics by their names, `beside` are others whose captions the study reads. With a metric of another
    package nothing is kept, since what its code does is not known.
    """
    metrics, tokenizer = requests(asked["metrics"]), every[0].tokenizer
    if not are_ours(metrics):
        return make()
    signed = [str(metric.signature(tokenizer, References())) for metric in metrics]
    settings = {**asked, "tokenizer": tokenizer, "signatures": signed}
    selections = [captions.selection for captions in every]
    return kept_result(every[0].store, study, selections, settings, make, beside=beside)


def keep_scores(
    store: Store,
    selection: Selection,
    scores: pl.DataFrame,
    candidates: Sequence[CandidateSet],
    signatures: Mapping[str, str],
) -> None:
    """Keep the scores of candidates for people to query, by metrics of this package; `signatures` are by label.

    Not where the store keeps nothing that was drawn, as for `reproduce`.
    """
    if not store.keeps_drawn or not are_ours(requests(list(signatures))):
        return
    rows = [
        (
            for_people.key(selection, one.name, one.source, one.params.get("seed"), signature),
            one.name,
            one.source,
            one.params.get("seed"),
            label,
            signature,
        )
        for one in candidates
        for label, signature in signatures.items()
    ]
    made = pl.DataFrame(rows, schema=for_people.MADE, orient="row")
    for_people.keep_scores(store, selection, scores.select("candidate", "image", "slot", *signatures), made)
