"""Recompute the figures of Hsieh et al. 2023 on SugarCrepe, and of later work, on available items and answers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import polars as pl

from auditor import config
from auditor.called import not_stored
from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.papers.runs import declared, of_metrics
from auditor.store.connection import Store
from auditor.store.versions import annotated, log, resolve
from auditor.studies.choices import ALL

__all__ = ["ANSWERS", "measure", "of_metrics"]

_ITEMS, _CAPTIONS = "sugarcrepe", "coco-val2017"

#: Per-item answers of CLIP models, in the folder of the seven files of the benchmark.
ANSWERS = "clip-answers.parquet"

_NO_ANSWERS = (
    f"no {ANSWERS} in the folder of sugarcrepe: write it from the four SUGARCREPE_CORRECT_*.csv of"
    " https://github.com/IMirandaM/BiVLC, with a column model"
)

#: Models by their names in that file.
_MODELS = ("ViT-B-32", "CLIP_COCO")


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure counts, accuracy without the image, and CLIP's accuracy by part if its answers are available."""
    answers = _answers()
    measured, results = declared(store, paper, seed, progress, scores=[answers] if answers else [])
    if not results["blind"]:
        return measured
    captions = resolve(store, _CAPTIONS) if log(store, _CAPTIONS) else None
    quantities = {**measured.quantities, **dict(_counted(store, resolve(store, _ITEMS), captions))}
    if answers is not None:
        quantities.update(_of_answers(answers))
    return replace(
        measured,
        quantities=quantities,
        selections=tuple(dict.fromkeys((*measured.selections, *([captions] if captions else [])))),
        absent=_absent(paper, answers is not None, captions is not None),
    )


def _answers() -> Path | None:
    """Return the file of answers, if it is in a folder of the benchmark's declared files."""
    declared = config.sources(None).get(_ITEMS)
    folders = [path.parent for part in declared.parts for path in part.paths] if declared else []
    return next((file for folder in folders if (file := folder / ANSWERS).is_file()), None)


def _absent(paper: Paper, has_answers: bool, has_captions: bool) -> dict[Quantity, str]:
    """Return why quantities cannot be measured: missing answers or captions."""
    of_models = {check.of: _NO_ANSWERS for check in paper.checks if check.of[1] in _MODELS and not has_answers}
    of_captions = {
        check.of: not_stored(_CAPTIONS) for check in paper.checks if check.of[-1] == "captions" and not has_captions
    }
    return of_models | of_captions


def _counted(store: Store, items: Selection, captions: Selection | None) -> Quantities:
    """Count items whose right text is a caption of COCO, and those whose texts have the same words, as in issue 10."""
    described = captions.version if captions else None
    place = {"described": described.dataset if described else "", "described_seq": described.seq if described else 0}
    rows = annotated(store, items).rows("counted_choice", confirmed=None, **place)
    whole = rows.select(pl.lit(ALL).alias("part"), pl.col("captions", "same_bags").sum())
    for part, known, same in pl.concat([rows.select(whole.columns), whole], how="vertical_relaxed").iter_rows():
        if described:
            yield (_ITEMS, "", part, "", "captions"), float(known)
        yield (_ITEMS, "letters-digits-apostrophes", part, "", "ties"), float(same)


def _of_answers(file: Path) -> Quantities:
    """Average all answers of the file, with those to items that the benchmark has removed."""
    rows = pl.read_parquet(file)
    if not {"model", "type", "subtype", "correct"} <= {*rows.columns}:
        return
    part = (pl.col("type") + "_" + pl.col("subtype")).alias("part")
    by_part = rows.group_by("model", part).agg(pl.col("correct").mean())
    whole = rows.group_by("model", pl.lit(ALL).alias("part")).agg(pl.col("correct").mean())
    for model, named, value in pl.concat([by_part, whole]).iter_rows():
        yield (_ITEMS, model, named, "", "accuracy-of-answers"), value
