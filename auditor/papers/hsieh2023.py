"""Recompute the figures of Hsieh et al. 2023 on SugarCrepe, and of later work, on available items and answers."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from auditor import config
from auditor import parameters as p
from auditor.called import call, not_stored
from auditor.model import Progress, Selection
from auditor.papers.figures import Paper, Quantities, Quantity
from auditor.papers.measured import Measured
from auditor.scoring.registry import requests
from auditor.store.connection import Store
from auditor.store.versions import annotated, log, resolve
from auditor.studies.choices import ALL, choices

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
    versions = log(store, _ITEMS)
    if not versions or versions[0].kind != "choices":
        is_other = (
            versions and f"{_ITEMS} contains {versions[0].kind}, not forced-choice items: `{call('ingest', _ITEMS)}`"
        )
        return Measured({}, {_ITEMS: is_other or not_stored(_ITEMS)})
    answers = _answers()
    scores = [answers] if answers is not None else []
    result = choices(store, _ITEMS, metrics=[], scores=scores, errors=0, seed=seed, progress=progress)
    captions = resolve(store, _CAPTIONS) if log(store, _CAPTIONS) else None
    quantities = dict(_of_parts(result.frame))
    quantities.update(_counted(store, resolve(store, _ITEMS), captions))
    if answers is not None:
        quantities.update(_of_answers(answers))
        quantities.update(_of_averages(result.frame))
    scorers = {check.of[1] for check in paper.checks}
    return Measured(
        quantities,
        selections=tuple(dict.fromkeys((*result.selections, *([captions] if captions else [])))),
        signatures={name: text for name, text in result.signatures.items() if name in scorers},
        notes=result.notes,
        absent=_absent(paper, answers is not None, captions is not None),
    )


def of_metrics(store: Store, _paper: Paper, metrics: p.Metrics, seed: int, progress: Progress) -> Quantities:
    """Measure the accuracy of further metrics without the image."""
    if log(store, _ITEMS):
        rows = choices(store, _ITEMS, metrics=metrics, errors=0, seed=seed, progress=progress).frame
        yield from _of_parts(rows.filter(pl.col("scorer").is_in([request.label for request in requests(metrics)])))


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


def _of_parts(frame: pl.DataFrame) -> Quantities:
    """Yield items, accuracies and ties, by scorer and part."""
    for row in frame.select("part", "scorer", "n", "missing", "ties", "accuracy").iter_rows(named=True):
        yield (_ITEMS, "", row["part"], "", "items"), float(row["n"] + row["missing"])
        if row["accuracy"] is not None:
            yield (_ITEMS, row["scorer"], row["part"], "", "accuracy"), row["accuracy"]
            yield (_ITEMS, row["scorer"], row["part"], "", "ties"), float(row["ties"])


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


def _of_averages(frame: pl.DataFrame) -> Quantities:
    """Yield the mean of a model's accuracies on the seven parts, which differs from its accuracy over all items."""
    of_models = frame.filter(pl.col("scorer").is_in(_MODELS), pl.col("part").str.contains("_"))
    for model, value in of_models.group_by("scorer").agg(pl.col("accuracy").mean()).iter_rows():
        yield (_ITEMS, model, ALL, "", "mean-of-parts"), value
