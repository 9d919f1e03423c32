"""Tables, figures and findings of openings, templates and slots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Finding, Severity, Table, about, folded
from auditor.result.views import EMPTY, View, arranged, filled, labeled

_SHOWN, _OPENED = 10, 3

#: Most slots in a figure; with more, the table is clearer. Most slots in a table, by the size of their effects.
_DRAWN, _SLOTS_SHOWN = 12, 15

_SPREAD = ("openings", "opening-top-10", "opening-top-100", "opening-entropy", "opening-perplexity")

#: The kind of finding on captions made from templates, and the name of the table that compares datasets.
TEMPLATED, _BESIDE = "templated-captions", "templates-and-openings"

#: Shares of captions made from templates. Human captions reach about 7% (Flickr8k), generated captions far more.
_MANY, _SOME = 0.3, 0.1


def tables(selections: Sequence[Selection], frame: pl.DataFrame, *, at_dataset: bool) -> tuple[Table, ...]:
    """Return the tables of each selection."""
    if not at_dataset:
        return folded(arranged([_OF_CAPTIONS], selections, frame))
    tables = [_side_by_side(labeled(selections, frame))]
    for selection in selections:
        rows = selection.rows_of(frame)
        tables += [*filled(_OF_DATASET, rows, selection.label), *_of_slots(selection.label, rows)]
    return folded(tables, _BESIDE)


def _side_by_side(rows: pl.DataFrame) -> Table:
    """Return the table that compares the templates and openings of the datasets."""
    statistic, value, is_short = pl.col("statistic"), pl.col("value"), pl.col("n") == _OPENED
    shown = rows.group_by("dataset", maintain_order=True).agg(
        templated=value.filter(statistic == "templated").first(),
        templates=(statistic == "template").sum().cast(pl.Int64),
        top_10=value.filter(statistic == "opening-top-10", is_short).first(),
        perplexity=value.filter(statistic == "opening-perplexity", is_short).first(),
    )
    caption = (
        f"templated: share of captions that follow a template; top_10: share of those with {_OPENED} tokens or more "
        "that begin with one of the ten most frequent openings of so many; perplexity: variety of openings, low if "
        "captions begin similarly"
    )
    return Table("templates and openings", shown, bars=("templated", "top_10"), caption=caption, name=_BESIDE)


def _of_slots(label: str, rows: pl.DataFrame) -> Iterator[Table]:
    slots = rows.filter(pl.col("statistic").is_in(["slot-length", "slot-opening", "slot-score"]))
    shown = slots.select("statistic", "slot", "value", "difference", "effect", "low", "high")
    caption = "effect: difference in standard deviations of all captions, with its 95% interval over images"
    if slots.height > _SLOTS_SHOWN:
        shown = shown.filter(pl.col("effect").abs().rank("ordinal", descending=True) <= _SLOTS_SHOWN)
        caption += f"; the {_SLOTS_SHOWN} largest of {slots.height:,}"
    if slots.height:
        title = f"slots of {label}, compared with the others of the image"
        yield Table(title, shown, sections="statistic", caption=caption, name="slots")


_OF_CAPTIONS = View(
    Table("captions of {label} that follow a template", EMPTY, name="templated"),
    columns=("image", "slot", "pattern", pl.col("value").alias("share"), "text"),
    top=_SHOWN,
)

_OF_DATASET = (
    View(
        Table(
            "first tokens of the captions of {label}", EMPTY, name="openings",
            caption="opening-top-10: share of the captions with so many tokens whose opening is one of the ten most "
            "frequent",
        ),
        where=pl.col("statistic").is_in(_SPREAD),
        pivot=("statistic", ["n", "captions"], "value"),
        columns=(pl.col("n").alias("tokens"), "captions", pl.col("openings").cast(pl.Int64), *_SPREAD[1:]),
    ),
    View(
        Table("frequent openings of {label}", EMPTY, bars=("share",), sections="tokens", name="frequent-openings"),
        where="opening",
        columns=(
            pl.col("n").alias("tokens"), pl.col("pattern").alias("opening"), "captions", pl.col("value").alias("share"),
        ),
        top=_SHOWN // 2,
        per="n",
    ),
    View(
        Table(
            "templates of {label}", EMPTY, name="templates",
            caption="*: any token; sorted by captions × association (bits)",
        ),
        where="template",
        columns=("pattern", "captions", "fillers", "association", pl.col("value").alias("share")),
        top=_SHOWN,
    ),
)  # fmt: skip


def finding(selection: Selection, rows: pl.DataFrame, captions: int) -> Finding:
    """Return the finding on captions made from templates; `captions` is the number of all captions."""
    of_all = rows.filter(pl.col("statistic") != "template").select("statistic", "n", "value")
    values = {(name, n): value for name, n, value in of_all.iter_rows()}
    templates = rows.filter(statistic="template")
    share, top = values["templated", None], values.get(("opening-top-10", _OPENED))
    sentence = f"{selection.label}: {f'{share:.1%}' if share else 'none'} of the captions are mostly template"
    if templates.height:
        first, occurs = templates["pattern"][0], templates["value"][0]
        sentence += f". The most frequent part, “{first}” (* is any word), occurs in {occurs:.1%}"
    if top is not None:
        sentence += f". {top:.1%} start with one of ten openings of {_OPENED} words"
    severity: Severity = "warning" if share >= _MANY else "notice" if share >= _SOME else "info"
    found = {"share": share, "templates": templates.height, "opening_top_10": top}
    where, headline = about(selection), f"{share:.1%} of captions"
    return Finding(TEMPLATED, sentence, where, found, captions, severity, headline=headline)


_HAS_EFFECT = (pl.col("statistic") == "slot-length") & pl.col("effect").is_not_null()

#: The share of captions that frequent openings cover, and the effects of slots.
FIGURES = (
    View(
        Figure(
            "openings", f"Captions that begin with a frequent opening of {_OPENED} tokens", "lines",
            EMPTY, x="openings", y="share", series="dataset", x_label="openings", y_label="share of captions",
            log_x=True,
        ),
        where=(pl.col("statistic") == "opening") & (pl.col("n") == _OPENED),
        columns=(
            "dataset",
            pl.int_range(1, pl.len() + 1).over("dataset").alias("openings"),
            pl.col("value").cum_sum().over("dataset").alias("share"),
        ),
    ),
    View(
        Figure(
            "slot-length", "Length of a slot's captions, compared with the others of the image", "bars",
            EMPTY, x="slot", y="effect", series="dataset", low="low", high="high", x_label="slot", y_label="effect",
            caption="In standard deviations of all captions, with 95% intervals over images.",
        ),
        where=_HAS_EFFECT & (_HAS_EFFECT.sum().over("dataset") <= _DRAWN),
        columns=("dataset", "effect", "low", "high", pl.col("slot").cast(pl.String)),
    ),
)  # fmt: skip
