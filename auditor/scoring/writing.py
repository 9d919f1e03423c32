"""Which metrics can read the captions, by their letters and language? And the tokenizer of a study that names none."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import ParamSpec

from auditor.parameters import bound
from auditor.result import Result
from auditor.store.scripts import chosen_tokenizer
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
