"""What is counted in the captions of a selection, over what a pipeline says of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
import polars as pl

from auditor.model import Progress, Selection
from auditor.scoring.parallel_lists import Lists, parallel_lists
from auditor.statistics.ratio import ratio
from auditor.statistics.resampling import jackknife_error
from auditor.statistics.significance import students_quantile
from auditor.statistics.syntax import TYPES, definitions, measured
from auditor.store import ngrams, parses
from auditor.store.connection import Store
from auditor.store.parses import Parses
from auditor.store.workspace import Workspace
from auditor.text import word_lists
from auditor.text.spacy.annotation import Annotator
from auditor.text.spacy.processes import annotated

#: The tokenizer under which every text has tokens: nothing here is counted by it.
_PROFILE = "bare"


def parsed(
    store: Store, selections: Sequence[Selection], by: Annotator, processes: int | None, progress: Progress
) -> Parses:
    """See to it that a pipeline has annotated every caption of the selections; what it said before is taken."""
    return parses.provide(store, selections, by.label, partial(annotated, by, processes), progress)


def counted(store: Store, selection: Selection, told: Parses, progress: Progress) -> Workspace:
    """Open a workspace over the captions of a selection, with what is counted in each of its texts."""
    workspace = ngrams.workspace(store, selection, _PROFILE)
    workspace.bind_rows("listed_phrase", word_lists.phrases())
    workspace.bind_rows("syntax_definition", definitions())
    ranges = parses.ranges(workspace)
    for done, (first, last) in enumerate(ranges):
        progress(f"{selection.label}: syntax", done, len(ranges))
        told.bind(workspace, first, last)
        workspace.append("text_counts", "text_count")
        workspace.append("phrases_said", "phrase_said")
    return workspace


def statistics(
    workspace: Workspace, selection: Selection, lists: str, *, does_parse: bool
) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Measure what `counted` has counted, and what a reader must know.

    Gives statistic, value, low, high, count, n, images, lists: those of `auditor.statistics.syntax`, and how many types
    there are, a mean over parallel lists.
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


#: Which kinds of phrases are put beside each other, and what statistics of them are called.
KINDS = {"compound-2": "compound", "pp-1": "prepositional"}


def agreement(system: Workspace, people: Workspace) -> pl.DataFrame:
    """Return how many of people's phrases a system knows, and how many of its phrases people say of the same image.

    Both workspaces have what is counted in their captions. Gives statistic, value, low, high, count, n, images: nothing
    where no image is described by both. The coverage of types has no interval.
    """
    system.bind("phrase_of_people", "image_phrase", of=people)
    system.bind_rows("image_of_people", people.query("select distinct image from reference"))
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
