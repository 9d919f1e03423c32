"""Counts of words and phrases in the captions of a selection, as tagged and parsed by a pipeline."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl

from auditor.model import Progress, Selection
from auditor.scoring.single_captions import Lists, parallel_lists
from auditor.statistics.resampling import jackknife_error
from auditor.statistics.significance import students_quantile
from auditor.statistics.summary import ratio
from auditor.statistics.syntax import TYPES, definitions, measured
from auditor.store import parses
from auditor.store.captions import Captions, selections_of
from auditor.store.parses import Parses
from auditor.store.workspace import Workspace
from auditor.text import word_lists
from auditor.text.spacy.annotation import Annotator
from auditor.text.spacy.processes import annotated

#: The tokenizer that all texts have tokens of; nothing here depends on it.
PROFILE = "bare"


def parsed(every: Sequence[Captions], by: Annotator, processes: int | None, progress: Progress) -> Parses:
    """Parse all captions with a pipeline; stored results are reused."""
    return parses.provide(every[0].store, selections_of(every), by.label, partial(annotated, by, processes), progress)


def counted(captions: Captions, results: Parses, progress: Progress) -> Workspace:
    """Open a workspace over captions, with the counts of each text."""
    workspace = captions.workspace()
    workspace.bind_rows("listed_phrase", word_lists.phrases())
    workspace.bind_rows("syntax_definition", definitions())
    ranges = parses.ranges(workspace)
    for done, (first, last) in enumerate(ranges):
        progress(f"{captions.label}: syntax", done, len(ranges))
        results.bind(workspace, first, last)
        workspace.append("text_count")
        workspace.append("phrase_said")
    return workspace


def statistics(
    workspace: Workspace, selection: Selection, lists: str, *, does_parse: bool
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Compute the statistics of a workspace of `counted`, with notes.

    Columns: statistic, value, low, high, count, n, images, lists. The statistics are those of
    `auditor.statistics.syntax`, and numbers of types, as a mean over parallel lists.
    """
    ratios = measured(workspace.rows("syntax_total"), parsed=does_parse)
    parallel = parallel_lists(workspace, selection, lists, full=False)
    workspace.params["lists"] = parallel.asked
    images = workspace.query("select count(distinct image_no) from reference").item()
    types = _types(workspace.rows("type_count"), parallel, images)
    absent = [name for name, word_type in TYPES.items() if word_type.parsed and not does_parse]
    types = types.with_columns(
        pl.when(~pl.col("statistic").is_in(absent)).then(pl.col(name)).alias(name)
        for name in types.columns
        if name != "statistic"
    )
    return pl.concat([ratios, types], how="diagonal"), parallel.notes


def _types(counts: pl.DataFrame, parallel: Lists, images: int) -> pl.DataFrame:
    """Return the types of each kind, a mean over lists, with the interval of a jackknife over images."""
    rows = []
    for name, word_type in TYPES.items():
        of_kind = counts.filter(kind=word_type.kind)
        value = float(of_kind["types"].sum()) / parallel.number
        lost = of_kind.drop_nulls("image_no").group_by("image_no").agg(pl.col("types").sum())["types"].to_numpy()
        without = np.concatenate([value - lost / parallel.number, np.full(max(images - len(lost), 0), value)])
        error = jackknife_error(without)
        reach = None if error is None else students_quantile(images - 1) * error
        ends = (None, None) if reach is None else (max(value - reach, 0.0), value + reach)
        rows.append((name, value, *ends, images, parallel.number))
    schema = {
        "statistic": pl.String, "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "images": pl.Int64,
        "lists": pl.Int64,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row")


#: The kinds of phrases that are compared, with the prefix of their statistics.
KINDS = {"compound-2": "compound", "pp-1": "prepositional"}


def agreement(system: Workspace, people: Workspace) -> pl.DataFrame:
    """Return the share of human phrases that a system uses, and of its phrases in a human caption of the same image.

    Both workspaces have the counts of their captions. Columns: statistic, value, low, high, count, n, images. There are
    no rows if no image is described by both. The coverage of types has no interval.
    """
    system.bind("phrase_of_people", "image_phrase", of=people)
    system.bind_rows("evaluated_image", people.query("select distinct image from reference"))
    precise = system.rows("phrase_precision")
    named = {f"{kind}-precision": f"{name}-precision" for kind, name in KINDS.items()}
    precision = (
        ratio(precise)
        .join(precise.select("class", count="part"), on="class")
        .select(
            pl.col("class").replace_strict(named, return_dtype=pl.String).alias("statistic"),
            "value", "low", "high", "count", "n", "images",
        )
    )  # fmt: skip
    coverage = system.rows("phrase_coverage").select(
        pl.format("{}-coverage", pl.col("kind").replace_strict(KINDS, return_dtype=pl.String)).alias("statistic"),
        value=pl.col("covered") / pl.col("types"),
        count="covered",
        n="types",
    )
    return pl.concat([coverage, precision], how="diagonal_relaxed")
