"""Measures what Hsieh et al. 2023 publish of SugarCrepe, and what others found in it, on items and answers at hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl

from auditor import config
from auditor import parameters as p
from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantity
from auditor.papers.measured import Measured
from auditor.scoring.registry import requests
from auditor.store.connection import Store
from auditor.store.versions import log, resolve
from auditor.store.workspace import Workspace
from auditor.studies.choices import ALL, choices

_ITEMS, _CAPTIONS = "sugarcrepe", "coco-val2017"

#: Per-item answers of CLIP models, beside the seven files of the benchmark.
ANSWERS = "clip-answers.parquet"

_NO_ANSWERS = (
    f"no {ANSWERS} beside the files of sugarcrepe: put the rows of the four SUGARCREPE_CORRECT_*.csv of"
    " https://github.com/IMirandaM/BiVLC there, with column model"
)

_NO_CAPTIONS = f"{_CAPTIONS} is not in the store: `auditor ingest {_CAPTIONS}`"

#: Models by their names in that file.
_MODELS = ("ViT-B-32", "CLIP_COCO")

Quantities = Iterator[tuple[Quantity, float]]


def measure(store: Store, paper: Paper, seed: int, progress: Progress) -> Measured:
    """Measure counts, what is decided without the image, and CLIP's accuracy by part, where its answers are at hand."""
    versions = log(store, _ITEMS)
    if not versions or versions[0].kind != "choices":
        what = f"holds {versions[0].kind}, no forced-choice items" if versions else "is not in the store"
        return Measured({}, {_ITEMS: f"{_ITEMS} {what}: `auditor ingest {_ITEMS}`"})
    answers = _answers()
    given = [answers] if answers is not None else []
    result = choices(store, _ITEMS, metrics=[], scores=given, errors=0, seed=seed, progress=progress)
    captions = resolve(store, _CAPTIONS) if log(store, _CAPTIONS) else None
    quantities = dict(_of_parts(result.frame))
    quantities.update(_counted(store, resolve(store, _ITEMS), captions))
    if answers is not None:
        quantities.update(_of_answers(answers))
        quantities.update(_of_averages(result.frame))
    asked = {check.of[1] for check in paper.checks}
    return Measured(
        quantities,
        selections=tuple(dict.fromkeys((*result.selections, *([captions] if captions else [])))),
        signatures={name: text for name, text in result.signatures.items() if name in asked},
        notes=result.notes,
        absent=_absent(paper, answers is not None, captions is not None),
    )


def of_metrics(store: Store, _paper: Paper, metrics: p.Metrics, seed: int, progress: Progress) -> Quantities:
    """Let further metrics decide the items without the image."""
    if log(store, _ITEMS):
        rows = choices(store, _ITEMS, metrics=metrics, errors=0, seed=seed, progress=progress).frame
        yield from _of_parts(rows.filter(pl.col("scorer").is_in([request.label for request in requests(metrics)])))


def _answers() -> Path | None:
    """Find the file of answers, if it is beside the declared files of the benchmark."""
    declared = config.sources(None).get(_ITEMS)
    folders = [path.parent for part in declared.parts for path in part.paths] if declared else []
    return next((file for folder in folders if (file := folder / ANSWERS).is_file()), None)


def _absent(paper: Paper, has_answers: bool, has_captions: bool) -> dict[Quantity, str]:
    """Return why quantities cannot be measured: answers or captions that are not here."""
    of_models = {check.of: _NO_ANSWERS for check in paper.checks if check.of[1] in _MODELS and not has_answers}
    of_captions = {check.of: _NO_CAPTIONS for check in paper.checks if check.of[-1] == "captions" and not has_captions}
    return of_models | of_captions


def _of_parts(frame: pl.DataFrame) -> Quantities:
    """Yield items, accuracies and ties, by scorer and part."""
    for row in frame.select("part", "scorer", "n", "missing", "ties", "accuracy").iter_rows(named=True):
        yield (_ITEMS, "", row["part"], "", "items"), float(row["n"] + row["missing"])
        if row["accuracy"] is not None:
            yield (_ITEMS, row["scorer"], row["part"], "", "accuracy"), row["accuracy"]
            yield (_ITEMS, row["scorer"], row["part"], "", "ties"), float(row["ties"])


def _counted(store: Store, items: Selection, captions: Selection | None) -> Quantities:
    """Count items whose right text is a caption of COCO, and those with the same words as others count words."""
    described = captions.version if captions else None
    workspace = Workspace(
        store,
        dataset=_ITEMS,
        seq=items.version.seq,
        split=None,
        confirmed=None,
        described=described.dataset if described else "",
        described_seq=described.seq if described else 0,
    )
    workspace.bind("annotated", "annotation_as_of")
    rows = workspace.rows("counted_choice")
    whole = rows.select(pl.lit(ALL).alias("part"), pl.col("captions", "same_bags").sum())
    for part, known, same in pl.concat([rows.select(whole.columns), whole], how="vertical_relaxed").iter_rows():
        if described:
            yield (_ITEMS, "", part, "", "captions"), float(known)
        yield (_ITEMS, "letters-digits-apostrophes", part, "", "ties"), float(same)


def _of_answers(file: Path) -> Quantities:
    """Average the answers of the file as they are, with those to items that are no longer in the benchmark."""
    rows = pl.read_parquet(file)
    if not {"model", "type", "subtype", "correct"} <= {*rows.columns}:
        return
    part = (pl.col("type") + "_" + pl.col("subtype")).alias("part")
    by_part = rows.group_by("model", part).agg(pl.col("correct").mean())
    whole = rows.group_by("model", pl.lit(ALL).alias("part")).agg(pl.col("correct").mean())
    for model, named, value in pl.concat([by_part, whole]).iter_rows():
        yield (_ITEMS, model, named, "", "accuracy-of-answers"), value


def _of_averages(frame: pl.DataFrame) -> Quantities:
    """Yield the mean of a model's accuracies on the seven parts, which is not its accuracy over all items."""
    of_models = frame.filter(pl.col("scorer").is_in(_MODELS), pl.col("part").str.contains("_"))
    for model, value in of_models.group_by("scorer").agg(pl.col("accuracy").mean()).iter_rows():
        yield (_ITEMS, model, ALL, "", "mean-of-parts"), value
