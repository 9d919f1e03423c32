"""Measure how formulaic captions are: frequent openings, templates with an open position, slots with another style."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Annotated, Literal

import polars as pl

from auditor import parameters as p
from auditor.asked import face
from auditor.asking import question
from auditor.model import Progress, silent
from auditor.result import Result, Said
from auditor.result.views import completed
from auditor.scoring.counting import bind_text_tokens
from auditor.store.captions import Captions, select_all, stepwise
from auditor.store.connection import Store
from auditor.store.kept_results import kept_result
from auditor.store.workspace import Workspace
from auditor.studies.templates import tables
from auditor.studies.templates.slots import slot_effects
from auditor.studies.told import told
from auditor.text import AUTO

#: The shapes of templates: x is a fixed token, * an open position; without *, a long n-gram.
SHAPES = ("x*xx", "xx*x", "xx*xx", "xxx*xxx", "xxxxx", "xxxxxx", "xxxxxxx")

#: A caption follows a template that covers at least half of its tokens, and at least four.
_HALF, _FIXED = 0.5, 4

_VERSION = 2

_OPENINGS = 100

_FEWEST = 2

_COLUMNS = {
    "statistic": pl.String, "n": pl.Int64, "slot": pl.Int64, "pattern": pl.String, "captions": pl.Int64,
    "value": pl.Float64, "low": pl.Float64, "high": pl.Float64, "difference": pl.Float64, "effect": pl.Float64,
    "fillers": pl.Int64, "association": pl.Float64,
}  # fmt: skip


Level = Annotated[
    Literal["dataset", "caption"],
    p.Parameter("dataset: statistics of openings, templates and slots; caption: list captions with a template."),
]

Least = Annotated[float, p.Parameter("Least share of the captions that contain a template.", above=0, most=1)]

Metric = Annotated[str, p.Parameter("Metric for the score of each slot.", short="m", needs="level=dataset")]


@face(draws=True)
@question
def templates(
    store: Store,
    *refs: p.Refs,
    level: Level = "dataset",
    least: Least = 0.001,
    metric: Metric = "cider",
    tokenizer: p.Tokenizer = AUTO,
    split: p.Split = None,
    progress: Progress = silent,
) -> Result:
    """Measure how formulaic the captions are.

    A template is a token sequence that at least the share `--least` of the captions contain (at least two). It is
    five to seven tokens in a row, or four to seven with one open position. Statistics at level dataset:

    - `opening`: share of captions that begin with `pattern`, a sequence of `n` tokens; the 100 most frequent;
    - `openings`: number of different openings of `n` tokens; `opening-top-10` and `opening-top-100`: share of those
      with `n` tokens or more (`captions`) that have a frequent one; `opening-entropy` in bits, and
      `opening-perplexity`, 2 to its power;
    - `template`: share of captions that contain `pattern`. `fillers` different tokens fill its open position.
      `association` is how much more often than by chance its two sides occur together (log2). Templates are sorted by
      captions × association;
    - `templated`: share of captions that follow a template, which covers at least half of their tokens and four;
    - `slot-length`, `slot-opening`, `slot-score`, `slot-types`, `sorted-by-length`, `sorted-by-spelling`: how much the
      first, second, … caption of every image differs from the others.

    Level caption lists every caption that follows a template.

    How to read it: a high `templated` share means that annotators filled in a form, or that a program wrote the
    captions. Opening perplexity is the number of equally frequent openings with the same variety. If a slot differs
    from the others, one annotator may have written it, or the file may be sorted.

    Limits: natural language is repetitive too ("in front of a"). Compare the share with that of a dataset that you
    trust. `association` is reliable only if both sides are frequent. Small datasets have few templates by definition.

    Raises `UsageError` for an unknown dataset, version or split.

    Examples: auditor templates flickr8k coco-val · auditor templates flickr8k --level caption --least 0.01 -o flood.csv
    """
    selected = select_all(store, refs, split, tokenizer, progress=progress)
    counted, signatures, notes = list[tuple[Captions, pl.DataFrame]](), dict[str, str](), list[Said]()
    for captions, steps in stepwise(selected, progress):
        count = functools.cache(partial(_counted, captions, least, steps))
        made = _made(captions, least, count)
        if level == "caption":
            texts = captions.texts().select("image", "slot", "text")
            listed = made.select("image", "slot", "pattern", value="share")
            counted.append((captions, listed.join(texts, on=["image", "slot"], how="left").sort("image", "slot")))
            continue
        workspace = count()
        effects, signed, slot_notes = slot_effects(captions, metric, workspace, steps)
        signatures |= signed
        notes += slot_notes
        rows = pl.concat([completed(rows, _COLUMNS) for rows in (*_of_dataset(workspace, made.height), effects)])
        counted.append((captions, rows))
        notes.append(tables.finding(captions.selection, rows, int(workspace.rows("slot_vocabulary")["captions"].sum())))
        del workspace, count  # frees their memory for the next dataset
    at_dataset, settings = level == "dataset", {"least": least, "fixed": _FIXED}
    figures = tables.FIGURES if at_dataset else ()
    result = told("templates", counted, version=_VERSION, settings=settings, figures=figures, notes=notes)
    return replace(
        result.led_by(tables.TEMPLATED),
        signatures={**result.signatures, **signatures},
        tables=tables.tables(result.selections, result.frame, at_dataset=at_dataset),
    )


def _counted(captions: Captions, least: float, progress: Progress) -> Workspace:
    workspace = captions.workspace(shown=_OPENINGS)
    bind_text_tokens(workspace, None)
    number = workspace.query("select count(*) as n from reference").item()
    workspace = workspace.given(least=max(_FEWEST, round(least * number)))
    workspace.forget("template_skeleton")
    for index, shape in enumerate(SHAPES):
        progress(f"{captions.label}: templates", index, len(SHAPES))
        workspace.append("template_skeleton", shape=shape)
    workspace.bind("template")
    return workspace


def _made(captions: Captions, least: float, count: Callable[[], Workspace]) -> pl.DataFrame:
    """Return the captions that follow a template for most of their words. They are kept, since findings list them."""

    def made() -> Result:
        workspace = count()
        lengths = workspace.rows("slot_caption").select("image", "slot", "length")
        is_made = (pl.col("share") >= _HALF) & ((pl.col("share") * pl.col("length")).round() >= _FIXED)
        following = workspace.rows("templated_caption").join(lengths, on=["image", "slot"])
        return Result("templates", following.filter(is_made))

    settings = {"tokenizer": captions.tokenizer, "least": least}
    return kept_result(captions.store, "templated captions", [captions.selection], settings, made).frame


def _of_dataset(workspace: Workspace, templated: int) -> list[pl.DataFrame]:
    """Return the rows of openings, of templates and of the share of captions that follow one."""
    captions = workspace.rows("slot_vocabulary")["captions"].sum()
    spread = workspace.rows("opening_spread")
    whole = dict(spread.select("n", "captions").iter_rows())
    made = [
        spread.select(pl.lit(name).alias("statistic"), "n", "captions", value=value.cast(pl.Float64))
        for name, value in (
            ("openings", pl.col("openings")),
            ("opening-top-10", pl.col("top_10") / pl.col("captions")),
            ("opening-top-100", pl.col("top_100") / pl.col("captions")),
            ("opening-entropy", pl.col("bits").round(10)),
            ("opening-perplexity", (2 ** pl.col("bits")).round(6)),
        )
    ]
    openings = workspace.rows("frequent_opening").select(
        pl.lit("opening").alias("statistic"), "n", "pattern", "captions",
        value=pl.col("captions") / pl.col("n").replace_strict(whole, return_dtype=pl.Int64),
    )  # fmt: skip
    explained = pl.col("captions") * pl.col("association")
    frequent = workspace.query("from template").sort(explained, "pattern", descending=[True, False]).select(
        pl.lit("template").alias("statistic"),
        pl.col("shape").str.len_chars().alias("n"),
        "pattern", "captions", pl.col("captions").truediv(captions).alias("value"),
        pl.when(pl.col("shape").str.contains("*", literal=True)).then("fillers").alias("fillers"),
        pl.col("association").round(10),
    )  # fmt: skip
    share = pl.DataFrame({"statistic": ["templated"], "captions": [templated], "value": [templated / max(captions, 1)]})
    return [*made, share, openings, frequent]
