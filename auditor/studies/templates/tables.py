"""Tables, figures and findings of openings, templates and slots."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Finding, Sentence, Table, about, folded

_SHOWN = 10

_OPENED = 3

#: Most slots in a figure; with more, the table is clearer.
_DRAWN = 12

_SPREAD = ("openings", "opening-top-10", "opening-top-100", "opening-entropy", "opening-perplexity")

#: Most slots in a table, by the size of their effects.
_SLOTS_SHOWN = 15

#: The kind of finding on captions made from templates, and the name of the table that compares datasets.
TEMPLATED, _BESIDE = "templated-captions", "templates-and-openings"

_SLOTS = ("slot-length", "slot-opening", "slot-score")

#: Shares of captions made from templates. Human captions reach about 7% (Flickr8k), generated captions far more.
_MANY, _SOME = 0.3, 0.1


def tables(selections: Sequence[Selection], frame: pl.DataFrame, *, at_dataset: bool) -> tuple[Table, ...]:
    """Return the tables of each selection."""
    each = (
        table
        for selection in selections
        for table in (_of_dataset if at_dataset else _of_captions)(selection, selection.rows_of(frame))
        if table.frame.height
    )
    return folded((*([_side_by_side(selections, frame)] if at_dataset else []), *each), _BESIDE)


def _side_by_side(selections: Sequence[Selection], frame: pl.DataFrame) -> Table:
    """Return the table that compares the templates and openings of the datasets."""
    rows = []
    for selection in selections:
        own = selection.rows_of(frame)
        value = {(name, n): value for name, n, value in own.select("statistic", "n", "value").iter_rows()}
        shares = (value.get(("templated", None)), value.get(("opening-top-10", _OPENED)))
        perplexity = value.get(("opening-perplexity", _OPENED))
        rows.append((selection.label, shares[0], own.filter(statistic="template").height, shares[1], perplexity))
    columns = {"templated": pl.Float64, "templates": pl.Int64, "top_10": pl.Float64, "perplexity": pl.Float64}
    return Table(
        "templates and openings",
        pl.DataFrame(rows, schema={"dataset": pl.String, **columns}, orient="row"),
        bars=("templated", "top_10"),
        caption="templated: share of captions that follow a template; top_10: share of those with "
        f"{_OPENED} tokens or more that begin with one of the ten most frequent openings of so many; perplexity: "
        "variety of openings, low if captions begin similarly",
        name=_BESIDE,
    )


def lead(findings: Sequence[Finding]) -> tuple[str, ...]:
    """Return how formulaic the captions of each dataset are."""
    return tuple(Sentence.of(finding) for finding in findings if finding.kind == TEMPLATED)


def _of_captions(selection: Selection, rows: pl.DataFrame) -> list[Table]:
    hidden = rows.height - _SHOWN
    return [
        Table(
            f"captions of {selection.label} that follow a template",
            rows.select("image", "slot", "pattern", pl.col("value").alias("share"), "text").head(_SHOWN),
            caption=f"{hidden:,} more: -o FILE writes all" if hidden > 0 else None,
            name="templated",
        )
    ]


def _of_dataset(selection: Selection, rows: pl.DataFrame) -> list[Table]:
    spread = (
        rows.filter(pl.col("statistic").is_in(_SPREAD))
        .pivot("statistic", index=["n", "captions"], values="value", maintain_order=True)
        .rename({"n": "tokens"})
    )
    openings = rows.filter(pl.col("statistic") == "opening")
    templates = rows.filter(pl.col("statistic") == "template")
    slots = rows.filter(pl.col("statistic").is_in(_SLOTS))
    hidden = templates.height - _SHOWN
    strongest = slots
    if slots.height > _SLOTS_SHOWN:
        strongest = slots.filter(pl.col("effect").abs().rank("ordinal", descending=True) <= _SLOTS_SHOWN)
    return [
        Table(
            f"first tokens of the captions of {selection.label}",
            spread.with_columns(pl.col("openings").cast(pl.Int64)) if spread.height else spread,
            caption="opening-top-10: share of the captions with so many tokens whose opening is one of the ten most "
            "frequent",
            name="openings",
        ),
        Table(
            f"frequent openings of {selection.label}",
            openings.group_by("n", maintain_order=True)
            .head(_SHOWN // 2)
            .select(tokens="n", opening="pattern", captions="captions", share="value"),
            bars=("share",),
            sections="tokens",
            name="frequent-openings",
        ),
        Table(
            f"templates of {selection.label}",
            templates.head(_SHOWN).select("pattern", "captions", "fillers", "association", share="value"),
            caption="*: any token; sorted by captions × association (bits)"
            + (f"; {hidden:,} more: -o FILE writes all" if hidden > 0 else ""),
            name="templates",
        ),
        Table(
            f"slots of {selection.label}, compared with the others of the image",
            strongest.select("statistic", "slot", "value", "difference", "effect", "low", "high"),
            sections="statistic",
            caption="effect: difference in standard deviations of all captions, with its 95% interval over images"
            + (f"; the {_SLOTS_SHOWN} largest of {slots.height:,}" if slots.height > _SLOTS_SHOWN else ""),
            name="slots",
        ),
    ]


def finding(selection: Selection, rows: pl.DataFrame, captions: int) -> Finding:
    """Return the finding on captions made from templates; `captions` is the number of all captions."""
    values = {
        (name, n): value for name, n, value in rows.select("statistic", "n", "value").rows() if name != "template"
    }
    templates = rows.filter(pl.col("statistic") == "template")
    share = values["templated", None]
    sentence = f"{selection.label}: {share:.1%} of captions follow a template that covers at least half of their words"
    if templates.height:
        sentence += (
            f". The strongest template, “{templates['pattern'][0]}” (* is any word), occurs in "
            f"{templates['value'][0]:.1%} of captions, also where it covers less"
        )
    top = values.get(("opening-top-10", _OPENED))
    if top is not None:
        sentence += (
            f". Of captions with {_OPENED} words or more, {top:.1%} begin with one of the ten most frequent openings of"
            f" {_OPENED} words, rare ones included"
        )
    return Finding(
        TEMPLATED,
        sentence,
        about(selection),
        {"share": share, "templates": templates.height, "opening_top_10": top},
        captions,
        "warning" if share >= _MANY else "notice" if share >= _SOME else "info",
        headline=f"{share:.1%} of captions",
    )


def figures(selections: Sequence[Selection], frame: pl.DataFrame) -> tuple[Figure, ...]:
    """Return figures of the share of captions that frequent openings cover, and of the effects of slots."""
    labeled = pl.concat(
        selection.rows_of(frame).with_columns(dataset=pl.lit(selection.label)) for selection in selections
    )
    covered = (
        labeled.filter((pl.col("statistic") == "opening") & (pl.col("n") == _OPENED))
        .with_columns(
            openings=pl.int_range(1, pl.len() + 1).over("dataset"), share=pl.col("value").cum_sum().over("dataset")
        )
        .select("dataset", "openings", "share")
    )
    slots = labeled.filter(pl.col("statistic") == "slot-length").select(
        "dataset", "effect", "low", "high", slot=pl.col("slot").cast(pl.String)
    )
    slots = slots.drop_nulls("effect").filter(pl.len().over("dataset") <= _DRAWN)
    made = []
    if covered.height:
        made.append(
            Figure(
                "openings", f"Captions that begin with a frequent opening of {_OPENED} tokens", "lines",
                covered, x="openings", y="share", series="dataset", x_label="openings", y_label="share of captions",
                log_x=True,
            )
        )  # fmt: skip
    if slots.height:
        made.append(
            Figure(
                "slot-length", "Length of a slot's captions, compared with the others of the image", "bars",
                slots, x="slot", y="effect", series="dataset", low="low", high="high",
                x_label="slot", y_label="effect",
                caption="In standard deviations of all captions, with 95% intervals over images.",
            )
        )  # fmt: skip
    return tuple(made)
