"""The end of a study that asks each dataset the same: its rows are stamped, its settings signed, its views arranged."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import polars as pl

from auditor.result import Figure, Result, Said, Signature, Table
from auditor.result.views import View, arranged
from auditor.store.captions import Captions, selections_of


def told(
    study: str,
    rows: Iterable[tuple[Captions, pl.DataFrame]],
    *,
    version: int,
    settings: Mapping[str, Any] | None = None,
    tables: Sequence[View[Table]] = (),
    figures: Sequence[View[Figure]] = (),
    notes: Iterable[Said] = (),
) -> Result:
    """Return the result of a study from the rows of each dataset.

    The signature has the tokenizer and the `settings` that change numbers.
    """
    every, frames = zip(*((captions, captions.stamp(frame)) for captions, frame in rows), strict=True)
    frame, selections, said = pl.concat(frames), selections_of(every), [*every[0].notes, *notes]
    return Result(
        study,
        frame,
        selections=selections,
        signatures={study: str(Signature(study, {"tok": every[0].tokenizer, **(settings or {})}, version))},
        tables=arranged(tables, selections, frame),
        figures=arranged(figures, selections, frame),
        said=said,
    )
