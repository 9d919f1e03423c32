"""Tables and figures of `auditor syntax`: datasets side by side, histograms, pipelines side by side."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Table
from auditor.statistics.syntax import DEPTHS, LENGTHS, STATISTICS, TYPES

#: The tables, by the groups of statistics, with titles.
_TITLES = {
    "phrases": "compounds and prepositional phrases, per caption",
    "parts-of-speech": "parts of speech, share of words",
    "openings": "first words, share of captions",
    "complexity": "complexity of sentences",
    "modifiers": "modifiers, colors, numbers and spatial relations",
    "rare": "negation, possession, contraction, per 1,000 captions",
}

#: The captions of the tables.
_CAPTIONS = {
    "phrases": "-o FILE.csv has intervals over images. Types increase with the captions in a list (one per image): "
    "compare lists of equal length. Prepositions are words with tag IN, which includes while and because",
    "complexity": "for longer sentences, yngve increases and frazier decreases",
    "rare": "negated: captions with a negation; possessives: 's, his, their; contractions: n't, 're",
}

_PER_1000 = 1000

_SHOWN = 10


def side_by_side(selections: Sequence[Selection], frame: pl.DataFrame) -> list[Table]:
    """Return a table per group of statistics, with a row per dataset. `frame` has the rows of one pipeline."""
    made = []
    for group, title in _TITLES.items():
        names = [statistic.name for statistic in STATISTICS if statistic.group == group]
        if group == "phrases":
            names = [names[0], "compound-types-2", names[1], "prepositional-types-1"]
        shown = _labeled(selections, frame.filter(pl.col("statistic").is_in(names)).drop_nulls("value"))
        if shown.is_empty():
            continue
        prefix = {"parts-of-speech": "pos-", "openings": "opening-"}.get(group, "")
        value = pl.col("value") * _PER_1000 if group == "rare" else pl.col("value")
        order = pl.col("statistic").replace_strict({name: number for number, name in enumerate(names)})
        wide = (
            shown.with_columns(value=value, order=order)
            .sort("order", maintain_order=True)
            .with_columns(pl.col("statistic").str.strip_prefix(prefix))
        )
        whole = TYPES if group == "phrases" else ()
        digits = (*((name, 0) for name in whole), ("words per caption", 2))
        made.append(
            Table(
                title,
                _sized(selections, _pivoted(selections, wide), frame, group),
                caption=_CAPTIONS.get(group),
                digits=(*digits, *((name, 2) for name in names if group == "rare")),
                name=group,
            )
        )
    return made


def _sized(selections: Sequence[Selection], shown: pl.DataFrame, frame: pl.DataFrame, group: str) -> pl.DataFrame:
    """Add images to types, and words per caption to complexity, which depend on them."""
    if group == "phrases":
        sizes, name = frame.filter(statistic="compound-types-2"), "images"
    elif group == "complexity":
        key = ["dataset", "version", "split"]
        captions = frame.filter(statistic="compound-ratio").select(*key, captions="n")
        of_words = frame.filter(statistic="pos-noun").join(captions, on=key, nulls_equal=True)
        name = "words per caption"
        sizes = of_words.with_columns(pl.col("n").truediv("captions").alias(name))
    else:
        return shown
    return shown.join(
        _labeled(selections, sizes).select("dataset", name), on="dataset", how="left", maintain_order="left"
    )


def histograms(selections: Sequence[Selection], frame: pl.DataFrame) -> list[Figure]:
    """Draw compounds by length and prepositional phrases by depth, per caption, as in figure 7 of the paper."""
    drawn = []
    for kind, numbers, title, label in (
        ("compounds", LENGTHS, "Compounds by length", "nouns in a compound"),
        ("prepositional-depth", DEPTHS, "Prepositional phrases by depth", "prepositions in a phrase"),
    ):
        names = {f"{kind}-{number}": f"{number}+" if number == numbers[-1] else str(number) for number in numbers}
        rows = _labeled(selections, frame.filter(pl.col("statistic").is_in(list(names))).drop_nulls("value")).select(
            "dataset",
            pl.col("statistic").replace_strict(names, return_dtype=pl.String).alias("number"),
            "value", "low", "high",
        )  # fmt: skip
        if rows.height:
            drawn.append(
                Figure(
                    kind, title, "bars", rows, x="number", y="value", series="dataset", low="low", high="high",
                    x_label=label, y_label="per caption", caption="95% confidence intervals over images.",
                )
            )  # fmt: skip
    return drawn


def frequent(selection: Selection, phrases: pl.DataFrame) -> list[Table]:
    """List the most frequent phrases of a dataset. `phrases` has the rows of `sql/syntax/frequent_phrase.sql`."""
    made = []
    for kind, title in (
        ("compound-2", "compounds of two nouns"), ("compound-3", "compounds of three nouns"),
        ("pp-1", "prepositional phrases of depth 1"), ("negation", "negations"),
    ):  # fmt: skip
        listed = phrases.filter(kind=kind).head(_SHOWN)
        if listed.height:
            made.append(
                Table(
                    f"frequent {title} of {selection.label}",
                    listed.select("phrase", "captions", example="text"),
                    name=f"frequent-{kind}/{selection.label}",
                )
            )
    return made


def against_people(selections: Sequence[Selection], frame: pl.DataFrame, people: Selection) -> list[Table]:
    """Compare the phrases of systems with those of human captions. `frame` has the rows of one pipeline."""
    shown = frame.filter(pl.col("statistic").str.contains("-(coverage|precision)$"))
    if shown.is_empty():
        return []
    return [
        Table(
            f"phrases of the human captions, {people.label}",
            _pivoted(selections, _labeled(selections, shown)),
            caption="coverage: share of human phrases that the system uses; precision: share of its phrases in a human "
            "caption of the image; compounds of two nouns, prepositional phrases of depth 1",
            name="against-people",
        )
    ]


def of_pipelines(selections: Sequence[Selection], frame: pl.DataFrame, pipelines: Sequence[str]) -> list[Table]:
    """Compare the values of several pipelines, with their spread."""
    if len(pipelines) < 2:
        return []
    known = frame.drop_nulls("value").filter(
        pl.len().over("dataset", "version", "split", "statistic") == len(pipelines)
    )
    wide = _labeled(selections, known).pivot(
        "pipeline", index=["dataset", "statistic"], values="value", maintain_order=True
    )
    least, most = pl.min_horizontal(pipelines), pl.max_horizontal(pipelines)
    return [
        Table(
            "the same statistics by each pipeline",
            wide.with_columns(spread=most - least, relative=pl.when(most > 0).then((most - least) / most)),
            sections="dataset",
            caption="spread: largest minus smallest value; relative: spread as a share of the largest",
            name="pipelines",
        )
    ]


def _labeled(selections: Sequence[Selection], frame: pl.DataFrame) -> pl.DataFrame:
    return pl.concat(selection.rows_of(frame).with_columns(dataset=pl.lit(selection.label)) for selection in selections)


def _pivoted(selections: Sequence[Selection], rows: pl.DataFrame) -> pl.DataFrame:
    names = pl.DataFrame({"dataset": [selection.label for selection in selections]})
    wide = rows.pivot("statistic", index="dataset", values="value", maintain_order=True)
    return names.join(wide, on="dataset", how="inner", maintain_order="left")
