"""Which metrics can read the captions, by their letters and language? And the tokenizer of a study that names none."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ParamSpec

from auditor.model import Selection
from auditor.parameters import bound
from auditor.result import Result
from auditor.scoring.registry import MetricRequest
from auditor.store.connection import Store
from auditor.store.scripts import chosen_tokenizer, script_counts, why_not_english
from auditor.text import AUTO

P = ParamSpec("P")


def chooses_tokenizer(*named: str) -> Callable[[Callable[P, Result]], Callable[P, Result]]:
    """Let a study choose its tokenizer, where none is named, by the captions in question, and say so in a note.

    `named` are the parameters that name captions, each a dataset, several or null.
    """

    def choosing(study: Callable[P, Result]) -> Callable[P, Result]:
        @functools.wraps(study)
        def run(*args: P.args, **kwargs: P.kwargs) -> Result:
            given = bound(study, args, kwargs)
            asked = given.arguments
            if asked["tokenizer"] != AUTO:
                return study(*args, **kwargs)
            refs = [ref for name in named for ref in _listed(asked[name])]
            asked["tokenizer"], notes = chosen_tokenizer(asked["store"], refs, asked.get("split"))
            result = study(*given.args, **given.kwargs)
            return replace(result, notes=(*notes, *result.notes)) if notes else result

        return run

    return choosing


def _listed(refs: str | Sequence[str] | None) -> Sequence[str]:
    return [] if refs is None else [refs] if isinstance(refs, str) else refs


def unreadable(store: Store, selection: Selection, metrics: Sequence[MetricRequest]) -> dict[str, str]:
    """Say by label why metrics cannot read the captions of a selection: by their language, or by their letters.

    Letters are seen: captions are not Latin where more than half of those that have letters are not.
    """
    needed = {asked.label: asked.metric.writing(asked.settings) for asked in metrics if asked.metric.writing}
    if not any(needed.values()):
        return {}
    captions, latin, _ = script_counts(store, selection)
    is_latin = 2 * latin >= captions
    why = why_not_english(store, selection)
    reasons = {}
    for label, writing in needed.items():
        if writing == "english" and why:
            reasons[label] = f"its stems, synonyms and function words are English, and the captions are {why}"
        elif writing == "latin" and not is_latin:
            reasons[label] = (
                "it splits words into runs of a-z and 0-9, and the captions are not in Latin letters: ascii=false"
            )
    return reasons
