"""A study whose result is kept whole: asked again about the same captions, it is read, not counted."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec

from auditor.parameters import bound
from auditor.registry import References, are_ours, requests
from auditor.result import Result
from auditor.store.kept_results import kept_result
from auditor.store.versions import resolve_all

P = ParamSpec("P")


def keeps_result(named: str, *beside: str) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Let the result of a study be kept, by the captions in question and by all that it was asked.

    `named` is the parameter that names the datasets that it is about, `beside` those that name others whose captions it
    reads. With a metric of another package nothing is kept, since what its code does is not known.
    """

    def keeping(study: Callable[P, Result]) -> Callable[P, Result]:
        @functools.wraps(study)
        def run(*args: P.args, **kwargs: P.kwargs) -> Result:
            asked = bound(study, args, kwargs).arguments
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
