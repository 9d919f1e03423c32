"""Tables and figures of `auditor syntax`: datasets side by side, histograms, pipelines side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from auditor.model import Selection
from auditor.result import Figure, Table, joined
from auditor.result.views import EMPTY, View, labeled
from auditor.statistics.cards import cards_of
from auditor.statistics.syntax import STATISTICS, TYPES

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

_PER_1000, _SHOWN, _LEAD = 1000, 10, ("noun", "verb", "adjective")

#: The prefixes of statistics that their tables leave out.
_PREFIXES = {"parts-of-speech": "pos-", "openings": "opening-"}

_FREQUENT = {
    "compound-2": "compounds of two nouns",
    "compound-3": "compounds of three nouns",
    "pp-1": "prepositional phrases of depth 1",
    "negation": "negations",
}


def lead(selections: Sequence[Selection], frame: pl.DataFrame) -> Iterator[str]:
    """Yield the share of nouns, verbs and adjectives by dataset."""
    for selection in selections:
        value = dict(selection.rows_of(frame).drop_nulls("value").select("statistic", "value").rows())
        parts = [f"{value[f'pos-{name}']:.0%} are {name}s" for name in _LEAD if f"pos-{name}" in value]
        yield f"{selection.label}: of the words, {joined(parts) or 'none has a part of speech'}."


def side_by_side(selections: Sequence[Selection], frame: pl.DataFrame) -> Iterator[Table]:
    """Yield a table per group of statistics, with a row per dataset. `frame` has the rows of one pipeline."""
    rows = labeled(selections, frame)
    values = rows.drop_nulls("value").pivot("statistic", index="dataset", values="value")
    for group, title in _TITLES.items():
        names = [card.name for card in cards_of("syntax").values() if card.topic == group]
        columns = [pl.col(name) * (_PER_1000 if group == "rare" else 1) for name in names if name in values.columns]
        if not columns:
            continue
        short = (column.name.replace(f"^{_PREFIXES.get(group, '')}", "") for column in columns)
        wide = values.filter(~pl.all_horizontal(column.is_null() for column in columns)).select("dataset", *short)
        sizes = values.select("dataset")
        if group == "phrases":
            sizes = rows.filter(statistic="compound-types-2").select("dataset", "images")
        elif group == "complexity":
            counts = rows.filter(pl.col("statistic").is_in(["pos-noun", "compound-ratio"]))
            length = (pl.col("pos-noun") / pl.col("compound-ratio")).alias("words per caption")
            sizes = counts.pivot("statistic", index="dataset", values="n").select("dataset", length)
        wide = wide.join(sizes, on="dataset", how="left", maintain_order="left")
        digits = [*((name, 0) for name in TYPES if group == "phrases"), ("words per caption", 2)]
        digits += [(name, 2) for name in names if group == "rare"]
        yield Table(title, wide, caption=_CAPTIONS.get(group), digits=tuple(digits), name=group)


def _histogram(kind: str, title: str, label: str) -> View[Figure]:
    names = {card.name: card.name.rpartition("-")[2] for card in STATISTICS if card.name.rpartition("-")[0] == kind}
    names[[*names][-1]] += "+"
    return View(
        Figure(
            kind, title, "bars", EMPTY, x="number", y="value", series="dataset", low="low", high="high",
            x_label=label, y_label="per caption", caption="95% confidence intervals over images.",
        ),
        where=pl.col("statistic").is_in([*names]) & pl.col("value").is_not_null(),
        columns=("dataset", pl.col("statistic").replace_strict(names).alias("number"), "value", "low", "high"),
    )  # fmt: skip


#: Compounds by length and prepositional phrases by depth, per caption, as in figure 7 of the paper.
HISTOGRAMS = (
    _histogram("compounds", "Compounds by length", "nouns in a compound"),
    _histogram("prepositional-depth", "Prepositional phrases by depth", "prepositions in a phrase"),
)


def frequent(selection: Selection, phrases: pl.DataFrame) -> Iterator[Table]:
    """Yield the most frequent phrases of a dataset. `phrases` has the rows of `sql/syntax/frequent_phrase.sql`."""
    for kind, title in _FREQUENT.items():
        shown = phrases.filter(kind=kind).head(_SHOWN).select("phrase", "captions", example="text")
        if shown.height:
            name, hits = f"frequent-{kind}/{selection.label}", ("example", tuple(shown["phrase"]))
            yield Table(f"frequent {title} of {selection.label}", shown, name=name, hits=hits)


def against_people(people: Selection) -> View[Table]:
    """Compare the phrases of systems with those of human captions, in rows of one pipeline."""
    return View(
        Table(
            f"phrases of the human captions, {people.label}",
            EMPTY,
            name="against-people",
            caption="coverage: share of human phrases that the system uses; precision: share of its phrases in a human "
            "caption of the image; compounds of two nouns, prepositional phrases of depth 1",
        ),
        where=pl.col("statistic").str.contains("-(coverage|precision)$"),
        pivot=("statistic", "dataset", "value"),
    )


def of_pipelines(pipelines: Sequence[str]) -> View[Table]:
    """Compare the values of several pipelines, with their spread."""
    least, most = pl.min_horizontal(pipelines), pl.max_horizontal(pipelines)
    spread = (most - least).alias("spread"), pl.when(most > 0).then((most - least) / most).alias("relative")
    is_known = pl.col("value").is_not_null()
    return View(
        Table(
            "the same statistics by each pipeline",
            EMPTY,
            sections="dataset",
            name="pipelines",
            caption="spread: largest minus smallest value; relative: spread as a share of the largest",
        ),
        where=is_known & (is_known.sum().over("dataset", "statistic") == len(pipelines)),
        pivot=("pipeline", ["dataset", "statistic"], "value"),
        columns=(pl.all(), *spread),
    )
