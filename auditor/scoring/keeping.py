"""A study whose result is kept whole: asked again about the same captions, it is read, not counted.

Scores of single captions are kept beside it, for people to query.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import ParamSpec

import polars as pl

from auditor.metrics.candidates import CandidateSet
from auditor.model import Selection
from auditor.parameters import bound
from auditor.result import Result
from auditor.scoring.registry import References, are_ours, requests
from auditor.store import kept
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.store.versions import resolve_all

P = ParamSpec("P")


def keeps_result(
    named: str, *beside: str, unless: Sequence[str] = ()
) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Let the result of a study be kept, by the captions in question and by all that it was asked.

    `named` is the parameter that names the datasets that it is about, `beside` those that name others whose captions it
    reads. With a metric of another package nothing is kept, since what its code does is not known, nor where one of the
    parameters `unless` is given.
    """

    def keeping(study: Callable[P, Result]) -> Callable[P, Result]:
        @functools.wraps(study)
        def run(*args: P.args, **kwargs: P.kwargs) -> Result:
            asked = bound(study, args, kwargs).arguments
            if any(asked[name] is not None for name in unless):
                return study(*args, **kwargs)
            store = asked["store"]
            selections = resolve_all(store, asked[named], asked["split"])
            metrics = requests(asked["metrics"])
            if not are_ours(metrics):
                return study(*args, **kwargs)
            settings = {name: value for name, value in asked.items() if name not in ("store", "progress")}
            signed = [str(one.signature(asked["tokenizer"], References())) for one in metrics]
            return kept_result(
                store,
                study.__name__,
                selections,
                settings | {"signatures": signed},
                lambda: study(*args, **kwargs),
                beside=[one for name in beside for one in resolve_all(store, asked[name])],
            )

        return run

    return keeping


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
        (one.name, one.source, one.params.get("seed"), label, signature)
        for one in candidates
        for label, signature in signatures.items()
    ]
    made = pl.DataFrame(rows, schema=kept.MADE, orient="row")
    kept.keep_scores(store, selection, scores.select("candidate", "image", "slot", *signatures), made)
